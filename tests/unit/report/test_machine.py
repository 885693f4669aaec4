"""What was found of the machine stands in page, summary and caveats; folders without it say so."""

from __future__ import annotations

from pathlib import Path

from dbdyno.core import Load, Machine, Memory
from dbdyno.doctor import examination_to_json, examine
from dbdyno.report import summary_json
from dbdyno.report._machine import machine_findings
from dbdyno.report._page import page_text
from dbdyno.store import MACHINE_EXAMINED, StoredStudy
from stored_study import write_study

QUIET = Machine(memory=Memory(huge_pages="never"))
BUSY = Machine(memory=Memory(huge_pages="always"), load=Load(1.0, 1.0, 0.0, 0.0))


def _examined(path: Path, *machines: Machine) -> StoredStudy:
    results = write_study(path)
    with results.writing() as writer:
        for machine in machines:
            writer.append(MACHINE_EXAMINED, **examination_to_json(examine(machine, at_ns=1)))
    return StoredStudy.open(path)


def test_what_weakens_is_a_caveat_and_a_row_of_the_page(tmp_path: Path) -> None:
    results = _examined(tmp_path / "r", BUSY)
    caveats = summary_json(results)["caveats"]
    assert isinstance(caveats, list)
    [caveat] = [caveat for caveat in caveats if caveat["code"] == "machine"]
    assert "transparent huge pages: always" in caveat["text"]
    page = page_text(results)
    assert "transparent_hugepage/enabled" in page


def test_a_finding_of_one_start_in_two_says_so(tmp_path: Path) -> None:
    found = machine_findings(_examined(tmp_path / "r", BUSY, QUIET))
    assert found.times == 2
    assert {finding.check_id: times for finding, times in found.found} == {"huge-pages": 1, "other-load": 1}
    assert "1 of 2 times" in page_text(StoredStudy.open(tmp_path / "r"))


def test_a_quiet_machine_weakens_nothing(tmp_path: Path) -> None:
    assert machine_findings(_examined(tmp_path / "r", QUIET)).caveats == []


def test_a_folder_without_a_look_says_that_nobody_looked(tmp_path: Path) -> None:
    results = write_study(tmp_path / "r")
    assert machine_findings(results).caveats == []
    assert "The machine was not checked." in page_text(results)
