"""What happens to what is explained when words are hidden or taken out."""
