"""A function in a box: known answers, and every limit really hit by the functions of `tests.jobs.misbehaving`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Timer
from time import monotonic, sleep
from typing import Any

import psutil
import pytest

from core.errors import HeadlightError
from core.jobs import Cancelled, Job
from core.jobs.boxed import Unboxed, boxed
from core.jobs.forked import FASTEST, Forked, ForkServer
from core.jobs.processes import Fresh, Start

ROOT = Path(__file__).parents[2]
FOUR_GB = 4 * 10**9
PATIENCE = 5.0

both_ways = pytest.mark.parametrize("start", sorted({Fresh, FASTEST}, key=str))
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has seccomp and Landlock")


def run(name: str, argument: object = None, **limits: Any) -> Any:
    own = {"seconds": 5.0, "nbytes": 2**28, "allowed": ("tests.jobs.",)}
    return boxed(f"tests.jobs.{name}" if ":" in name else f"tests.jobs.misbehaving:{name}", argument, **own | limits)


def unboxed(name: str, argument: object = None, **limits: Any) -> Unboxed:
    with pytest.raises(Unboxed) as caught:
        run(name, argument, **limits)
    return caught.value


def is_gone_soon(process: int) -> bool:
    end = monotonic() + PATIENCE
    while monotonic() < end:
        try:
            if psutil.Process(process).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        sleep(0.02)
    return False


@both_ways
@pytest.mark.parametrize("argument", [None, 0.1, "", "é\ud800\0", [1, [2, {"a": None}]], {"": "x" * 200_000}])
def test_what_goes_in_and_comes_out_is_the_same_json(argument: object, start: Start) -> None:
    assert run("echo", argument, start=start) == argument


def test_a_function_of_core_can_be_called() -> None:
    assert boxed("core.jobs.boxed:_told_by", "std::bad_alloc", seconds=5, nbytes=2**28) == "memory"


@pytest.mark.parametrize(
    "name", ["os:system", "core.x", "core.jobs.boxed:a.b", "corex:y", "tests.jobs.misbehaving:echo", "core:load", ""]
)
def test_only_named_functions_of_core_modules_can_be_called(name: str) -> None:
    with pytest.raises(ValueError, match="may be called in a box"):
        boxed(name, None, seconds=1, nbytes=0)


@pytest.mark.parametrize("name", ["misbehaving:sleep", "misbehaving:CHATTER", "misbehaving:absent", "absent:echo"])
def test_what_a_module_only_imports_or_lacks_cannot_be_called(name: str) -> None:
    assert unboxed(name, 0).reason == "start"


@both_ways
def test_a_box_sees_an_empty_environment_a_folder_of_its_own_and_no_open_files(
    monkeypatch: pytest.MonkeyPatch, start: Start
) -> None:
    monkeypatch.setenv("HEADLIGHT_SECRET", "token")
    with open(os.devnull) as file:
        os.set_inheritable(file.fileno(), True)
        seen = run("surroundings", start=start)
    assert not {"HEADLIGHT_SECRET", "PATH", "PYTHONPATH"} & set(seen["environment"])
    assert {"HF_HUB_OFFLINE", "OMP_NUM_THREADS"} <= set(seen["environment"])
    assert seen["open"] == 4, "standard input, output and error, and the answer's pipe"
    assert not Path(seen["folder"]).exists()


def test_a_box_works_in_the_folder_it_is_given(tmp_path: Path) -> None:
    assert run("surroundings", folder=tmp_path)["folder"] == str(tmp_path)


@both_ways
def test_modules_that_lie_in_its_folder_are_not_imported(tmp_path: Path, start: Start) -> None:
    for name in ("json", "core", "tests", "ctypes", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(7)")
    assert run("echo", "safe", folder=tmp_path, start=start) == "safe"


def test_threads_may_start_inside() -> None:
    assert run("square_in_a_thread", 7) == 49


def test_many_threads_of_a_server_may_each_have_a_box() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda number: run("echo", number), range(8))) == list(range(8))


def test_prints_of_a_parser_neither_block_nor_corrupt_the_result() -> None:
    assert run("chat", 3_000) == "done"


def test_a_sentence_raised_inside_arrives_as_it_is() -> None:
    with pytest.raises(HeadlightError) as caught:
        run("refuse", "Row 3 of “<b>.gguf” is torn: get the file again.")
    assert type(caught.value) is HeadlightError
    assert str(caught.value) == "Row 3 of “<b>.gguf” is torn: get the file again."


def test_another_exception_keeps_its_text_for_the_log_and_out_of_the_sentence(caplog: pytest.LogCaptureFixture) -> None:
    error = unboxed("fail", "bad magic")
    assert (error.reason, error.detail) == ("error", "ValueError: bad magic")
    assert "bad magic" not in str(error)
    assert "Traceback" in caplog.text


@both_ways
@pytest.mark.parametrize(("name", "argument"), [("loop", None), ("backtrack", 60)])
def test_what_takes_too_long_is_stopped_in_time(name: str, argument: object, start: Start) -> None:
    error = unboxed(name, argument, seconds=0.3, start=start)
    assert (error.reason, error.why) == ("time", "took longer than 0.3 seconds of the processor")


@both_ways
def test_what_sleeps_for_ever_is_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch, start: Start) -> None:
    monkeypatch.setattr("core.jobs.box.PATIENCE_SECONDS", 0.2)
    begun = monotonic()
    error = unboxed("doze", 600, seconds=0.1, start=start)
    assert (error.reason, error.why) == ("asleep", "did not end within 1.2 seconds, for most of which it waited")
    assert monotonic() - begun > 1


@both_ways
def test_work_is_held_to_the_processors_time_and_not_to_the_clocks(start: Start) -> None:
    """A suspended process is what a busy machine makes of all: it waits for the processor."""
    limit = 0.5
    assert run("doze", 2 * limit, seconds=limit, start=start) == "awake"
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(run, "work_suspended", limit / 2, seconds=limit, start=start)
        stopped = _suspended_child()
        sleep(2 * limit)
        assert not done.done()
        stopped.resume()
        assert done.result() == "done"


def _suspended_child() -> psutil.Process:
    end = monotonic() + 60
    while monotonic() < end:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if process.status() == psutil.STATUS_STOPPED:
                    return process
        sleep(0.02)
    raise TimeoutError


@both_ways
def test_an_allocation_of_4_gb_is_refused(start: Start) -> None:
    error = unboxed("allocate", FOUR_GB, start=start)
    assert (error.reason, error.why) == ("memory", "needed more than 268 MB of memory")


def test_an_allocation_within_bounds_is_not() -> None:
    assert run("allocate", 2 * 10**8) == 2 * 10**8


def test_a_file_of_1_gb_is_refused(tmp_path: Path) -> None:
    error = unboxed("write", ["big", 10**9], folder=tmp_path, written_nbytes=10**6)
    assert (error.reason, error.why) == ("written", "wrote more than 1 MB")
    assert (tmp_path / "big").stat().st_size <= 10**6


def test_a_file_within_bounds_stays_in_the_folder(tmp_path: Path) -> None:
    run("write", ["small", 1_000], folder=tmp_path, written_nbytes=1_000)
    assert (tmp_path / "small").stat().st_size == 1_000


@on_linux
@pytest.mark.parametrize("name", ["write_many", "map_many"])
def test_many_short_files_are_stopped_by_their_sum(tmp_path: Path, name: str) -> None:
    error = unboxed(name, [2_000, 10**6], folder=tmp_path, written_nbytes=10**6)
    assert error.reason == "written"
    assert len(list(tmp_path.iterdir())) < 2_000


@both_ways
@on_linux
def test_nothing_is_written_elsewhere_or_without_leave(tmp_path: Path, start: Start) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    assert unboxed("write", [str(outside), 1], folder=inside, written_nbytes=10, start=start).reason == "forbidden"
    assert unboxed("write", ["x", 1], folder=inside, start=start).reason == "forbidden"
    assert list(tmp_path.rglob("*")) == [inside]


@both_ways
@on_linux
def test_a_fork_bomb_starts_nothing(start: Start) -> None:
    assert run("multiply", start=start) == ["PermissionError"] * 3


@both_ways
@on_linux
def test_a_box_reaches_no_other_process_no_socket_and_no_other_session(start: Start) -> None:
    assert run("reach", os.getpid(), start=start) == []
    assert run("look_after_itself", start=start) == [1]


@both_ways
@pytest.mark.parametrize("name", ["fault", "abort"])
def test_a_crash_is_one_sentence(name: str, start: Start) -> None:
    error = unboxed(name, start=start)
    assert error.reason == "crash"
    assert str(error).count(".") == 1


@pytest.mark.parametrize(("name", "argument"), [("leave", 0), ("leave", 3), ("exit_politely", None)])
def test_an_end_without_an_answer_is_told(name: str, argument: object) -> None:
    assert unboxed(name, argument).reason == "exit"


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("answer_at_length", 16 * 2**20),
        ("answer_no_json", None),
        ("flood", None),
        ("forge", "{"),
        ("forge", "[" * 100_000),
        ("forge", "9" * 5_000),
        ("forge", '"x"'),
        ("forge", '{"reason": "none", "detail": 1}'),
        ("forge", "\udcff"),
    ],
)
def test_a_huge_or_malformed_answer_is_refused(name: str, argument: object) -> None:
    assert unboxed(name, argument).reason in ("result", "error")


@both_ways
def test_a_child_left_behind_is_killed(start: Start) -> None:
    begun = monotonic()
    child = run("leaving_a_child:child", start=start)
    assert monotonic() - begun < PATIENCE
    assert is_gone_soon(child)


def test_cancelling_the_job_kills_the_process_at_once() -> None:
    job = Job("ann", "upload")
    run("echo")
    others = set(psutil.Process().children(recursive=True))
    Timer(0.2, job.cancel).start()
    begun = monotonic()
    with pytest.raises(Cancelled):
        run("doze", 60, seconds=60.0, job=job)
    assert monotonic() - begun < 1
    left = set(psutil.Process().children(recursive=True)) - others
    assert all(is_gone_soon(process.pid) for process in left)


@on_linux
def test_a_box_dies_with_a_killed_server(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from core.jobs.boxed import boxed; "
        "boxed('tests.jobs.misbehaving:doze', 60, seconds=60, nbytes=2**28, allowed=('tests.',))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(ROOT)], env=os.environ | {"TMPDIR": str(tmp_path)}
    ) as server:
        end = monotonic() + PATIENCE
        while len(started := psutil.Process(server.pid).children(recursive=True)) < 2 and monotonic() < end:
            sleep(0.02)
        sleep(0.1)
        server.kill()
    assert len(started) == 2, "the fork server and its fork"
    assert all(is_gone_soon(process.pid) for process in started)


@on_linux
def test_a_fork_server_that_is_killed_takes_its_forks_along_and_another_takes_its_place() -> None:
    own = partial(Forked, server=ForkServer())
    first = run("parent", start=own)
    Timer(0.3, psutil.Process(first).kill).start()
    assert unboxed("doze", 60, seconds=60, start=own).reason in ("memory", "start")
    assert is_gone_soon(first)
    assert run("parent", start=own) not in (first, os.getpid())


@on_linux
def test_a_fork_server_that_hangs_is_given_up_and_another_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    server = ForkServer()
    own = partial(Forked, server=server)
    first = psutil.Process(run("parent", start=own))
    first.suspend()
    job = Job("ann", "upload")
    Timer(0.3, job.cancel).start()
    begun = monotonic()
    with pytest.raises(Cancelled):
        run("echo", 1, seconds=60.0, job=job, start=own)
    assert monotonic() - begun < 1
    for _ in range(400):  # more than its line holds: nobody waits for it
        try:
            server.ask(b"{}", [])
        except OSError:
            break
    with monkeypatch.context() as impatient:
        impatient.setattr("core.jobs.forked.SILENT_SECONDS", 0.2)
        impatient.setattr("core.jobs.box.START_SECONDS", 0.5)
        assert unboxed("echo", 1, start=own).reason == "start"
    server.give_up()
    assert is_gone_soon(first.pid)
    assert run("echo", 1, start=own) == 1


@on_linux
def test_a_fork_server_that_cannot_be_started_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    own = partial(Forked, server=ForkServer())
    psutil.Process(run("parent", start=own)).kill()
    with monkeypatch.context() as without:
        without.setattr("core.jobs.forked.INTERPRETER", ("/nonexistent",))
        for _ in range(2):
            assert unboxed("echo", 1, start=own).reason == "start"
    assert run("echo", 1, start=own) == 1


@on_linux
def test_a_box_that_ends_while_its_fork_server_is_busy_has_its_answer() -> None:
    own = partial(Forked, server=ForkServer())
    first = psutil.Process(run("parent", start=own))
    Timer(0.2, first.suspend).start()
    Timer(1.5, first.resume).start()
    assert run("doze", 0.6, start=own) == "awake"


@on_linux
def test_a_fork_server_without_work_goes_and_comes_back() -> None:
    own = partial(Forked, server=ForkServer(idle_seconds=0.2))
    first = run("parent", start=own)
    assert run("doze", 0.5, start=own) == "awake"
    assert is_gone_soon(first)
    assert run("parent", start=own) not in (first, os.getpid())


@on_linux
def test_a_fork_server_has_one_thread_whatever_it_has_imported() -> None:
    functions = {
        name for path in ROOT.glob("core/**/*.py") for name in re.findall(r'"(core[\w.]+:\w+)"', path.read_text())
    }
    assert len(functions) > 8
    for name in functions:
        with suppress(HeadlightError):
            boxed(name, None, seconds=5, nbytes=2**28)
    assert psutil.Process(run("parent")).num_threads() == 1


def test_seconds_are_told_while_it_runs_each_once() -> None:
    told: list[int] = []
    run("doze", 2.2, seconds=20, on_second=told.append)
    assert told[:2] == [1, 2]
    assert told == sorted(set(told))
