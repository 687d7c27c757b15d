"""The Saliency page: what is asked of a model, the methods that answer, and what their agreement is worth."""
