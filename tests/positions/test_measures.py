"""Similarities, effects, paths and spectra of objects whose answer is known."""

import math

import pytest
import torch

from core.positions import SCHEMES, Settings
from core.positions.measures import (
    angles,
    cosines,
    dot_products,
    effect,
    pairs,
    path,
    similarity,
    spectrum,
    unseen,
    unturned,
    wavelengths,
)
from core.positions.objects import Bias, OffsetVectors, Rotation, Table, Thing
from core.positions.paths import components
from tests.sentences import refused

ROWS = torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0], [3.0, 3.0]])


def rotation(width: int = 64) -> Rotation:
    thing = SCHEMES["rotary"].thing(Settings(width=width))
    assert isinstance(thing, Rotation)
    return thing


def drawn(length: int, width: int) -> Table:
    return Table(torch.randn(length, width, generator=torch.Generator().manual_seed(0)), learned=True)


def circle(length: int, turns: int) -> Table:
    """Rows that go round a circle `turns` times, in two of five columns."""
    angle = 2 * math.pi * turns * torch.arange(length, dtype=torch.float64) / length
    zeros = torch.zeros_like(angle)
    return Table(torch.stack([zeros, angle.cos(), zeros, angle.sin(), zeros + 7], dim=-1).float())


def test_products_and_cosines_are_those_of_the_rows() -> None:
    assert dot_products(Table(ROWS)).tolist() == [[1, 0, 0, 3], [0, 4, 0, 6], [0, 0, 0, 0], [3, 6, 0, 18]]
    half = 0.5**0.5
    known = cosines(Table(ROWS))[[0, 1, 3]][:, [0, 1, 3]]
    torch.testing.assert_close(known, torch.tensor([[1, 0, half], [0, 1, half], [half, half, 1]]))


def test_a_row_of_zeros_has_no_cosine() -> None:
    assert cosines(Table(ROWS)).isnan().sum() == 7
    assert bool(cosines(Table(ROWS))[2].isnan().all())


def test_similarity_leaves_rows_of_zeros_out_and_tells_how_far_positions_differ() -> None:
    found = similarity(Table(ROWS), reach=9)
    assert found.offsets.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert found.values[0, 3:].tolist() == pytest.approx([1, 0, 0.5**0.5, 0.5**0.5])
    assert found.low is not None
    assert found.high is not None
    assert bool((found.low <= found.values[0] + 1e-6).all())
    assert bool((found.values[0] <= found.high + 1e-6).all())


def test_an_offset_that_only_rows_of_zeros_have_is_not_a_number() -> None:
    found = similarity(Table(torch.tensor([[1.0], [0.0]])), reach=1)
    assert found.values.isnan().tolist() == [[True, False, True]]
    assert found.low is not None
    assert found.low.isnan().tolist() == [True, False, True]


def test_low_and_high_are_the_extremes_of_a_diagonal() -> None:
    table = drawn(30, 8)
    found = similarity(table, reach=12)
    diagonal = cosines(table).diagonal(5)
    at = 12 + 5
    assert found.low is not None
    assert found.high is not None
    assert found.values[0, at].item() == pytest.approx(diagonal.mean().item(), abs=1e-6)
    assert (found.low[at], found.high[at]) == (diagonal.min(), diagonal.max())


@pytest.mark.parametrize("width", [64, 512])
def test_a_sinusoid_is_as_similar_everywhere(width: int) -> None:
    found = similarity(SCHEMES["sinusoidal"].thing(Settings(length=200, width=width)), reach=150)
    assert found.low is not None
    assert found.high is not None
    assert float((found.high - found.low).max()) < 1e-6


def test_a_rotation_is_as_similar_as_the_sinusoids_of_its_frequencies() -> None:
    table = similarity(SCHEMES["sinusoidal"].thing(Settings(length=100)), reach=99)
    torch.testing.assert_close(similarity(rotation(), reach=99).values, table.values, atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ["sinusoidal", "rotary", "alibi"])
