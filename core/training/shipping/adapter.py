"""A fine-tuning by LoRA: only the adapter and the head are shipped; the base is named, not copied."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from core.errors import HeadlightError
from core.training.card import Card
from core.training.checkpoints import explained_when_full
from core.training.saving import save_card
from core.training.shipping.half import require_finite

TENSORS, CONFIG = "adapter_model.safetensors", "adapter_config.json"


def save_adapter(trained: Path, card: Card, folder: Path, base: str) -> None:
    """Write adapter and head of a trained folder in float16, the classifier's config.json, and the card.

    base: the catalogue name of what they are added to, in place of a path on the machine that trained them.
    Raises HeadlightError where the folder holds no adapter, or a weight does not fit into float16.
    """
    made = trained / "adapter"
    if not (made / TENSORS).is_file():
        raise HeadlightError(f"{trained} has no adapter: train it with --set lora=true.")
    tensors = {name: tensor.half().contiguous() for name, tensor in load_file(made / TENSORS).items()}
    require_finite(tensors)
    config = json.loads((made / CONFIG).read_text(encoding="utf-8")) | {"base_model_name_or_path": base}
    of_classifier = json.loads((trained / "config.json").read_text(encoding="utf-8"))
    of_classifier["dtype"] = str(torch.float32).removeprefix("torch.")
    with explained_when_full(folder / TENSORS):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".saving-", dir=folder) as place:
            new = Path(place)
            save_file(tensors, new / TENSORS, metadata={"format": "pt"})
            _write(config, new / CONFIG)
            _write(of_classifier, new / "config.json")
            for name in (TENSORS, CONFIG, "config.json"):
                os.replace(new / name, folder / name)
    save_card(card, folder)


def _write(values: dict[str, object], path: Path) -> None:
    path.write_text(json.dumps(values, indent=2, sort_keys=True) + "\n", encoding="utf-8")
