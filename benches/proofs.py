"""Plant causes into studies of real servers, and see whether `explain --prove` proves them, and refutes wrong ones.

    python benches/proofs.py                          every planted cause on MySQL, then wrong causes
    python benches/proofs.py --engine mariadb:11.8 small-redo binlog
    python benches/proofs.py --write                  and writes docs/measurements/proofs.md

A study compares a server with itself and with the planted cause, as a user would. Then the cause is proved by its
name, and wrong causes are named by hand: these must be refuted.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measurements" / "proofs.md"
ENGINES = ("mysql:9.7", "mariadb:11.8")
DBDYNO = (sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main())")
PROOF_WINDOW = "6s"
ROUNDS, WRONG_ROUNDS = 4, 8
TITLES = ("planted", "server", "first cause", "ms per transaction", "proof", "altered", "predicted, ms", "observed, ms")


@dataclass(frozen=True)
class Planted:
    """A cause that one of two targets has.

    Parameters
    ----------
    plain, slow : lines of both targets in the study file
    prove : cause or alteration that must be proved
    wrong : one that must be refuted; empty: none is tried
    """

    name: str
    what: str
    workload: str
    connections: int
    prove: str
    slow: str
    plain: str = ""
    wrong: str = ""
    tier: str = "256MB"
    size: str = "tables = 4\nrows = 50000\nrand_type = 'uniform'"
    route: str = "socket"


_RELAXED = 'settings = {"commit.durability" = "relaxed"}'
PLANTED = (
    Planted(
        "slow-flush",
        "each flush takes 2 ms longer",
        "oltp_update_non_index",
        8,
        "slow-flushes",
        'flush_delay = "2ms"',
        wrong="redo-capacity",
    ),
    Planted(
        "slow-flush-slower",
        "the same, shown by a slow-down",
        "oltp_update_non_index",
        8,
        "delayed-flushes",
        'flush_delay = "2ms"',
    ),
    Planted(
        "full-durability",
        "full durability against relaxed, flushes 1 ms longer on both",
        "oltp_update_non_index",
        8,
        "durability-relaxed",
        'flush_delay = "1ms"',
        f'flush_delay = "1ms"\n{_RELAXED}',
    ),
    Planted(
        "many-commits",
        "a commit for each statement, flushes 1 ms longer on both",
        "oltp_write_only",
        4,
        "more-flushes",
        'flush_delay = "1ms"\nworkload = {skip_trx = true}',
        'flush_delay = "1ms"',
    ),
    Planted(
        "slow-reads",
        "each read takes 0.5 ms longer, 16 MiB of memory",
        "oltp_read_only",
        8,
        "slow-reads",
        'read_delay = "0.5ms"',
        wrong="durability-relaxed",
        tier="16MB",
    ),
    Planted(
        "lost-index",
        "no index on k",
        "select_random_points",
        8,
        "index-restored",
        "workload = {create_secondary = false}",
        wrong="redo-capacity",
        size="tables = 1\nrows = 50000\nrand_type = 'uniform'",
    ),
    Planted(
        "small-redo",
        "8 MiB of redo log, relaxed durability",
        "oltp_write_only",
        16,
        "redo-small",
        'settings = {"commit.durability" = "relaxed", "redo.capacity" = "8MB"}',
        _RELAXED,
        wrong="buffer-pool",
    ),
    Planted(
        "binlog",
        "binary log, synced; flushes 1 ms longer on both",
        "oltp_update_non_index",
        8,
        "binary-log-written",
        'flush_delay = "1ms"\nsettings = {"binlog.enabled" = "ON"}',
        'flush_delay = "1ms"',
        wrong="buffer-pool",
    ),
    Planted(
        "admission",
        "one thread inside InnoDB at a time, flushes 1 ms longer on both",
        "oltp_update_non_index",
        16,
        "admission-limit",
        'flush_delay = "1ms"\nsettings = {"sync.thread_concurrency" = 1}',
        'flush_delay = "1ms"',
    ),
    Planted(
        "performance-schema",
        "performance_schema with all instruments",
        "oltp_point_select",
        4,
        "performance-schema",
        'settings = {"server.performance_schema" = "ON"}\noptions = {performance_schema_instrument = "%=ON"}',
    ),
    Planted(
        "isolation",
        "SERIALIZABLE on a hundred rows",
        "oltp_read_write",
        8,
        "isolation",
        'settings = {"trx.isolation" = "SERIALIZABLE"}',
        size="tables = 1\nrows = 100\nrand_type = 'uniform'",
    ),
    Planted(
        "sort-buffer",
        "32 KiB for sorts of 5,000 rows",
        "oltp_read_only",
        4,
        "sort-files",
        'settings = {"session.sort_buffer" = "32KB"}',
        'settings = {"session.sort_buffer" = "2MB"}',
        size="tables = 4\nrows = 50000\nrange_size = 5000",
    ),
    Planted(
        "temporary-tables",
        "16 KiB for temporary tables of 1,000 rows",
        "oltp_read_only",
        4,
        "temporary-tables",
        'options = {tmp_table_size = "16K", max_heap_table_size = "16K"}',
        size="tables = 4\nrows = 50000\nrange_size = 1000",
    ),
    Planted(
        "general-log",
        "the general log, written to a table",
        "oltp_point_select",
        4,
        "general-log",
        'settings = {"log.general" = "ON"}\noptions = {log_output = "TABLE"}',
    ),
    Planted(
        "slow-log",
        "the slow log, of every statement, written to a table",
        "oltp_point_select",
        4,
        "slow-log",
        'settings = {"log.slow" = "ON"}\noptions = {long_query_time = "0", log_output = "TABLE"}',
    ),
    Planted(
        "group-commit-delay",
        "commits that wait 2 ms for others; binary log on both",
        "oltp_update_non_index",
        8,
        "group-commit-delay",
        'settings = {"binlog.enabled" = "ON", "binlog.group_commit_delay" = "2ms", "binlog.group_commit_count" = 100}',
        'settings = {"binlog.enabled" = "ON"}',
    ),
    Planted(
        "encryption",
        "encrypted connections, replies of 1,000 rows",
        "oltp_read_only",
        4,
        "tls",
        'settings = {"tls.available" = "ON"}',
        size="tables = 4\nrows = 50000\nrange_size = 1000\nsum_ranges = 0\norder_ranges = 0\ndistinct_ranges = 0",
        route="loopback",
    ),
)


def main() -> int:
    """Run the bench; 1 where a planted cause is refuted, a wrong one proved, or fewer than eight in ten are right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [planted.name for planted in PLANTED]
    parser.add_argument("planted", nargs="*", metavar="PLANTED", choices=["all", *names], default="all")
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--no-wrong", action="store_true", help="leave wrong causes out")
    parser.add_argument("--write", action="store_true")
    choices = parser.parse_args()
    rows, right, tried, wrong = [], 0, 0, 0
    for engine in choices.engine or ENGINES[:1]:
        for planted in PLANTED:
            if "all" not in choices.planted and planted.name not in choices.planted:
                continue
            with tempfile.TemporaryDirectory(prefix="dbdyno-proofs-") as folder:
                results = _study(planted, engine, Path(folder))
                asked = [(planted.prove, "proved", ROUNDS)]
                asked += [(planted.wrong, "refuted", WRONG_ROUNDS)] if planted.wrong and not choices.no_wrong else []
                done: set[str] = set()
                first = _first_cause(results)
                for name, verdict, rounds in asked:
                    row, found = _proved(results, name, rounds, done)
                    right, tried = right + (found == verdict), tried + 1
                    wrong += found not in (verdict, "undecided")
                    rows.append(_row(planted.what, engine, first, *row))
                    print(rows[-1], flush=True)
    if choices.write:
        PAGE.write_text(_page(rows))
    return int(wrong > 0 or right < 0.8 * tried)


