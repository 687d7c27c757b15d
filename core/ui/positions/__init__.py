"""The Positions page: its wish, its controls, and a panel for each of its views."""
