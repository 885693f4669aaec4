"""What studies show of this machine is what the next plan expects, and what `doctor` says of it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli import main
from dbdyno.cli._machine_history import MachineKey
from dbdyno.cli._plan_precision import seen_precision_line
from dbdyno.cli._seen_spread import FILE, keep_spread, seen_spread, spread_seen_here
from dbdyno.core import Run
from dbdyno.hosts import LocalHost
from dbdyno.store import StoredStudy
from dbdyno.study import parse_study
from stored_study import HOST, TWO, write_study

BENCH = MachineKey.of(HOST)
STEP = 0.06
"""What repeats are apart, as ln(TPS)."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "home"
    root.mkdir()
    monkeypatch.setenv("DBDYNO_HOME", str(root))
    return root


def spread_study(folder: Path, text: str = TWO, step: float = STEP) -> StoredStudy:
    def change(run: Run, fields: dict[str, Any]) -> None:
        fields["tps"] = 100.0 * math.exp(step * run.repeat)

    return write_study(folder, text, change)


def store_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in asdict(MachineKey.of(asdict(LocalHost().facts()))).items():
        monkeypatch.setitem(HOST, name, value)


def test_the_spread_of_a_study_is_kept_once_by_its_folder(home: Path, tmp_path: Path) -> None:
    results = spread_study(tmp_path / "results")
    keep_spread(results, home)
    keep_spread(results, home)
    seen = seen_spread(home, BENCH)
    assert seen is not None
    assert (seen.studies, seen.cells) == (1, 4)
    # two runs that are a step apart have that standard deviation over the root of two; noise of windows is taken out
    assert seen.variation.spread == pytest.approx(STEP / math.sqrt(2), rel=0.02)


def test_studies_of_a_machine_count_together_and_others_not_at_all(home: Path, tmp_path: Path) -> None:
    keep_spread(spread_study(tmp_path / "calm", step=0.02), home)
    keep_spread(spread_study(tmp_path / "wild", step=0.08), home)
    seen = seen_spread(home, BENCH)
    assert seen is not None and seen.studies == 2
    assert seen.variation.spread == pytest.approx(math.sqrt((0.02**2 + 0.08**2) / 2 / 2), rel=0.05)
    assert seen_spread(home, MachineKey("elsewhere", "", 4)) is None


@pytest.mark.parametrize(
    "text",
    [
        TWO.replace("repeats = 2", "repeats = 1"),
        TWO + "[pacing]\nrate_per_s = 100\n",
        TWO.replace('"mysql:9.7"', '"mysql:9.7@server:old"') + '[servers.old]\nsocket = "/s"\nuser = "u"\n',
        TWO + '[hosts.db1]\nssh = "bench@db1"\n[bench.a]\nserver = "db1"\n',
    ],
    ids=["no repeats", "a rate", "a running server", "another host"],
)
def test_studies_that_do_not_tell_how_fast_servers_are_here_are_not_kept(text: str, home: Path, tmp_path: Path) -> None:
    keep_spread(spread_study(tmp_path / "results", text), home)
    assert not (home / FILE).exists()


def test_a_damaged_file_is_made_again(home: Path, tmp_path: Path) -> None:
    (home / FILE).write_text('{"schema_version": 1, "studies": [{"results": 3}]}')
    assert seen_spread(home, BENCH) is None
    keep_spread(spread_study(tmp_path / "results"), home)
    assert seen_spread(home, BENCH) is not None


def test_a_plan_expects_no_less_than_is_assumed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store_on_this_machine(monkeypatch)
    keep_spread(spread_study(tmp_path / "results", step=0.0), home)
    assert spread_seen_here(home) is not None
    (tmp_path / "study.toml").write_text(TWO)
    main(["plan", str(tmp_path / "study.toml")])
    assert "assumed: spread 1.2 %" in capsys.readouterr().out


def test_a_plan_and_doctor_take_what_was_seen_here(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(TWO)
    parsed, overhead_ns = parse_study(TWO, "study.toml"), 10 * 10**9
    assert seen_precision_line(parsed, overhead_ns) == ""
    main(["plan", str(study)])
    assert "assumed: spread 1.2 %" in capsys.readouterr().out
    store_on_this_machine(monkeypatch)
    keep_spread(spread_study(tmp_path / "results"), home)
    main(["plan", str(study)])
    printed = " ".join(capsys.readouterr().out.split())
    assert re.search(r"\b4 repeated cells .*\b1 study: spread 4\.2 % ", printed)
    line = seen_precision_line(parsed, overhead_ns)
    shown = re.search(r"two targets \D+(\S+ %)", printed)
    assert shown is not None and f" {shown[1]} " in line
    assert re.search(r" 4\.2 % .*\b1 earlier study\b", line)
    main(["doctor"])
    printed = capsys.readouterr().out
    assert "[repeat-spread]" in printed
    assert re.search(r" 4\.2 % .*\b1 study\b", printed)


@pytest.mark.parametrize("is_from", [False, True], ids=["seen here", "--from"])
def test_the_hours_rest_on_the_same_spread_as_the_precision(
    is_from: bool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Repeats that spread by 4.2 % give few cells to 3 %; those that spread by 1.2 % give nearly all."""
    store_on_this_machine(monkeypatch)
    results, study = spread_study(tmp_path / "results"), tmp_path / "study.toml"
    cells = TWO.replace("[1, 4]", "[1, 2, 4, 8, 16]").replace('"12s"', '"120s"')
    study.write_text(f"{cells}repeats_max = 4\nlevel_target_half_width = 0.03\n")
    assumed_hours, assumed_lines = planned_hours([str(study)], capsys)
    assert assumed_hours["count"] < 3 and assumed_hours["basis"].endswith("if repeats spread by 1.2 %")
    assert not any(line.endswith("as assumed where nothing is measured") for line in assumed_lines)
    if not is_from:
        keep_spread(results, home)
    hours, lines = planned_hours([str(study), *(["--from", str(results.path)] if is_from else [])], capsys)
    assert hours["count"] > 12 and hours["basis"].endswith("if repeats spread by 4.2 %")
    assert hours["expected_ns"] > 5 * assumed_hours["expected_ns"]
    (line,) = [line for line in lines if line.endswith("as assumed where nothing is measured")]
    assert "spread by 1.2 %" in line
    assert assumed_lines[0].split(" · ")[-1] in line


def planned_hours(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the part of a plan for further repeats, and the lines that are printed of its time."""
    main(["plan", *words, "--json"])
    part = json.loads(capsys.readouterr().out)["time_parts"][-1]
    main(["plan", *words])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    return {**part, **part["span"]}, lines
