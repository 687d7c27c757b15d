"""What is asked of the hub over the network, and its answers as people can read them; used by `fetching` alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO
from urllib.parse import quote

import httpx2
from huggingface_hub import constants, get_session, get_token, hf_hub_url, hf_raise_for_status
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError

from core.errors import HeadlightError
from core.models.hub import LATER, HubId

TIMEOUT = 10.0
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository. digest: SHA-256 of a large file, git's SHA-1 of a small one; names it in the cache."""

    name: str
    nbytes: int
    digest: str


@contextmanager
def worded(wanted: HubId) -> Iterator[None]:
    """What the hub and the line to it can answer, each as a sentence."""
    try:
        yield
    except GatedRepoError as error:
        raise HeadlightError(
            f"{wanted} is only given to those who accepted its terms: accept them at "
            f"{constants.ENDPOINT}/{wanted.repo} and put your token into HF_TOKEN."
        ) from error
    except RevisionNotFoundError as error:
        raise HeadlightError(f"{wanted.repo} has no revision {wanted.revision}: check the name after the @.") from error
    except RepositoryNotFoundError as error:
        raise HeadlightError(
            f"The hub has no model {wanted.repo}, or shows it only with a token: check the name, or set HF_TOKEN."
        ) from error
    except HfHubHTTPError as error:
        status = error.response.status_code
        advice = "set HF_TOKEN to a token that may read it" if status in (401, 403) else "try again later"
        raise HeadlightError(f"The hub answered {status} when asked for {wanted}: {advice}.") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise HeadlightError(
            f"The connection to {constants.ENDPOINT} failed while {wanted} was fetched: try again, which goes on with "
            "what has arrived."
        ) from error


def _headers() -> dict[str, str]:
    """Nothing about this machine or its user but the token that they set."""
    token = get_token()
    # Compressed answers would have no length to check and no place to go on from.
    plain = {"user-agent": "headlight", "accept-encoding": "identity"}
    return plain | ({"authorization": f"Bearer {token}"} if token else {})


def listing(wanted: HubId) -> tuple[str, tuple[RemoteFile, ...]]:
    """The commit that the revision stands for, its files at the top level and those of modules after the network."""
    address = f"{constants.ENDPOINT}/api/models/{wanted.repo}/revision/{quote(wanted.revision, safe='')}"
    response = get_session().get(address, params={"blobs": "true"}, headers=_headers(), timeout=TIMEOUT)
    hf_raise_for_status(response)
    try:
        answer: dict[str, Any] = response.json()
        commit = answer["sha"]
        files = tuple(_remote_file(item) for item in answer["siblings"] if _may_belong(item["rfilename"]))
    except (ValueError, KeyError, TypeError) as error:
        raise HeadlightError(
            f"{constants.ENDPOINT} did not list the files of {wanted} as the hub does: check HF_ENDPOINT."
        ) from error
    if not _COMMIT.fullmatch(commit):
        raise HeadlightError(f"{constants.ENDPOINT} gave {wanted} no commit: check HF_ENDPOINT.")
    return commit, files


def _may_belong(name: str) -> bool:
    folder, _, rest = name.rpartition("/")
    return bool(rest) and (not folder or LATER.fullmatch(folder) is not None)


def _remote_file(item: dict[str, Any]) -> RemoteFile:
    large = item.get("lfs") or {}
    digest = str(large["sha256"] if large else item["blobId"])
    if not _DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is no checksum")
    return RemoteFile(str(item["rfilename"]), int(large.get("size", item["size"])), digest)


def receive(wanted: HubId, commit: str, file: RemoteFile, target: BinaryIO, arrived: Callable[[int], None]) -> None:
    """Append to a file, which may hold its first part, what is still to come of it.

    arrived: told after each piece how many bytes there are; what it raises ends the connection.
    """
    start = target.tell()
    address = hf_hub_url(wanted.repo, file.name, revision=commit)
    headers = _headers() | ({"range": f"bytes={start}-"} if start else {})
    with get_session().stream("GET", address, headers=headers, timeout=TIMEOUT) as response:
        if response.status_code == 416:  # there is no rest: what is here is not the beginning of the file
            target.truncate(0)
        hf_raise_for_status(response)
        if start and response.status_code != 206:  # the whole file, although only its rest was asked for
            target.truncate(0)
            target.seek(0)
        for piece in response.iter_bytes():
            target.write(piece)
            arrived(target.tell())
            if target.tell() > file.nbytes:
                break  # more than was announced, perhaps without end: the checksum will tell