def test_every_effect_is_one_at_no_distance(name: str) -> None:
    found = effect(SCHEMES[name].thing(Settings(length=40)), reach=30)
    assert found.values.shape == (1, 61)
    assert found.values[0, 30].item() == pytest.approx(1)


def test_the_effect_of_a_bias_is_a_factor_on_the_weight() -> None:
    thing = SCHEMES["alibi"].thing(Settings(length=40, causal=True))
    found = effect(thing, reach=10, head=2)
    assert found.what == "effect"
    assert found.offsets.tolist() == list(range(-10, 1))
    torch.testing.assert_close(found.values[0], (0.125 * found.offsets).exp())


def test_a_bias_at_no_distance_changes_no_effect() -> None:
    values = torch.tensor([[1.0, 3.0, 2.0]])
    raised = effect(Bias(values + 5, causal=False), reach=1)
    assert torch.equal(raised.values, effect(Bias(values, causal=False), reach=1).values)
    assert raised.values[0].tolist() == pytest.approx([math.exp(-2), 1, math.exp(-1)])


@pytest.mark.parametrize("name", ["relative", "shaw", "deberta"])
def test_buckets_alone_have_no_effect(name: str) -> None:
    thing = SCHEMES[name].thing(Settings(length=10))
    with refused("open a model"):
        effect(thing, reach=5)
    with refused("look at what it adds to scores"):
        similarity(thing, reach=5)


def test_the_effect_of_vectors_depends_on_the_query() -> None:
    buckets = SCHEMES["shaw"].thing(Settings(length=10, clip=2))
    with refused("depends on the query"):
        effect(OffsetVectors(torch.ones(5, 4), buckets), reach=5)  # type: ignore[arg-type]


def test_pairs_of_a_table_are_the_cosines_of_its_first_rows() -> None:
    assert torch.equal(pairs(drawn(9, 4), 6), cosines(drawn(9, 4))[:6, :6])


@pytest.mark.parametrize("name", ["rotary", "alibi"])
def test_pairs_are_the_effect_of_the_offset(name: str) -> None:
    thing = SCHEMES[name].thing(Settings(length=12))
    found, curve = (
        pairs(thing, 12, head=1 if name == "alibi" else 0),
        effect(thing, 11, head=1 if name == "alibi" else 0),
    )
    assert found[3, 8] == curve.values[0, 11 + 5]
    assert found[8, 3] == curve.values[0, 11 - 5]
    assert torch.equal(found[1:, 1:], found[:-1, :-1])


def test_pairs_that_a_mask_hides_are_not_a_number() -> None:
    found = pairs(SCHEMES["alibi"].thing(Settings(length=5, causal=True)), 5)
    assert torch.equal(found.isnan(), torch.ones(5, 5).triu(1).bool())


@pytest.mark.parametrize("thing", [Table(ROWS), Bias(torch.zeros(1, 7), causal=False)])
def test_more_pairs_than_positions_are_refused(thing: Thing) -> None:
    assert pairs(thing, 4).shape == (4, 4)
    with refused("Only 4 positions", "fewer than 5"):
        pairs(thing, 5)


def test_angles_grow_by_the_frequency() -> None:
    found = angles(rotation(8), 50)
    assert found.shape == (50, 4)
    torch.testing.assert_close(found[49], 49 * rotation(8).frequencies)


def test_wavelengths_are_positions_a_turn() -> None:
    frequencies = torch.tensor([2 * math.pi, math.pi / 8, 0.0], dtype=torch.float64)
    assert wavelengths(frequencies).tolist() == [1, 16, math.inf]


