"""What an upload lacks, asked for one part after the other."""
