"""Good inputs of every reader, as the programs write them that people use; fuzzing begins from them."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import sentencepiece
import torch
from safetensors.torch import save as saved

from tests.models.checking_files.good_files import TENSORS, gguf_file, safetensors_file, torch_file
from tests.models.checking_tokenizers.good_files import GOOD
from tests.models.fuzzing.folders_as_bytes import as_bytes
from tests.models.intake.packed import COMPRESSIONS, tarred, zipped
from tests.models.preparing.linear_gpt2 import Sizes, mingpt
from tests.tiny import tiny_config, tiny_network

LORA = {
    "peft_type": "LORA", "r": 2, "lora_alpha": 4, "target_modules": ["query"], "task_type": "SEQ_CLS",
    "base_model_name_or_path": "bert", "rank_pattern": {"layer.0.query": 1}, "alpha_pattern": {r"\d+.query": 2.5},
}  # fmt: skip
ADAPTER = {
    "base_model.model.encoder.layer.0.attention.self.query.lora_A.weight": torch.ones(2, 32),
    "base_model.model.encoder.layer.0.attention.self.query.lora_B.weight": torch.ones(32, 2),
}
NESTED = {"model_type": "t5", "decoder": {"model_type": "t5", "d_model": 8}, "id2label": {"0": "a"}, "d_model": 8}


def of(write: Callable[[Path], Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "file")
        return (Path(folder) / "file").read_bytes()


def said(value: Any) -> bytes:
    return json.dumps(value).encode()


@cache
def safetensors() -> tuple[bytes, ...]:
    return of(safetensors_file), saved(ADAPTER)


@cache
def safetensors_headers() -> tuple[bytes, ...]:
    return tuple(data[8 : 8 + int.from_bytes(data[:8], "little")] for data in safetensors())


@cache
def ggufs() -> tuple[bytes, ...]:
    return (of(gguf_file),)


@cache
def torch_files() -> tuple[bytes, ...]:
    wrapped = {"state_dict": TENSORS, "epoch": 3, "args": {"lr": 1e-3}, "path": ["a"]}
    return (
        of(torch_file),
        of(lambda path: torch_file(path, wrapped)),
        of(lambda path: torch_file(path, torch.nn.Linear(2, 2).state_dict())),
        of(lambda path: torch_file(path, TENSORS, zipped=False)),
    )


@cache
def pickles() -> tuple[bytes, ...]:
    """What lies in those that are zips."""
    return tuple(part_of(data, "data.pkl") for data in torch_files() if data.startswith(b"PK"))


def part_of(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(next(each for each in archive.namelist() if each.endswith(name)))


@cache
def archives() -> tuple[bytes, ...]:
    return zipped(), zipped(method=zipfile.ZIP_STORED), *(pack(tarred()) for pack in COMPRESSIONS.values())


@cache
def configs() -> tuple[bytes, ...]:
    kinds = ("bert", "gpt2", "llama", "t5", "gemma3_text")
    return *(tiny_config(kind).to_json_string().encode() for kind in kinds), said(NESTED)


@cache
def tokenizers() -> tuple[bytes, ...]:
    names = {"tokenizer_class": "PreTrainedTokenizerFast", "added_tokens_decoder": {"1": {"content": "[UNK]"}}}
    small = {"special_tokens_map.json": said({"unk_token": "[UNK]"}), "added_tokens.json": said({"[X]": 20})}
    settings = {"tokenizer_config.json": said(names), **small}
    fast = (as_bytes({"tokenizer.json": said(_small(make())), **settings}) for make in GOOD.values())
    return *fast, as_bytes({"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"#version: 0.2\na b\n"})


def _small(specification: dict[str, Any]) -> dict[str, Any]:
    """With no more pieces than are changed one by one in a reasonable time."""
    vocabulary = specification["model"].get("vocab")
    if isinstance(vocabulary, dict) and len(vocabulary) > 300:
        merges = specification["model"]["merges"][:5]
        kept = {"".join(pair) for pair in merges} | {piece for piece in vocabulary if len(piece) == 1}
        specification["model"] |= {"merges": merges, "vocab": {p: i for p, i in vocabulary.items() if p in kept}}
    return specification


@cache
def vocabularies() -> tuple[bytes, ...]:
    """The first byte says how the rest is read."""
    bytes_of_words = {piece: number for number, piece in enumerate(["Ġ", "a", "b", "ab", "<|endoftext|>"])}
    return (
        b"\0[PAD]\n[UNK]\nthe\n##s\n",
        b"\1" + said({"[UNK]": 0, "a": 1}),
        b"\1" + said(["a", "b", "<unk>"]),
        b"\2" + said(bytes_of_words) + b"\0#version\na b\n",
        b"\3" + said(_small(GOOD["wordpiece"]())),
        b"\4C\nc\n=\n[nH]\nCl\n",
    )


@cache
def sentencepiece_models() -> tuple[bytes, ...]:
    """As its trainer writes them, and one of few pieces."""
    few = b"".join(b"\x0a" + bytes([len(piece)]) + piece for piece in map(_piece, range(4)))
    return _trained(), few + b"\x12\x02\x18\x02" + b"\x1a\x04\x18\x01\x20\x00"


def _trained() -> bytes:
    """Without a normaliser, whose 240 kB are not changed one by one in a reasonable time."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat", "a cat"] * 9), model_writer=model, model_type="unigram", vocab_size=22,
        hard_vocab_limit=False, minloglevel=2, num_threads=1, normalization_rule_name="identity",
    )  # fmt: skip
    return model.getvalue()