def test_the_share_of_unturned_pairs_counts_longer_wavelengths_only() -> None:
    frequencies = 2 * math.pi / torch.tensor([10.0, 512.0, 513.0, 10_000.0], dtype=torch.float64)
    assert unturned(frequencies, 512) == 0.5
    found = SCHEMES["rotary"].frequencies(Settings(width=64))
    assert found is not None
    assert unturned(found, 2048) == sum(2 * math.pi * 10_000 ** (2 * i / 64) > 2048 for i in range(32)) / 32


def test_the_path_of_a_circle_is_a_circle_in_two_components() -> None:
    found = path(circle(40, turns=1))
    assert found.coordinates.dtype == torch.float32
    assert found.explained.tolist() == pytest.approx([0.5, 0.5, 0], abs=1e-6)
    torch.testing.assert_close(found.coordinates[:, :2].norm(dim=-1), torch.ones(40))
    assert float(found.coordinates[:, 2].abs().max()) < 1e-6


@pytest.mark.parametrize(("length", "width"), [(30, 8), (8, 30), (20, 20), (2, 5), (5, 2), (3, 1)])
def test_a_path_has_the_components_of_a_singular_value_decomposition(length: int, width: int) -> None:
    rows = drawn(length, width).values.double()
    rows = rows - rows.mean(0)
    singular = torch.linalg.svdvals(rows)[:3]
    found = path(drawn(length, width))
    assert found.coordinates.shape == (length, 3)
    assert found.explained[: len(singular)].tolist() == pytest.approx(
        (singular.square() / rows.square().sum()).tolist(), abs=1e-6
    )
    sizes = found.coordinates.norm(dim=0)[: len(singular)]
    assert sizes.tolist() == pytest.approx(singular.tolist(), abs=1e-6)
    assert 0 < found.explained.sum() <= 1 + 1e-6


@pytest.mark.parametrize("noise", [-1.0, 0.0, 1.0, 0.01])
@pytest.mark.parametrize(("length", "width"), [(2, 5), (3, 40), (5, 2), (40, 3)])
def test_a_component_that_rounding_noise_made_is_none(length: int, width: int, noise: float) -> None:
    """Three columns or rows of one direction, so that all components but the first are what the noise makes of them."""
    rows = drawn(length, 1).values.double() @ drawn(1, width).values.double()
    rows = rows - rows.mean(0)
    gram = rows.T @ rows if length >= width else rows @ rows.T
    values, vectors = torch.linalg.eigh(gram)
    values[:-1] = noise * torch.finfo(torch.float64).eps * values[-1]
    found, directions = components(rows, values, vectors)
    assert found.tolist() == [values[-1].item(), *[0.0] * (len(found) - 1)]
    assert directions.norm(dim=0).tolist() == pytest.approx([1.0, *[0.0] * (len(found) - 1)], abs=1e-12)


def test_a_component_that_is_small_is_one() -> None:
    rows = torch.tensor([[1.0, 1e-5, 0], [-1.0, 1e-5, 0], [1.0, -1e-5, 0], [-1.0, -1e-5, 0]])
    found = path(Table(rows))
    assert found.explained.tolist() == pytest.approx([1, 1e-10, 0], rel=1e-5)
    torch.testing.assert_close(found.coordinates, rows, atol=0, rtol=1e-5)


def test_two_rows_stand_on_one_line_the_first_to_the_right() -> None:
    found = path(drawn(2, 5))
    half = float((drawn(2, 5).values[0] - drawn(2, 5).values[1]).norm()) / 2
    assert found.coordinates[:, 0].tolist() == pytest.approx([half, -half])
    assert not found.coordinates[:, 1:].any()
    assert found.explained.tolist() == pytest.approx([1, 0, 0])


@pytest.mark.parametrize("length", [50, 1000])
def test_the_path_of_sinusoids_explains_no_more_than_all(length: int) -> None:
    found = path(SCHEMES["sinusoidal"].thing(Settings(length=length)))  # type: ignore[arg-type]
    assert 0 < found.explained.sum() <= 1
    assert found.explained.tolist() == sorted(found.explained.tolist(), reverse=True)


