"""A base against what was fine-tuned from it."""
