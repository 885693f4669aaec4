"""The program under test in sysbench's form, and how a test runs it.

It is `dbdyno-load` behind a link named sysbench, or what `DBDYNO_SYSBENCH` names: with the real sysbench 1.0.20 there,
the tests hold themselves against the original.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.configure import Server

ROOT = Path(__file__).parents[1]
LOAD = ROOT / ".venv" / "bin" / "dbdyno-load"
SHARED = ROOT.parent / "shared"
PACKAGE_SCRIPTS = Path("/usr/share/sysbench")
"""Where Debian's package keeps the bundled scripts."""


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    command: str
    stdout: str
    stderr: str
    exit_code: int

    @property
    def text(self) -> str:
        """All of it, as the reference samples are written: standard error and exit code follow standard output."""
        errors = f"--- stderr:\n{self.stderr}" if self.stderr else ""
        return f"{self.stdout}{errors}--- exit code: {self.exit_code}\n"


@dataclass(frozen=True)
class Program:
    """An executable called sysbench."""

    path: Path

    @property
    def is_ours(self) -> bool:
        """Whether it knows what only dbdyno's knows, such as ``--fixes``."""
        return self.path.resolve().name.startswith("dbdyno-load")

    def run(
        self,
        arguments: str | Sequence[str],
        *,
        folder: Path | None = None,
        server: Sequence[str] = (),
        stdin: str = "",
        timeout_s: float = 60.0,
        environment: dict[str, str] | None = None,
    ) -> Outcome:
        """Run with `arguments`, options that reach a `server` first; the working directory is `folder`."""
        words = shlex.split(arguments) if isinstance(arguments, str) else list(arguments)
        argv = [str(self.path), *server, *words]
        done = subprocess.run(
            argv,
            cwd=folder,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
            env={**os.environ, "LC_ALL": "C", **(environment or {})},
        )
        return Outcome(shlex.join(words), done.stdout, done.stderr, done.returncode)


def program_under_test(folder: Path) -> Program | None:
    """What `DBDYNO_SYSBENCH` names, else a link in `folder` to the built program; `None` where none is built."""
    named = os.environ.get("DBDYNO_SYSBENCH")
    if named:
        return Program(Path(named))
    if not LOAD.exists():
        return None
    link = folder / "sysbench"
    link.symlink_to(LOAD)
    return Program(link)


def real_sysbench() -> Program | None:
    """sysbench 1.0.20, where it is installed."""
    found = shutil.which("sysbench")
    if found is None or "dbdyno" in Path(found).resolve().name:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    return Program(Path(found)) if version.startswith("sysbench 1.0.20") else None


def reach(server: Server, schema: str, port: int | None = None) -> list[str]:
    """Options that take a sysbench to a private server (or to a `port`), its password in a file as it can read one."""
    endpoint = server.endpoint
    assert endpoint.password_file is not None
    config = endpoint.password_file.with_name("sysbench.cnf")
    if not config.exists():
        config.touch(mode=0o600)
        config.write_text(f"mysql-password={endpoint.password_file.read_text().strip()}\n")
    where = ["--mysql-host=127.0.0.1", f"--mysql-port={port or endpoint.port}"]
    if endpoint.socket and not port:
        where = [f"--mysql-socket={endpoint.socket}"]
    who = [f"--mysql-user={endpoint.user}", f"--mysql-db={schema}"]
    return [f"--config-file={config}", "--db-driver=mysql", *where, *who]
