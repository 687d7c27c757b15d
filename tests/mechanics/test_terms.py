"""The terms of an open DeBERTa sum to the scores that a recording of the same text has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from transformers import AutoModel, AutoModelForMaskedLM

from core import load
from core.errors import HeadlightError
from core.jobs import Cancelled, Job
from core.jobs.job import Progress
from core.mechanics.terms import terms_of
from core.models.model import Model
from tests.tiny import save_model

BOTH, FIRST, SECOND = ["c2p", "p2c"], "content_to_position", "position_to_content"
RELATIVE = dict(relative_attention=True, pos_att_type=BOTH, max_relative_positions=8, position_biased_input=False)
SIZES = dict(
    hidden_size=32, num_hidden_layers=3, num_attention_heads=4, intermediate_size=48, max_position_embeddings=64
)  # fmt: skip
# Name: model type, config, terms that are absent.
KINDS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "v1": ("deberta", RELATIVE, ()),
    "v1 as far as it reads": ("deberta", RELATIVE | {"max_relative_positions": -1}, ()),
    "v1 content to position": ("deberta", RELATIVE | {"pos_att_type": ["c2p"]}, (SECOND,)),
    "v1 position to content": ("deberta", RELATIVE | {"pos_att_type": ["p2c"]}, (FIRST,)),
    "v1 without": ("deberta", {"relative_attention": False}, (FIRST, SECOND)),
    "v2": ("deberta-v2", RELATIVE | {"position_buckets": 6, "max_relative_positions": 24}, ()),
    "v2 clipped": ("deberta-v2", RELATIVE, ()),
    "v2 content to position": ("deberta-v2", RELATIVE | {"pos_att_type": ["c2p"]}, (SECOND,)),
    "v2 position to content": ("deberta-v2", RELATIVE | {"pos_att_type": ["p2c"]}, (FIRST,)),
    "v2 without": ("deberta-v2", {"relative_attention": False, "pos_att_type": BOTH}, (FIRST, SECOND)),
    "v2 with a convolution": ("deberta-v2", RELATIVE | {"conv_kernel_size": 3, "norm_rel_ebd": "layer_norm"}, ()),
    "v3": (
        "deberta-v2",
        RELATIVE
        | dict(position_buckets=6, max_relative_positions=-1, share_att_key=True, norm_rel_ebd="layer_norm",
               type_vocab_size=0),
        (),
    ),
    "v3 content to position": ("deberta-v2", RELATIVE | dict(share_att_key=True, pos_att_type=["c2p"]), (SECOND,)),
}  # fmt: skip
TEXT = "the cat sat on the mat, and the dog chased"


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def model(kind: str, tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer) -> Model:
    folder = tmp_path_factory.mktemp("deberta")
    family, changes, _ = KINDS[kind]
    auto = AutoModelForMaskedLM if kind == "v3" else AutoModel
    save_model(folder, family, auto, byte_level, **(SIZES | changes))
    return load(str(folder), device="cpu")


def test_the_sum_is_the_score_of_the_recording(kind: str, model: Model) -> None:
    trace = model.run(TEXT)
    for layer in range(3):
        terms, tokens = terms_of(model, TEXT, layer)
        assert tokens.ids == trace.tokens.ids
        assert terms.total.shape == (4, len(tokens), len(tokens))
        for head in range(4):
            logits = torch.stack([trace.query_key(layer, head, query).logits for query in range(len(tokens))])
            torch.testing.assert_close(terms.total[head], logits, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(terms.total.softmax(-1), trace.attention(layer), atol=1e-5, rtol=0)


def test_only_a_term_that_the_model_was_built_without_is_zero(kind: str, model: Model) -> None:
    found, _ = terms_of(model, TEXT, 1)
    assert found.absent == KINDS[kind][2]
    for name in (FIRST, SECOND):
        assert bool(getattr(found, name).any()) is (name not in found.absent)
    assert bool(found.content_to_content.any())


def folder_of(folder: Path, byte_level: tokenizers.Tokenizer, **changes: Any) -> Model:
    save_model(folder, "deberta", AutoModel, byte_level, **(SIZES | RELATIVE | changes))
    return load(str(folder), device="cpu")


def test_another_model_is_refused_in_words(minilm: Model) -> None:
    with pytest.raises(HeadlightError, match="does not add up scores in the three terms of DeBERTa: open a DeBERTa"):
        terms_of(minilm, "one two", 0)


def test_a_layer_that_there_is_not_is_refused_in_words(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    model = folder_of(tmp_path, byte_level)
    for layer in (-1, 3):
        with pytest.raises(HeadlightError, match=f"has the layers 0 to 2, and none numbered {layer}"):
            terms_of(model, TEXT, layer)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_near_enough(tmp_path: Path, byte_level: tokenizers.Tokenizer, dtype: str) -> None:
    save_model(tmp_path, "deberta-v2", AutoModel, byte_level, **(SIZES | RELATIVE))
    model = load(str(tmp_path), device="cpu", dtype=dtype)
    terms, _ = terms_of(model, TEXT, 2)
    assert terms.total.dtype == torch.float32
    torch.testing.assert_close(terms.total.softmax(-1), model.run(TEXT).attention(2), atol=0.1, rtol=0)


def test_a_job_is_told_each_layer_and_can_stop_the_run(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    model, heard = folder_of(tmp_path, byte_level), list[Progress]()
    terms_of(model, TEXT, 0, Job("owner", "terms", heard.append))
    assert [(each.done, each.total) for each in heard] == [(1, 3), (2, 3), (3, 3)]
    stopped = Job("owner", "terms")
    stopped.cancel()
    with pytest.raises(Cancelled):
        terms_of(model, TEXT, 0, stopped)
