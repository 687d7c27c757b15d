"""Each option has its documented effect on a step."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.errors import HeadlightError
from core.training import Options, Sample, rate
from core.training.batches import LengthBuckets, collate
from core.training.losses import smoothed_cross_entropy
from core.training.trainer import Trainer
from tests.training.small import (
    Listed,
    bart,
    bert,
    gpt2,
    gru,
    labelled,
    reversals,
    same,
    seeded_network,
    texts,
    transformer,
    weights,
)


def gradients(network: nn.Module) -> dict[str, Tensor]:
    return {name: value.grad.clone() for name, value in network.named_parameters() if value.grad is not None}


class Watched(Trainer):
    """Keeps the gradients that the optimiser is given."""

    seen: dict[str, Tensor]

    def _gradients(self, *args: Any) -> tuple[float, float]:
        found = super()._gradients(*args)
        self.seen = gradients(self.network)
        return found


def first_step(network: nn.Module, supply: Any = None, **options: Any) -> tuple[Watched, Any]:
    trainer = Watched(network, supply or Listed(reversals(12)), Options(steps=3, **options))
    return trainer, next(trainer.run())


def flat(gradients: dict[str, Tensor]) -> Tensor:
    return torch.cat([value.flatten() for value in gradients.values()])


@pytest.mark.parametrize(
    ("network", "samples", "kind"),
    [
        (gru, reversals(), "seq2seq"),
        (transformer, reversals(), "seq2seq"),
        (bart, reversals(), "seq2seq"),
        (bert, labelled(), "classifier"),
        (gpt2, texts(), "language model"),
    ],
)
def test_every_kind_of_network_learns(network: Any, samples: list[Sample], kind: Any) -> None:
    trainer = Trainer(network(), LengthBuckets(samples, 16), Options(steps=40, learning_rate=5e-3), kind=kind)
    reports = list(trainer.run())
    assert [report.step for report in reports] == list(range(1, 41))
    assert sum(report.loss for report in reports[-5:]) < 0.9 * sum(report.loss for report in reports[:5])
    assert all(report.gradient_norm > 0 and report.tokens > 0 for report in reports)


def test_the_loss_is_the_mean_over_the_tokens() -> None:
    network, samples = gru(), reversals(12)
    batch = collate(samples)
    logits = network(**batch.inputs).logits
    expected = nn.functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten())
    _, report = first_step(network)
    assert report.loss == pytest.approx(float(expected.detach()), rel=1e-5)
    assert report.tokens == sum(len(sample.target) for sample in samples)


@pytest.mark.parametrize("beta2", [0.98, 0.999])
def test_steps_are_adams_with_the_memory_asked_for(beta2: float) -> None:
    network, twin, batches = gru(), gru(), [reversals(12, seed) for seed in range(4)]
    options = Options(steps=4, clip=None, learning_rate=2e-3, beta2=beta2)
    list(Trainer(network, Listed(*batches), options).run())
    optimizer = torch.optim.Adam(twin.parameters(), 2e-3, betas=(0.9, beta2))
    for batch in map(collate, batches):
        optimizer.zero_grad()
        nn.functional.cross_entropy(twin(**batch.inputs).logits.flatten(0, 1), batch.target_out.flatten()).backward()
        optimizer.step()
    torch.testing.assert_close(flat(weights(network)), flat(weights(twin)), rtol=1e-5, atol=1e-5)


def test_the_rate_of_each_step_is_the_schedules() -> None:
    options = Options(steps=6, schedule="noam", learning_rate=2.0, warmup=3)
    trainer = Trainer(gru(width=16), Listed(reversals(4)), options)
    assert [report.learning_rate for report in trainer.run()] == [rate(step, options, 16) for step in range(1, 7)]


def test_accumulated_ragged_batches_equal_the_big_batch() -> None:
    samples = reversals(24, longest=12)
    ragged = Listed(samples[:1], samples[1:4], samples[4:15], samples[15:])
    for network in (gru, transformer):
        # Dropout draws other numbers for other shapes, so it is off.
        whole, one = first_step(network(dropout=0.0), Listed(samples), clip=None)
        parts, four = first_step(network(dropout=0.0), ragged, clip=None, accumulate=4)
        assert four.loss == pytest.approx(one.loss, rel=1e-6)
        assert four.tokens == one.tokens
        torch.testing.assert_close(flat(parts.seen), flat(whole.seen), rtol=1e-5, atol=1e-6)


def test_accumulation_reads_the_next_batches_at_the_next_step() -> None:
    read: list[int] = []

    class Noted(Listed):
        def __getitem__(self, index: int) -> Any:
            read.append(index)
            return super().__getitem__(index)

    list(Trainer(gru(), Noted(reversals(2)), Options(steps=3, accumulate=2)).run())
    assert read == [0, 1, 2, 3, 4, 5]


def test_clipping_shortens_the_gradient_and_keeps_its_direction() -> None:
    free, unclipped = first_step(gru(), clip=None)
    short, clipped = first_step(gru(), clip=0.01)
    assert unclipped.gradient_norm == pytest.approx(float(flat(free.seen).norm()), rel=1e-5)
    assert clipped.gradient_norm == unclipped.gradient_norm > 0.01
    assert float(flat(short.seen).norm()) == pytest.approx(0.01, rel=1e-3)
    assert float(flat(short.seen).norm()) <= 0.01
    assert float(nn.functional.cosine_similarity(flat(short.seen), flat(free.seen), dim=0)) == pytest.approx(1)


def test_a_short_gradient_is_not_clipped() -> None:
    free, _ = first_step(gru(), clip=None)
    long, _ = first_step(gru(), clip=1e3)
    assert same(free.seen, long.seen)


def test_the_loss_that_is_trained_on_is_smoothed_as_asked() -> None:
    batch = collate(reversals(12))
    logits = gru()(**batch.inputs).logits
    for convention in ("uniform", "others"):
        _, report = first_step(gru(), label_smoothing=0.2, smoothing=convention)
        total, count = smoothed_cross_entropy(logits, batch.target_out, 0.2, convention)  # type: ignore[arg-type]
        assert report.loss == pytest.approx(float(total.detach()) / count, rel=1e-5)


def test_weight_decay_pulls_matrices_and_leaves_norms_and_biases_alone() -> None:
    start, plain, decayed = weights(bert()), bert(), bert()
    options = dict(steps=1, learning_rate=0.01)
    for network, decay in ((plain, 0.0), (decayed, 0.5)):
        list(
            Trainer(
                network.eval(), Listed(labelled(8)), Options(weight_decay=decay, **options), kind="classifier"
            ).run()
        )  # type: ignore[arg-type]
    for name, value in weights(decayed).items():
        pull = 0.01 * 0.5 * start[name] if value.dim() > 1 else torch.zeros_like(value)
        torch.testing.assert_close(weights(plain)[name] - value, pull, rtol=1e-3, atol=1e-7)


def test_word_dropout_hides_source_tokens_in_training_and_not_in_evaluation() -> None:
    read: dict[bool, list[Tensor]] = {True: [], False: []}
    network, samples = gru(), [Sample((*(5, 6, 7, 8) * 6, 2), (5, 2))] * 40

    def note(module: nn.Module, _: Any, named: dict[str, Tensor]) -> None:
        read[module.training].append(named["input_ids"])

    network.register_forward_pre_hook(note, with_kwargs=True)

    def evaluate(step: int) -> Any:
        network(**collate(samples).inputs)

    list(Trainer(network, Listed(samples), Options(steps=3, word_dropout=0.4), evaluate=evaluate).run())
    words = torch.cat(read[True])[:, :-1]
    assert float((words == 3).float().mean()) == pytest.approx(0.4, abs=0.03)
    assert bool((torch.cat(read[True])[:, -1] == 2).all())
    assert not torch.equal(read[True][0], read[True][1])
    assert not any(bool((ids == 3).any()) for ids in read[False])


@pytest.mark.parametrize(("network", "samples", "kind"), [
    (transformer, reversals(12), "seq2seq"), (bart, reversals(12), "seq2seq"), (gpt2, texts(12), "language model"),
])  # fmt: skip
def test_checkpointing_gives_the_same_gradients_and_keeps_less(network: Any, samples: Any, kind: Any) -> None:
    seen, kept = [], []
    for checkpointing in (False, True):
        trainer = Watched(network(), Listed(samples), Options(steps=1, checkpointing=checkpointing), kind=kind)
        sizes: list[int] = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda value, s=sizes: s.append(value.numel()) or value, lambda v: v
        ):  # type: ignore[func-returns-value, misc]
            next(trainer.run())
        seen.append(trainer.seen)
        kept.append(sum(sizes))
    torch.testing.assert_close(flat(seen[1]), flat(seen[0]), rtol=1e-6, atol=1e-6)
    assert kept[1] < kept[0]


def test_checkpointing_gives_the_same_gradients_above_frozen_layers() -> None:
    seen = []
    for checkpointing in (False, True):
        options = Options(steps=1, freeze=1, checkpointing=checkpointing)
        trainer = Watched(bert(), Listed(labelled(12)), options, kind="classifier")
        next(trainer.run())
        seen.append(flat(trainer.seen))
    assert bool((seen[0] != 0).any())
    torch.testing.assert_close(seen[1], seen[0], rtol=1e-6, atol=1e-6)


def test_checkpointing_is_refused_where_the_network_has_no_layers_for_it() -> None:
    with pytest.raises(
        HeadlightError, match=r"RecurrentForConditionalGeneration cannot .* set “checkpointing” to false"
    ):
        Trainer(gru(), Listed(reversals(2)), Options(checkpointing=True))


def test_float16_is_refused_on_the_cpu() -> None:
    with pytest.raises(HeadlightError, match="float16 does not run on the CPU; choose bfloat16 or float32"):
        Trainer(gru(), Listed(reversals(2)), Options(precision="float16"))


@pytest.mark.parametrize("make", [gru, transformer])
def test_bfloat16_learns_on_the_cpu_what_float32_learns(make: Any) -> None:
    losses = {}
    for precision in ("bfloat16", "float32"):
        options = Options(steps=40, learning_rate=5e-3, precision=precision)
        network = make(dropout=0.0)
        losses[precision] = [report.loss for report in Trainer(network, LengthBuckets(reversals(), 16), options).run()]
        assert {value.dtype for value in network.parameters()} == {torch.float32}
    assert losses["bfloat16"] != losses["float32"]
    # A number in bfloat16 has 8 bits of precision, so losses differ from the third digit on.
    assert losses["bfloat16"] == pytest.approx(losses["float32"], rel=0.05)


@pytest.mark.gpu
@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
@pytest.mark.parametrize("make", [gru, transformer])
def test_mixed_precision_learns_on_a_gpu_with_weights_in_float32(precision: Any, make: Any) -> None:
    options = Options(steps=60, learning_rate=5e-3, precision=precision)
    network = make(dropout=0.0)
    used = set()
    network.get_output_embeddings().register_forward_hook(lambda _m, _i, output: used.add(output.dtype))
    reports = list(Trainer(network, LengthBuckets(reversals(), 16), options, device="cuda").run())
    assert used == {getattr(torch, precision)}
    assert {value.dtype for value in network.parameters()} == {torch.float32}
    assert reports[-1].loss < 0.8 * reports[0].loss


@pytest.mark.gpu
def test_a_step_on_a_gpu_is_that_of_the_cpu() -> None:
    trained = []
    for device in ("cpu", "cuda"):
        network = gru()
        list(Trainer(network, Listed(reversals(12)), Options(steps=3), device=device).run())
        trained.append(flat({name: value.cpu() for name, value in weights(network).items()}))
    torch.testing.assert_close(trained[1], trained[0], rtol=1e-3, atol=1e-4)


def test_a_schedule_by_width_needs_a_network_that_tells_it() -> None:
    options = Options(schedule="noam", learning_rate=1.0)
    with pytest.raises(HeadlightError, match="width"):
        Trainer(seeded_network(nn.Linear, 2, 2), Listed(reversals(2)), options)


def test_noam_on_a_network_of_another_library_takes_its_width() -> None:
    options = Options(steps=1, schedule="noam", learning_rate=1.0, warmup=1)
    report = next(Trainer(bart(), Listed(reversals(2)), options).run())
    assert report.learning_rate == pytest.approx(1 / math.sqrt(32))
