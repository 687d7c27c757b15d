"""The ways in, what came by them, and what lies in it."""
