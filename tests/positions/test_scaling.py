"""Scaled rotary frequencies: the values of the papers, and of transformers where it has the same formula."""

import math
import re
import subprocess
import sys

import pytest
import torch
from torch import Tensor
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from core.errors import HeadlightError
from core.positions.rotary import thing
from core.positions.scaling import SCALINGS, scaling_named
from core.positions.scaling.ntk import growth, slowed
from core.positions.scaling.yarn import ramp
from core.positions.settings import Settings

FACTOR = 4.0
LONGER = Settings(width=64, factor=FACTOR, trained=2048)
WIDE = Settings(width=128, base=500_000.0, factor=8.0, trained=8192)


def scaled(name: str, settings: Settings = LONGER) -> Tensor:
    return SCALINGS[name].apply(thing(settings).plain, settings)[0]


def divided_by(name: str, settings: Settings = LONGER) -> Tensor:
    return thing(settings).plain / scaled(name, settings)


def test_the_names_are_those_that_configs_use() -> None:
    assert list(SCALINGS) == ["none", "linear", "ntk", "dynamic", "yarn", "llama3"]
    assert all(scaling.name == name and scaling.summary.endswith(".") for name, scaling in SCALINGS.items())


def test_an_unknown_name_is_refused_in_words() -> None:
    with pytest.raises(HeadlightError, match="no scaling called longer: choose one of none, linear"):
        scaling_named("longer")


@pytest.mark.parametrize("settings", [LONGER, WIDE, Settings(width=80, base=1e6, factor=2.5, trained=4096)])
@pytest.mark.parametrize("name", ["linear", "dynamic", "yarn", "llama3"])
def test_frequencies_and_temperature_are_those_of_transformers(name: str, settings: Settings) -> None:
    length = int(settings.factor * settings.trained)
    scaling = {"rope_type": name, "rope_theta": settings.base, "factor": settings.factor}
    if name in ("yarn", "llama3"):
        scaling["original_max_position_embeddings"] = settings.trained
    if name == "llama3":
        scaling |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    config = LlamaConfig(
        num_attention_heads=4, hidden_size=4 * settings.width, head_dim=settings.width, rope_parameters=scaling,
        max_position_embeddings=settings.trained if name == "dynamic" else length,
    )  # fmt: skip
    theirs, temperature = ROPE_INIT_FUNCTIONS[name](config, "cpu", seq_len=length)
    mine, own_temperature = SCALINGS[name].apply(thing(settings).plain, settings)
    # theirs are float32
    torch.testing.assert_close(mine.float(), theirs, atol=3e-7, rtol=1e-6)
    assert own_temperature == pytest.approx(temperature)


@pytest.mark.parametrize("name", SCALINGS)
def test_a_factor_of_one_leaves_all_as_it_is(name: str) -> None:
    settings = Settings(factor=1.0, scaling=name)
    rotation = thing(settings)
    assert torch.equal(rotation.frequencies, rotation.plain)
    assert rotation.temperature == 1.0


def test_linear_interpolation_is_a_division_of_the_positions() -> None:
    places, plain = torch.arange(1000, dtype=torch.float64), thing(LONGER).plain
    torch.testing.assert_close(places[:, None] * scaled("linear"), (places / FACTOR)[:, None] * plain)


def test_a_larger_base_keeps_the_fastest_pair_and_slows_the_slowest_by_the_factor() -> None:
    divisors = divided_by("ntk")
    assert float(divisors[0]) == 1.0
    assert float(divisors[-1]) == pytest.approx(FACTOR, rel=1e-12)
    base = LONGER.base * FACTOR ** (64 / 62)
    torch.testing.assert_close(scaled("ntk"), base ** (-torch.arange(0, 64, 2, dtype=torch.float64) / 64))


@pytest.mark.parametrize("length", [2048, 3000, 8192, 65_536])
def test_dynamic_scaling_divides_the_slowest_pair_by_the_growth_of_the_text(length: int) -> None:
    plain = thing(LONGER).plain
    most = FACTOR * length / 2048 - (FACTOR - 1)
    dynamic = slowed(plain, growth(FACTOR, length, 2048))
    assert float(dynamic[0]) == float(plain[0])
    assert float(plain[-1] / dynamic[-1]) == pytest.approx(most, rel=1e-12)
    assert torch.equal(dynamic, plain) == (length == 2048)


