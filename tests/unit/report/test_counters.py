"""What servers did for each transaction stands side by side; what one of them lacks is named, never zero."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dbdyno.core import Run
from dbdyno.report import analyse_study, page_text, summary_json
from dbdyno.report._counters import MEASURES, NOT_SHOWN, write_amplification
from dbdyno.store import StoredStudy
from stored_study import TWO, write_study

_READ, _DEADLOCKS = (next(m for m in MEASURES if m.title == title) for title in ("pages read", "deadlocks"))


def _counter(name: str, delta: float, unit: str = "pages", covered_s: float = 12.0) -> dict[str, Any]:
    return {"name": name, "unit": unit, "covered_s": covered_s, "kind": "counter", "delta": delta}


def counted(run: Run, fields: dict[str, Any]) -> None:
    is_lsm = run.cell.target == "mariadb:11.8"
    rows = [_counter("engine.pages.read", 2400.0), _counter("server.cpu.user", 1.2, "s")]
    rows += [_counter("server.cpu.system", 1.2, "s")]
    if is_lsm:
        parts = {"user": 1000.0, "flush": 1000.0, "compaction_write": 1500.0, "wal": 1500.0}
        rows += [_counter(f"engine.lsm.{part}_bytes", value, "bytes") for part, value in parts.items()]
        rows.append({"name": "engine.lsm.compaction_queue", "unit": "count", "covered_s": 12.0, "kind": "gauge",
                     "begin": 0.0, "end": 1.0, "highest": 7.0})  # fmt: skip
    else:
        rows.append(_counter("engine.deadlocks", 0.0, "ops", covered_s=6.0))
        rows.append({"name": "engine.redo.lsn", "unit": "bytes", "covered_s": 12.0, "kind": "gauge",
                     "begin": 0.0, "end": 11_000.0, "highest": 11_000.0})  # fmt: skip
    absent = ["deadlocks", "redo.bytes", "redo.lsn"] if is_lsm else ["lsm.user_bytes"]
    fields["counters"] = {"window_s": 12.0, "transactions": 1200, "counters": rows, "absent": absent}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> StoredStudy:
    return write_study(tmp_path_factory.mktemp("counters") / "two", TWO, counted)


def test_growth_is_told_for_each_transaction_over_all_judged_runs(results: StoredStudy) -> None:
    cells = analyse_study(results).counters
    assert len(cells) == 4
    assert {cell.transactions for cell in cells} == {2400}
    assert {_READ.words(cell) for cell in cells} == {"2"}


def test_zero_and_not_shown_are_two_things(results: StoredStudy) -> None:
    words = {cell.group.cell.target: _DEADLOCKS.words(cell) for cell in analyse_study(results).counters}
    assert words == {"mysql:9.7": "0", "mariadb:11.8": NOT_SHOWN}


def test_the_log_grows_by_its_position_from_the_first_reading_in_the_window_on(results: StoredStudy) -> None:
    cell = next(cell for cell in analyse_study(results).counters if cell.group.cell.target == "mysql:9.7")
    assert cell.each("engine.redo.lsn") == pytest.approx(12_000 / 1200)


def test_write_amplification_is_of_log_flushes_and_compactions(results: StoredStudy) -> None:
    by_target = {cell.group.cell.target: cell for cell in analyse_study(results).counters}
    assert write_amplification(by_target["mariadb:11.8"]) == pytest.approx(4.0)
    assert write_amplification(by_target["mysql:9.7"]) is None


def test_the_page_sets_targets_side_by_side_and_programs_get_all(results: StoredStudy) -> None:
    page = page_text(results)
    assert 'id="counters"' in page
    assert "mariadb:11.8: deadlocks, redo.bytes, redo.lsn." in page
    _, _, waiting = page.partition("compactions that wait, highest</td>")
    assert re.findall(r"<td[^>]*>([^<]*)</td>", waiting)[:2] in (["7", ""], ["", "7"])
    told = summary_json(results)["counters"]
    assert isinstance(told, list)
    mysql = next(row for row in told if row["target"] == "mysql:9.7")
    assert mysql["per_transaction"]["engine.pages.read"] == 2.0
    assert mysql["absent"] == ["lsm.user_bytes"]


def test_all_counters_that_stand_side_by_side_are_of_one_place(tmp_path: Path) -> None:
    def partly(run: Run, fields: dict[str, Any]) -> None:
        if (run.cell.target, run.cell.concurrency) != ("mysql:9.7", 4):
            counted(run, fields)

    page = page_text(write_study(tmp_path / "partly", TWO, partly))
    summaries = [words.partition("</summary>")[0] for words in page.split("<summary>")]
    assert [words for words in summaries if "counters per transaction" in words] == [
        "All 9 counters per transaction, at 64 MiB and 1 connection"
    ]


def test_counters_can_be_asked_for_in_sql(results: StoredStudy) -> None:
    query = "SELECT sum(delta) FROM counters JOIN runs USING (run_id) WHERE name = 'engine.pages.read' AND target = ?"
    with results.connect() as connection:
        assert connection.execute(query, ["mysql:9.7"]).fetchone() == (2400.0 * 4,)


def test_folders_without_counters_have_no_such_section(tmp_path: Path) -> None:
    results = write_study(tmp_path / "two")
    assert analyse_study(results).counters == []
    assert 'id="counters"' not in page_text(results)
