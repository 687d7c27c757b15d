import io
import os
import pickle
import struct
import tracemalloc
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from core.models.checking_files import pickled_of, state_dict_in, state_dict_of
from tests.evil import Evil
from tests.models.checking_files.good_files import SHAPES, TENSORS, torch_file
from tests.sentences import refused

NUMBER = bytes(4)
LITTLE = {"byteorder": b"little"}
# A float32 of one number, as the pickle of a torch file tells it, with room for its storage, size and stride.
STORAGE = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK%btQ"


def archive(path: Path, parts: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, content in parts.items():
            made.writestr(f"archive/{name}", content)
    return path


def tensor(stored: int = 1, offset: bytes = b"K\0", size: bytes = b"K\x01", stride: bytes = b"K\x01") -> bytes:
    built = b"ctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE % bytes([stored])
    return built + offset + size + b"\x85" + stride + b"\x85\x89)tR"


def one(described: bytes) -> bytes:
    return b"\x80\x02}X\x01\0\0\0a" + described + b"s."


def torch_zip(path: Path, data: bytes, numbers: bytes = NUMBER) -> Path:
    return archive(path, {"data.pkl": data, "data/0": numbers} | LITTLE)


def test_a_good_file_is_told_as_it_is(tmp_path: Path) -> None:
    path = torch_file(tmp_path / "model.bin")
    assert {name: (tensor.dtype, tensor.shape) for name, tensor in pickled_of(path).items()} == SHAPES
    assert state_dict_in(path) == ()


def test_every_number_format_of_torch_is_told(tmp_path: Path) -> None:
    kinds = ["float64", "bfloat16", "bool", "uint16", "int8", "complex64", "float8_e4m3fn", "float8_e5m2"]
    path = torch_file(tmp_path / "a", {kind: torch.zeros(2, 3).to(getattr(torch, kind)) for kind in kinds})
    assert {name: (tensor.dtype, tensor.shape) for name, tensor in pickled_of(path).items()} == {
        kind: (kind, (2, 3)) for kind in kinds
    }


def test_a_network_with_tied_and_transposed_weights_is_told(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    held = network.state_dict() | {
        "tied": network[0].weight,
        "turned": torch.zeros(2, 5).T,
        "part": torch.zeros(9)[2:4],
    }
    found = pickled_of(torch_file(tmp_path / "a", held))
    assert {name: tensor.shape for name, tensor in found.items()} == {k: tuple(t.shape) for k, t in held.items()}


@pytest.mark.parametrize(
    ("held", "path"),
    [
        ({"state_dict": TENSORS, "epoch": 3, "lr": 1e-3, "optimizer_states": [{0: TENSORS}]}, ("state_dict",)),
        ({"model": TENSORS, "optimizer": {"state": {0: TENSORS}}, "acc": torch.tensor(0.9)}, ("model",)),
        ({"module": OrderedDict(TENSORS), "args": {"size": torch.Size([2]), "kind": torch.float16}}, ("module",)),
        ({"state": {"net": {"model": TENSORS}}, "seen": {1, 2}, "z": 1j, "b": b"raw"}, ("state", "net", "model")),
        ({"mine": TENSORS, "step": torch.tensor(3)}, ("mine",)),
        ({**TENSORS, "extra": {"a": torch.zeros(1)}}, ()),
    ],
)
def test_the_state_dict_within_others_is_found(tmp_path: Path, held: Any, path: tuple[str, ...]) -> None:
    file = torch_file(tmp_path / "a.ckpt", held)
    assert state_dict_in(file) == path
    assert pickled_of(file).keys() == TENSORS.keys()
    inner = torch.load(file, weights_only=True)
    for key in path:
        inner = inner[key]
    assert pickled_of(file).keys() <= inner.keys()


def test_values_beside_the_tensors_are_counted(tmp_path: Path) -> None:
    assert state_dict_of(torch_file(tmp_path / "a", {**TENSORS, "epoch": 3})).beside == 1


def test_several_state_dicts_are_named(tmp_path: Path) -> None:
    with refused("2 state dicts, under “generator” and “critic”"):
        pickled_of(torch_file(tmp_path / "a", {"generator": TENSORS, "critic": {"w": torch.zeros(2)}}))


@pytest.mark.parametrize("held", [[torch.zeros(2)], {"a": 5}, torch.zeros(3), {}, "text", {1: torch.zeros(2)}])
def test_a_file_without_a_state_dict_is_told_so(tmp_path: Path, held: Any) -> None:
    with refused("holds no state dict"):
        pickled_of(torch_file(tmp_path / "a", held))


def test_a_pickle_that_would_run_is_named_and_runs_nothing(tmp_path: Path) -> None:
    trace = tmp_path / "it-ran"
    path = torch_file(tmp_path / "model.pt", {"a": torch.zeros(2), "evil": Evil(trace)})
    with refused("“model.pt” is not opened", f"wants to call “{os.name}.mkdir”", "could run as a program"):
        pickled_of(path)
    assert not trace.exists()


@pytest.mark.parametrize(
    "named", ["os system", "builtins eval", "__builtin__ exec", "torch load", "torch._utils _rebuild"]
)
def test_anything_else_is_called_by_its_name(tmp_path: Path, named: str) -> None:
    module, name = named.encode().split(b" ")
    with refused("wants to call", name.decode()):
        pickled_of(torch_zip(tmp_path / "a", one(b"c" + module + b"\n" + name + b"\nX\x01\0\0\0b\x85R")))


def test_a_whole_network_is_refused(tmp_path: Path) -> None:
    with refused("wants to call “torch.nn.modules.linear.Linear”"):
        pickled_of(torch_file(tmp_path / "a", nn.Linear(2, 2)))


def test_what_is_in_no_zip_is_to_be_saved_again(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(pickle.dumps({"a": 1}))
    for path in (torch_file(tmp_path / "a", zipped=False), tmp_path / "b"):
        with refused("save it again"):
            pickled_of(path)


def test_a_program_of_torchscript_is_refused(tmp_path: Path) -> None:
    torch.jit.save(torch.jit.trace(nn.Linear(2, 2), torch.zeros(1, 2)), tmp_path / "a")
    with refused("TorchScript"):
        pickled_of(tmp_path / "a")


@pytest.mark.parametrize(
    ("described", "told"),
    [
        (tensor(stored=2, size=b"K\x02"), "reaches beyond its part, which has 4 bytes"),
        (tensor(size=b"K\x02"), "reaches beyond its part “data/0”"),
        (tensor(offset=b"K\x01"), "reaches beyond its part “data/0”"),
        (tensor(size=b"\x8a\x08" + struct.pack("<q", 1 << 62)), "more numbers than any file"),
        (tensor(size=b"J\xff\xff\xff\xff"), "no list of whole numbers"),
        (tensor(size=b"\x88"), "no list of whole numbers"),
        (tensor(size=b"K\x09", stride=b"K\0"), "declares 9 numbers and has fewer"),
        (tensor(offset=b"J\xff\xff\xff\xff"), "damaged"),
        (tensor().replace(b"\x000X\x03", b"\x001X\x03"), "“data/1” with the numbers of “a” is missing"),
        (tensor().replace(b"FloatStorage", b"UIntStorage"), "wants to call “torch.UIntStorage”"),
        (b"ctorch\nfloat16\n)R", "wants to call “torch.float16” in a way that makes no tensor"),
        (b"\x8c\x01a", "the operation SHORT_BINUNICODE"),
        (b"I5\n", "the operation INT"),
        (b"}0", "the operation POP"),
        (b"Vtext\n", "the operation UNICODE"),
        (b"h\x09", "damaged"),
        (b"X\xff\xff\xff\xff", "damaged"),
        (b"NQ", "damaged"),
    ],
)
def test_a_pickle_that_lies_is_refused(tmp_path: Path, described: bytes, told: str) -> None:
    path = torch_zip(tmp_path / "a", one(described))
    tracemalloc.start()
    with refused("“a” is not opened", told):
        pickled_of(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_containers_within_themselves_cost_nothing(tmp_path: Path) -> None:
    tuples = b"Nq\0" + b"h\0h\0\x86q\0" * 200
    dicts = b"}q\0X\x01\0\0\0ah\0s0" + b"}(X\x01\0\0\0ah\0X\x01\0\0\0bh\0uq\0" * 200
    for data in (
        b"\x80\x02}" + tuples + b"Ks.",
        b"\x80\x02" + dicts.replace(b"s0", b"s") + b".",
        one(b"}q\0X\x01\0\0\0ah\0s"),
    ):
        with refused("“a” is not opened"):
            pickled_of(torch_zip(tmp_path / "a", data))


def test_one_part_under_many_names_is_bounded(tmp_path: Path) -> None:
    many = dict.fromkeys(map(str, range(100)), torch.zeros(1 << 20, dtype=torch.uint8))
    with refused("unfold to 104,857,600 bytes"):
        pickled_of(torch_file(tmp_path / "a", many))


def test_steps_that_use_one_large_value_many_times_cost_no_more(tmp_path: Path) -> None:
    large = b"(" + b"K\x01" * 100_000 + b"tq\0"
    often = {
        "collections.OrderedDict": b"ccollections\nOrderedDict\nh\0\x85R",
        "100,000 dimensions": tensor().replace(b"K\x01\x85", b"h\0", 1),
        "damaged": tensor().replace(b"K\x01\x85\x89", b"h\0\x89"),
    }
    for told, step in often.items():
        with refused(told):
            pickled_of(torch_zip(tmp_path / "a", b"\x80\x02]" + large + step * 1_000 + b"."))


def test_attributes_that_are_given_again_and_again_are_refused(tmp_path: Path) -> None:
    attributes = b"}(" + b"".join(b"X\x05\0\0\0%05dN" % number for number in range(10_000)) + b"uq\x01"
    settings = b"cargparse\nNamespace\n)R"
    with refused("damaged"):
        pickled_of(torch_zip(tmp_path / "a", b"\x80\x02" + settings + attributes + b"b" + b"h\x01b" * 1_000 + b"."))


def test_keys_that_collide_are_not_kept(tmp_path: Path) -> None:
    keys = b"".join(b"\x8a\x0a" + (number * (2**61 - 1)).to_bytes(10, "little") + b"N" for number in range(50_000))
    with refused("holds no state dict"):
        pickled_of(torch_zip(tmp_path / "a", b"\x80\x02}(" + keys + b"u."))


def test_a_pickle_of_too_many_steps_or_bytes_is_not_read_to_its_end(tmp_path: Path) -> None:
    with refused("16,777,217 bytes and 16,777,216 are allowed"):
        pickled_of(torch_zip(tmp_path / "a", bytes((1 << 24) + 1)))


@pytest.mark.parametrize("name", ["../data.pkl", "/data.pkl", "a/../../b", "a\\b", "C:b", "a//b", "a\n", "\u202ea"])
def test_a_part_named_like_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with refused("named like a path that leads elsewhere"):
        pickled_of(archive(tmp_path / "a", {"data.pkl": one(tensor()), name: NUMBER}))


def test_what_else_a_zip_can_be_is_refused(tmp_path: Path) -> None:
    parts = {"data.pkl": one(tensor()), "data/0": NUMBER}
    with refused("compressed"):
        pickled_of(archive(tmp_path / "a", {"data.pkl": bytes(1 << 22)}, zipfile.ZIP_DEFLATED))
    with refused("other order of bytes"):
        pickled_of(archive(tmp_path / "a", parts | {"byteorder": b"big"}))
    with refused("no data.pkl"):
        pickled_of(archive(tmp_path / "a", {"data/0": NUMBER}))
    with refused("one folder"), zipfile.ZipFile(tmp_path / "a", "w") as made:
        made.writestr("a/data.pkl", parts["data.pkl"])
        made.writestr("b/data/0", NUMBER)
        made.close()
        pickled_of(tmp_path / "a")
    twice = archive(tmp_path / "a", {"data.pkl": b"", "data.pkK": b""})
    twice.write_bytes(twice.read_bytes().replace(b"data.pkK", b"data.pkl"))
    with refused("names “archive/data.pkl” twice"):
        pickled_of(twice)


def changed(content: bytes, place: int, value: bytes) -> bytes:
    return content[:place] + value + content[place + len(value) :]


def test_a_directory_that_lies_is_refused(tmp_path: Path) -> None:
    path = torch_zip(tmp_path / "a", one(tensor()))
    good = path.read_bytes()
    assert pickled_of(path).keys() == {"a"}
    directory, end = good.index(b"PK\x01\x02"), good.index(b"PK\x05\x06")
    (size,) = struct.unpack_from("<I", good, directory + 20)
    lies = [
        ("one of several zip files", changed(good, directory + 34, b"\x01")),
        ("is encrypted", changed(good, directory + 8, b"\x01")),
        ("checksum", changed(good, directory + 16, b"\0\0\0\0")),
        ("“archive/data.pkl” in it overlaps", changed(good, directory + 20, b"\xff\xff\xff\x7f" * 2)),
        ("“archive/data.pkl” in it overlaps", changed(good, directory + 20, struct.pack("<II", size + 9, size + 9))),
        ("“archive/data.pkl” in it is not where", changed(good, directory + 42, b"\x01\0\0\0")),
        ("another name", changed(good, directory + 46, b"archivE")),
        ("contradicts its zip directory", changed(good, 6, b"\x01")),
        ("contradicts its zip directory", changed(good, 8, b"\x08")),
        ("entries and 101,000 are allowed", changed(good, end + 12, struct.pack("<I", 1 << 26))),
        ("does not lie where it says", changed(good, end + 12, struct.pack("<I", 1 << 20))),
        ("directory is damaged", changed(good, directory, b"\0")),
        ("ends too early", changed(good, end + 8, b"\xff\xff" * 2)),
        ("another number of files", changed(good, end + 8, b"\x01\0" * 2)),
        ("part of several", changed(good, end + 10, b"\x01\0")),
        ("cut short", good[:-1]),
        ("something follows its end", changed(good, end + 20, b"\x01\0") + b"a"),
    ]
    for told, content in lies:
        path.write_bytes(content)
        with refused(told):
            pickled_of(path)


def test_a_large_zip_whose_ends_lie_costs_nothing(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    torch.save(TENSORS, buffer)
    content = buffer.getvalue()
    large, small = content.index(b"PK\x06\x06"), content.index(b"PK\x05\x06")
    forged = changed(changed(content, large + 24, struct.pack("<QQ", 1 << 63, 1 << 63)), small + 8, b"\xff" * 4)
    for told, data in (
        ("9,223,372,036,854,775,808 entries", forged),
        ("zip64 record contradicts its end", changed(content, large + 32, struct.pack("<Q", 1 << 63))),
        ("one of several zip files", changed(content, small + 4, b"\xff\xff")),
    ):
        (tmp_path / "a").write_bytes(data)
        with refused(told):
            pickled_of(tmp_path / "a")
