"""Lists the filled datasets that studies have kept, and removes on request those that nobody uses any more."""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table

from dbdyno.cli._console import PlainConsole
from dbdyno.cli._remote import chosen_host, host_options
from dbdyno.core import RequestError, format_bytes, format_duration, parse_duration_ns

if TYPE_CHECKING:
    from dbdyno.core import Home
    from dbdyno.hosts import Host
    from dbdyno.populate import KeptSnapshot

_ANY_WIDTH = 10_000


def print_datasets_hint(home: Home, host: Host) -> None:
    """Say in one line what the kept datasets take; nothing where there is none."""
    from dbdyno.populate import kept_snapshots  # late: see _main

    snapshots = kept_snapshots(home, host)
    if snapshots:
        size = format_bytes(sum(snapshot.disk_bytes for snapshot in snapshots))
        print(
            f"filled datasets kept for later studies: {len(snapshots)}, {size}; dbdyno clean --datasets 0s lists them"
        )


def clean_datasets(choices: argparse.Namespace) -> int:
    """List or remove the datasets of a DBDYNO_HOME that no study has used for the time that was given.

    Raises
    ------
    RequestError : datasets are to be removed while a study is under way there
    """
    from dbdyno.populate import kept_snapshots, remove_snapshot  # late: see _main

    age_ns = parse_duration_ns(choices.datasets)
    with _open_chosen_place(choices) as (host, home):
        now_ns = time.time_ns()
        unused_snapshots = [snapshot for snapshot in kept_snapshots(home, host) if now_ns - snapshot.used_ns >= age_ns]
        if choices.remove:
            _refuse_while_studies_run(home, host)
            for snapshot in unused_snapshots:
                remove_snapshot(snapshot, home, host)
    if choices.json:
        print(
            json.dumps(
                {"datasets": [_snapshot_object(snapshot) for snapshot in unused_snapshots], "removed": choices.remove},
                indent=1,
            )
        )
        return 0
    size = format_bytes(sum(snapshot.disk_bytes for snapshot in unused_snapshots))
    if not unused_snapshots:
        print(f"no dataset has been unused for {format_duration(age_ns)}" if age_ns else "no dataset is kept")
    elif choices.remove:
        print(f"removed datasets: {len(unused_snapshots)}, {size}")
    else:
        _print_datasets(unused_snapshots, now_ns)
        options = f"--datasets {shlex.quote(choices.datasets)}{host_options(choices.host, choices.home)}"
        print(f"dbdyno clean {options} --remove removes them: {size}", file=sys.stderr)
    return 0


@contextlib.contextmanager
def _open_chosen_place(choices: argparse.Namespace) -> Iterator[tuple[Host, Home]]:
    from dbdyno.core import Home
    from dbdyno.hosts import LocalHost  # late: see _main

    if choices.host:
        with chosen_host(choices) as host:
            yield host, host.home
    else:
        yield LocalHost(), Home.of_user()


def _refuse_while_studies_run(home: Home, host: Host) -> None:
    from dbdyno.lab import living_studies  # late: see _main

    studies = living_studies(home, host)
    if studies:
        raise RequestError(
            "a study is running there and restores its data from them",
            f"process {', '.join(str(pid) for pid in studies)}",
            "remove datasets after it has ended",
        )


def _print_datasets(chosen: list[KeptSnapshot], now_ns: int) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("engine", "dataset", "unused for", "size", "where"):
        table.add_column(title, justify="right" if title == "size" else "left", no_wrap=True)
    for snapshot in chosen:
        age = format_duration(max(0, now_ns - snapshot.used_ns))
        table.add_row(
            snapshot.engine or "unknown",
            snapshot.dataset or "unknown",
            age,
            format_bytes(snapshot.disk_bytes),
            str(snapshot.folder),
        )
    PlainConsole(width=_ANY_WIDTH).print(table)  # a path is copied whole or not at all


def _snapshot_object(snapshot: KeptSnapshot) -> dict[str, object]:
    return {
        "folder": str(snapshot.folder),
        "engine": snapshot.engine,
        "dataset": snapshot.dataset,
        "disk_bytes": snapshot.disk_bytes,
        "used_ns": snapshot.used_ns,
    }
