"""Starts commands on a remote host; what they get of the environment is decided here as for those of this machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbdyno.core import HostError
from dbdyno.hosts._commands import ending_words, file_limit_words, pinning_words, short_words
from dbdyno.hosts._environment import KEPT
from dbdyno.hosts._process_facts import ProcessWatch
from dbdyno.hosts._process_protocol import NO_LIMITS, Completed, ProcessLimits
from dbdyno.hosts._system import ServerUser
from dbdyno.hosts.remote._files import RemoteFiles
from dbdyno.hosts.remote._link import Link, Refused
from dbdyno.hosts.remote._processes import Output, RemoteProcess

_TICK_S = 1.0
_LOOK_S = 0.2
_TAIL_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class RemoteContext:
    """States what a process gets there.

    Parameters
    ----------
    user : it runs as; None: the agent's
    env : variables added to the few that it gets of the agent's
    open_files_most : hard limit of the machine, below which its own is kept; None: there is none
    """

    user: ServerUser | None = None
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    limits: ProcessLimits = NO_LIMITS
    open_files_most: int | None = None


_OF_THE_AGENT = RemoteContext()


def spawn(
    link: Link,
    argv: Sequence[str],
    *,
    stdin: bytes = b"",
    stdout: Path | str = "null",
    stderr: Path | str = "null",
    context: RemoteContext = _OF_THE_AGENT,
) -> RemoteProcess:
    """Start one.

    Parameters
    ----------
    stdout, stderr : a file there, ``keep`` until it is read, or ``null``
    """
    limits = context.limits
    words = [*file_limit_words(limits.open_files, context.open_files_most), *pinning_words(limits.cpus), *argv]
    user, group = context.user, limits.memory_group
    request: dict[str, Any] = {
        "argv": words,
        "inherit": sorted(KEPT),
        "env": {"LC_ALL": "C", **(context.env or {})},
        "cwd": None if context.cwd is None else str(context.cwd),
        "stdout": {"file": str(stdout)} if isinstance(stdout, Path) else stdout,
        "stderr": {"file": str(stderr)} if isinstance(stderr, Path) else stderr,
        "uid": None if user is None else user.user_id,
        "gid": None if user is None else user.group_id,
        "control_group": None if group is None else str(group.folder),
    }
    try:
        value, _ = link.ask("spawn", stdin, **request)
    except Refused as refused:
        is_missing = refused.code == "not-found" and refused.path == words[0]
        what = f"the command '{argv[0]}' is not on {link.destination}" if is_missing else f"can't start '{argv[0]}'"
        code = "command-missing" if is_missing else ""
        raise HostError(what, f"{refused.path}: {refused.text}", code=code) from None
    return RemoteProcess(link, int(value["pid"]), int(value["start_ticks"]), argv)


def with_stdin(argv: Sequence[str], stdin: str | bytes | Path | None) -> tuple[list[str], bytes]:
    """Return the words of a command that reads a file there as its input, and what it is fed otherwise."""
    if isinstance(stdin, Path):
        return ["sh", "-c", 'file=$1; shift; exec "$@" <"$file"', "sh", str(stdin), *argv], b""
    return list(argv), stdin.encode() if isinstance(stdin, str) else stdin or b""


def run(
    link: Link,
    files: RemoteFiles,
    argv: Sequence[str],
    *,
    timeout_s: float,
    check: bool,
    tick: Callable[[], None] | None,
    **options: Any,  # noqa: ANN401 - those of `spawn`
) -> Completed:
    """Run one to its end. Its group ends with a timeout or an interrupt."""
    process = spawn(link, argv, stdout="keep", stderr="keep", **options)
    try:
        out, err = _collect_output(link, files, process, argv, timeout_s, tick)
        code = process.wait(max(timeout_s, _TICK_S))
    except BaseException:
        with contextlib.suppress(HostError):
            process.kill_group()
        raise
    result = Completed(tuple(argv), code, out.decode(errors="replace"), err.decode(errors="replace"))
    if check and code != 0:
        output_tail = result.stderr.strip()[-_TAIL_CHARACTERS:] or result.stdout.strip()[-_TAIL_CHARACTERS:]
        raise HostError(
            f"'{argv[0]}' {ending_words(code)} on {link.destination}",
            f"{short_words(argv)}\n{output_tail}".strip(),
            code="command-failed",
        )
    return result


def _collect_output(
    link: Link,
    files: RemoteFiles,
    process: RemoteProcess,
    argv: Sequence[str],
    timeout_s: float,
    tick: Callable[[], None] | None,
) -> tuple[bytes, bytes]:
    """Return what it prints until it ends; looked at once a second, for one that is stopped prints nothing more."""
    watch = ProcessWatch(files.read_bytes, process.pid, process.start_ticks)
    out, err = Output(link, process, "stdout"), Output(link, process, "stderr")
    texts = {out: b"", err: b""}
    deadline = time.monotonic() + timeout_s
    next_tick = time.monotonic() + _TICK_S
    while not (out.is_end and err.is_end):
        for stream in texts:
            if not stream.is_end:
                other_stream = err if stream is out else out
                texts[stream] += stream.read(_TICK_S if other_stream.is_end else _LOOK_S)
        if time.monotonic() >= deadline:
            raise HostError(
                f"'{argv[0]}' took longer than {timeout_s:g} s on {link.destination}",
                short_words(argv),
                code="timed-out",
            )
        if time.monotonic() >= next_tick:
            next_tick = time.monotonic() + _TICK_S
            if halt_words := watch.verdict():
                raise HostError(f"'{argv[0]}' {halt_words}", short_words(argv))
            if tick is not None:
                tick()
    return texts[out], texts[err]
