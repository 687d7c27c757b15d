from __future__ import annotations

from pathlib import Path
from time import process_time, sleep

import pytest

from core.errors import HeadlightError
from core.models.checking_tokenizers import boxed_encoder_of, check_tokenizer, inside_opening
from core.models.checking_tokenizers.inside_opening import opened
from core.text import TextEncoder
from core.text.plain import PlainReader
from tests.models.checking_tokenizers.good_files import byte_level, wordpiece, written
from tests.text.classes import write_files
from tests.text.setups import WRITERS
from tests.text.test_every_class import ALL, NEEDS

UNCOMMON = r"z*z*z*z*y"


def test_one_that_may_hang_later_is_opened_tried_and_read_in_a_box(tmp_path: Path) -> None:
    folder = written(tmp_path, byte_level(UNCOMMON), eos_token="</s>", model_max_length=9)
    encoder = boxed_encoder_of(folder, max_length=512)
    assert isinstance(encoder, TextEncoder)
    assert (encoder.end_id, encoder.unknown_id, encoder.max_length, encoder.target) == (2, None, 9, None)
    assert encoder.encode("The cat sat").text == "The cat sat"


def test_facts_come_out_of_the_box(tmp_path: Path) -> None:
    specification = wordpiece()
    specification["model"]["vocab"]["far"] = 20
    facts = check_tokenizer(written(tmp_path, specification))
    assert (facts.size, facts.highest_id, facts.missing, facts.duplicates) == (14, 20, 7, 0)
    assert not facts.kept_out
    assert facts.patterns == facts.suspicions == ()
    assert 0 < facts.seconds < 30


def test_what_is_wrong_with_its_files_is_told(tmp_path: Path) -> None:
    specification = wordpiece()
    specification["model"]["vocab"]["far"] = 4
    with pytest.raises(HeadlightError, match="2 pieces have the id 4"):
        opened({"folder": str(written(tmp_path, specification)), "keep": False})
    with pytest.raises(HeadlightError, match="is no folder"):
        check_tokenizer(tmp_path / "nowhere")


@pytest.mark.parametrize("pattern", [r"(a+)+b", r"(?:a|aa|A|AA)+\d", r"(\s*)*x\d"])
def test_a_catastrophic_pattern_is_found_out_by_the_trial_texts(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(HeadlightError, match=r"Its tokenizer (gives up on|takes more than)"):
        opened({"folder": str(written(tmp_path, byte_level(pattern))), "keep": False})


def test_suspicions_are_those_of_what_transformers_made_of_the_files(tmp_path: Path) -> None:
    told = opened({"folder": str(written(tmp_path, byte_level(UNCOMMON))), "keep": False})
    assert told["patterns"] == [UNCOMMON]
    assert len(told["suspicions"]) == 1


@pytest.mark.parametrize("setup", ["llama", "xlm-roberta", "marian", "qwen"])
def test_tokenizers_as_published_models_set_them_up_are_opened_without_a_suspicion(tmp_path: Path, setup: str) -> None:
    WRITERS[setup](tmp_path)
    assert opened({"folder": str(tmp_path), "keep": False})["suspicions"] == []


@pytest.mark.parametrize("name", NEEDS)
def test_a_package_that_is_not_installed_is_named(tmp_path: Path, name: str) -> None:
    write_files(ALL[name], tmp_path)
    with pytest.raises(HeadlightError, match=f"needs the package {NEEDS[name]}.*, which is not installed here"):
        opened({"folder": str(tmp_path), "keep": False})


def test_a_text_is_timed_by_the_processor_so_that_a_busy_machine_refuses_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inside_opening, "MOST_SECONDS_A_TEXT", 0.2)

    def waits(text: str) -> list[tuple[str, tuple[int, int]]]:
        sleep(0.4)
        return [(text, (0, len(text)))]

    def works(text: str) -> list[tuple[str, tuple[int, int]]]:
        end = process_time() + 0.4
        while process_time() < end:
            pass
        return [(text, (0, len(text)))]

    inside_opening._try(TextEncoder(PlainReader(waits, {"a": 0}), None, 9), "a text", "a")
    with pytest.raises(HeadlightError, match=r"takes more than 0\.2 seconds of the processor"):
        inside_opening._try(TextEncoder(PlainReader(works, {"a": 0}), None, 9), "a text", "a")


def test_the_trial_ends_early_where_a_text_takes_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inside_opening, "MOST_SECONDS_A_TEXT", 0.0)
    with pytest.raises(HeadlightError, match="takes more than 0 seconds of the processor for a short text"):
        opened({"folder": str(written(tmp_path, wordpiece())), "keep": False})
