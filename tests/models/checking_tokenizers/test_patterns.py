from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Regex, normalizers

from core.models.checking_tokenizers.patterns import is_linear
from tests.examples import examples
from tests.models.checking_tokenizers.published_patterns import PUBLISHED

EXAMPLES = examples(80)

HOPELESS = [
    r"(a+)+b", r"(?:a|aa)+$", r"(a|a)*b", r"a*a*a*b", r"a+b", r".*.*=.*", r"(\w+\s?)*$", r"(a?){60}a{60}",
    "a{0,60}" * 5 + "b", r"\s+$", r" +▁", r"\A +| +\z", r"\s*[\r\n]+| |\s+", r"a*?b", r"(?<=a+)b", r"(?=a*b)c",
    r"(\w)\1+", r"(?P<x>a)\g<x>", r"(?>a+)b", r"(?x: a + b)", r"(?i)a+b", r"a{1,3}+b", "(" * 50 + "a" + ")" * 50,
    "[a", "(a", "a)", "*a", "a**", "\\", r"\p{", "[]a]+b", "a|" * 2_000, "a" * 30_000,
]  # fmt: skip


@pytest.mark.parametrize("family", PUBLISHED)
def test_the_patterns_of_published_families_are_proven_harmless(family: str) -> None:
    assert is_linear(PUBLISHED[family])


@pytest.mark.parametrize("pattern", HOPELESS, ids=lambda pattern: pattern[:20])
def test_a_pattern_that_may_take_long_or_is_not_understood_is_not(pattern: str) -> None:
    assert not is_linear(pattern)


_PIECES = [
    "a", "b", "ab", " ", ".", "[ab]", "[^a]", r"\s", r"\S", r"[\r\n]", r"\p{L}", "?", "*", "+", "{1,3}", "{2,}", "|",
    "|", "(?:", "(?i:", "(?!", "(?=", ")", "^", "$", r"\z", r"(?!\S)", r"\s+(?!\S)", r"\s*[\r\n]+", "[ab]*b+", "a+b*",
]  # fmt: skip


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=12).map("".join), st.sampled_from("ab \n"))
@example("[ab]*b+|[ab]+b*", "a")
@example(r"\s*[\r\n]+|\s+", " ")
def test_what_is_proven_is_fast_on_long_runs(pattern: str, sign: str) -> None:
    if not is_linear(pattern):
        return
    try:
        step = normalizers.Replace(Regex(pattern), "")
    except Exception:
        return
    begun = time.process_time()
    for text in (sign * 20_000, sign * 20_000 + "x", ("x" + sign * 50) * 200, "ab \n" * 5_000):
        step.normalize_str(text)
    assert time.process_time() - begun < 0.5, pattern


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.text(alphabet=r"ab\[](){}|?*+^$.,123:=!<>ispx#&- ", max_size=40))
def test_any_pattern_is_judged(pattern: str) -> None:
    assert is_linear(pattern) in (True, False)