def _study(planted: Planted, engine: str, folder: Path) -> Path:
    targets = (("plain", planted.plain), ("planted", planted.slow))
    text = [f'name = "{planted.name}"']
    text += [f'[[target]]\nname = "{name}"\nengine = "{engine}"\n{lines}' for name, lines in targets]
    text += [f'[workload]\nname = "sysbench/{planted.workload}"\n{planted.size}']
    text += [f'[axes]\ntier = "{planted.tier}"\nconcurrency = {planted.connections}\nroute = "{planted.route}"']
    text += ['[measure]\nwarm_up = "2s"\nwindow = "6s"\nrepeats = 2\nequivalence_events = 0\n']
    study, results = folder / "study.toml", folder / "results"
    study.write_text("\n".join(text))
    _dbdyno("run", str(study), "-o", str(results), "--quiet", "--no-calibrate", "--force")
    return results


def _first_cause(results: Path) -> str:
    causes = json.loads(_dbdyno("explain", str(results), "--pair", "plain", "planted", "--format", "json"))["causes"]
    return str(causes["ranked"][0]["id"]) if causes and causes["ranked"] else "none"


def _proved(results: Path, name: str, rounds: int, done: set[str]) -> tuple[list[str], str]:
    """Cells of a row, and the verdict."""
    asked = ("--prove", name, "--rounds", str(rounds), "--window", PROOF_WINDOW, "--quiet", "--force")
    found = json.loads(_dbdyno("explain", str(results), "--pair", "plain", "planted", "--format", "json", *asked))
    proof = next(one for one in found["proofs"] if one["words"] not in done)
    done.add(proof["words"])
    times = f"{found['gap']['left_ms']:.2f} → {found['gap']['right_ms']:.2f}"
    effects = [_effect_words(proof[which]) for which in ("predicted", "observed")]
    verdict = proof["verdict"] + (f" ({proof['reason']})" if proof["reason"] else "")
    return [times, name, proof["words"], *effects, verdict], str(proof["verdict"])


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _effect_words(effect: dict[str, float] | None) -> str:
    return "" if effect is None else f"{effect['ms']:+.2f} ({effect['low']:+.2f} to {effect['high']:+.2f})"


def _dbdyno(*words: str) -> str:
    completed = subprocess.run([*DBDYNO, *words], capture_output=True, text=True)
    if completed.returncode:
        raise SystemExit(f"{' '.join(words)}: {completed.stderr}")
    return completed.stdout


def _page(rows: Sequence[str]) -> str:
    head = (
        "# Proofs of planted causes\n\n"
        f"Written by `python benches/proofs.py --write` on {datetime.date.today()}, on a machine with {os.cpu_count()} "
        f"processors (load average {os.getloadavg()[0]:.0f}).\nEach cause was planted into one of two targets of a "
        f"study on real servers, and proved by name, with {ROUNDS} rounds. Rows whose proof is another cause's\nwere "
        f"forced by hand, with {WRONG_ROUNDS} rounds: they must be refuted.\n\n"
    )
    titles = (*TITLES, "verdict")
    return head + "\n".join([_row(*titles), _row(*("---" for _ in titles)), *rows]) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
