"""A `.keras` file is read within bounds, and only what was asked for."""

import io
import zipfile
from pathlib import Path

import h5py  # type: ignore[import-untyped]
import numpy as np
import pytest
import torch

from core.models.keras import MOST_BYTES, WEIGHTS, keras_weights
from tests.sentences import refused

SHAPES = {"layers/dense/vars/0": (2, 3)}
VALUES = np.arange(6, dtype="float32").reshape(2, 3)


def saved(path: Path, **options: object) -> Path:
    """A Keras file with one dataset, made with h5py's options."""
    packed = io.BytesIO()
    with h5py.File(packed, "w") as file:
        file.create_dataset("layers/dense/vars/0", **{"data": VALUES, **options})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(WEIGHTS, packed.getvalue())
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.keras"


def test_weights_are_read_by_their_path(file: Path) -> None:
    (weight,) = keras_weights(saved(file), SHAPES).values()
    assert torch.equal(weight, torch.arange(6.0).reshape(2, 3))


def test_another_shape_or_format_is_refused(file: Path) -> None:
    with refused("model.keras", "(2, 3), not float32 of shape (3, 2)"):
        keras_weights(saved(file), {"layers/dense/vars/0": (3, 2)})
    with refused("float64"):
        keras_weights(saved(file, data=VALUES.astype("float64")), SHAPES)


def test_missing_weights_are_named(file: Path) -> None:
    with refused("no weights layers/gru"):
        keras_weights(saved(file), {"layers/gru": (2, 3)})
    with refused("no weights layers/dense/vars"):
        keras_weights(saved(file), {"layers/dense/vars": (2, 3)})


def test_packed_weights_are_not_unpacked(file: Path) -> None:
    with refused("do not lie in it as they are"):
        keras_weights(saved(file, compression="gzip"), SHAPES)


def test_nothing_is_read_from_elsewhere(file: Path, tmp_path: Path) -> None:
    """HDF5 can keep a dataset's values in any file of the machine, and link to others."""
    secret = tmp_path / "secret"
    secret.write_bytes(VALUES.tobytes())
    with refused("do not lie in it as they are"):
        keras_weights(saved(file, data=None, shape=(2, 3), dtype="float32", external=[(str(secret), 0, 24)]), SHAPES)
    packed = io.BytesIO()
    with h5py.File(packed, "w") as opened:
        opened["layers"] = h5py.ExternalLink(str(secret), "/")
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(WEIGHTS, packed.getvalue())
    with refused("no weights"):
        keras_weights(file, SHAPES)


def test_a_bomb_is_unpacked_no_further_than_the_bound(file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(WEIGHTS, "w") as packed:
        for _ in range((MOST_BYTES >> 20) + 1):
            packed.write(bytes(1 << 20))
    assert file.stat().st_size < MOST_BYTES / 100
    with refused("unpacks to more than 64 MiB"):
        keras_weights(file, SHAPES)


@pytest.mark.parametrize("content", [b"", b"PK no zip", zipfile.ZipFile])
def test_what_is_no_keras_file_is_refused(file: Path, content: object) -> None:
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(WEIGHTS, b"no HDF5")
    with refused("model.keras", "get it again"):
        keras_weights(file, SHAPES)
