"""A card says how to make its model again: the command, run once more, gives the score within the stated spread."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from core.models.shipped import WEIGHTS
from core.training.__main__ import main
from core.training.shipping.sentiment import ACCURACY, SPREAD

NAME = "sentiment-average-additive-0"
# Half a dozen standard deviations would be met by nearly anything, one alone is missed by every third run.
MOST_DEVIATIONS = 2.0


@pytest.mark.nightly
@pytest.mark.skipif(not (WEIGHTS / NAME).is_dir(), reason="the model of this recipe is not shipped")
def test_the_command_of_a_card_gives_its_score_again(tmp_path: Path) -> None:
    told = json.loads((WEIGHTS / NAME / "training.json").read_text(encoding="utf-8"))
    words = shlex.split(told["shipped"]["command"])[3:]
    data = Path(words[words.index("--data") + 1])
    if not data.exists():
        pytest.skip(reason="the data set is not here")
    words[words.index("--out") + 1] = str(tmp_path)
    assert main(words) == 0
    again = json.loads((tmp_path / "training.json").read_text(encoding="utf-8"))
    average, deviation = map(float, re.findall(r"\d\.\d+", told["scores"][SPREAD]))
    assert again["scores"][ACCURACY] == pytest.approx(average, abs=MOST_DEVIATIONS * deviation)
