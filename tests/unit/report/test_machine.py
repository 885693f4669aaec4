"""What was found of the machine stands in page, summary and caveats; folders without it say so."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.cli import main
from dbdyno.core import Load, Machine, Memory
from dbdyno.doctor import examination_to_json, examine
from dbdyno.plan import make_plan
from dbdyno.report import summary_json
from dbdyno.report._machine import machine_findings
from dbdyno.report._markdown import markdown_text
from dbdyno.report._page import page_text
from dbdyno.store import MACHINE_EXAMINED, JsonValue, Results, StoredStudy, gather
from dbdyno.study import parse_study
from stored_study import HOST, TWO, stored, write_study

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
    assert "huge pages: always" in caveat["text"]
    page = page_text(results)
    assert "transparent_hugepage/enabled" in page


def test_a_finding_of_one_start_in_two_says_so(tmp_path: Path) -> None:
    found = machine_findings(_examined(tmp_path / "r", BUSY, QUIET))
    assert found.times == 2
    assert {finding.check_id: times for finding, times in found.found} == {"huge-pages": 1, "other-load": 1}
    assert "1 of 2 times" in page_text(StoredStudy.open(tmp_path / "r"))


def test_what_was_found_of_one_host_of_several_is_told_with_its_name(tmp_path: Path) -> None:
    results = write_study(tmp_path / "r")
    with results.writing() as writer:
        for name, machine in {"db1": QUIET, "c1": QUIET, "c2": BUSY}.items():
            writer.append(MACHINE_EXAMINED, host=name, **examination_to_json(examine(machine, at_ns=1)))
    stored = StoredStudy.open(tmp_path / "r")
    page = page_text(stored)
    assert machine_findings(stored).host_count == 3 and " 3 machines " in page
    assert re.search(r"\bc2: [\w ]+: always", page)
    assert "3 times" not in page, "it was seen each time that c2 was looked at"


def test_a_quiet_machine_weakens_nothing(tmp_path: Path) -> None:
    assert machine_findings(_examined(tmp_path / "r", QUIET)).caveats == []


def test_a_folder_without_a_look_says_that_nobody_looked(tmp_path: Path) -> None:
    results = write_study(tmp_path / "r")
    assert machine_findings(results).caveats == []
    machine = page_text(results).partition('id="machine"')[2].partition("</section>")[0]
    assert "not checked" in machine and "data-csv" not in machine


def _gathered(path: Path, **hosts: int) -> StoredStudy:
    """Gather parts of machines with these names and numbers of processors; only the first is examined."""
    whole = write_study(path / "whole")
    for number, (name, processors) in enumerate(hosts.items()):
        host: dict[str, JsonValue] = {
            "hostname": name,
            "cpu_model": "x",
            "logical_cpu_count": processors,
            "memory_bytes": 1 << 34,
        }
        part = Results.create(path / name, whole.study_text, {}, host, study_name=whole.manifest.study_name)
        with part.writing() as writer:
            run_ids = sorted(whole.run_ids())[number :: len(hosts)]
            for run_id in run_ids:
                writer.add_run_files(run_id, whole.run_files(run_id))
            examined = examination_to_json(examine(QUIET if number else BUSY, at_ns=number + 1))
            writer.append(MACHINE_EXAMINED, **examined)
    gather([Results.open(path / name) for name in hosts], path / "gathered", allow_unlike=True)
    return StoredStudy.open(path / "gathered")


def test_the_report_of_gathered_parts_names_their_machines_and_keeps_what_was_found_of_each(tmp_path: Path) -> None:
    results = _gathered(tmp_path, alpha=4, beta=4)
    found = machine_findings(results)
    assert [machine["hostname"] for machine in found.machines] == ["alpha", "beta"]
    assert found.times == 2
    [huge_pages] = [finding for finding, _ in found.found if finding.check_id == "huge-pages"]
    assert huge_pages.seen.startswith("alpha: ")
    assert [caveat.code for caveat in found.caveats] == ["machine"]
    page, markdown = page_text(results), markdown_text(results)
    assert "Machines that made the runs" in page
    assert all(text.count("beta") for text in (page, markdown))


def test_gathered_machines_that_differ_are_a_limitation(tmp_path: Path) -> None:
    caveats = summary_json(_gathered(tmp_path, alpha=4, beta=64))["caveats"]
    assert isinstance(caveats, list)
    [caveat] = [caveat for caveat in caveats if caveat["code"] == "host-mismatch"]
    assert all(word in caveat["text"] for word in ("alpha", "beta", "4 processors", "64 processors"))


def _fleet(path: Path, working: str = "ab", **processors: int) -> StoredStudy:
    """Store a study whose workloads two benches share, on machines with these numbers of processors."""
    text = TWO.replace("64MB", '64MB", "128MB') + "".join(
        f'[hosts.{name}]\nssh = "bench@{name}"\n[bench.{name}]\nserver = "{name}"\n' for name in processors
    )
    study = parse_study(text, "study.toml")
    benches: dict[str, JsonValue] = {
        name: {"hostname": f"host-{name}", "cpu_model": "x", "logical_cpu_count": count, "memory_bytes": 1 << 34}
        for name, count in processors.items()
    }
    results = Results.create(path, text, {}, {**HOST, "benches": benches}, study_name=study.name)
    with results.writing() as writer:
        for run in make_plan(study).runs:
            family = study.target(run.cell.target).engine.family
            bench = working[study.tiers_bytes.index(run.cell.tier_bytes) % len(working)]
            one = stored(run, family, lambda run, fields: None)
            writer.add_run(replace(one, record=replace(one.record, bench=bench)))
    return StoredStudy.open(path)


def test_benches_that_differ_are_named_and_are_a_limitation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = _fleet(tmp_path / "r", a=4, b=64)
    caveats = summary_json(results)["caveats"]
    assert isinstance(caveats, list)
    [caveat] = [caveat for caveat in caveats if caveat["code"] == "host-mismatch"]
    words = ("bench a on host-a", "bench b on host-b", "4 processors", "64 processors")
    assert all(word in caveat["text"] for word in words)
    page, markdown = page_text(results), markdown_text(results)
    machine = page.partition('id="machine"')[2].partition("</section>")[0]
    assert all(word in machine for word in ("host-a", "host-b", "64 processors"))
    assert all(word in markdown for word in words)
    main(["show", str(results.path)])
    assert "bench b on host-b" in " ".join(capsys.readouterr().out.split())


def test_benches_that_are_alike_are_named_and_are_no_limitation(tmp_path: Path) -> None:
    results = _fleet(tmp_path / "r", a=4, b=4)
    assert machine_findings(results).caveats == []
    assert all(word in markdown_text(results) for word in ("bench a on host-a", "bench b on host-b"))


def test_a_bench_that_made_no_run_is_not_one_of_those_that_differ(tmp_path: Path) -> None:
    found = machine_findings(_fleet(tmp_path / "r", working="a", a=4, b=64))
    assert ([machine["bench"] for machine in found.machines], found.caveats) == (["a"], [])