def test_a_row_far_from_the_others_does_not_turn_the_components() -> None:
    rows = drawn(30, 8).values
    found = path(Table(torch.cat([rows.new_full((1, 8), 50.0), rows])))
    assert found.far.tolist() == [True] + [False] * 30
    torch.testing.assert_close(found.coordinates[1:], path(Table(rows)).coordinates, atol=1e-5, rtol=0)
    assert float(found.distances[0]) > 3


def test_signs_of_a_path_do_not_depend_on_the_machine() -> None:
    places = path(drawn(30, 8)).coordinates
    assert bool((places.gather(0, places.abs().argmax(0, keepdim=True)) > 0).all())


@pytest.mark.parametrize("height", [1.0, 0.1, 1e30])
def test_equal_rows_stand_still(height: float) -> None:
    table = Table(torch.full((7, 4), height))
    found = path(table)
    assert not found.coordinates.any()
    assert not found.explained.any()
    assert not found.distances.any()
    assert not spectrum(table).power.any()


def test_rows_at_the_mean_are_no_yardstick_for_the_others() -> None:
    rows = torch.zeros(9, 2)
    rows[:2] = torch.tensor([[0.1, 0.3], [-0.1, -0.3]])
    found = path(Table(rows + 0.7))
    assert not found.distances.any()
    assert not found.far.any()
    assert found.explained.tolist() == pytest.approx([1, 0, 0])


@pytest.mark.parametrize(("length", "turns"), [(40, 1), (40, 7), (41, 7), (40, 20)])
def test_the_spectrum_of_a_pure_sinusoid_has_its_frequency_alone(length: int, turns: int) -> None:
    found = spectrum(circle(length, turns))
    assert found.cycles[found.power.argmax()].item() == pytest.approx(turns / length)
    assert found.power.max().item() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("length", [2, 3, 64, 65])
def test_a_spectrum_shares_out_all_variance(length: int) -> None:
    found = spectrum(drawn(length, 6))
    assert len(found.cycles) == len(found.power) == length // 2
    assert found.cycles[-1] <= 0.5
    assert found.power.sum().item() == pytest.approx(1)


def test_half_the_variance_at_each_of_two_frequencies_is_half_the_power_each() -> None:
    time = torch.arange(32, dtype=torch.float64)
    fastest = (math.pi * time).cos() / 2**0.5
    found = spectrum(Table(torch.stack([(2 * math.pi * 3 / 32 * time).sin(), fastest], dim=-1).float()))
    assert found.power[[2, 15]].tolist() == pytest.approx([0.5, 0.5], abs=1e-6)


def test_one_position_has_no_spectrum() -> None:
    with refused("two positions"):
        spectrum(drawn(1, 4))


@pytest.mark.parametrize("measure", [path, spectrum])
def test_numbers_that_are_not_finite_are_refused(measure: object) -> None:
    with refused("not finite"):
        measure(Table(torch.tensor([[1.0], [math.nan]])))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("scaling", "count"), [("linear", 0), ("ntk", 10), ("dynamic", 0), ("yarn", 0), ("llama3", 0), ("none", 11)]
)
def test_four_times_the_training_length_shows_new_angles_unless_scaling_slows_the_pairs(scaling: str, count: int):
    """Fixed NTK slows only the slowest pair by all of the factor: ten others pass the angles that training showed."""
    thing = SCHEMES["rotary"].thing(Settings(scaling=scaling, factor=4.0))
    assert isinstance(thing, Rotation)
    assert int(unseen(thing.plain, thing.frequencies, 2048, 4.0).sum()) == count
    assert int(unseen(thing.plain, thing.frequencies.float(), 2048, 4.0).sum()) == count


def test_no_text_of_the_training_length_shows_a_new_angle():
    plain = rotation().plain
    assert not unseen(plain, plain, 64).any()
