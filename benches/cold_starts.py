"""Start every engine that is here twenty times from cold, and write how long it took and what was left behind.

    python benches/cold_starts.py                      all engines in DBDYNO_HOME; prints
    python benches/cold_starts.py mysql:9.7 --starts 5
    python benches/cold_starts.py --write              and writes docs/measurements/cold-starts.md

A cold start: an initialised data directory is copied, written back and forgotten by the page cache, the server started
on it with the settings of a study at 64 MiB, asked who it is, shut down cleanly, and its folder removed. Every fifth is
killed first and started once more on what it left. Starts are made by four at once, on ports of their own. Each must
answer as the process that was started; no process, socket, folder, memory group or shared memory may be left.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.configure import (
    Server,
    ServerBuild,
    ServerSize,
    StartOrder,
    choose_settings,
    copy_data_directory,
    initialise,
    start_server,
)
from dbdyno.core import DbdynoError, Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.provision import Installation, installed_engines, select_installed

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measurements" / "cold-starts.md"
TIER_BYTES = 64 << 20
AT_ONCE = 4
PREFIX = "dbdyno-cold-"
HEAD = """\
# Cold starts

Written by `python benches/cold_starts.py --write` on {when}, on {machine} that had other work to do ({load}): each
engine was started {starts} times from cold, four at once, on ports of their own, with a study's settings at 64 MiB.
Every fifth server was killed and started once more on what it left. *Start* is from the command until the administrator
was let in by the process that was started. On a busy machine the figures say what a start may take, not how engines
compare.

| engine | starts | false ready | ports that clashed | start, median | longest | shutdown | recovery | left behind |
|---|---|---|---|---|---|---|---|---|
"""


@dataclass
class Seen:
    """What became of the starts of one engine."""

    start_ns: list[int] = field(default_factory=list)
    stop_ns: list[int] = field(default_factory=list)
    recovery_ns: list[int] = field(default_factory=list)
    false_ready: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


class NotingHost(LocalHost):
    """Remembers the private folders that it made: others make some of the same kind meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[Path] = []

    def make_private_directory(self) -> Path:
        """See `LocalHost`."""
        self.made.append(super().make_private_directory())
        return self.made[-1]


def main() -> int:
    """Start all, print each row, write the page when told to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", help="only these")
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="write the page")
    choices = parser.parse_args()
    host, home = NotingHost(), Home.of_user()
    rows, is_good = [], True
    for installation in _installations(choices.engines, home, host):
        seen = _starts(installation, choices.starts, host)
        rows.append(_row(installation, seen))
        is_good = is_good and not (seen.false_ready or seen.failures or seen.left)
        print(rows[-1], *seen.false_ready, *seen.failures, *seen.left, sep="\n  ", flush=True)
    if choices.write:
        PAGE.write_text(_page(rows, choices.starts))
    return 0 if is_good else 1


def _installations(names: Sequence[str], home: Home, host: NotingHost) -> list[Installation]:
    kept = select_installed([parse_engine_name(name) for name in names], installed_engines(home, host))
    return [engine.installation for engine in kept]


def _starts(installation: Installation, count: int, host: NotingHost) -> Seen:
    seen, shared = Seen(), _shared()
    place = Path(tempfile.mkdtemp(prefix=PREFIX, dir="/var/tmp"))
    place.chmod(0o755)
    try:
        template = place / "template" / "data"
        initialise(installation, template, host)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            each = [pool.submit(_start, installation, template, place / f"c{n}", n, host, seen) for n in range(count)]
        for start in each:
            start.result()
    finally:
        host.remove_tree(place)
    seen.left += _left(host, shared)
    return seen


def _start(installation: Installation, template: Path, place: Path, number: int, host: NotingHost, seen: Seen) -> None:
    try:
        copy_data_directory(template, place / "data", host)
        host.write_back(place / "data")
        server = _started(installation, place, host)
        seen.start_ns.append(server.start_ns)
        _ask(server, seen)
        if number % 5 == 4:
            server.kill()
            host.write_back(place / "data")
            server = _started(installation, place, host)
            seen.recovery_ns.append(server.start_ns)
            _ask(server, seen)
        server.stop()
        seen.stop_ns.append(server.stop_ns or 0)
        if Path(f"/proc/{server.pid}").exists():
            seen.left.append(f"process {server.pid}")
    except DbdynoError as error:
        seen.failures.append(f"{error.what}: {error.why}")
    finally:
        host.remove_tree(place)


def _started(installation: Installation, place: Path, host: NotingHost) -> Server:
    settings = choose_settings(
        ServerBuild(installation.family, installation.version, "innodb"), ServerSize(TIER_BYTES, 16, os.cpu_count())
    )
    run = place / "run"
    order = StartOrder(
        installation=installation,
        data_directory=place / "data",
        settings=settings,
        route="loopback",
        host=host,
        run_directory=run,
    )
    return start_server(order)


def _ask(server: Server, seen: Seen) -> None:
    """It is ready when it serves: over its port, from its own data directory."""
    with server.connect(as_load_user=True) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@datadir, @@port")
        data, port = cursor.fetchone() or ("", 0)
    if Path(data) != server.data_directory or port != server.endpoint.port or not server.is_alive():
        seen.false_ready.append(f"process {server.pid} on port {server.endpoint.port} was answered for by {data}")


def _left(host: NotingHost, shared_before: set[Path]) -> list[str]:
    """What servers can leave on a machine, outside of the folder they were given."""
    left = [f"private folder {path}" for path in host.made if path.exists()]
    left += [f"shared memory {path}" for path in sorted(_shared() - shared_before)]
    left += [f"memory group {path}" for path in host.memory_groups() if PREFIX in path.name]
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if f"--defaults-file=/var/tmp/{PREFIX}" in (entry / "cmdline").read_bytes().decode(errors="replace"):
                    left.append(f"process {entry.name}")
    return left


def _shared() -> set[Path]:
    return set(Path("/dev/shm").iterdir()) if Path("/dev/shm").is_dir() else set()


def _row(installation: Installation, seen: Seen) -> str:
    clashed = sum("port" in words for words in seen.failures)
    cells = [
        f"{installation.title} ({installation.origin.source})",
        f"{len(seen.start_ns)} and {len(seen.recovery_ns)} recoveries",
        str(len(seen.false_ready)),
        str(clashed),
        _seconds(seen.start_ns, statistics.median),
        _seconds(seen.start_ns, max),
        _seconds(seen.stop_ns, statistics.median),
        _seconds(seen.recovery_ns, statistics.median),
        ", ".join(seen.left) or "nothing",
    ]
    return f"| {' | '.join(cells)} |"


def _seconds(values_ns: Sequence[int], of: Callable[[Sequence[int]], float]) -> str:
    return f"{of(values_ns) / 1e9:.1f} s" if values_ns else "-"


def _page(rows: Sequence[str], starts: int) -> str:
    machine = f"a machine with {os.cpu_count()} processors ({platform.system()} {platform.machine()})"
    load = f"load average {os.getloadavg()[1]:.0f}"
    head = HEAD.format(when=datetime.date.today().isoformat(), machine=machine, load=load, starts=starts)
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
