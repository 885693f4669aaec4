"""What runs took around their windows on this machine is what the next plan expects of restores."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli import main
from dbdyno.cli._machine_history import MachineKey
from dbdyno.cli._seen_restores import FILE, keep_restores, restores_seen_here
from dbdyno.core import OTHER_LOAD, Caveat, Run
from dbdyno.hosts import LocalHost
from dbdyno.plan import SeenRestores
from dbdyno.store import StoredStudy
from dbdyno.study import parse_study
from stored_study import HOST, TWO, Change, write_study

S = 10**9
DRIVEN_S = 1 + 12  # warm-up and window of the study
SNAPSHOT_BYTES = 200 << 20


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "home"
    root.mkdir()
    monkeypatch.setenv("DBDYNO_HOME", str(root))
    for name, value in asdict(MachineKey.of(asdict(LocalHost().facts()))).items():
        monkeypatch.setitem(HOST, name, value)
    return root


def timed_study(
    folder: Path, around_s: float, text: str = TWO, change: Change = lambda run, fields: None
) -> StoredStudy:
    """Store a study whose runs each took some seconds beyond warm-up and window; one that failed took an hour."""
    results = write_study(folder, text, change)
    with results.writing() as writer:
        for target in results.study.targets:
            writer.write_dataset(
                target.name,
                {
                    "datasets": [
                        {"dataset": "1 × 1,000 rows", "options": {}, "rows_total": 1000, "bytes": SNAPSHOT_BYTES}
                    ]
                },
            )
        for at_s, record in enumerate(results.records()):
            started_ns = (1_795_000_000 + 100 * at_s) * S
            ended_ns = started_ns + round((DRIVEN_S + around_s) * S)
            writer.append("run-started", run_id=record.run.run_id, at_ns=started_ns)
            writer.append("run-finished", run_id=record.run.run_id, status="good", at_ns=ended_ns)
        writer.append("run-started", run_id="failed", at_ns=1_796_000_000 * S)
        writer.append("run-finished", run_id="failed", status="failed", at_ns=1_796_003_600 * S)
    return StoredStudy.open(folder)


def test_what_restores_took_is_kept_once_by_folder_and_averaged_over_studies(home: Path, tmp_path: Path) -> None:
    study = parse_study(TWO, "study.toml")
    assert restores_seen_here(study, home) is None
    first = timed_study(tmp_path / "first", 2.0)
    keep_restores(first, home)
    keep_restores(first, home)
    assert restores_seen_here(study, home) == SeenRestores(8, 2 * S, SNAPSHOT_BYTES)
    keep_restores(timed_study(tmp_path / "second", 4.0), home)
    assert restores_seen_here(study, home) == SeenRestores(16, 3 * S, SNAPSHOT_BYTES)


def test_runs_beside_other_programs_do_not_count(home: Path, tmp_path: Path) -> None:
    def disturb_mysql(run: Run, fields: dict[str, Any]) -> None:
        if run.cell.target.startswith("mysql"):
            fields["caveats"] = (Caveat(OTHER_LOAD, "others used 1.2 processors"),)

    keep_restores(timed_study(tmp_path / "shared", 6.0, change=disturb_mysql), home)
    assert restores_seen_here(parse_study(TWO, "study.toml"), home) == SeenRestores(4, 6 * S, SNAPSHOT_BYTES)


ELSEWHERE = TWO + '[hosts.db1]\nssh = "bench@db1"\n[bench.a]\nserver = "db1"\n'


@pytest.mark.parametrize(
    "text",
    [
        TWO + 'restore = "ladder"\n',
        TWO.replace('"12s"', '"auto"'),
        TWO + 'after_run = "recover"\n',
        TWO.replace('"mysql:9.7"', '"mysql:9.7@server:old"') + '[servers.old]\nsocket = "/s"\nuser = "u"\n',
        ELSEWHERE,
    ],
    ids=["ladders", "open lengths", "servers that recover", "a running server", "another host"],
)
def test_studies_whose_runs_do_more_or_less_than_restore_are_not_kept(text: str, home: Path, tmp_path: Path) -> None:
    keep_restores(timed_study(tmp_path / "results", 2.0, text), home)
    assert not (home / FILE).exists()


def test_servers_on_another_host_are_not_expected_to_restore_as_fast_as_here(home: Path, tmp_path: Path) -> None:
    keep_restores(timed_study(tmp_path / "results", 2.0), home)
    assert restores_seen_here(parse_study(ELSEWHERE, "study.toml"), home) is None


def test_a_plan_takes_what_restores_took_here(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = tmp_path / "study.toml"
    study.write_text(TWO)
    main(["plan", str(study)])
    assert "copied at" in capsys.readouterr().out
    keep_restores(timed_study(tmp_path / "results", 30.0), home)
    main(["plan", str(study)])
    printed = " ".join(capsys.readouterr().out.split())
    assert "as in 8 earlier runs here: 30 s each with 200 MiB" in printed
