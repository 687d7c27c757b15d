"""How well a network does: translation scores, classifier scores, alignment accuracy, loss by position."""
