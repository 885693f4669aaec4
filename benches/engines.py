"""Obtain every engine of the catalogue and of this distribution, measure each for some seconds, write the reference.

    python benches/engines.py            what it would try
    python benches/engines.py --write    try, and write docs/reference/engines.md
    python benches/engines.py --write ENGINE...   try these, and put their rows into the page that is there

Each engine is one study of its own: fetched or found, checked file by file, initialised, configured like the others,
filled with one table of 1,000 rows, driven by sysbench's OLTP read-write for a few seconds. No throughput is kept: on a
busy machine it says nothing. Equal checksums are equal rows. An engine that fails has its error in the table.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "engines.md"
DBDYNO = (sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main())")
PACKAGES = (
    "mariadb:10.5",
    "mariadb:10.5+rocksdb",
    "mariadb:10.11",
    "mariadb:10.11+rocksdb",
    "mariadb:11.8",
    "mariadb:11.8+rocksdb",
    "mariadb:11.8.9",
    "mariadb:11.8.9+rocksdb",
    "mysql:9.7",
)
STUDY = "--tables 1 --rows 1000 --tier 64MB --concurrency 2 --warm-up 1s --window 3s --repeats 1 --no-calibrate --quiet"
HEAD = """\
# Engines

Written by `python benches/engines.py --write` on {when}, on {machine}: each engine was obtained, its files
checked, and a study of a few seconds made with it (sysbench OLTP read-write, one table of 1,000 rows, 64 MiB).
*Settings* are those that were written to its option file and read back from the server.
[How to name an engine](../guides/engines.md).

| engine | version | from | on the disk | settings read back | rows filled | their checksum | study |
|---|---|---|---|---|---|---|---|
"""
FOOT = """
## Files of the registries

| engine | file | SHA-256 |
|---|---|---|
{files}
Not to be had in these ways, and so not tried here: MySQL 8.4, Percona Server, TidesDB. MariaDB 5.5, 10.0, 10.3 and 10.4
can't be initialised by dbdyno; as running servers they can be measured.
"""


@dataclass(frozen=True)
class Row:
    """What became of one engine."""

    engine: str
    version: str
    origin: str
    disk: str
    settings: str
    rows: str
    checksum: str
    outcome: str
    files: tuple[tuple[str, str], ...] = ()


def main() -> int:
    """Try all, print each row, write the page when told to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="try them and write the page")
    parser.add_argument("engines", nargs="*", help="only these")
    choices = parser.parse_args()
    engines = choices.engines or _catalogued() + list(PACKAGES)
    if not choices.write and not choices.engines:
        print("\n".join(engines))
        return 0
    rows = [_tried(engine) for engine in engines]
    if choices.write:
        PAGE.write_text(_merged(PAGE.read_text(), rows) if choices.engines else _page(rows))
    return 0 if all(row.outcome == "done" for row in rows) else 1


def _catalogued() -> list[str]:
    """Each entry by its shortest name; by its whole version where the series means a newer one."""
    from dbdyno.engines import catalogue, catalogued

    names = []
    for entry in catalogue():
        series, kind = ".".join(entry.version.split(".")[:2]), entry.source.partition(":")[0]
        version = series if catalogued(entry.family, series, kind) == entry else entry.version
        names.append(f"{entry.family}:{version}@{kind}")
    return names


def _tried(engine: str) -> Row:
    try:
        row = _measured(engine)
    except subprocess.CalledProcessError as error:
        words = [line for line in error.stderr.splitlines() if line.startswith("error: ")]
        row = Row(engine, "", "", "", "", "", "", (words or ["error: unknown"])[0].removeprefix("error: "))
    print(_line(row), flush=True)
    return row


def _measured(engine: str) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        _dbdyno("engines", "get", engine)
        _dbdyno("engines", "check", engine.replace("+rocksdb", ""))
        _dbdyno("compare", engine, *STUDY.split(), "-o", str(results))
        kind = engine.partition("@")[2].partition(":")[0] or "package"
        every = json.loads(_dbdyno("engines", "check", "--json", engine.replace("+rocksdb", "")))
        here = next(kept for kept in every if kept["source"] == kind)
        (run,) = (results / "runs").iterdir()
        settings = json.loads((run / "settings.json").read_text())
        (dataset,) = (results / "datasets").glob("*.json")
        (filled,) = json.loads(dataset.read_text())["datasets"]
        record = json.loads((run / "record.json").read_text())
        return Row(
            engine,
            here["version"],
            f"{here['source']} `{here['location']}`",
            f"{here['disk_bytes'] / 2**20:,.0f} MiB",
            f"{sum(s['effective'] is not None for s in settings)} of {len(settings)}",
            f"{sum(table['rows'] for table in filled['tables']):,}",
            f"`{filled['content_sha256'][:12]}`",
            "done" if record["status"] == "good" and record["transactions"] > 0 else record["reason"] or "nothing done",
            tuple((f["name"], f["sha256"]) for f in here["files"]) if here["source"] != "package" else (),
        )


def _dbdyno(*words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run([*DBDYNO, *words], check=True, capture_output=True, text=True, env=environment).stdout


def _line(row: Row) -> str:
    cells = (row.version, row.origin, row.disk, row.settings, row.rows, row.checksum, row.outcome)
    return f"| `{row.engine}` | {' | '.join(cells)} |"


def _merged(page: str, rows: list[Row]) -> str:
    """The page with these rows instead of those of the same engines, each of its tables in the order of `main`."""
    order = _catalogued() + list(PACKAGES)
    engines = {row.engine: _line(row) for row in rows}
    files = {row.engine: _file_line(row.engine, *row.files[0]) for row in rows if row.files}
    above, heading, below = page.partition("## Files of the registries")
    return _with_lines(above, engines, order) + heading + _with_lines(below, files, order)


def _with_lines(text: str, new: dict[str, str], order: list[str]) -> str:
    """A text with one table whose lines begin with an engine's name."""
    lines = text.split("\n")
    there = [i for i, line in enumerate(lines) if line.startswith("| `")]
    every = {line.split("`")[1]: line for line in lines[there[0] : there[-1] + 1]} | new
    kept = sorted(every, key=lambda engine: order.index(engine) if engine in order else len(order))
    return "\n".join([*lines[: there[0]], *(every[engine] for engine in kept), *lines[there[-1] + 1 :]])


def _file_line(engine: str, name: str, digest: str) -> str:
    return f"| `{engine}` | {name} | `{digest}` |"


def _page(rows: list[Row]) -> str:
    when, machine = datetime.date.today().isoformat(), f"{platform.system()} {platform.machine()}"
    files = "\n".join(_file_line(row.engine, name, digest) for row in rows for name, digest in row.files)
    return (
        HEAD.format(when=when, machine=machine) + "\n".join(map(_line, rows)) + "\n" + FOOT.format(files=f"{files}\n")
    )


if __name__ == "__main__":
    sys.exit(main())
