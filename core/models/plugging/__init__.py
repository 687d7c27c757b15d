"""What stands between a user's own `nn.Module` and a `Model`: its shell, its first trial, the softmax written by hand.

This package imports nothing of its own here: `core.models.plugins` is read for the catalogue, long before torch.
"""
