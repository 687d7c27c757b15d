"""What is made of the transliterator's files computes what Keras computes; other files are refused."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path

import h5py  # type: ignore[import-untyped]
import numpy as np
import pytest
import torch

from core import load
from core.models.keras import WEIGHTS
from core.models.model import Model
from core.models.transliterator import SHAPES, write_transliterator
from tests.sentences import refused

SIDES = {"eng_tokenizer": 28, "khm_tokenizer": 81}
LENGTH = 6
Array = np.ndarray
GENERATOR = np.random.default_rng(0)
VALUES = {path: GENERATOR.normal(size=shape, scale=0.4).astype("float32") for path, shape in SHAPES.items()}


def assets(**changes: object) -> bytes:
    """Tokenizers as the package pickles them, of other letters."""
    first = {"eng_tokenizer": ord("a"), "khm_tokenizer": 0x1780}
    sides = {
        side: {"word_index": {"<unk>": 1, **_ends(side), **{chr(start + i): i for i in _rest(side)}}}
        for side, start in first.items()
    }
    return pickle.dumps({**sides, "max_eng_len": LENGTH, **changes}, protocol=4)


def _ends(side: str) -> dict[str, int]:
    return {"\t": 2, "\n": 3} if side == "khm_tokenizer" else {}


def _rest(side: str) -> range:
    return range(2 + len(_ends(side)), SIDES[side])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("files")
    packed = io.BytesIO()
    with h5py.File(packed, "w") as file:
        for path, value in VALUES.items():
            file.create_dataset(path, data=value)
    with zipfile.ZipFile(folder / "model.keras", "w") as archive:
        archive.writestr(WEIGHTS, packed.getvalue())
    (folder / "assets.pkl").write_bytes(assets())
    return folder / "model.keras", folder / "assets.pkl"


@pytest.fixture(scope="module")
def model(files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("transliterator")
    write_transliterator(*files, folder)
    return load(str(folder), device="cpu")


def gru(cell: str, inputs: Array) -> Array:
    """Keras's GRU with reset_after, from a state of zero: (T, I) -> (T, H)."""
    kernel, recurrent, (bias, recurrent_bias) = (VALUES[f"layers/{cell}/cell/vars/{i}"] for i in range(3))
    state, states = np.zeros(recurrent.shape[0]), []
    for x in inputs:
        update, reset, new = np.split(x @ kernel + bias, 3)
        of_update, of_reset, of_new = np.split(state @ recurrent + recurrent_bias, 3)
        z, r = (1 / (1 + np.exp(-total)) for total in (update + of_update, reset + of_reset))
        state = z * state + (1 - z) * np.tanh(new + r * of_new)
        states.append(state)
    return np.stack(states)


def by_hand(source: list[int], target: list[int]) -> tuple[Array, Array]:
    """Logits (T, 81) and attention weights (T, S) of Keras numbers."""
    words = VALUES["layers/embedding/vars/0"][source]
    both = [gru("bidirectional/forward_layer", words), gru("bidirectional/backward_layer", words[::-1])[::-1]]
    narrow, bias = (VALUES[f"layers/time_distributed/layer/vars/{i}"] for i in range(2))
    keys = np.concatenate(both, axis=1) @ narrow + bias
    states = gru("gru", VALUES["layers/embedding_1/vars/0"][target])
    scores = np.tanh(states[:, None] + keys[None]) @ VALUES["layers/additive_attention/vars/0"]
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    joined = np.concatenate([states, weights @ keys], axis=1)
    return joined @ VALUES["layers/dense/vars/0"] + VALUES["layers/dense/vars/1"], weights


def test_it_computes_what_keras_computes(model: Model) -> None:
    # "abc" is c, d, e counted from 2; the target's signs follow the start sign, 2, in the Khmer block from 4 on.
    source = [ord(letter) - ord("a") for letter in "cde"] + [0, 0, 0]
    target = [2, 10, 20, 30]
    logits, weights = by_hand(source, target)
    trace = model.run("cde", target="".join(chr(0x1780 + i) for i in target[1:]))
    np.testing.assert_allclose(trace.attention(0)[0].numpy(), weights, atol=1e-5)
    np.testing.assert_allclose(trace.output.values[28:].numpy(), logits[-1, 2:], atol=1e-4)
    assert trace.keys("cross").labels == ("c", "d", "e", "<pad>", "<pad>", "<pad>")


def test_letters_that_are_only_read_are_never_written(model: Model) -> None:
    values = model.run("cde", target="\u1790").output.values
    assert float(torch.softmax(values, dim=-1)[2:28].sum()) == 0


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (assets(khm_tokenizer={"word_index": {"a": 1}}), "80 signs"),
        (assets(eng_tokenizer=5), "does not number"),
        (assets(max_eng_len=10**9), "does not describe"),
        (pickle.dumps([], protocol=4), "plain data"),
        (pickle.dumps(json.loads, protocol=4), "names json"),
    ],
)
def test_assets_of_something_else_are_refused(files: tuple[Path, Path], tmp_path: Path, data: bytes, word: str) -> None:
    (tmp_path / "assets.pkl").write_bytes(data)
    with refused(word, "again"):
        write_transliterator(files[0], tmp_path / "assets.pkl", tmp_path)
