"""The published archives, unpacked: figures as others published them, series to the last digit."""

from __future__ import annotations

import csv
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from dbdyno.core import RunRecord
from dbdyno.imports import ImportOutcome, ImportRequest, import_logs
from dbdyno.store import Results
from dbdyno.study import parse_study

SHARED = Path(__file__).parents[4] / "shared" / "data"
pytestmark = pytest.mark.skipif(not (SHARED / "archives").exists(), reason="needs ../shared/data/archives")
Imported = tuple[ImportOutcome, Results]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Imported]:
    def unpack(name: str) -> Imported:
        folder = tmp_path_factory.mktemp(name)
        with tarfile.open(SHARED / "archives" / f"{name}.tar.xz") as archive:
            archive.extractall(folder / "logs", filter="data")
        outcome = import_logs(ImportRequest(folder / "logs", folder / "out", name), lambda *_: None)
        return outcome, Results.open(folder / "out")

    return unpack


@pytest.fixture(scope="module")
def of_2026(unpacked: Callable[[str], Imported]) -> Imported:
    return unpacked("percona-2026-rw-local")


@pytest.fixture(scope="module")
def of_2020(unpacked: Callable[[str], Imported]) -> Imported:
    return unpacked("checkpoint-2020")


def by_path(results: Results) -> dict[str, str]:
    """Log -> run id; paths without the folders above the archive's own."""
    found = {}
    for record in results.records():
        path = results.document(record.run.run_id, "origin")[0]["path"]
        found[path.removeprefix("percona-2026/")] = record.run.run_id
    return found


def check_series(results: Results, repository: str) -> int:
    runs, checked = by_path(results), 0
    table = pq.read_table(SHARED / "series" / "series.parquet")
    for row in csv.DictReader((SHARED / "series" / "origin.csv").read_text().splitlines()):
        if repository not in row["repository"] or row["path"] not in runs:
            continue
        expected = table.filter(pc.equal(table["run"], row["run"]))
        seconds = results.seconds(runs[row["path"]])
        assert (seconds.numbers("second") + 1 == np.array(expected["second"])).all(), row["run"]
        for ours, theirs in (
            ("tps", "tps"),
            ("qps", "qps"),
            ("errors_per_s", "err_s"),
            ("connections_live", "threads"),
        ):
            assert (seconds.numbers(ours) == np.array(expected[theirs])).all(), (row["run"], ours)
        latency = np.nan_to_num(seconds.numbers("p95_ns")) / 1e6
        assert latency == pytest.approx(np.array(expected["lat_p95_ms"]), abs=1e-9), row["run"]
        checked += 1
    return checked


def test_every_log_of_2026_is_a_run_and_the_empty_one_is_named(of_2026: Imported) -> None:
    outcome, results = of_2026
    study = parse_study(results.study_text, "s")
    assert (len(study.targets), len(study.tiers_bytes), len(study.concurrencies), study.repeats) == (10, 3, 8, 1)
    assert dict(outcome.statuses) == {"good": 239, "failed": 1}
    (diagnostic,) = outcome.diagnostics
    assert "mysql/5.7.44/Tier2G_RW_512th.sysbench.txt:1: " in str(diagnostic)
    assert outcome.others_count + outcome.asides_count == 0


def test_series_of_2026_are_the_published_ones(of_2026: Imported) -> None:
    assert check_series(of_2026[1], "2026-interactive-metrics") == 4


def test_series_of_2020_are_the_published_ones(of_2020: Imported) -> None:
    assert check_series(of_2020[1], "2020-07-MySQL-MariaDB") == 2


def test_the_published_totals_are_the_tools_own(of_2026: Imported) -> None:
    found = {(r.run.cell.target, r.run.cell.tier_bytes >> 30, r.run.cell.concurrency): r for r in of_2026[1].records()}
    for target, tier, threads, tps in (
        ("percona-server 8.4.7-7", 32, 512, 13_385),
        ("mysql 8.4.8", 32, 512, 13_325),
        ("percona-server 5.7.44-48", 2, 512, 813),
        ("percona-server 5.7.44-48", 12, 512, 1_385),
    ):
        record = found[target, tier, threads]
        assert record.imported is not None
        assert record.imported.tps == pytest.approx(tps, abs=1)
        assert record.figures.tps_mean == pytest.approx(tps, rel=0.01)


def test_settings_and_telemetry_of_2026_are_kept(of_2026: Imported) -> None:
    results = of_2026[1]
    runs = by_path(results)
    run = runs["benchmark_logs/percona-server/8.4.7-7/Tier32G_RW_128th.sysbench.txt"]
    assert results.document(run, "variables")["innodb_buffer_pool_size"] == str(32 << 30)
    metrics = results.telemetry(run).values("metric")
    assert {"iostat.sda.written_bytes", "vmstat.cpu.user", "dstat.context_switches"} <= set(metrics)
    assert metrics.count("vmstat.cpu.user") == 900
    with_settings = [r for r in results.records() if results.document(r.run.run_id, "settings")]
    assert len(with_settings) == 240
    assert results.verify() == ()


def test_no_caveat_claims_what_the_logs_of_2026_do_not_show(of_2026: Imported) -> None:
    codes = {caveat.code for record in of_2026[1].records() for caveat in record.caveats}
    assert codes == {"no-histogram", "status-undated", "telemetry-offset", "whole-run-quantiles"}
    late = {record.run.run_id for record in of_2026[1].records() if _has(record, "whole-run-quantiles")}
    assert late == {r.run.run_id for r in of_2026[1].records() if r.settled and r.is_settled and r.settled.start_s}


def _has(record: RunRecord, code: str) -> bool:
    return any(caveat.code == code for caveat in record.caveats)


def test_the_tree_of_2020_gives_ten_targets_at_25_gib(of_2020: Imported) -> None:
    outcome, results = of_2020
    assert outcome.diagnostics == ()
    assert {r.run.cell.tier_bytes >> 30 for r in results.records()} == {25}
    assert len({r.run.cell.target for r in results.records()}) == 10
    engine = results.engine("mysql 8.0.21, NVME, io7000")
    assert engine is not None
    assert engine["option_files"][0]["options"]["innodb_buffer_pool_size"] == "25G"
