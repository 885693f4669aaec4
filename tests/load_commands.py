"""Commands of `dbdyno-load` against a rogue server: what to call, how it answers well, and what became of it."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from dbdyno.lab import find_generator
from rogue_server import OK_PACKET, Behaviour, RogueServer, empty_set, result_set

_SYSBENCH = ("sysbench/oltp_read_write", "--tables", "1", "--rows", "100")
COMMANDS: dict[str, tuple[str, ...]] = {
    "run": ("run", *_SYSBENCH, "--threads", "2"),
    "run tpcc": ("run", "tpcc/standard", "--warehouses", "1", "--threads", "2"),
    "search": ("search", *_SYSBENCH, "--threads", "2", "--slo", "p99<10ms"),
    "populate": ("populate", *_SYSBENCH, "--load-by", "statements"),
    "verify": ("verify", "tpcc/standard", "--warehouses", "1"),
    "fingerprint": ("fingerprint", *_SYSBENCH, "--events", "3"),
    "sums": ("fingerprint", *_SYSBENCH, "--events", "0"),
    "cleanup": ("cleanup", *_SYSBENCH),
}
"""By a name of their own, for some are called in more than one way."""

MEMORY_BYTES = 1 << 30
"""Address space that a command has; at most 64 MiB of an answer are kept, by a few connections."""

RESIDENT_KIB = 400 * 1024
"""Memory that it may come to use."""

_TAKEN_100 = b"\x00\x64\x00\x02\x00\x00\x00"
_GOOD = {
    "SHOW DATABASES": result_set([["dbdyno_sbtest"]]),
    "SHOW TABLES": empty_set(1),
    "SHOW SESSION VARIABLES": result_set([["autocommit", "ON"]]),
    "SHOW SESSION STATUS": result_set([["Ssl_version", ""]]),
    "local_infile": result_set([["local_infile", "OFF"]]),
    "innodb_autoinc_lock_mode": result_set([["innodb_autoinc_lock_mode", "2"]]),
    r"INSERT INTO sbtest1[^?]*$": [_TAKEN_100],
    "SELECT w_id": result_set([["1"]]),
    "information_schema.tables": empty_set(3),
    r"LIMIT 1001$": empty_set(1),
    r"SELECT COUNT\(\*\), ": result_set([["100", "1", "2", "3", "4"]]),
}


def good(**departures: Any) -> Behaviour:
    """A server that answers as the commands expect it, but for the departures; theirs come first."""
    floods: dict[str, list[bytes]] = departures.get("floods", {})
    answers = {**{pattern: [] for pattern in floods}, **departures.pop("answers", {})}
    return Behaviour(answers={**answers, **{key: _GOOD[key] for key in _GOOD if key not in answers}}, **departures)


@dataclass
class Ended:
    """What became of a command."""

    returncode: int
    stdout: str
    stderr: str
    seconds: float
    resident_kib: int

    @property
    def said(self) -> str:
        """All that it wrote."""
        return self.stdout + self.stderr


@dataclass
class Running:
    """A command under way."""

    process: subprocess.Popen[bytes]
    stdout: IO[bytes] | None
    stderr: IO[bytes]
    begun: float = field(default_factory=time.monotonic)

    def wait(self, limit_s: float) -> Ended:
        """Until it ends; one that does not is killed, and the test fails."""
        end, resident_kib = time.monotonic() + limit_s, 0
        while True:
            resident_kib = max(resident_kib, self._peak_kib())
            pid, status = os.waitpid(self.process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                self.process.kill()
                os.waitpid(self.process.pid, 0)
                raise AssertionError(
                    f"still running after {limit_s} s: {self.process.args!r}\n{self._text(self.stderr)}"
                )
            time.sleep(0.005)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return Ended(
            self.process.returncode,
            self._text(self.stdout) if self.stdout else "",
            self._text(self.stderr),
            time.monotonic() - self.begun,
            resident_kib,
        )

    def _peak_kib(self) -> int:
        """Most memory that it has had. The account at its end would have the test's own in it, from the fork."""
        place = Path(f"/proc/{self.process.pid}")
        with contextlib.suppress(OSError):
            if (place / "exe").readlink() != Path("/proc/self/exe").readlink():
                peak = re.search(r"VmHWM:\s+(\d+)", (place / "status").read_text())
                return int(peak[1]) if peak else 0
        return 0

    @staticmethod
    def _text(file: IO[bytes]) -> str:
        with file:
            file.seek(0)
            return file.read().decode()


def start(command: str, server: RogueServer, *options: str, stdout: IO[bytes] | None = None) -> Running:
    """Begin a command against a server, with little memory to waste. Its output is kept unless it goes to `stdout`."""
    argv: Sequence[str] = (
        str(find_generator()),
        *COMMANDS[command],
        *("--host", "127.0.0.1", "--port", str(server.port), "--no-password", "--tls", "off"),
        *options,
    )
    return start_argv(argv, stdout)


def start_argv(argv: Sequence[str], stdout: IO[bytes] | None = None, memory_bytes: int = MEMORY_BYTES) -> Running:
    """As `start`, for any command line."""

    def limit_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    out, errors = None if stdout else tempfile.TemporaryFile(), tempfile.TemporaryFile()
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=stdout or out, stderr=errors, preexec_fn=limit_memory
    )
    return Running(process, out, errors)


OK_EVERYWHERE = Behaviour(answers={".": [OK_PACKET]})
"""Says that all is well, whatever was asked."""
