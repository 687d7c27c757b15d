"""What saliency costs beyond the passes through the model: gradient × attention, and all methods that run at once."""

from __future__ import annotations

import tempfile
import time
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers import AutoModelForSequenceClassification, BertConfig, PreTrainedTokenizerFast

from core import load
from core.capture import prepare, record_gradients
from core.capture.gradients import GradientRecording
from core.saliency import METHODS, Question, ask
from core.saliency.gradient.walking import by_key
from core.saliency.method import Method
from core.saliency.runner import Runner
from tests.benchmarks.timing import median_seconds
from tests.byte_level import byte_level_tokenizer

LENGTHS = (128, 512)
WORDS = 128
BASE = dict(
    hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072, max_position_embeddings=512
)
MEGABYTE = 1024**2


def gradient_table() -> str:
    """Gradient × attention of all 12 layers against one forward and backward, BERT-base size."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network: Any = AutoModelForSequenceClassification.from_config(BertConfig(**BASE), attn_implementation="sdpa")
    network.eval().requires_grad_(False)
    lines = [
        "| gradient × attention, 12 layers | forward + backward | time | memory above | a layer asked | its weights |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_gradient_row(network, length) for length in LENGTHS),
    ]
    return "\n".join(lines)


def _gradient_row(network: Any, length: int) -> str:
    ids = torch.randint(BertConfig().vocab_size, (1, length))
    prepare(network, {"input_ids": ids})
    embedded = network.get_input_embeddings()(ids).detach()
    ways = {"bare": lambda: _bare(network, embedded), "all layers": lambda: _all_layers(network, embedded)}
    seconds, peaks = median_seconds(ways, 5), {name: _peak(run) for name, run in ways.items()}
    above = (peaks["all layers"] - peaks["bare"]) / MEGABYTE
    asked = _peak(_asking(network, embedded)) / MEGABYTE
    layer = BASE["num_attention_heads"] * length * length * 4 / MEGABYTE
    bare, ratio = seconds["bare"], seconds["all layers"] / seconds["bare"]
    memory = " | ".join(f"{size:.1f} MB" for size in (above, asked, layer))
    return f"| {length} tokens | {bare:.2f} s | × {ratio:.2f} | {memory} |"


def _bare(network: Any, embedded: Tensor) -> Tensor:
    leaf = embedded.clone().requires_grad_()
    (found,) = torch.autograd.grad(network(inputs_embeds=leaf).logits[0, 0], leaf)
    return found


def _asking(network: Any, embedded: Tensor) -> Callable[[], Tensor]:
    """Asks one layer after a run."""
    recording = _recorded(network, embedded)
    return lambda: by_key(recording, 0)


def _recorded(network: Any, embedded: Tensor) -> GradientRecording:
    leaf = embedded.clone().requires_grad_()
    with record_gradients(network) as recording:
        value = network(inputs_embeds=leaf).logits[0, 0]
    recording.back(value, leaf)
    return recording


def _all_layers(network: Any, embedded: Tensor) -> list[Tensor]:
    recording = _recorded(network, embedded)
    return [by_key(recording, place) for place in range(len(recording.calls))]


class _Alive(TorchDispatchMode):
    """Bytes of the tensors that were made inside the block and are still there, and the most there were."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.peak = 0
        self._seen: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor):
                self._count(tensor.untyped_storage())
        return result

    def _count(self, storage: Any) -> None:
        key = storage._cdata
        if key in self._seen:
            return
        self._seen.add(key)
        size = storage.nbytes()
        self.now += size
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self._forget, key, size)

    def _forget(self, key: int, size: int) -> None:
        self._seen.discard(key)
        self.now -= size


def _peak(run: Callable[[], object]) -> int:
    with _Alive() as alive:
        run()
    return alive.peak


def methods_table() -> str:
    """Each method of the first tier on 128 tokens of a BERT-base-size classifier, against its passes run bare."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        _save_classifier(folder)
        question = ask(load(folder), "a " * (WORDS // 2))
        rows, whole = [], [0.0, 0.0]
        for method in METHODS.values():
            if method.tier == 1 and not method.refuse(question.model):
                passes, own, bare = _both(question, method)
                whole = [whole[0] + own, whole[1] + bare]
                rows.append(f"| {method.title} | {passes} | {own:.2f} s | {bare:.2f} s |")
    own, bare = whole
    lines = [
        f"| {len(question.tokens)} tokens | forwards, backwards | method | its passes bare |",
        "| --- | --- | --- | --- |",
        *rows,
        f"| **together** | | {own:.1f} s | {bare:.1f} s: × {own / bare:.2f} |",
    ]
    return "\n".join(lines)


def _save_classifier(folder: str) -> None:
    """Weights as they are drawn for training: larger ones make integrated gradients take many more steps."""
    tokenizer = byte_level_tokenizer()
    torch.manual_seed(0)
    config = BertConfig(**BASE, vocab_size=tokenizer.get_vocab_size())
    AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    words = PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token="<s>", unk_token="</s>")
    words.save_pretrained(folder)


def _both(question: Question, method: Method) -> tuple[str, float, float]:
    """Passes of a method, its CPU seconds, and those of its passes alone, in the batches that it had."""
    question.__dict__.pop("trace", None)
    runner = Runner(question)
    start = time.thread_time()
    method.run(question, runner)
    own = time.thread_time() - start
    # What read the trace ran the model once.
    forwards = runner.forwards + ("trace" in question.__dict__)
    start = time.thread_time()
    _run_bare(question, forwards - runner.backwards, runner.batch, False)
    _run_bare(question, runner.backwards, runner.graph_batch, True)
    return f"{forwards}, {runner.backwards}", own, time.thread_time() - start


def _run_bare(question: Question, texts: int, at_once: int, walked_back: bool) -> None:
    network: Any = question.model.network
    embedded = question.embeddings()
    for first in range(0, texts, at_once):
        leaf = embedded.repeat(min(at_once, texts - first), 1, 1).requires_grad_(walked_back)
        with torch.set_grad_enabled(walked_back):
            value = network(inputs_embeds=leaf, attention_mask=torch.ones(leaf.shape[:2])).logits[:, 0].sum()
        if walked_back:
            torch.autograd.grad(value, leaf)
