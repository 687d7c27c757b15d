"""Downloads against a hub on this machine.

The hub's library reads its environment once: what depends on that runs in a process of its own.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest
import torch
from huggingface_hub import constants
from safetensors.torch import load_file

from core import load
from core.errors import HeadlightError
from core.jobs import Cancelled, Job, Progress
from core.models import catalogue, download
from core.models.fetching import needed
from core.models.hub import HubId, snapshot
from core.models.remote import RemoteFile
from tests.models.hub_server import COMMIT, REPO, Hub, serving
from tests.sentences import is_one_sentence, refused

ROOT = Path(__file__).parents[2]
SMALL = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json")


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache, and the library allowed to go out."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    return HubId(REPO).storage


@pytest.fixture
def hub(gpt2_folder: Path, storage: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving(gpt2_folder) as hub:
        point_at(hub, monkeypatch)
        yield hub
    huggingface_hub.close_session()


def point_at(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", hub.address)
    template = f"{hub.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def is_absent() -> bool:
    return snapshot(HubId(REPO)) is None


def test_a_downloaded_model_opens_and_computes_what_the_original_does(hub: Hub, gpt2_folder: Path):
    assert is_absent()
    folder = download(REPO)
    assert folder == snapshot(HubId(REPO))
    assert folder.name == COMMIT
    for path in folder.iterdir():
        assert path.read_bytes() == (gpt2_folder / path.name).read_bytes()
    model = load(REPO)
    assert (model.name, model.revision) == (REPO, COMMIT[:12])
    mine, expected = (m.run("the cat sat").attention(1) for m in (model, load(str(gpt2_folder))))
    assert mine.equal(expected)


def test_only_files_that_cannot_run_are_fetched(hub: Hub):
    hub.files |= {"modeling_evil.py": b"raise SystemExit", "pytorch_model.bin": b"x" * 50_000, "README.md": b"hello"}
    download(REPO)
    fetched = {path.rsplit("/", 1)[1] for path, _ in hub.asked if "/resolve/" in path}
    assert fetched == {*SMALL, "model.safetensors"}
    assert len(hub.asked) == len(fetched) + 1  # and the list of files: nothing else is asked


def test_what_is_there_already_is_not_fetched_again(hub: Hub):
    download(REPO)
    hub.asked.clear()
    download(REPO)
    assert len(hub.asked) == 1


def test_progress_counts_bytes_and_ends_at_all_of_them(hub: Hub):
    told: list[Progress] = []
    download(REPO, Job("ann", "Download", told.append))
    assert told
    total = sum(len(content) for content in hub.files.values())
    assert {p.total for p in told} == {total}
    assert [p.done for p in told] == sorted(p.done for p in told)
    assert told[-1].done == total
    assert REPO in told[0].step
    assert "MB" in told[0].step


def test_a_cancelled_download_is_not_there_and_is_gone_on_with(hub: Hub, storage: Path):
    size = len(hub.files["model.safetensors"])

    def stop_in_the_middle() -> None:
        part = list(storage.glob("blobs/*-part"))
        if part and part[0].stat().st_size > size // 4:
            job.cancel()

    class Watched(Job):
        def check(self) -> None:
            stop_in_the_middle()
            super().check()

    job = Watched("ann", "Download")
    with pytest.raises(Cancelled):
        download(REPO, job)
    assert is_absent()
    with refused(REPO, "downloaded"):
        load(REPO)
    hub.asked.clear()
    download(REPO)
    assert load(REPO).report.loaded
    (resumed,) = [asked for path, asked in hub.asked if path.endswith("model.safetensors")]
    assert resumed is not None
    assert int(resumed.removeprefix("bytes=").rstrip("-")) >= size // 4


@pytest.mark.parametrize("ranges", [True, False], ids=["with ranges", "without ranges"])
def test_a_server_that_dies_half_way_is_named_and_the_next_try_works(hub: Hub, ranges: bool):
    hub.dies_after, hub.ranges = 100_000, ranges
    with refused(REPO, "connection", "try again"):
        download(REPO)
    assert is_absent()
    download(REPO)
    assert load(REPO).name == REPO


def test_a_server_that_is_not_there(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    gone = Hub({}, address="http://127.0.0.1:9")
    point_at(gone, monkeypatch)
    with refused(REPO, "connection", "127.0.0.1:9", "try again"):
        download(REPO)
    assert is_absent()


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (404, "RepoNotFound", ("no model", REPO, "check the name")),
        (401, "RepoNotFound", ("no model", "HF_TOKEN")),
        (401, "GatedRepo", ("accept", "HF_TOKEN", REPO)),
        (403, "GatedRepo", ("accept", "HF_TOKEN")),
        (401, "", ("401", "HF_TOKEN")),
        (500, "", ("500", "try again later")),
        (503, "", ("503", "try again later")),
        (429, "", ("429", "try again later")),
    ],
)
def test_each_refusal_of_the_hub_is_one_sentence(hub: Hub, status: int, code: str, words: tuple[str, ...]):
    hub.answers = (status, code)
    with refused(*words):
        download(REPO)
    assert is_absent()


def test_a_revision_that_is_not_there(hub: Hub):
    with refused("revision v9", REPO):
        download(f"{REPO}@v9")


@pytest.mark.parametrize("revision", ["v1", COMMIT])
def test_a_revision_is_kept_under_its_name(hub: Hub, revision: str):
    download(f"{REPO}@{revision}")
    assert load(f"{REPO}@{revision}").revision == COMMIT[:12]
    assert is_absent()


def test_a_file_that_is_longer_than_announced_is_thrown_away(hub: Hub):
    hub.lies["model.safetensors"] = len(hub.files["model.safetensors"]) - 1000
    with refused("model.safetensors", "damaged", "try again"):
        download(REPO)
    assert is_absent()
    hub.lies.clear()
    download(REPO)
    assert not is_absent()


def test_a_file_that_is_shorter_than_announced_is_never_opened(hub: Hub):
    hub.lies["model.safetensors"] = len(hub.files["model.safetensors"]) + 1000
    with refused("model.safetensors", "in part", "try again"):
        download(REPO)
    with refused("416", "try again"):  # there is no rest to go on with
        download(REPO)
    with refused("model.safetensors", "in part"):  # from the beginning
        download(REPO)
    assert is_absent()
    hub.lies.clear()
    download(REPO)
    assert not is_absent()


def test_a_file_that_was_damaged_on_the_disk_is_fetched_again(hub: Hub):
    path = download(REPO) / "model.safetensors"
    content = path.read_bytes()
    path.resolve().write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    download(REPO)
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_one_changed_byte_is_noticed(hub: Hub, name: str):
    hub.spoils = {name}
    with refused(name, "damaged", "try again"):
        download(REPO)
    assert is_absent()
    hub.spoils = set()
    download(REPO)
    assert not is_absent()


def test_no_room_is_said_before_anything_is_fetched(hub: Hub):
    hub.lies["model.safetensors"] = 10**17
    with refused("MB", "make room", "HF_HOME"):
        download(REPO)
    assert len(hub.asked) == 1


def test_a_cache_that_cannot_be_written(hub: Hub, tmp_path: Path):
    (tmp_path / "hub").write_text("a file where the cache should be")
    with refused(REPO, "make room", "HF_HOME"):
        download(REPO)


def test_a_server_that_is_no_hub(hub: Hub):
    hub.answers = (200, "")
    with refused("HF_ENDPOINT"):
        download(REPO)


def test_a_repository_without_a_model(hub: Hub):
    del hub.files["model.safetensors"]
    with refused("no weights", "choose another"):
        download(REPO)


def test_the_token_goes_to_the_hub_and_is_only_sent_when_there_is_one(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    download(REPO)
    assert set(hub.tokens) == {None}
    hub.tokens.clear()
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    download(REPO)
    assert set(hub.tokens) == {"Bearer hf_secret"}


@pytest.mark.parametrize("name", ["../x", "a/b/c", "http://x/y", "/etc", "a b", "", "x" * 500, "all-MiniLM-L6-v2"])
def test_what_the_hub_cannot_have_is_refused_without_a_request(hub: Hub, name: str):
    with refused("nothing to download"):
        download(name)
    assert hub.asked == []


def files(*names: str) -> tuple[RemoteFile, ...]:
    return tuple(RemoteFile(name, 10, "0" * 40) for name in names)


@pytest.mark.parametrize(
    ("listed", "weights"),
    [
        (("model.safetensors", "pytorch_model.bin"), {"model.safetensors"}),
        (("pytorch_model.bin", "tf_model.h5"), {"pytorch_model.bin"}),
        (
            ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"),
            {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"},
        ),
        (("model.safetensors", "model-00001-of-00001.safetensors"), {"model.safetensors"}),
        (
            ("pytorch_model-00001-of-00001.bin", "pytorch_model.bin.index.json", "training_args.bin"),
            {"pytorch_model-00001-of-00001.bin", "pytorch_model.bin.index.json"},
        ),
    ],
)
def test_safetensors_come_before_pickles_and_one_file_before_many(listed: tuple[str, ...], weights: set[str]):
    chosen = needed(HubId(REPO), files("config.json", "tokenizer.json", "evil.py", *listed))
    assert {file.name for file in chosen} == weights | {"config.json", "tokenizer.json"}


WATCH = """
import sys
opened = []
sys.addaudithook(lambda event, _: opened.append(event) if event.startswith("socket.") else None)
"""


def run_alone(code: str, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    answer = subprocess.run(
        [sys.executable, "-c", WATCH + code], cwd=ROOT, capture_output=True, text=True, env=kept | environment
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def test_offline_nothing_is_asked_of_anybody(tmp_path: Path):
    code = (
        "from core.models import download\n"
        "from core.errors import HeadlightError\n"
        "try: download('tester/tiny')\n"
        "except HeadlightError as error: print(error)\n"
        "print(opened)"
    )
    said, opened = run_alone(code, HF_HUB_OFFLINE="1", HF_HOME=str(tmp_path)).splitlines()
    assert is_one_sentence(said)
    assert "HF_HUB_OFFLINE" in said
    assert opened == "[]"
    assert not list(tmp_path.iterdir())


def test_the_watch_would_have_seen_a_request(tmp_path: Path):
    code = (
        "from core.models import download\n"
        "from core.errors import HeadlightError\n"
        "try: download('tester/tiny')\n"
        "except HeadlightError: print(sorted(set(opened)))"
    )
    seen = run_alone(code, HF_ENDPOINT="http://127.0.0.1:9", HF_HOME=str(tmp_path))
    assert "socket.connect" in seen


def test_listing_and_opening_ask_nobody_even_when_they_could(gpt2_folder: Path, tmp_path: Path):
    pickled = shutil.copytree(gpt2_folder, tmp_path / "pickled")
    torch.save(load_file(pickled / "model.safetensors"), pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    code = (
        "from core.models import catalogue\n"
        "from core import load\n"
        "from core.errors import HeadlightError\n"
        "assert any(listing.downloadable for listing in catalogue())\n"
        f"names = ['bert-base-uncased', 'tester/tiny', 'all-MiniLM-L6-v2', {str(gpt2_folder)!r}, {str(pickled)!r}]\n"
        "for name in names:\n"
        "    try: print(load(name, device='cpu').run('the cat sat').provenance.model)\n"
        "    except HeadlightError as error: print(error)\n"
        "print(opened)"
    )
    absent, unknown, *opened_models, opened = run_alone(code, HF_HOME=str(tmp_path)).splitlines()
    assert is_one_sentence(absent)
    assert is_one_sentence(unknown)
    assert opened_models == ["all-MiniLM-L6-v2", gpt2_folder.name, "pickled"]
    assert opened == "[]"


def test_endpoint_and_home_come_from_the_environment(gpt2_folder: Path, tmp_path: Path):
    with serving(gpt2_folder) as hub:
        printed = run_alone(
            "from core.models import download; print(download('tester/tiny'))",
            HF_ENDPOINT=hub.address,
            HF_HOME=str(tmp_path),
        )
    assert Path(printed) == tmp_path / "hub" / "models--tester--tiny" / "snapshots" / COMMIT


def test_what_the_hub_s_own_library_fetched_opens_here(hub: Hub, tmp_path: Path):
    for name in hub.files:
        huggingface_hub.hf_hub_download(REPO, name, endpoint=hub.address, cache_dir=tmp_path / "hub")
    assert load(REPO).revision == COMMIT[:12]


def test_what_is_fetched_here_is_found_by_the_hub_s_own_library(hub: Hub, tmp_path: Path):
    folder = download(REPO)
    for name in hub.files:
        found = huggingface_hub.try_to_load_from_cache(REPO, name, cache_dir=tmp_path / "hub")
        assert found == str(folder / name)


def test_half_of_the_files_is_no_model(hub: Hub, tmp_path: Path):
    for name in SMALL:
        huggingface_hub.hf_hub_download(REPO, name, endpoint=hub.address, cache_dir=tmp_path / "hub")
    assert is_absent()
    download(REPO)
    assert not is_absent()


def test_the_catalogue_says_what_a_download_would_fetch(storage: Path):
    listed = {listing.entry.name: listing for listing in catalogue()}
    gpt2 = listed["openai-community/gpt2"]
    assert gpt2.downloadable
    assert gpt2.unavailable is not None
    assert "not downloaded" in gpt2.unavailable
    assert "551 MB" in gpt2.unavailable
    with pytest.raises(HeadlightError, match="not downloaded"):
        load("openai-community/gpt2")
