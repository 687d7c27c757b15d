"""The form of an adapter's base: told by shapes, quoted by name, and refused where it does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from core.models.checking_files import header_of
from core.models.shipped import WEIGHTS
from core.ui.models.missing.base_offers import base_offers, changed_modules, share_of
from tests.ui.models.forms import Forms, candidate

MINILM = "all-MiniLM-L6-v2"
QUERY = "base_model.model.bert.encoder.layer.0.attention.self.query"


@pytest.fixture
def lora() -> dict[str, tuple[int, ...]]:
    """Names and shapes of the adapter that came with this checkout."""
    file = WEIGHTS / "sentiment-minilm-lora" / "adapter_model.safetensors"
    return {name: entry.shape for name, entry in header_of(file).tensors.items()}


def test_a_model_of_the_catalogue_with_the_same_shapes_is_offered_with_the_reason(lora):
    (offer,) = base_offers(lora, None, ())
    assert (offer.base, offer.share) == (MINILM, 1.0)
    assert "it has all 12 weights that the adapter changes" in offer.sentence
    assert "(384, 384)" in offer.sentence


def test_the_base_that_is_named_is_quoted_and_taken(lora):
    forms = Forms(candidate("base", kind="adapter", tensors=lora, base="org/ALL-MiniLM-L6-v2"))
    assert forms.chosen.base == MINILM
    assert forms.html.count(MINILM) == 1
    assert f"It is {MINILM}. A model of the catalogue; the adapter&#x27;s own config names it" in forms.html
    assert not forms.app.radio


def test_the_only_model_that_fits_is_taken_without_a_question_and_another_name_is_quoted(lora):
    forms = Forms(candidate("base", kind="adapter", tensors=lora, base="org/<b>other"))
    assert forms.chosen.base == MINILM
    assert f"Its config names “org/&lt;b&gt;other”. Of the models here only {MINILM} fits." in forms.html
    assert not forms.app.radio


def test_a_model_beside_it_comes_before_the_catalogue(tmp_path: Path, lora):
    beside = tmp_path / "base"
    beside.mkdir()
    weights = {name: torch.zeros(shape) for name, shape in changed_modules(lora).items()}
    save_file(weights, beside / "model.safetensors")
    forms = Forms(candidate("base", kind="adapter", tensors=lora, bases=(beside,)))
    assert forms.chosen.base == beside


def test_a_model_that_this_session_has_open_is_offered_and_an_adapter_is_not(tmp_path: Path, lora):
    own, adapter = tmp_path / "own", tmp_path / "adapter"
    for folder in (own, adapter):
        folder.mkdir()
        weights = {name: torch.zeros(shape) for name, shape in changed_modules(lora).items()}
        save_file(weights, folder / "model.safetensors")
    (adapter / "adapter_config.json").write_text("{}")
    opened = {"my-base (own)": own, "my-change (own)": adapter}
    forms = Forms(candidate("base", kind="adapter", tensors=lora, base="elsewhere/my-base"), own_models=opened)
    assert forms.chosen.base == own
    (radio,) = forms.app.radio
    assert len(radio.options) == 2
    assert "It is open in this session; the adapter's own config names it" in radio.proto.captions[0].replace("\\", "")


def test_an_adapter_that_fits_nothing_says_what_to_do():
    tensors = {f"{QUERY}.lora_A.weight": (4, 77), f"{QUERY}.lora_B.weight": (77, 4)}
    forms = Forms(candidate("base", kind="adapter", tensors=tensors))
    assert forms.chosen is None
    (sentence,) = forms.sentences
    assert sentence.startswith("No model here has the layers that this adapter changes")
    assert "“Hub” under “Bring a model”" in sentence


def test_changed_weights_are_read_from_pairs_of_matrices_and_may_lie_transposed():
    tensors = {
        f"{QUERY}.lora_A.default.weight": (4, 8),
        f"{QUERY}.lora_B.default.weight": (16, 4),
        "base_model.model.x.lora_A.weight": (4, 8),
    }
    changed = changed_modules(tensors)
    assert changed == {"encoder.layer.0.attention.self.query.weight": (16, 8)}
    assert share_of(changed, {"encoder.layer.0.attention.self.query.weight": (8, 16)}) == 1
    assert share_of(changed, {"encoder.layer.0.attention.self.query.weight": (8, 8)}) == 0
    assert share_of({}, {}) == 0
