"""Studies of a workload in a folder here, driven on other hosts. The hosts are namespaces, see `remote_hosts`."""

from __future__ import annotations

import signal
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.core import Home, parse_engine_name
from dbdyno.hosts import LocalHost
from dbdyno.populate import Dataset
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from remote_hosts import RemoteMachine, comes_true, load_is_driven, remote_machines
from server.test_remote_study import ENGINE, assert_nothing_is_left, is_cleaned, start, write_study

pytestmark = pytest.mark.server
TOML = """
description = "A shop of one item's rows"
[parameters]
item = { zipf = [1, 500] }
[transactions.look]
weight = 3
file = "queries/look.sql"
[transactions.buy]
[tables.item]
rows = 500
[tables.item.columns]
id = { sequence = 1 }
price = { uniform = [1, 99] }
stock = { uniform = [1000, 2000] }
"""
FILES = {
    "workload.toml": TOML,
    "queries/look.sql": "SELECT price FROM item WHERE id = :item;\n",
    "buy.sql": "BEGIN; UPDATE item SET stock = stock - 1 WHERE id = :item; COMMIT;\n",
    "setup.sql": "CREATE TABLE item (id INT PRIMARY KEY, price INT NOT NULL, stock INT NOT NULL);\n",
}
SYSBENCH = '[workload]\nname = "sysbench/oltp_read_write"\ntables = 1\ntable_size = 1000\n'


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RemoteMachine]]:
    """A server's host and two hosts of its client. Each has its own /tmp, so the folder is on none of them."""
    with remote_machines(tmp_path_factory.mktemp("hosts"), "db1", "c1", "c2") as made:
        provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
        yield made


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The folder, with a file that the load generator does not read."""
    folder = tmp_path / "shop"
    (folder / "queries").mkdir(parents=True)
    for name, text in {**FILES, "notes.txt": "not of the workload"}.items():
        (folder / name).write_text(text)
    return folder


def _study(folder: Path, shop: Path, machine: RemoteMachine, routes: tuple[str, ...], **options: int) -> Path:
    path = write_study(folder, machine, routes, window=options.get("window", 3), is_single=bool(options.get("single")))
    text = path.read_text()
    assert SYSBENCH in text
    path.write_text(text.replace(SYSBENCH, f'[workload]\nlabel = "shop"\nname = "sql:{shop}"\n'))
    return path


def _checksums(stored: StoredStudy, run_id: str) -> set[str]:
    workload = stored.document(run_id, "start")["workload"]
    assert workload["name"] == "sql:shop"
    return {name.removeprefix("crc32 of ") for name in workload["options"] if name.startswith("crc32 of ")}


def _copies(machine: RemoteMachine) -> list[Path]:
    return list(Path(f"/proc/{machine.init}/root/tmp").glob("dbdyno-*/workload-*"))


def test_a_folder_is_driven_on_the_host_and_over_the_network(
    machines: list[RemoteMachine], shop: Path, tmp_path: Path
) -> None:
    machine = machines[0]
    study, output = _study(tmp_path, shop, machine, ("loopback", "network")), tmp_path / "out"
    command_lines, ended = set[str](), threading.Event()

    def watch() -> None:
        while not ended.wait(0.02):
            command_lines.update(machine.processes().values())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    process = start(machine, "run", str(study), "--force", "-o", str(output))
    told = process.communicate(timeout=240)
    ended.set()
    watcher.join()
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    records = stored.records()
    assert [record.status for record in records] == ["good"] * 4, [record.reason for record in records]
    for record in records:
        assert _checksums(stored, record.run.run_id) == set(FILES)
        (facts,) = stored.dataset(record.run.cell.target)["datasets"]
        assert facts["digest"] == Dataset(f"sql:{shop}").digest
        order = stored.document(record.run.run_id, "order")["workload"]
        is_here = record.run.cell.route == "network"
        assert order["name"] == "sql:shop"
        assert (order["options"]["folder"] == str(shop)) == is_here
    assert any(" fingerprint sql:shop " in line for line in command_lines)
    assert not [line for line in command_lines if str(tmp_path) in line]
    fingerprints = [stored.fingerprints(target)["shop"].made for target in ("small", "large")]
    assert fingerprints[0] == fingerprints[1] and not isinstance(fingerprints[0], str)
    assert_nothing_is_left(machine)


def test_a_data_file_is_read_on_the_host_and_here(machines: list[RemoteMachine], tmp_path: Path) -> None:
    machine, file = machines[0], tmp_path / "links.dat"
    file.write_text("nlinks\n0 50\n1 90\n9 100\n")
    study, output = write_study(tmp_path, machine, ("loopback", "network"), is_single=True), tmp_path / "out"
    linkbench = f'[workload]\nname = "linkbench"\nmaxid1 = 300\ndata_file = "{file}"\n'
    study.write_text(study.read_text().replace(SYSBENCH, linkbench))
    process = start(machine, "run", str(study), "--force", "-o", str(output))
    told = process.communicate(timeout=300)
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    records = stored.records()
    assert [record.status for record in records] == ["good"] * 2, [record.reason for record in records]
    (facts,) = stored.dataset(records[0].run.cell.target)["datasets"]
    assert facts["digest"] == Dataset("linkbench", {"maxid1": 300, "data_file": str(file)}).digest
    for record in records:
        path = stored.document(record.run.run_id, "order")["workload"]["options"]["data_file"]
        assert (path == str(file)) == (record.run.cell.route == "network")
        assert path.endswith("/links.dat")
        answers = stored.document(record.run.run_id, "conditions")
        assert answers and {answer["status"] for answer in answers} == {"holds"}, answers
    assert_nothing_is_left(machine)


def test_two_hosts_drive_a_folder_as_one_client(machines: list[RemoteMachine], shop: Path, tmp_path: Path) -> None:
    server, *clients = machines
    path, output = _study(tmp_path, shop, server, ("network",), single=1), tmp_path / "out"
    text = path.read_text().replace('server = "db1"\n', 'server = "db1"\nclient = ["c1", "c2"]\n')
    text = text.replace("concurrency = 2", "concurrency = 5")
    path.write_text(text + "".join(f'[hosts.{client.name}]\nssh = "{client.destination}"\n' for client in clients))
    process = start(server, "run", str(path), "--force", "-o", str(output))
    told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    assert record.status == "good", record.reason
    assert _checksums(stored, record.run.run_id) == set(FILES)
    end = stored.document(record.run.run_id, "end")
    assert [(host["host"], host["connections"]) for host in end["hosts"]] == [("c1", 3), ("c2", 2)]
    assert end["completed"] > 50
    folders = [agent["options"]["folder"] for agent in stored.document(record.run.run_id, "order")["agents"]]
    assert len(set(folders)) == 2 and not [folder for folder in folders if str(tmp_path) in folder]
    for machine in machines:
        assert_nothing_is_left(machine)


def test_two_hosts_read_a_data_file_as_one_client_would(machines: list[RemoteMachine], tmp_path: Path) -> None:
    server, *clients = machines
    file = tmp_path / "links.dat"
    file.write_text("nlinks\n0 50\n1 90\n9 100\n")
    study, output = write_study(tmp_path, server, ("network",), is_single=True), tmp_path / "out"
    linkbench = f'[workload]\nname = "linkbench"\nmaxid1 = 300\ndata_file = "{file}"\n'
    text = study.read_text().replace(SYSBENCH, linkbench)
    text = text.replace('server = "db1"\n', 'server = "db1"\nclient = ["c1", "c2"]\n')
    study.write_text(text + "".join(f'[hosts.{client.name}]\nssh = "{client.destination}"\n' for client in clients))
    process = start(server, "run", str(study), "--force", "-o", str(output))
    told = process.communicate(timeout=300)
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    assert record.status == "good", record.reason
    order, begun = (stored.document(record.run.run_id, name) for name in ("order", "start"))
    paths = [agent["options"]["data_file"] for agent in order["agents"]]
    assert len(set(paths)) == 2 and not [path for path in paths if str(tmp_path) in path]
    options = begun["workload"]["options"]
    assert options["data_file"] == "links.dat"
    assert options["crc32 of data_file"] == f"{zlib.crc32(file.read_bytes()):08x}"
    assert [host["host"] for host in stored.document(record.run.run_id, "end")["hosts"]] == ["c1", "c2"]
    for machine in machines:
        assert_nothing_is_left(machine)


def test_files_of_a_killed_lab_are_removed_with_the_rest(
    machines: list[RemoteMachine], shop: Path, tmp_path: Path
) -> None:
    machine = machines[0]
    study = _study(tmp_path, shop, machine, ("loopback",), window=60, single=1)
    process = start(machine, "run", str(study), "--force", "-o", str(tmp_path / "out"))
    assert comes_true(lambda: load_is_driven(machine, "loopback") or process.poll() is not None, 120)
    (copy,) = _copies(machine)
    assert {str(file.relative_to(copy)) for file in copy.rglob("*") if file.is_file()} == set(FILES)
    assert (copy.stat().st_mode & 0o777, (copy / "buy.sql").read_text()) == (0o700, FILES["buy.sql"])
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert comes_true(lambda: is_cleaned(machine), 60)
    assert _copies(machine) == []
    assert_nothing_is_left(machine)
