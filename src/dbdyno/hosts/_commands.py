"""Runs commands of this machine: to their end, started, or started with pipes."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypedDict

from dbdyno.core import HostError
from dbdyno.hosts._environment import command_environment
from dbdyno.hosts._local_files import LocalFiles
from dbdyno.hosts._memory_group import MemoryGroup
from dbdyno.hosts._process import OwnPipedProcess, OwnProcess, start_ticks_of
from dbdyno.hosts._process_facts import ProcessWatch
from dbdyno.hosts._process_protocol import Completed, ProcessLimits

_TAIL_CHARACTERS = 2000
_TICK_S = 1.0
_KILL_WAIT_S = 2.0
# Waits for a line before it runs the program, so that it can be moved into its group; ends if its parent dies.
_HELD_BACK = ("sh", "-c", 'read -r _ && exec "$@" </dev/null', "sh")


class Identity(TypedDict, total=False):
    """States whose a process is; empty: ours."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class ProcessContext:
    """States what a process gets of this one.

    Parameters
    ----------
    env : all of its variables
    """

    env: Mapping[str, str]
    cwd: Path | None = None
    identity: Identity = field(default_factory=Identity)


def run(
    argv: Sequence[str],
    *,
    stdin: str | bytes | Path | None,
    timeout_s: float,
    context: ProcessContext,
    check: bool,
    tick: Callable[[], None] | None = None,
) -> Completed:
    """Run one to its end. The whole process group ends with a timeout or an interrupt, helpers included."""
    with contextlib.ExitStack() as stack:
        source = None if stdin is None else stack.enter_context(_stdin_file(stdin))
        popen = _popen(
            argv,
            stdin=source or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            context=context,
        )
        try:
            out, err = _collect_output(popen, timeout_s, short_words(argv), tick)
        except BaseException:
            _kill_group(popen)
            raise
    result = Completed(tuple(argv), popen.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
    if check and result.exit_code != 0:
        output_tail = result.stderr.strip()[-_TAIL_CHARACTERS:] or result.stdout.strip()[-_TAIL_CHARACTERS:]
        raise HostError(
            f"'{argv[0]}' {ending_words(result.exit_code)}",
            f"{short_words(argv)}\n{output_tail}".strip(),
            code="command-failed",
        )
    return result


def spawn(
    argv: Sequence[str],
    *,
    stdout: Path | None,
    stderr: Path | None,
    context: ProcessContext,
    limits: ProcessLimits,
) -> OwnProcess:
    """Start one. Its limit of open files is lowered to the hard limit of this process."""
    command = [*file_limit_words(limits.open_files, _open_files_limit()), *pinning_words(limits.cpus), *argv]
    if limits.memory_group is not None:
        command = [*_HELD_BACK, *command]
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(stdout.open("ab")) if stdout else subprocess.DEVNULL
        err = stack.enter_context(stderr.open("ab")) if stderr else subprocess.DEVNULL
        popen = _popen(
            command,
            stdin=subprocess.DEVNULL if limits.memory_group is None else subprocess.PIPE,
            stdout=out,
            stderr=err,
            context=context,
        )
    process = OwnProcess(popen)
    if limits.memory_group is not None:
        _release_in_group(limits.memory_group, popen)
    return process


def spawn_piped(
    argv: Sequence[str], *, stdin: bytes, cpus: Sequence[int] | None, env: Mapping[str, str] | None
) -> OwnPipedProcess:
    """Start one whose words are read while it runs."""
    popen = _popen(
        [*pinning_words(cpus), *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        context=ProcessContext(command_environment(env)),
    )
    return OwnPipedProcess(popen, stdin)


def _popen(
    argv: Sequence[str],
    *,
    stdin: int | IO[bytes],
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    context: ProcessContext,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(argv),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=context.env,
            cwd=context.cwd,
            # Signals reach its helpers, and it gets the processor share of a service: Linux shares by session.
            start_new_session=True,
            **context.identity,
        )
    except FileNotFoundError as error:
        raise HostError(f"the command '{argv[0]}' is not on this host", str(error), code="command-missing") from error
    except OSError as error:
        raise HostError(f"can't start '{argv[0]}'", str(error)) from error


def _release_in_group(group: MemoryGroup, popen: subprocess.Popen[bytes]) -> None:
    try:
        group.add(popen.pid, LocalFiles())
        if popen.stdin is not None:
            with popen.stdin as pipe:
                pipe.write(b"go\n")
    except (HostError, OSError) as error:
        popen.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(_KILL_WAIT_S)
        if isinstance(error, HostError):
            raise
        raise HostError("a process ended before it could be put into its memory group", str(error)) from error


def _stdin_file(stdin: str | bytes | Path) -> IO[bytes]:
    """Return what is fed to a command, as a file: a pipe would have to be fed while its output is read."""
    if isinstance(stdin, Path):
        return stdin.open("rb")
    memory_file = os.fdopen(os.memfd_create("dbdyno-stdin"), "w+b")  # in memory, without a name: it may hold passwords
    memory_file.write(stdin.encode() if isinstance(stdin, str) else stdin)
    memory_file.seek(0)
    return memory_file


def _collect_output(
    popen: subprocess.Popen[bytes], timeout_s: float, words: str, tick: Callable[[], None] | None
) -> tuple[bytes, bytes]:
    """Return what it prints until it ends; looked at once a second, for one that is stopped prints nothing more."""
    watch = ProcessWatch(Path.read_bytes, popen.pid, start_ticks_of(popen.pid) or 0)
    deadline = time.monotonic() + timeout_s
    while True:
        left_s = deadline - time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return popen.communicate(timeout=max(min(_TICK_S, left_s), 0.0))
        name = words.partition(" ")[0]
        if left_s <= _TICK_S:
            state = watch.state()
            raise HostError(
                f"'{name}' took longer than {timeout_s:g} s" + (f"; {state}" if state else ""), words, code="timed-out"
            )
        halt_words = watch.verdict()
        if halt_words is not None:
            raise HostError(f"'{name}' {halt_words}", words)
        if tick is not None:
            tick()


def _kill_group(popen: subprocess.Popen[bytes]) -> None:
    """End it with its helpers. What the kernel does not end now (a disk that hangs) is not waited for."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(popen.pid, signal.SIGKILL)  # its own session: group id = pid
    with contextlib.suppress(subprocess.TimeoutExpired):
        popen.communicate(timeout=_KILL_WAIT_S)
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    popen.poll()


def pinning_words(cpus: Sequence[int] | None) -> list[str]:
    """Return words that precede a command which runs on some processors only."""
    # Before exec, by a program: setting it afterwards would miss threads already made, and a preexec function is
    # not safe in a process with threads.
    return ["taskset", "--cpu-list", ",".join(map(str, cpus))] if cpus else []


def file_limit_words(open_files: int | None, most: int | None) -> list[str]:
    """Return words that precede a command which may open so many files, but no more than the machine's hard limit."""
    if open_files is None:
        return []
    soft_limit = open_files if most is None else min(open_files, most)
    return ["prlimit", f"--nofile={soft_limit}:{'unlimited' if most is None else most}"]


def _open_files_limit() -> int | None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return None if hard == resource.RLIM_INFINITY else hard


def ending_words(code: int) -> str:
    """Return how a command ended."""
    return f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"


def short_words(argv: Sequence[str]) -> str:
    """Return a command line for an error."""
    text = " ".join(argv)
    return text if len(text) <= 300 else f"{text[:300]} …"
