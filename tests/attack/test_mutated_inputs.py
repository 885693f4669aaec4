"""Whatever is spoilt in what dbdyno reads, a command ends with 0 to 3, in words, in time and in bounded memory.

Studies, engine tables, option files, logs of every tool, dumps, series and whole results folders are mutated by seeded
chance. A failure names seed and file; ``make attack`` repeats with further seeds, ``DBDYNO_ATTACK_RESULTS``
names a results folder to mutate in place of the made one.
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spoilable_results
from command_forks import CommandForks, Ended
from mutations import mutated
from rounds import repeats

import sysbench_log
import tool_logs

pytestmark = pytest.mark.attack
MOST_S, MOST_BYTES = 20, 1 << 30
STUDIES = Path(__file__).parents[2] / "studies"
ORDERS = [500, 510, 505, 490, 20, 505]
DUMPS = {
    "a/variables.txt": "version\t11.8.6-MariaDB\ninnodb_buffer_pool_size\t134217728\nlog_bin\tOFF\n",
    "a/status.json": '{"Uptime": 900, "Questions": "5000", "Handler_commit": 100}',
    "a/my.cnf": "[mysqld]\ninnodb_flush_log_at_trx_commit = 1\nskip-log-bin\n",
    "b/variables.json": '{"version": "9.7.4", "innodb_buffer_pool_size": "134217728", "log_bin": "ON"}',
    "b/status.txt": "| Variable_name | Value |\n| Uptime | 5 |\n| Questions | 7 |\n",
    "facts.json": '{"host": {"numa_nodes": 1, "idle_share": 0.5, "rss_bytes": 5, "proc_limits": {"a": "1"}},'
    ' "schema": {"row_count": 5, "columns": [["a", "b", "c", "d"]], "ddl": {"t": "CREATE TABLE t (a int)"}},'
    ' "session": {"ssl_cipher": ["AES"], "isolation": ["x"]}, "run": {"errors": {"1213": 4}, "transactions": 90,'
    ' "start_times": [1, 2], "transactions_each_second": [1.0, 2.0, 3.0]}, "study": {"order": "interleaved"}}',
}
TABLE = """
[[family]]
name = "newdb"
ranges = [{since = "1.0", initialise = "none", auth = "native"}]
[[storage_engine]]
name = "newse"
title = "New"
[[parameter]]
id = "redo.capacity"
unit = "bytes"
reason = "x"
options = [{families = ["newdb"], name = "x_size", form = "bytes"}]
[[engine]]
family = "mariadb"
version = "99.1"
source = "archive"
bytes = 5
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""
LOGS = {
    "sysbench": sysbench_log.log([100.0, 90.5, 0.0, 110.25]),
    "hammerdb": tool_logs.hammerdb(counter=ORDERS, stamps=True),
    "tpcc-mysql": tool_logs.tpcc_mysql(ORDERS),
    "linkbench": tool_logs.linkbench(ORDERS),
    "go-tpc": tool_logs.go_tpc(ORDERS, style="json"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A file to spoil, and a command that reads it."""

    path: Path
    command: Sequence[str | Path]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory, tables: Path) -> Iterator[CommandForks]:
    folder = tmp_path_factory.mktemp("forks")
    environment = {"DBDYNO_HOME": str(folder / "home"), "DBDYNO_TABLES": str(tables), "COLUMNS": "120"}
    with CommandForks(folder, environment) as forks:
        yield forks


def check(ended: Ended) -> None:
    """A command ended as one may, whatever it was given."""
    assert ended.code in (0, 1, 2, 3), f"exit {ended.code} after {ended.seconds:.1f} s"
    assert "Traceback" not in ended.err, "a traceback"
    assert "\x1b" not in ended.err + ended.out, "steers the terminal"
    assert ended.cpu_s < MOST_S, f"{ended.cpu_s:.1f} s of processor time"
    assert ended.peak_bytes < MOST_BYTES, f"{ended.peak_bytes >> 20} MiB"
    assert ended.code < 2 or "error: " in ended.err, "no word of what is wrong"


def attack(forks: CommandForks, cases: Sequence[Case], count: int, seed: int, kept: Path, share: float = 0.02) -> None:
    """So often spoil a file, run a command that reads it, and put the file back."""
    problems = []
    for number in repeats(count, share):
        chance = random.Random(seed * 1_000_003 + number)
        case = chance.choice(cases)
        whole = case.path.read_bytes()
        case.path.write_bytes(mutated(chance, case.path.name, whole))
        ended = forks.run(case.command, 4 * MOST_S)
        try:
            check(ended)
        except AssertionError as problem:
            example = kept / f"{seed}-{number}-{case.path.name}"
            shutil.copyfile(case.path, example)
            words = " ".join(map(str, case.command))
            problems.append(f"{str(problem).splitlines()[0]}\n  {words}\n  {case.path}: {example}\n{ended.err[-1500:]}")
        case.path.write_bytes(whole)
    assert not problems, f"{len(problems)} of {number + 1}:\n" + "\n\n".join(problems[:25])


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_results_folders(forks: CommandForks, tmp_path: Path) -> None:
    spoilt, whole = tmp_path / "spoilt", tmp_path / "whole"
    given = os.environ.get("DBDYNO_ATTACK_RESULTS")
    if given:
        shutil.copytree(given, spoilt, ignore=shutil.ignore_patterns("report*"))
        shutil.copytree(spoilt, whole)
    else:  # two studies: a folder and its copy are not compared
        spoilable_results.write(spoilt)
        spoilable_results.write(whole)
    commands: list[list[str | Path]] = [
        ["show", spoilt],
        ["show", "--json", spoilt],
        ["report", spoilt, "-o", tmp_path / "r.html"],
        ["report", spoilt, "--format", "md", "-o", tmp_path / "r.md"],
        ["audit", spoilt, "--all"],
        ["audit", spoilt, "--json"],
        ["diff", spoilt, whole, "--fail-on", "slower:3%"],
        ["diff", whole, spoilt, "--json"],
        ["history", spoilt, whole],
        ["claims", spoilt, "--against", "percona-2026"],
        ["explain", spoilt],
        ["explain", spoilt, "--json"],
        ["gather", spoilt, "-o", tmp_path / "gathered"],
        ["plan", STUDIES / "first.toml", "--from", spoilt],
    ]
    # Checksums would refuse nearly all that is spoilt: what reads it is attacked behind them.
    commands = [[*command, *(["--allow-altered"] if command[0] != "plan" else [])] for command in commands]
    for command in commands[:1]:
        whole_ended = forks.run(command)
        assert whole_ended.code in (0, 1), whole_ended.err
    attack(forks, [Case(path, command) for path in files_below(spoilt) for command in commands], 36, 1, tmp_path)


def test_studies_and_option_files(forks: CommandForks, tmp_path: Path) -> None:
    folder = tmp_path / "studies"
    shutil.copytree(STUDIES, folder)
    tuned, option_file = folder / "tuned.toml", folder / "own.cnf"
    option_file.write_text("[mysqld]\ninnodb_buffer_pool_size = 64M\nskip-log-bin\n")
    tuned.write_text(
        'policy = "tuned"\n[[target]]\nengine = "mariadb:11.8"\noptions_file = "own.cnf"\n[workload]\n'
        'name = "sysbench/oltp_read_write"\n[axes]\ntier = ["64MB"]\nconcurrency = [1, 4]\n'
    )
    cases = [Case(path, ["plan", path]) for path in folder.glob("*.toml")]
    attack(forks, [*cases, Case(option_file, ["plan", tuned])], 36, 2, tmp_path)


def test_engine_tables(forks: CommandForks, tables: Path, tmp_path: Path) -> None:
    path = tables / "own.toml"
    path.write_text(TABLE)
    try:
        attack(forks, [Case(path, ["plan", STUDIES / "first.toml"]), Case(path, ["settings"])], 16, 3, tmp_path)
    finally:
        path.unlink()


def test_series(forks: CommandForks, tmp_path: Path) -> None:
    rows = [("a" if i < 300 else "b", i % 300, round(100 + 5 * (i % 7), 1)) for i in range(600)]
    csv = "run,second,tps\n" + "".join(f"{run},{second},{tps}\n" for run, second, tps in rows)
    text, packed, table = tmp_path / "s.csv", tmp_path / "s.csv.gz", tmp_path / "s.parquet"
    text.write_text(csv)
    packed.write_bytes(gzip.compress(csv.encode()))
    columns = zip(*rows, strict=True)
    pq.write_table(pa.table(dict(zip(("run", "second", "tps"), map(list, columns), strict=True))), table)
    cases = [Case(path, ["judge", path, *more]) for path in (text, packed, table) for more in ([], ["--json"])]
    attack(forks, [*cases, Case(text, ["judge", text, "--group"])], 28, 4, tmp_path)


def test_dumps(forks: CommandForks, tmp_path: Path) -> None:
    folder = tmp_path / "dumps"
    for name, text in DUMPS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    commands = [["audit", folder, "--all"], ["audit", folder, "--json"]]
    attack(forks, [Case(p, command) for p in files_below(folder) for command in commands], 28, 5, tmp_path)


def test_logs_of_every_tool(forks: CommandForks, tmp_path: Path) -> None:
    cases = []
    out = tmp_path / "out"
    for tool, text in LOGS.items():
        folder = tmp_path / tool
        (folder / "a").mkdir(parents=True)
        (folder / "a" / "4.log").write_text(text)
        (folder / "a" / "variables.txt").write_text(DUMPS["a/variables.txt"])
        command = ["import", tool, folder, "-o", out / "0", "--pattern", "{target}/{threads}.log"]
        cases += [Case(path, command) for path in files_below(folder)]
    for number in repeats(16):
        chance = random.Random(6_000_018 + number)
        case = chance.choice(cases)
        again = [part if part != out / "0" else out / str(number) for part in case.command]
        attack(forks, [Case(case.path, again)], 1, 6_000_018 + number, tmp_path, share=0.0)
