"""What is explained, taken apart into the words it is made of: exact, signed sums."""
