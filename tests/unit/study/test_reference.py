"""The reference of the study file is written from the rows that the reader walks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from dbdyno.study import OPTION_ALIASES, _schema, _workloads
from dbdyno.study._schema import Key

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "study-file.md"
HEAD = """\
# Study file

Written from the reader's own tables by `DBDYNO_WRITE_REFERENCE=1 pytest tests/unit/study/test_reference.py`.

A study file is TOML. An unknown key or a wrong value is answered with its line, what is allowed, and the nearest valid
word. `studies/` holds complete ones.
"""
NO_OPTIONS = "Has no options: everything stands [in its directory](../guides/sql-files.md)."
TABLES: dict[str, tuple[str, Mapping[str, Key]]] = {
    "Top of the file": (
        "`[scale.NAME]` holds the study at another scale, chosen by `--scale NAME`: `[scale.small.axes]` replaces keys "
        "of `[axes]`, likewise `measure`, `pacing`, `pinning`, `errors`, `limits`, `settings`, `timeouts`; `targets` "
        "or `[[scale.small.target]]` replace all targets, and `hosts`, `bench`, `fleet` and `routes` the whole table "
        "of that name; `[scale.small.workload]` replaces options that a workload of the study gives, and `question` "
        "the question.",
        _schema.TOP,
    ),
    "`[[target]]`": (
        "Instead of a name in `targets`, where a target needs separate settings. `[target.settings]` holds neutral "
        "parameters that are others for it than for the rest, `[target.options]` the server's own options as "
        "`option = value`, written as given; all are read back, and the audit tells where targets differ by them. "
        "`[target.workload]` holds options of the workload that are others for this target, such as how its tables are "
        "compressed; every workload of the study must know them, and the rows must stay the same.",
        _schema.TARGET,
    ),
    "`[target.container]`": ("Of a target whose engine comes out of a container image.", _schema.CONTAINER),
    "`[settings]`": (
        'Neutral parameters that all targets get, each in the words of its version: `redo.capacity = "4GB"`, '
        '`commit.durability = "relaxed"`, `[settings.flush]` with `neighbors = 0`. `dbdyno settings` lists them with '
        "their values and what holds unless they are set; [the guide](../guides/settings.md) tells how they work. "
        "`memory.budget` is another word for `axes.tier`.",
        {},
    ),
    "`[axes]`": ("Every combination is a cell. One value may stand without its list.", _schema.AXES),
    "`[measure]`": ("", _schema.MEASURE),
    "`[pacing]`": (
        "Without it the load is a closed loop: the next transaction begins when the last is done. One of `rate_per_s`, "
        "`think`, `rates` and `slo` chooses another kind; `first_rate`, `precision` and `probe_settle` belong to "
        "`slo`. The throughput of a search is the highest rate that met the objective.",
        _schema.PACING,
    ),
    "`[errors]`": (
        "What becomes of a transaction that meets a deadlock, a lock wait timeout or a changed record.",
        _schema.ERRORS,
    ),
    "`[pinning]`": ("", _schema.PINNING),
    "`[audit]`": (
        "Each target's server is started once before the first run and audited as it will be measured.",
        _schema.AUDIT,
    ),
    "`[limits]`": (
        "What the operating system holds each server of ours to; see [memory limits](../guides/memory-limit.md).",
        _schema.LIMITS,
    ),
    "`[timeouts]`": (
        "How long a server, and the way to it, may be silent. A log-in has 10 s (of the load generator 20 s), the "
        "look-up of a host's name included.",
        _schema.TIMEOUTS,
    ),
    "`[hosts.NAME]`": (
        "A machine that servers run on, reached by `ssh`; see [a study on another host](../guides/remote-host.md).",
        _schema.HOST,
    ),
    "`[bench.NAME]`": (
        "Where the servers of the study run; without it on this machine. Clients of the routes `socket` and `loopback` "
        "run on the same host as the servers, those of `network` and shaped networks on this machine.",
        _schema.BENCH,
    ),
    "`[routes.NAME]`": (
        "A network that is made slower, for `route` of `[axes]`; one of the keys must be given. See "
        "[shaped networks](../guides/remote-host.md#shape-the-network).",
        _schema.ROUTE,
    ),
    "`[fleet]`": (
        "What drives the benches of a study that has several; see [several machines](../guides/several-machines.md).",
        _schema.FLEET,
    ),
    "`[servers.NAME]`": ("A server that already runs, for targets written `FAMILY@server:NAME`.", _schema.SERVER),
}


def _default(value: object) -> str:
    if value is ...:
        return "must be given"
    if value in ("", (), None):
        return "none"
    if isinstance(value, int) and value >= 10**9:
        return f'"{value // 10**9}s"'
    if isinstance(value, tuple):
        return ", ".join(f'"{item}"' for item in value)
    return f'"{value}"' if isinstance(value, str) else str(value)


def _table(title: str, words: str, keys: Mapping[str, Key]) -> str:
    if not keys:
        return f"## {title}\n\n{words}\n"
    rows = [f"| `{name}` | {_default(key.default)} | {key.meaning} |" for name, key in keys.items()]
    table = "\n".join(["| key | default | meaning |", "|---|---|---|", *rows])
    return "\n\n".join(part for part in (f"## {title}", words, table) if part) + "\n"


def _family(family: _workloads.WorkloadFamily) -> str:
    names = [*([family.name] if family.is_workload else []), *family.workloads] or [f"{family.name}:DIRECTORY"]
    rows = [
        f"| `{option.name}`{'*' if option.shapes_data else ''} | {f'`{option.default}`' if option.default else 'none'}"
        f" | {option.help} |"
        for option in family.options.values()
    ]
    heading = f"### {', '.join(f'`{name}`' for name in names)}"
    table = ["| option | default | meaning |", "|---|---|---|", *rows] if rows else [NO_OPTIONS]
    return "\n".join([heading, "", *table]) + "\n"


def _page() -> str:
    parts = [HEAD, *(_table(title, words, keys) for title, (words, keys) in TABLES.items())]
    aliases = ", ".join(f"`{alias}` for `{option}`" for alias, option in OPTION_ALIASES.items())
    parts.append(
        "## `[workload]`, or several `[[workload]]`\n\n"
        "`name` is one of those below. `label`, unique in the study, is the name unless given. Every other key is an "
        f"option of the workload ({aliases} will do). Options marked * shape the data: workloads that agree in them "
        "share one dataset. `dbdyno-load workloads NAME` tells what options come to.\n"
    )
    parts += [_family(family) for family in _workloads.FAMILIES]
    return "\n".join(parts)


def test_the_reference_of_the_study_file_is_what_the_reader_reads() -> None:
    text = _page()
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text
