"""A model opened from what came: its load report, and the doors to the other pages."""