def _piece(number: int) -> bytes:
    kind = b"\x18\x02" if number == 0 else b""
    return b"\x0a\x02" + b"x%d" % number + b"\x15\x00\x00\x80\xbf" + kind


@cache
def expressions() -> tuple[bytes, ...]:
    return tuple(
        pattern.encode()
        for pattern in (
            r"(?i:'s|'t|'re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            r"(z+)+y", r"a{1,3}?|[[:alpha:]&&[^x]]*+|(?<=a)(?>b)\x41\u0041\1", r"\[[^\]]{1,64}\]|Br?|Cl?",
        )
    )  # fmt: skip


@cache
def shapes() -> tuple[bytes, ...]:
    """Names and shapes, a tensor a line."""
    kinds = (("bert", "num_hidden_layers"), ("gpt2", "n_layer"), ("llama", "num_hidden_layers"))
    networks = (*(tiny_network(kind, **{layers: 1}) for kind, layers in kinds), mingpt(Sizes(n_layer=1)))
    return tuple(
        "".join(f"{name} {' '.join(map(str, t.shape))}\n" for name, t in network.state_dict().items()).encode()
        for network in networks
    )


@cache
def weights() -> bytes:
    """Of a BERT as small as one can be."""
    config: dict[str, Any] = dict(
        hidden_size=4, num_hidden_layers=1, num_attention_heads=2, intermediate_size=4, max_position_embeddings=8,
        vocab_size=12,
    )  # fmt: skip
    return saved({name: tensor.contiguous() for name, tensor in tiny_network("bert", **config).state_dict().items()})


@cache
def folders() -> tuple[bytes, ...]:
    config = said({"model_type": "bert", "architectures": ["BertModel"], "hidden_size": 4})
    half, other = saved({"a": torch.ones(2)}), saved({"b": torch.ones(3)})
    index = said({"metadata": {"total_size": 20}, "weight_map": {"a": "model-00001-of-00002.safetensors",
                                                                 "b": "model-00002-of-00002.safetensors"}})  # fmt: skip
    shards = {"model-00001-of-00002.safetensors": half, "model-00002-of-00002.safetensors": other}
    whole = {"config.json": config, "model.safetensors": weights()}
    return tuple(
        map(
            as_bytes,
            (
                whole | {"tokenizer_config.json": b"{}", "vocab.txt": b"[UNK]\na\n"},
                shards | {"model.safetensors.index.json": index, "config.json": config},
                shards,
                {"net.pt": torch_files()[0]},
                {"pytorch_model.bin": torch_files()[3], "config.json": config},
                {"last.ckpt": torch_files()[1], "weights": torch_files()[2]},
                {"small.gguf": ggufs()[0]},
                {
                    "adapter_config.json": said(LORA), "adapter_model.safetensors": safetensors()[1],
                    "training.json": said({"shipped": {"base": "sentiment-minilm-lora"}}),
                    "base/config.json": config, "base/model.safetensors": weights(),
                },
                {"modules.json": said([{"path": "inner", "type": "Transformer"}]), "inner/config.json": config,
                 "inner/model.safetensors": weights()},
                {"spiece.model": sentencepiece_models()[1], "data.zip": zipped(), "README.md": b"# A"},
            ),
        )
    )  # fmt: skip


@cache
def adapters() -> tuple[bytes, ...]:
    return (said(LORA), said(LORA | {"use_dora": True, "use_rslora": True, "target_modules": "all-linear"}))


@cache
def paths() -> tuple[bytes, ...]:
    return tuple(
        path.encode() for path in ("model/config.json", "../a", "a\u202eb/./c", "CON", "C:\\x", "ａ/é", "a" * 300)
    )
