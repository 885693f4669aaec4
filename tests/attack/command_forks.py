"""Commands of dbdyno, each in a fork of one process that has loaded all of it: many a second, apart from each other.

A fork has its own time limit, memory limit and streams, and what it takes at most is known when it has ended.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Parameters
    ----------
    code : exit code, or the negative number of the signal that ended it
    peak_bytes : most that it had in memory
    """

    code: int
    seconds: float
    cpu_s: float
    peak_bytes: int
    out: str
    err: str


class CommandForks:
    """The process that forks; `run` is one command."""

    def __init__(self, folder: Path, environment: Mapping[str, str], *, memory_bytes: int = 4 << 30) -> None:
        self._out, self._err = folder / "out", folder / "err"
        arguments = [str(self._out), str(self._err), str(memory_bytes)]
        self._process = subprocess.Popen(
            [sys.executable, __file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **environment},
            text=True,
        )

    def __enter__(self) -> CommandForks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def run(self, arguments: Sequence[str | Path], timeout_s: float = 60) -> Ended:
        """Run one command to its end, or kill it after so many seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"arguments": [os.fspath(argument) for argument in arguments], "timeout_s": timeout_s}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        told: dict[str, Any] = json.loads(self._process.stdout.readline())
        texts = {name: path.read_text(errors="replace") for name, path in (("out", self._out), ("err", self._err))}
        return Ended(**told, **texts)


def _serve(out: str, err: str, memory_bytes: int) -> None:
    from dbdyno.cli import main

    _warm(main)
    for line in sys.stdin:
        order = json.loads(line)
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _command(main, order, (out, err), memory_bytes)
        _, status, usage = os.wait4(child, 0)
        told = {
            "code": os.waitstatus_to_exitcode(status),
            "seconds": time.monotonic() - began,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_bytes": usage.ru_maxrss * 1024,
        }
        print(json.dumps(told), flush=True)


def _warm(main: Any) -> None:
    """Have everything read that is read once: tables of engines, rules, claims. Nothing that starts a thread."""
    studies = Path(__file__).parents[2] / "studies"
    with contextlib.redirect_stdout(io.StringIO()):
        main(["plan", str(studies / "first.toml")])
        main(["settings"])


def _command(main: Any, order: dict[str, Any], streams: tuple[str, str], memory_bytes: int) -> None:
    code = 99
    try:
        signal.alarm(int(order["timeout_s"]))
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
        for number, name in enumerate(streams, 1):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        code = main(order["arguments"])
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2], int(sys.argv[3]))
