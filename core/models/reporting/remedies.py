"""What to do about tensors that a model lacks, that its files have in another shape, or that it has no place for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from core.models.opening.heads import taken_by
from core.models.quoting import shown

Shape = tuple[int, ...]
_VOCABULARY = re.compile(r"(^|\.)(word_embeddings|wte|embed_tokens|shared|word_embedding|embeddings\.tok_embeddings|"
                         r"tok_embeddings|lm_head|embed_in|embed_out|decoder)\.(weight|bias)$")  # fmt: skip
_POSITIONS = re.compile(r"(^|\.)(position_embeddings|wpe|embed_positions|pos_emb)\.weight$")
_LABELS = re.compile(r"(^|\.)(classifier(\.out_proj)?|score|qa_outputs|classification_head\.out_proj)\.(weight|bias)$")
# What transformers of long ago saved along with the weights, and makes anew today.
_BUFFERS = re.compile(r"(^|\.)(position_ids|token_type_ids|masked_bias|attn\.bias|attention\.bias|inv_freq|"
                      r"cos_cached|sin_cached)$")  # fmt: skip
_TRAINING = re.compile(r"optimi[sz]er|exp_avg|momentum|scheduler|grad_scaler|(^|\.)step$|loss|metric", re.IGNORECASE)
_ADAPTER = re.compile(r"lora_|adapter|\.base_layer\.|ia3_", re.IGNORECASE)
# In a notebook there is no such menu.
_WHERE = "in the menu Head of “Open it differently” on the Models page (or as architectures in its config.json)"
_POOLER = re.compile(r"(^|\.)pooler\.")


def is_pooler_alone(architecture: str, names: Iterable[str]) -> bool:
    """Whether tensors are those of a pooler that nothing comes after: of a class without a head."""
    has_no_head = architecture.endswith("Model") and not architecture.endswith(("LMHeadModel", "DoubleHeadsModel"))
    return has_no_head and all(_POOLER.search(name) for name in names)


def for_random_head(architecture: str, unexpected: Iterable[str]) -> str:
    """What to do about a head that the files lack. unexpected: the tensors that they have instead."""
    if other := taken_by(architecture, unexpected):
        return (
            f"Choose {other}, which takes the head that the files have, {_WHERE}, or leave it: the maps do not depend "
            "on it."
        )
    return (
        "Fine for attention, and the answer means nothing: open the checkpoint that was fine-tuned for it, or choose "
        f"the class without a head {_WHERE}."
    )


def for_misfits(shapes: Mapping[str, tuple[Shape, Shape]]) -> str:
    """What to do about tensors by their (shape that the config asks for, shape in the files)."""
    told = (_for_misfit(name, wanted, stored) for name, (wanted, stored) in shapes.items())
    return next(filter(None, told), "The config.json is that of another model: get the one that was saved with these.")


def _for_misfit(name: str, wanted: Shape, stored: Shape) -> str:
    if not stored or not wanted or wanted[1:] != stored[1:]:
        return ""
    if _LABELS.search(name):
        return f"Its config.json says {wanted[0]:,} labels and the files have {stored[0]:,}: set num_labels to that."
    kinds = ((_VOCABULARY, "vocab_size"), (_POSITIONS, "the number of positions"))
    key = next((key for kind, key in kinds if kind.search(name)), None)
    if key is None:
        return ""
    return f"Set {key} in its config.json to {stored[0]:,}, as the files have it, instead of {wanted[0]:,}."


def for_unexpected(architecture: str, names: tuple[str, ...]) -> str:
    """What to do about tensors that were left out: what they are, where their names tell it."""
    kinds: tuple[tuple[re.Pattern[str], str], ...] = (
        (_BUFFERS, "Nothing: older programs saved these along with the weights, and they are made anew."),
        (_ADAPTER, "They belong to an adapter: open it with its adapter_config.json, or merge it with peft."),
        (_TRAINING, "Nothing: they are the state of a training run, which reading needs none of."),
        (_POOLER, "Nothing: they pool the last layer's output, and the maps do not depend on them."),
    )
    left = [name for name in names if not any(kind.search(name) for kind, _ in kinds)]
    if left and (other := taken_by(architecture, left)):
        return f"Choose {other}, which takes their head, {_WHERE}, if you want its answers too."
    if left:
        return f"Check that {shown(architecture)} is the class of these files: they hold more than it has."
    return next(remedy for kind, remedy in kinds if any(map(_seen(kind), names)))


def _seen(kind: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda name: kind.search(name) is not None
