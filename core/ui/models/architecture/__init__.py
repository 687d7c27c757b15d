"""Which architecture an upload is of, and all that its config takes for granted."""