def test_dynamic_scaling_leaves_texts_shorter_than_the_training() -> None:
    assert growth(FACTOR, 100, 2048) == 1.0


def test_dynamic_scaling_is_shown_for_a_text_as_long_as_the_factor_says() -> None:
    assert float(divided_by("dynamic")[-1]) == pytest.approx(FACTOR * FACTOR - (FACTOR - 1), rel=1e-12)


def test_yarn_keeps_fast_pairs_interpolates_slow_ones_and_mixes_between() -> None:
    assert ramp(64, 10_000.0, 2048) == (8, 21)
    divisors = divided_by("yarn")
    rounded = [round(float(divisors[pair]), 2) for pair in (0, 10, 15, 20, 31)]
    assert rounded == [1.0, 1.13, 1.68, 3.25, 4.0]
    assert torch.equal(divisors[:9], torch.ones(9, dtype=torch.float64))
    torch.testing.assert_close(divisors[21:], torch.full((11,), FACTOR, dtype=torch.float64))
    assert SCALINGS["yarn"].apply(thing(LONGER).plain, LONGER)[1] == pytest.approx(0.1 * math.log(FACTOR) + 1)


def test_yarn_keeps_all_pairs_where_each_turns_often() -> None:
    """transformers interpolates them all here: its ramp runs backwards where a small base puts it past the width."""
    settings = Settings(base=1.01, scaling="yarn", trained=100_000)
    assert torch.equal(thing(settings).frequencies, thing(settings).plain)


@pytest.mark.parametrize(("waves", "divisor"), [(1.0, 8.0), (4.0, 1.0)])
def test_llama_3_is_continuous_at_both_ends(waves: float, divisor: float) -> None:
    at = 2 * math.pi * waves / WIDE.trained
    beside = torch.tensor([at * (1 + 1e-9), at, at * (1 - 1e-9)], dtype=torch.float64)
    frequencies, _ = SCALINGS["llama3"].apply(beside, WIDE)
    torch.testing.assert_close(beside / frequencies, torch.full_like(beside, divisor), rtol=1e-7, atol=0)


def test_llama_3_keeps_short_waves_and_divides_long_ones() -> None:
    wavelengths, divisors = 2 * math.pi / thing(WIDE).plain, divided_by("llama3", WIDE)
    assert torch.all(divisors[wavelengths < WIDE.trained / 4] == 1)
    torch.testing.assert_close(
        divisors[wavelengths > WIDE.trained],
        torch.full_like(divisors[wavelengths > WIDE.trained], 8.0),
    )
    assert bool(((divisors > 1) & (divisors < 7.9)).any())


@pytest.mark.parametrize("name", SCALINGS)
@pytest.mark.parametrize(
    "settings",
    [
        Settings(base=1e12, width=4, trained=1),
        Settings(base=1.0000001, width=256),
        Settings(factor=1e12, trained=1_000_000),
        Settings(width=4096, length=1),
    ],
)
def test_extreme_settings_slow_pairs_down_or_leave_them(name: str, settings: Settings) -> None:
    plain = thing(settings).plain
    frequencies, temperature = SCALINGS[name].apply(plain, settings)
    assert bool(torch.isfinite(frequencies).all())
    assert math.isfinite(temperature)
    assert bool((frequencies <= plain * (1 + 1e-12)).all())


@pytest.mark.parametrize("name", ["ntk", "dynamic"])
def test_one_pair_cannot_be_the_fastest_and_the_slowest(name: str) -> None:
    with pytest.raises(HeadlightError, match="a width of 2 has only one: choose 4 or more"):
        thing(Settings(width=2, scaling=name))


@pytest.mark.parametrize("name", SCALINGS)
def test_every_symbol_of_a_formula_is_explained(name: str) -> None:
    formula = SCALINGS[name].formula
    assert formula.source
    assert all(symbol in formula.latex and words for symbol, words in formula.symbols)
    left = re.sub(r"\\operatorname\{\w+\}|\\(frac|left|right|l?r?floor|l?r?ceil|ln|quad|pi)\b", " ", formula.latex)
    written = set(re.findall(r"\\[a-z]+|[A-Za-z]", left))
    explained = {mark for symbol, _ in formula.symbols for mark in re.findall(r"\\[a-z]+|[A-Za-z]", symbol)}
    assert written <= explained


def test_naming_the_scalings_does_not_load_torch() -> None:
    code = "import sys, core.positions.scaling as s; list(s.SCALINGS); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
