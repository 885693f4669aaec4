"""`dbdyno doctor`: what it prints, what it ends with, and what it stops."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli import _doctor, main
from dbdyno.cli._machine import check_before_study
from dbdyno.core import HostError, Machine, Memory
from dbdyno.doctor import CHECKS, Examination, Generator, Needs, NetworkTrial, examine
from dbdyno.hosts import LocalHost
from dbdyno.study import parse_study
from error_codes import raises_code

STUDY = str(Path(__file__).parents[2] / "studies" / "first.toml")
NEEDS = Needs(concurrency=4, memory_bytes=8 << 30, disk_bytes=0)
SMALL = Machine(memory=Memory(available_bytes=1 << 30, huge_pages="always"))


@pytest.mark.parametrize("arguments", [(), (STUDY,)])
def test_every_check_is_told_to_programs_and_the_exit_code_says_whether_something_weakens(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["doctor", *arguments, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in told["outcomes"]] == [check.check_id for check in CHECKS]
    grave = [row for row in told["outcomes"] if row["state"] == "found" and row["severity"] != "note"]
    assert code == (1 if grave else 0)
    assert told["machine"]["memory"]["total_bytes"] > 0


def test_what_it_says_to_people_ends_with_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--all"])
    lines = capsys.readouterr().out.strip().splitlines()
    assert re.search(rf" of {len(CHECKS)} checks\b", lines[-1])
    assert any(line.startswith("nothing to") for line in lines)


def test_a_blocker_stops_a_study_before_anything_is_made() -> None:
    examination = examine(SMALL, NEEDS)
    with pytest.raises(HostError) as caught:
        check_before_study({"": examination}, force=False, quiet=False)
    assert caught.value.exit_code == 3
    assert "1 GiB are available" in caught.value.what
    assert "--force" in caught.value.remedy


def test_what_stops_a_study_is_told_with_the_host_that_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    clear, small = examine(Machine(memory=Memory(8 << 30, 7 << 30))), examine(SMALL, NEEDS)
    with raises_code(HostError, "machine-unfit") as caught:
        check_before_study({"db1": clear, "c1": small, "c2": small}, force=False, quiet=False)
    assert caught.value.what.startswith("c1 ")
    assert re.search(r"^c2: ", caught.value.why, re.MULTILINE)
    check_before_study({"db1": clear, "c1": small}, force=True, quiet=False)
    assert "  c1: blocker: " in capsys.readouterr().err


def test_a_forced_study_is_told_of_blockers_even_when_it_is_to_be_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    check_before_study({"": examine(SMALL, NEEDS)}, force=True, quiet=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert re.match(r"  machine: blocker: .*\b8 GiB, 1 GiB ", line)


def test_a_clean_machine_is_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    clean = Machine(memory=Memory(available_bytes=64 << 30, huge_pages="madvise", swap_bytes=0))
    check_before_study(
        {"": examine(clean, NEEDS, Generator("/bin/load", is_calibrated=False))}, force=False, quiet=False
    )
    assert capsys.readouterr().err == ""


FAR_STUDY = """
targets = ["mariadb:11.8"]
workload.name = "sysbench/oltp_read_only"
axes = {tier = "64MB", concurrency = 8, route = ["loopback", "network"]}
[hosts.db1]
address = "10.1.0.2"
[bench.a]
server = "db1"
"""
LOAD_HOSTS = 'client = ["c1", "c2"]\n[hosts.c1]\nssh = "bench@load1"\n[hosts.c2]\n'


@pytest.mark.parametrize(
    ("client", "names", "clients_tried"),
    [
        (LOAD_HOSTS, ["db1", "c1", "c2"], [None, "c1", "c2"]),
        ("", ["db1"], ["this machine"]),
    ],
)
def test_load_hosts_of_a_study_are_examined_with_their_network_to_the_server(
    client: str,
    names: list[str],
    clients_tried: list[str | None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    reached: list[str] = []
    examined: list[tuple[Needs, str | None]] = []

    @contextlib.contextmanager
    def reached_host(destination: str, home: str) -> Iterator[str]:
        reached.append(destination)
        yield destination

    def try_network(server: str, choice: Any, client: str | None, name: str, *, is_measured: bool) -> NetworkTrial:
        assert is_measured
        return NetworkTrial(name, choice.name, "10.1.0.2:3306")

    def examine_there(host: str, needs: Needs, trial: NetworkTrial | None) -> Examination:
        examined.append((needs, trial.client if trial is not None else None))
        return examine(SMALL)

    for replacement in (reached_host, try_network, examine_there):
        monkeypatch.setattr(_doctor, replacement.__name__, replacement)
    path = tmp_path / "far.toml"
    path.write_text(FAR_STUDY + client)
    main(["doctor", str(path), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert list(found.get("hosts", {"db1": found})) == names
    assert reached == ["db1", "bench@load1", "c2"][: len(names)]
    assert [needs.is_load_host for needs, _ in examined] == [name != "db1" for name in names]
    assert [client for _, client in examined] == clients_tried


FLEET_STUDY = """
targets = ["mariadb:11.8"]
workload.name = "sysbench/oltp_read_only"
axes = {tier = ["64MB", "128MB"], concurrency = 8}
[bench.a]
[bench.b]
server = "db1"
[bench.c]
server = "db2"
[hosts.db1]
[hosts.db2]
"""
FACTS = {"cpu_model": "x", "logical_cpu_count": 4, "memory_bytes": 16 << 30, "boot_id": "1"}


@pytest.mark.parametrize(
    ("changes", "state", "parts"),
    [
        ({"boot_id": "3"}, "clear", ("bench c", "bench a")),
        ({"boot_id": "3", "memory_bytes": 8 << 30}, "found", ("bench a", "bench c", "16 GiB", "8 GiB")),
        ({"boot_id": "3", "logical_cpu_count": 8}, "found", ("4 processors", "8 processors")),
        ({"boot_id": "2"}, "found", ("benches b and c",)),
    ],
)
def test_benches_that_a_run_would_refuse_are_blockers(
    changes: dict[str, Any], state: str, parts: tuple[str, ...]
) -> None:
    facts = {"a": FACTS, "b": {**FACTS, "boot_id": "2"}, "c": {**FACTS, **changes}}
    outcome = _doctor.compare_benches(parse_study(FLEET_STUDY, "fleet.toml"), "c", facts)
    assert (outcome.state, outcome.severity) == (state, "blocker" if state == "found" else "note")
    assert all(part in outcome.seen for part in parts), outcome.seen


def test_the_benches_of_a_study_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The benches on other hosts are this machine again, under other names."""

    @contextlib.contextmanager
    def reached_host(destination: str, home: str) -> Iterator[LocalHost]:
        yield LocalHost()

    monkeypatch.setattr(_doctor, "reached_host", reached_host)
    monkeypatch.setattr(_doctor, "examine_there", lambda host, needs, trial: examine(SMALL))
    path = tmp_path / "fleet.toml"
    path.write_text(FLEET_STUDY)
    assert main(["doctor", str(path), "--json"]) == 1
    hosts = json.loads(capsys.readouterr().out)["hosts"]
    seen = {
        name: [row["seen"] for row in found["outcomes"] if row["id"] == "bench-machines"]
        for name, found in hosts.items()
    }
    assert seen["this machine"] == []
    assert all("same machine" in words for name in ("db1", "db2") for words in seen[name])
    assert [len(seen[name]) for name in ("db1", "db2")] == [1, 1]
