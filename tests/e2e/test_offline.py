"""With the network cable pulled out nothing is missed: the server asks no other host for anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.e2e.browser import opened_app, running_server

# Python runs a module of this name at start-up; audit hooks see every look-up and connection of the process.
WATCH = """
import sys

def watch(event, arguments):
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if host not in (None, "", "localhost", "127.0.0.1", "::1", b"127.0.0.1", b"localhost"):
        with open({log!r}, "a") as file:
            print(event, host, file=file)

sys.addaudithook(watch)
"""


def test_the_server_asks_no_other_host_for_anything(browser, tmp_path: Path):
    asked = tmp_path / "asked.txt"
    (tmp_path / "sitecustomize.py").write_text(WATCH.format(log=str(asked)))
    with (
        # Without the libraries' own offline switch: nothing may be asked even where it could be answered.
        running_server(tmp_path / "log.txt", PYTHONPATH=str(tmp_path), HF_HUB_OFFLINE="0") as address,
        opened_app(browser, address) as app,
    ):
        app.open().analyse("No request leaves this machine.")
        assert app.queries()[1] == "No"
        assert app.problems == []
    assert not asked.exists(), asked.read_text()


def test_the_watch_would_have_seen_a_request(tmp_path: Path):
    asked = tmp_path / "asked.txt"
    (tmp_path / "sitecustomize.py").write_text(WATCH.format(log=str(asked)))
    ask = "import socket\ntry: socket.getaddrinfo('host.invalid', 80)\nexcept OSError: pass"
    subprocess.run([sys.executable, "-c", ask], env={"PYTHONPATH": str(tmp_path)}, check=True)
    assert "host.invalid" in asked.read_text()
