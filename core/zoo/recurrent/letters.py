"""A tokenizer of letters for encoder-decoders that read one script and write another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, PreTrainedConfig
from transformers.tokenization_python import PreTrainedTokenizer

FILE = "vocab.json"
# A folder of unknown origin may ask for any length.
MOST_LETTERS = 1_000


class LetterTokenizer(PreTrainedTokenizer):
    """One token a letter, of one vocabulary for both scripts. Signs of neither are left out, as in training.

    source_letters, target_letters  the first and the last letter of what is read, and of what is written
    source_length                   what sources are filled up to with padding that is read like letters: networks that
                                    were trained without a mask expect it

    Switched to its target mode, as transformers does for `text_target`, it reads targets and ends them with </s>.
    """

    vocab_files_names = {"vocab_file": FILE}  # noqa: RUF012
    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012

    def __init__(
        self,
        vocab_file: str,
        source_letters: str = "az",
        target_letters: str = "az",
        source_length: int = 0,
        **kwargs: Any,
    ) -> None:
        self.numbers: dict[str, int] = json.loads(Path(vocab_file).read_text(encoding="utf-8"))
        self.names = {number: name for name, number in self.numbers.items()}
        self.source, self.target = source_letters, target_letters
        if not 0 <= source_length <= MOST_LETTERS:
            raise ValueError(f"sources of {source_length} letters")
        self.source_length = source_length
        self.writes = False
        own = {"source_letters": source_letters, "target_letters": target_letters, "source_length": source_length}
        super().__init__(**own, **kwargs)  # type: ignore[no-untyped-call]

    @property
    def vocab_size(self) -> int:
        return len(self.numbers)

    def get_vocab(self) -> dict[str, int]:
        return dict(self.numbers)

    def _switch_to_target_mode(self) -> None:
        self.writes = True

    def _switch_to_input_mode(self) -> None:
        self.writes = False

    def _tokenize(self, text: str, **kwargs: Any) -> list[str]:
        letters = self.target if self.writes else self.source
        return [letter for letter in text.lower() if letters[0] <= letter <= letters[-1]]

    def _convert_token_to_id(self, token: str) -> int:
        return self.numbers.get(token, self.numbers[str(self.unk_token)])

    def _convert_id_to_token(self, index: int) -> str:
        return self.names.get(index, str(self.unk_token))

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        return "".join(tokens)

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None
    ) -> list[int]:
        ids = [*token_ids_0, *(token_ids_1 or [])]
        if self.writes:
            return [*ids, int(self.eos_token_id)]
        return ids + [int(self.pad_token_id)] * (self.source_length - len(ids))

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        path = Path(save_directory) / f"{filename_prefix or ''}{FILE}"
        path.write_text(json.dumps(self.numbers, ensure_ascii=False), encoding="utf-8")
        return (str(path),)


class _NoCheckpoint(PreTrainedConfig):
    """Of no model at all. Registered for it, the tokenizer is taken only where a tokenizer_config.json names it."""

    model_type = "headlight_letters"


AutoTokenizer.register(_NoCheckpoint, tokenizer_class=LetterTokenizer, exist_ok=True)
