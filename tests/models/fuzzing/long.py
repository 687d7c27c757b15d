"""A long run, led by coverage: `python -m tests.models.fuzzing.long --seconds 40 [reader …]`, all readers by default.

It needs atheris (`pip install atheris`), Google's fuzzer for Python, which the tests do not. Each reader gets a process
of its own with bounded memory; what breaks a promise of `keeping` is counted, and kept in the folder of --out. Without
atheris, HEADLIGHT_FUZZ_EXAMPLES=5000 lets the tests of this folder, and the others that mutate files, run longer.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import tempfile
import time
import traceback
from pathlib import Path
from random import Random
from typing import Any

ADDRESS_SPACE = 3 << 30
MOST_SECONDS = 20.0
WORDS = (
    b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"NaN", b"-1", b"1e999", b"\\ud800", b"\\u202e", b"../",
    b"\0", b"PK\1\2", b"PK\3\4", b"PK\5\6", b"GGUF", b"ustar", b"\xff\xff\xff\xff", b"\x80\2", b"cos\nsystem\n",
    b"Regex", b"__metadata__", b"data_offsets", b"shape", b"dtype", b"F32", b"model_type", b"hidden_size", b"auto_map",
    b"architectures", b"weight_map", b"vocab", b"merges", b"added_tokens", b"content", b"type", b"(?:", b"*+", b"[^",
    b"\\p{L}", b"(?<=", b"&&[",
)  # fmt: skip


class Hung(BaseException):
    """Nothing that is read may catch this."""


class Run:
    """Calls a reader with what the fuzzer makes up, and notes what happens."""

    def __init__(self, reader: Any, out: Path) -> None:
        from tests.models.fuzzing.keeping import Watch, soon

        self._read, self._soon, self._watch = reader.read, soon, Watch()
        self._out, self._saved_at, self._began_at = out, 0.0, 0
        self._place = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        os.environ["HEADLIGHT_UPLOADS"] = str(self._place / "uploads")
        self.facts: dict[str, Any] = {"inputs": 0, "slowest": 0.0, "findings": {}}
        for seed in reader.seeds():
            self(seed)
        self.facts |= {"inputs": 0, "slowest": 0.0}
        self._began_at = _resident_kb()

    def __call__(self, data: bytes) -> None:
        folder = self._place / "folder"
        folder.mkdir()
        began = time.thread_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
        try:
            with self._watch.of(self._place), self._soon():
                self._read(data, folder)
        except BaseException as error:
            self._note(error, data)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        took = time.thread_time() - began
        shutil.rmtree(folder)
        self.facts["inputs"] += 1
        if took > self.facts["slowest"]:
            self.facts["slowest"] = took
            (self._out / "slowest").write_bytes(data)
        if time.monotonic() - self._saved_at > 1:
            self._saved_at = time.monotonic()
            self.facts |= {"grown_mb": (_resident_kb() - self._began_at) >> 10, "cpu_s": round(time.process_time())}
            (self._out / "facts.json").write_text(json.dumps(self.facts))

    def _note(self, error: BaseException, data: bytes) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        own = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames if "/core/" in frame.filename]
        place, said = own[-1] if own else frames[-1].lineno, re.sub("[0-9]+", "N", str(error))[:60]
        what = f"{type(error).__name__} at {place}: {said}"
        known = self.facts["findings"].setdefault(what, {"count": 0, "message": str(error)[:400]})
        known["count"] += 1
        if known["count"] == 1:
            known["input"] = hashlib.sha256(data).hexdigest()[:12]
            (self._out / known["input"]).write_bytes(data)
            (self._out / f"{known['input']}.txt").write_text("".join(traceback.format_exception(error)))


def _resident_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _hang(*_: object) -> None:
    raise Hung(f"it takes more than {MOST_SECONDS:g} seconds")


def fuzz(name: str, seconds: int, out: Path) -> None:
    """Fuzz one reader in this process, which libFuzzer ends."""
    import atheris

    from tests.models.fuzzing.readers import READERS

    reader = READERS[name]
    corpus = out / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(reader.seeds()):
        (corpus / str(number)).write_bytes(seed)
    (out / "words").write_text("".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in WORDS))
    signal.signal(signal.SIGVTALRM, _hang)
    run = Run(reader, out)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ADDRESS_SPACE,) * 2)

    def change(data: bytes, most: int, seed: int) -> bytes:
        """Half of the time in libFuzzer's own way, else in ours, which knows JSON."""
        random = Random(seed)
        return atheris.Mutate(data, most) if random.random() < 0.5 else reader.change(data, random)[:most]

    options = [f"-max_total_time={seconds}", f"-dict={out / 'words'}", "-rss_limit_mb=0", "-timeout=300"]
    atheris.Setup([name, str(corpus), f"-artifact_prefix={out}/", *options], run, custom_mutator=change)
    atheris.Fuzz()


def _alone(name: str, seconds: int, out: Path) -> int:
    """Fuzz in a process of its own whose output goes to a file; its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        log = os.open(out / "log", os.O_WRONLY | os.O_CREAT)
        os.dup2(log, 1)
        os.dup2(log, 2)
        fuzz(name, seconds, out)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def main() -> None:
    """Fuzz the readers one after the other and print what came of it."""
    import atheris

    with atheris.instrument_imports(include=["core.models", "core.text", "core.jobs"]):
        from tests.models.fuzzing.readers import READERS
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("readers", nargs="*", default=list(READERS))
    asked.add_argument("--seconds", type=int, default=40)
    asked.add_argument("--out", type=Path, default=Path(tempfile.mkdtemp(prefix="fuzz-")))
    told = asked.parse_args()
    for name in told.readers:
        out = told.out / name.replace(" ", "-")
        out.mkdir(parents=True)
        status = _alone(name, told.seconds, out)
        facts = json.loads((out / "facts.json").read_text()) if (out / "facts.json").exists() else {}
        covered = re.findall(r"cov: (\d+)", (out / "log").read_text(errors="replace"))
        print(name, {"exit": status, "covered": covered[-1:], **facts}, flush=True)


if __name__ == "__main__":
    main()
