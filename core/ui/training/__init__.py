"""The Training page: what is to be trained, runs in the background, and how they are watched.

Importing it imports neither torch nor the figures: before the first run the page needs none of them.
"""
