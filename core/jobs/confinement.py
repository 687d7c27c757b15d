"""What Linux lets a process give up for good without any rights: starting others, sockets, writing elsewhere.

Seccomp answers system calls with an error, Landlock refuses to change files outside one folder. Both hold for all that
the process does from then on, and both say whether they could be had: other systems and old kernels have neither.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NO_NEW_PRIVILEGES = 38
DIE_WITH_PARENT = 1

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24
ALLOW, FAIL = 0x7FFF0000, 0x00050000
FILTER, ALL_THREADS = 1, 1
CLONE_THREAD = 0x10000
FIRST_OF_X32 = 0x40000000

CREATE_RULES, ADD_RULE, RESTRICT = 444, 445, 446
WRITE, REMOVE_FOLDER, REMOVE_FILE, MAKE_FOLDER, MAKE_FILE, MOVE, TRUNCATE = (
    1 << bit for bit in (1, 4, 5, 7, 8, 13, 14)
)
ALL_MAKING = sum(1 << bit for bit in range(6, 13))


@dataclass(frozen=True)
class _Machine:
    """Numbers of system calls.

    own     allowed on the process itself alone, which some of them call 0
    first   first arguments with which a call is not allowed; second: likewise
    denied  never allowed
    """

    architecture: int
    seccomp: int
    clone: int
    own: tuple[int, ...]
    first: dict[int, tuple[int, ...]]
    second: dict[int, tuple[int, ...]]
    denied: tuple[int, ...]


CLONE3 = 435
# io_uring_setup, which could open sockets unseen, then pidfd_send_signal, pidfd_getfd, process_madvise, memfd_secret.
DENIED_EVERYWHERE = (425, 424, 438, 440, 447)
# Outliving the parent's end; signals to others when a file has something to read (F_SETOWN, F_SETOWN_EX, FIOSETOWN,
# SIOCSPGRP, TIOCSPGRP), and keys pressed on a terminal (TIOCSTI).
_PRCTL, _FCNTL, _IOCTL = (DIE_WITH_PARENT,), (8, 15), (0x8901, 0x8902, 0x5410, 0x5412)
MACHINES = {
    # own: kill, tgkill, prlimit64, sched_setaffinity, sched_setparam, sched_setscheduler, sched_setattr. first: prctl.
    # second: fcntl, ioctl. denied: fork, vfork, execve, execveat, socket, setpgid, setsid, ptrace, process_vm_readv and
    # _writev, rt_sigqueueinfo, rt_tgsigqueueinfo, tkill, unshare, setns, bpf, perf_event_open, three of keys, shmget,
    # kcmp, setpriority, ioprio_set, migrate_pages, move_pages, msgget, semget, mq_open, userfaultfd, and those by which
    # bytes are taken or written that nobody counts: memfd_create, fallocate, sendfile, splice, tee, vmsplice,
    # copy_file_range.
    "x86_64": _Machine(
        0xC000003E,
        317,
        56,
        (62, 234, 302, 203, 142, 144, 314),
        {157: _PRCTL},
        {72: _FCNTL, 16: _IOCTL},
        (
            57, 58, 59, 322, 41, 109, 112, 101, 310, 311, 129, 297, 200, 272, 308, 321, 298, 248, 249, 250, 29,
            312, 141, 251, 256, 279, 68, 64, 240, 323, 319, 285, 40, 275, 276, 278, 326,
        ),
    ),
    # The same, but for fork and vfork, which there are not.
    "aarch64": _Machine(
        0xC00000B7,
        277,
        220,
        (129, 131, 261, 122, 118, 119, 274),
        {167: _PRCTL},
        {25: _FCNTL, 29: _IOCTL},
        (
            221, 281, 198, 154, 157, 117, 270, 271, 138, 240, 130, 97, 268, 280, 241, 217, 218, 219, 194,
            272, 140, 30, 238, 239, 186, 190, 180, 282, 279, 47, 71, 76, 77, 75, 285,
        ),
    ),
}  # fmt: skip


def die_with_parent() -> None:
    """Be killed when the thread that started this process ends, so that nothing outlives a killed server."""
    if sys.platform == "linux":
        _libc().prctl(DIE_WITH_PARENT, 9, 0, 0, 0)


def give_up_processes_and_sockets() -> bool:
    """From now on starting a process, opening a socket and reaching into another process fail; threads still start."""
    machine = MACHINES.get(platform.machine()) if sys.platform == "linux" else None
    if machine is None or not _no_new_privileges():
        return False
    rules = b"".join(struct.pack("HBBI", *rule) for rule in _filter(machine, os.getpid()))
    code = ctypes.create_string_buffer(rules, len(rules))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(rules) // 8, ctypes.addressof(code)))
    return _call(machine.seccomp, FILTER, ALL_THREADS, program) == 0


def write_only_below(folder: Path | None) -> bool:
    """From now on no file outside a folder can be made, changed or removed; without a folder, none at all.

    Modes, owners and times of files are not covered.
    """
    version = _call(CREATE_RULES, None, 0, 1) if sys.platform == "linux" else 0
    if version < 1 or not _no_new_privileges():
        return False
    newer = (MOVE if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    handled = ctypes.c_uint64(WRITE | REMOVE_FOLDER | REMOVE_FILE | ALL_MAKING | newer)
    rules = _call(CREATE_RULES, ctypes.byref(handled), 8, 0)
    if rules < 0:
        return False
    _allow(rules, Path(os.devnull), WRITE | newer & TRUNCATE)
    if folder is not None:
        _allow(rules, folder, WRITE | REMOVE_FOLDER | REMOVE_FILE | MAKE_FOLDER | MAKE_FILE | newer)
    done = _call(RESTRICT, rules, 0) == 0
    os.close(rules)
    return done


def _filter(machine: _Machine, process: int) -> Iterator[tuple[int, int, int, int]]:
    """A program of the kernel's filter language: operation, lines to skip if true, if false, operand."""
    refuse = (RETURN, 0, 0, FAIL | errno.EPERM)
    allow = (RETURN, 0, 0, ALLOW)
    yield from [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, machine.architecture), refuse]
    yield from [(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, FIRST_OF_X32), refuse]
    # Its flags lie in memory, where no filter sees them; without it the C library falls back to clone.
    yield from [(EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, FAIL | errno.ENOSYS)]
    first = (LOAD, 0, 0, FIRST_ARGUMENT)
    yield from [(EQUAL, 0, 4, machine.clone), first, (ANY_BIT, 0, 1, CLONE_THREAD), allow, refuse]
    for call in machine.own:
        yield from [(EQUAL, 0, 5, call), first, (EQUAL, 1, 0, process), (EQUAL, 0, 1, 0), allow, refuse]
    for place, calls in ((FIRST_ARGUMENT, machine.first), (SECOND_ARGUMENT, machine.second)):
        for call, arguments in calls.items():
            checks = [step for argument in arguments for step in ((EQUAL, 0, 1, argument), refuse)]
            yield from [(EQUAL, 0, len(checks) + 2, call), (LOAD, 0, 0, place), *checks, allow]
    for call in (*machine.denied, *DENIED_EVERYWHERE):
        yield from [(EQUAL, 0, 1, call), refuse]
    yield allow


def _allow(rules: int, path: Path, access: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    below = ctypes.create_string_buffer(struct.pack("=Qi", access, opened))
    _call(ADD_RULE, rules, 1, below, 0)
    os.close(opened)


def _no_new_privileges() -> bool:
    done: int = _libc().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return done == 0


def _call(number: int, *arguments: object) -> int:
    syscall = _libc().syscall
    syscall.restype = ctypes.c_long
    answer: int = syscall(ctypes.c_long(number), *arguments)
    return answer


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
