"""Attention weights themselves, and how they spread through the layers: they say nothing of any output."""
