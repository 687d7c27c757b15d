"""How the tokenizers of published families split texts, alternative by alternative."""

from __future__ import annotations

_SHORT = r"'s|'t|'re|'ve|'m|'ll|'d"
_ENDINGS = rf"(?i:{_SHORT})"
_SPACES = [r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"]
_SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CAPITALS = [rf"{_BEFORE}{_UPPER}*{_LOWER}+", rf"{_BEFORE}{_UPPER}+{_LOWER}*"]
_SLASHED = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"

_FAMILIES: dict[str, list[str]] = {
    "GPT-2": [_SHORT, r" ?\p{L}+", r" ?\p{N}+", r" ?[^\s\p{L}\p{N}]+", r"\s+(?!\S)", r"\s+"],
    "GPT-2 in tiktoken": [r"'(?:[sdmt]|ll|ve|re)", r" ?\p{L}+", r" ?\p{N}+", r"\s+(?!\S)", r"\s+"],
    "Llama 3, Phi-4, cl100k": [_ENDINGS, rf"{_BEFORE}\p{{L}}+", r"\p{N}{1,3}", _SIGNS, *_SPACES],
    "cl100k in tiktoken": [
        r"'(?i:[sdmt]|ll|ve|re)", r"[^\r\n\p{L}\p{N}]?+\p{L}++", r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$", r"\s*[\r\n]", r"\s+(?!\S)", r"\s",
    ],
    "Qwen2": [_ENDINGS, rf"{_BEFORE}\p{{L}}+", r"\p{N}", _SIGNS, *_SPACES],
    "Qwen3.5": [_ENDINGS, rf"{_BEFORE}[\p{{L}}\p{{M}}]+", r"\p{N}", r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*", *_SPACES],
    "o200k, gpt-oss": [*(f"{c}{_ENDINGS}?" for c in _CAPITALS), r"\p{N}{1,3}", _SLASHED, *_SPACES],
    "Mistral's Tekken": [*_CAPITALS, r"\p{N}", _SLASHED, *_SPACES],
    "DeepSeek-V3": [
        r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""", r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+",
        r" ?[\p{P}\p{S}]+[\r\n]*", *_SPACES,
    ],
    "DeepSeek-V3, Chinese": ["[一-龥\u3040-ゟ゠-ヿ]+"],
    "DeepSeek's coder": [r"\s?\p{L}+"],
    "Falcon": [r"[\p{P}\$\+<=>\^~\|`]+"],
    "Falcon's numbers": ["[0-9][0-9][0-9]"],
    "BLOOM": [r" ?[^(\s|[.,!?…。，、।۔،])]+"],
    "CLIP": [r"<\|startoftext\|>", r"<\|endoftext\|>", _SHORT, r"[\p{L}]+", r"[\p{N}]", r"[^\s\p{L}\p{N}]+"],
    "ChemBERTa": [r"(\[[^\]]{1,9}\]", r"Br?", r"Cl?", "N", "O", r"\(", r"\)", r"\+", r"\\", r"\/", "%[0-9]{2})"],
    "DeBERTa's normaliser": [r"\s{2,}", r"[\n\r\t]"],
    "T5's normaliser": [" {2,}"],
    "Headlight's characters": [r"[\s\S]"],
    "Headlight's guard": ["<(?=/s>)", r"\[(?=SEP\])", "<(?=0x[0-9A-F]{2}>)"],
    "single characters": ["."],
}  # fmt: skip
PUBLISHED = {family: "|".join(alternatives) for family, alternatives in _FAMILIES.items()}
