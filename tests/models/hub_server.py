"""A hub of one repository on this machine, as honest or as broken as a test wants it."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

REPO = "tester/tiny"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SMALLEST_LARGE = 10_000


@dataclass
class Hub:
    """What the server has and does.

    files        content by name; those of SMALLEST_LARGE bytes and more are listed as large ones, with a SHA-256
    dies_after   bytes of a longer file after which the connection is cut, as often as `deaths` says
    lies         size by file name that is listed instead of the true one
    spoils       names of files that arrive with one byte changed
    answers      status and the hub's own error code, instead of any file or list
    pause        seconds between two pieces of a body
    ranges       whether a part of a file can be asked for
    asked        the requests that came: path and range
    """

    files: dict[str, bytes]
    dies_after: int | None = None
    deaths: int = 1
    lies: dict[str, int] = field(default_factory=dict)
    spoils: set[str] = field(default_factory=set)
    answers: tuple[int, str] | None = None
    pause: float = 0.0
    ranges: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    address: str = ""

    def listing(self) -> dict[str, Any]:
        return {"id": REPO, "sha": COMMIT, "siblings": [self.item(name) for name in self.files]}

    def item(self, name: str) -> dict[str, Any]:
        content = self.files[name]
        size = self.lies.get(name, len(content))
        git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        item: dict[str, Any] = {"rfilename": name, "size": size, "blobId": git}
        if len(content) >= SMALLEST_LARGE:
            item["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": size, "pointerSize": 134}
        return item


@contextmanager
def serving(folder: Path, **settings: Any) -> Iterator[Hub]:
    """A hub with the files of a folder, on a port of the loopback interface."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    hub = Hub({path.relative_to(folder).as_posix(): path.read_bytes() for path in files}, **settings)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.asked.append((path, self.headers["Range"]))
            hub.tokens.append(self.headers["Authorization"])
            if hub.answers is not None:
                self._send(hub.answers[0], b"{}", {"X-Error-Code": hub.answers[1]})
            elif re.fullmatch(rf"/api/models/{REPO}/revision/(main|v1|{COMMIT})", path):
                self._send(200, json.dumps(hub.listing()).encode())
            elif path.startswith(f"/api/models/{REPO}/"):
                self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            elif (found := re.fullmatch(rf"/{REPO}/resolve/(?:main|{COMMIT})/(.+)", path)) and found[1] in hub.files:
                self._send_file(found[1])
            else:
                self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})

        def do_HEAD(self) -> None:
            name = urlsplit(self.path).path.rsplit("/", 1)[1]
            item = hub.item(name)
            self.send_response(200)
            self.send_header("Content-Length", str(item["size"]))
            self.send_header("ETag", f'"{item["lfs"]["sha256"] if "lfs" in item else item["blobId"]}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()

        def _send_file(self, name: str) -> None:
            content = hub.files[name]
            if name in hub.spoils:
                content = content[:-1] + bytes([content[-1] ^ 1])
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
            start = int(asked[1]) if asked and hub.ranges else 0
            rest = content[start:]
            status = 416 if asked and not rest else 206 if start else 200
            if hub.dies_after is not None and hub.deaths and len(rest) > hub.dies_after:
                hub.deaths -= 1
                self._send(status, rest, cut=hub.dies_after)
                self.close_connection = True
            else:
                self._send(status, rest)

        def _send(
            self, status: int, body: bytes, headers: dict[str, str] | None = None, cut: int | None = None
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            # In pieces, so that a client can go away in the middle.
            body = body[:cut]
            try:
                for place in range(0, len(body), 16_384):
                    self.wfile.write(body[place : place + 16_384])
                    time.sleep(hub.pause)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    return Handler
