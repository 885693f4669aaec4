"""A null server of ``dbdyno-load`` while a block runs, and what it knows of the truth."""

from __future__ import annotations

import csv
import json
import select
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.lab import find_generator
from punctual import first_in_line

_READY_S = 20.0
_END_S = 30.0


@dataclass(frozen=True)
class StatementLog:
    """Every statement that a server answered, in the order of its replies; instants of CLOCK_MONOTONIC."""

    arrived_ns: NDArray[np.int64]
    replied_ns: NDArray[np.int64]
    kind: NDArray[np.str_]
    code: NDArray[np.int64]

    @classmethod
    def read(cls, path: Path, kind: str | None = None) -> StatementLog:
        """The log in a file; of one kind of statements, if one is named."""
        with path.open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if kind in (None, row["kind"])]

        def numbers(column: str) -> NDArray[np.int64]:
            return np.array([int(row[column]) for row in rows], dtype=np.int64)

        order = np.argsort(numbers("replied_ns"), kind="stable")
        kinds = np.array([row["kind"] for row in rows], dtype=np.str_)
        return cls(numbers("arrived_ns")[order], numbers("replied_ns")[order], kinds[order], numbers("code")[order])

    @property
    def took_ns(self) -> NDArray[np.int64]:
        return self.replied_ns - self.arrived_ns


class NullServer:
    """The server's process. Its socket is there when the constructor returns."""

    def __init__(self, folder: Path, *options: str, cpu: int = 0, launcher: Sequence[str] = ()) -> None:
        self.cpu = cpu
        # Of its own and short: the path of a Unix socket has at most 107 characters.
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        self.socket = self._folder / "s"
        argv = [*launcher, str(find_generator()), "null-server", "--socket", str(self.socket), "--stats", *options]
        self._errors = (self._folder / "errors").open("w+b")
        with first_in_line(cpu):
            self.process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, text=True
            )
        self.ready = self._await_ready()

    def __enter__(self) -> NullServer:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._errors.close()

    @property
    def target(self) -> list[str]:
        """Arguments by which a load finds it."""
        return ["--socket", str(self.socket), "--no-password"]

    def stop(self) -> dict[str, Any]:
        """End it, and read what it says it did."""
        self.process.terminate()
        out, _nothing = self.process.communicate(timeout=_END_S)
        assert self.process.returncode == 0, self._error_text()
        statistics: dict[str, Any] = json.loads(out.splitlines()[-1])
        return statistics

    def _await_ready(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], _READY_S)
        line = self.process.stdout.readline() if readable else ""
        if not line:
            self.__exit__()
            message = f"the null server did not get ready: {self._error_text()}"
            raise AssertionError(message)
        ready: dict[str, Any] = json.loads(line)
        return ready

    def _error_text(self) -> str:
        return (self._folder / "errors").read_text()
