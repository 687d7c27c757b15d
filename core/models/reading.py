"""What a model is given in one run, and which tokens are the rows and columns of its maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.text import Tokens

# The one row of attention pooling: what asks is a vector of the model itself, and no token of a text.
POOLED = Tokens(
    text="", text_pair=None, ids=(-1,), pieces=("[pooled]",), labels=("[pooled]",), spans=(None,), sequences=(None,),
    words=(0,), type_ids=(0,), special=(False,), unknown=(False,),
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """One text as a network reads it.

    tokens     the input text's tokens, and after them what a decoder wrote itself
    decoder    an encoder-decoder's decoder input, from its start token on; None for other models
    written    what the model wrote, as text; None where nothing was to be written
    produced   the tokens that came after the decoder's, one for each from the first on; None for other models
    choices    what a network chooses among, the scores it gives to each, and the number of the one that is read here
    """

    tokens: Tokens
    decoder: Tokens | None = None
    written: str | None = None
    produced: Tokens | None = None
    choices: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    chosen: int = 0

    @property
    def after(self) -> int | None:
        """Id of the token that came after the last that the decoder reads; None where none did."""
        if self.decoder is None or self.produced is None or len(self.produced) < len(self.decoder):
            return None
        return self.produced.ids[-1]

    def sides(self) -> dict[str, tuple[Tokens, Tokens]]:
        """Tokens of the rows and of the columns, by stream."""
        if self.decoder is None:
            return {"self": (self.tokens, self.tokens), "pooling": (POOLED, self.tokens)}
        return {
            "encoder": (self.tokens, self.tokens),
            "decoder": (self.decoder, self.decoder),
            "cross": (self.decoder, self.tokens),
        }

    def inputs(self, device: str) -> dict[str, Tensor]:
        """Arguments of the network's forward; those that it does not take are to be left out."""
        rows: dict[str, Any] = {
            "input_ids": self.tokens.ids,
            "attention_mask": [1] * len(self.tokens),
            "token_type_ids": self.tokens.type_ids,
        }
        if self.decoder is not None:
            rows["decoder_input_ids"] = self.decoder.ids
        return {name: torch.tensor([row], device=device) for name, row in rows.items()}  # (1, T)
