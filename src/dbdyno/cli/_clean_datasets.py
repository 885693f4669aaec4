"""Lists the filled datasets that studies have kept, and removes on request those that nobody uses any more."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table

from dbdyno.cli._console import PlainConsole
from dbdyno.cli._remote import chosen_host
from dbdyno.core import RequestError, format_bytes, format_duration, parse_duration_ns

if TYPE_CHECKING:
    from dbdyno.core import Home
    from dbdyno.hosts import Host
    from dbdyno.populate import KeptSnapshot

_ANY_WIDTH = 10_000


def print_datasets_hint(home: Home, host: Host) -> None:
    """Say in one line what the kept datasets take; nothing where there is none."""
    from dbdyno.populate import kept_snapshots  # late: see _main

    kept = kept_snapshots(home, host)
    if kept:
        size = format_bytes(sum(snapshot.disk_bytes for snapshot in kept))
        print(f"filled datasets kept for later studies: {len(kept)}, {size}; dbdyno clean --datasets 0s lists them")


def clean_datasets(choices: argparse.Namespace) -> int:
    """List or remove the datasets of a DBDYNO_HOME that no study has used for the time that was given.

    Raises
    ------
    RequestError : datasets are to be removed while a study is under way there
    """
    from dbdyno.populate import kept_snapshots, remove_snapshot  # late: see _main

    age_ns = parse_duration_ns(choices.datasets)
    with _chosen_place(choices) as (host, home):
        now_ns = time.time_ns()
        chosen = [kept for kept in kept_snapshots(home, host) if now_ns - kept.used_ns >= age_ns]
        if choices.remove:
            _refuse_while_studies_run(home, host)
            for kept in chosen:
                remove_snapshot(kept, home, host)
    if choices.json:
        print(json.dumps({"datasets": [_object(kept) for kept in chosen], "removed": choices.remove}, indent=1))
        return 0
    size = format_bytes(sum(kept.disk_bytes for kept in chosen))
    if not chosen:
        print(f"no dataset has been unused for {format_duration(age_ns)}" if age_ns else "no dataset is kept")
    elif choices.remove:
        print(f"removed datasets: {len(chosen)}, {size}")
    else:
        _print_datasets(chosen, now_ns)
        where = f" --host {choices.host}" if choices.host else ""
        print(f"dbdyno clean --datasets {choices.datasets}{where} --remove removes them: {size}", file=sys.stderr)
    return 0


@contextlib.contextmanager
def _chosen_place(choices: argparse.Namespace) -> Iterator[tuple[Host, Home]]:
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
    for kept in chosen:
        age = format_duration(max(0, now_ns - kept.used_ns))
        table.add_row(
            kept.engine or "unknown", kept.dataset or "unknown", age, format_bytes(kept.disk_bytes), str(kept.folder)
        )
    PlainConsole(width=_ANY_WIDTH).print(table)  # a path is copied whole or not at all


def _object(kept: KeptSnapshot) -> dict[str, object]:
    return {
        "folder": str(kept.folder),
        "engine": kept.engine,
        "dataset": kept.dataset,
        "disk_bytes": kept.disk_bytes,
        "used_ns": kept.used_ns,
    }
