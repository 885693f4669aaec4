"""Studies whose servers run on another host, end to end. The host is a namespace, see `remote_hosts`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.core import Home, RunRecord, parse_engine_name
from dbdyno.hosts import LocalHost, read_profiler
from dbdyno.provision import provision
from dbdyno.store import StoredStudy
from network_host import inside
from remote_hosts import RemoteMachine, comes_true, load_is_driven, remote_machines

pytestmark = pytest.mark.server
NO_PROFILER = " ".join(filter(None, read_profiler(LocalHost()).obstacle()))
ENGINE = "mariadb:11.8"
_MAIN = "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"
SHORT_LEASE = "from dbdyno.hosts.remote import connect; connect.__kwdefaults__['lease_s'] = 5; "
PACING = "[pacing]\nrate_per_s = 50\n"
STUDY = """\
name = "remote"
[[target]]
name = "small"
engine = "{engine}"
settings = {{"redo.capacity" = "64MB"}}
[[target]]
name = "large"
engine = "{engine}"
settings = {{"redo.capacity" = "128MB"}}
[workload]
name = "sysbench/oltp_read_write"
tables = 1
table_size = 1000
[axes]
tier = "64MB"
concurrency = 2
route = [{routes}]
{pacing}[measure]
warm_up = "1s"
window = "{window}s"
repeats = 1
equivalence_events = 20
[hosts.db1]
ssh = "{destination}"
address = "{address}"
ports = "21000-21009"
[bench.a]
server = "db1"
"""


def write_study(
    folder: Path,
    machine: RemoteMachine,
    routes: tuple[str, ...],
    *,
    window: int = 3,
    is_single: bool = False,
    pacing: str = PACING,
) -> Path:
    """A study of one engine with two settings, or with one; a way that is silent for two seconds is lost."""
    quoted = ", ".join(f'"{route}"' for route in routes)
    text = STUDY.format(
        engine=ENGINE,
        routes=quoted,
        window=window,
        pacing=pacing,
        destination=machine.destination,
        address=machine.address,
    )
    if is_single:
        first, second, rest = text.partition('[[target]]\nname = "large"')
        text = first + rest[rest.index("[workload]") :] + '[timeouts]\npath = "2s"\n'
        assert second
    (folder / "remote.toml").write_text(text)
    return folder / "remote.toml"


def start(machine: RemoteMachine, *words: str, before: str = "") -> subprocess.Popen[str]:
    """The program, on the network that the host hangs on."""
    argv = [*inside(machine.switch), sys.executable, "-c", before + _MAIN, *words]
    env = {**os.environ, "DBDYNO_NO_CALIBRATION": "1"}
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def command_lines_and_environments(seen: set[bytes], ended: threading.Event) -> None:
    """Collect them of all processes, those of the hosts included, which are namespaces of this machine."""
    while not ended.wait(0.05):
        for folder in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                try:
                    seen.add((folder / name).read_bytes())
                except OSError:
                    continue


def passwords_of(machine: RemoteMachine) -> list[str]:
    """Those that the data on a host were made with."""
    files = (machine.home / ".cache/dbdyno/snapshots").glob("*/data.credentials")
    return [password for file in files for password in json.loads(file.read_text()).values()]


def assert_nothing_is_left(machine: RemoteMachine, home: Path | None = None) -> None:
    """No process of ours and no folder of a run; engines and snapshots stay."""
    assert comes_true(lambda: not machine.processes(), 10), machine.processes()
    home = home or machine.home / ".cache/dbdyno"
    # The lock file of a session whose folder was removed after it is the next study's to remove.
    assert [path for path in (home / "run").glob("*") if path.suffix != ".lock"] == []
    assert list((home / "agents").glob("*")) == []
    there = Path(f"/proc/{machine.init}/root/tmp")
    assert list(there.glob("dbdyno-*")) == []


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteMachine]:
    """A host, once the engine is here: its network reaches nobody else."""
    with remote_machines(tmp_path_factory.mktemp("hosts"), "db1") as (made,):
        provision(parse_engine_name(ENGINE), LocalHost(), Home.of_user())
        yield made


def test_a_network_to_a_host_of_the_same_boot_is_refused(machine: RemoteMachine, tmp_path: Path) -> None:
    there = Path(f"/proc/{machine.init}/root/run/host/boot_id")
    own = there.read_text()
    there.write_text(Path("/proc/sys/kernel/random/boot_id").read_text())
    try:
        study = write_study(tmp_path, machine, ("loopback", "network"))
        process = start(machine, "run", str(study), "--force", "-o", str(tmp_path / "out"))
        _, told = process.communicate(timeout=120)
    finally:
        there.write_text(own)
    assert process.returncode == 3, told
    assert "boot id" in told and "hint:" in told
    assert not list((tmp_path / "out").glob("runs/*"))
    assert_nothing_is_left(machine)


def test_a_study_over_loopback_and_network_has_all_its_cells(machine: RemoteMachine, tmp_path: Path) -> None:
    """Its connections over TCP are encrypted."""
    assert not Path(f"/proc/{machine.init}/root{Home.of_user().root}").exists()
    study, output = write_study(tmp_path, machine, ("loopback", "network")), tmp_path / "out"
    study.write_text(study.read_text() + '[settings.tls]\navailable = "ON"\n')
    seen, ended = set[bytes](), threading.Event()
    watcher = threading.Thread(target=command_lines_and_environments, args=(seen, ended), daemon=True)
    watcher.start()
    process = start(machine, "run", str(study), "--force", "-o", str(output))
    told = process.communicate(timeout=240)
    ended.set()
    watcher.join()
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    records = stored.records()
    assert [record.status for record in records] == ["good"] * 4, [record.reason for record in records]
    assert {record.bench for record in records} == {"a"}
    assert {(record.run.cell.target, record.run.cell.route) for record in records} == {
        (target, route) for target in ("small", "large") for route in ("loopback", "network")
    }
    assert {record.run.cell.route for record in records if has_caveat(record, "one-machine")} == {"network"}
    assert_encrypted(stored)
    assert stored.host["hostname"] == "db1"
    assert stored.host["boot_id"] != Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    passwords = passwords_of(machine)
    kept = [path.read_bytes() for path in output.rglob("*") if path.is_file()]
    assert len(passwords) == 4
    assert not [text for text in (*seen, *kept) if any(password.encode() in text for password in passwords)]
    for record in records:
        seconds = set(range(len(stored.seconds(record.run.run_id))))
        assert seconds_of(stored, record.run.run_id, "host.cpu", "server.cpu", "client.cpu") == seconds
        unseen = seconds - seconds_of(stored, record.run.run_id, "sessions.count")
        assert unseen <= {0}, "on a busy machine the sampler may begin late"
        clock = stored.document(record.run.run_id, "telemetry")["clock"]
        assert 0 < clock["bound_ns"] < 5_000_000
    with start(machine, "audit", str(output), "--json", "--all") as audit:
        rules = json.loads(audit.communicate(timeout=60)[0])
    judged = {rule["campaign"]: rule["outcome"] for rule in rules if rule["id"] == "client-cpu-contention"}
    assert judged["network"] == "not applicable" != judged["loopback"]
    page = (output / "report.html").read_text()
    assert "servers on db1 (bench@db1)" in page
    bound = max(stored.document(run.run.run_id, "telemetry")["clock"]["bound_ns"] for run in records)
    assert f"known to {bound / 1e6:.2g} ms" in page
    assert f"clients by network on the lab's machine, to {machine.address}" in page.replace("&#x27;", "'").replace(
        "&#39;", "'"
    )
    assert_nothing_is_left(machine)


@pytest.mark.skipif(bool(NO_PROFILER), reason=NO_PROFILER)
def test_servers_of_the_host_are_profiled_there_while_clients_use_the_network(
    machine: RemoteMachine, tmp_path: Path
) -> None:
    # A closed loop, so that there is something to sample.
    study, output = write_study(tmp_path, machine, ("network",), pacing=""), str(tmp_path / "out")
    process = start(machine, "run", str(study), "--force", "--quiet", "-o", output)
    told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    process = start(machine, "explain", output, "--deep", "--window", "4s", "--force", "--quiet", "--json")
    text, told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    deep = json.loads(text)["deep"]
    assert deep["left"]["missing"] == deep["right"]["missing"] == {}
    assert min(deep["left"]["samples"], deep["right"]["samples"]) > 20
    assert_nothing_is_left(machine)


def test_a_plug_in_given_as_a_file_is_copied_to_the_host_beside_its_server(
    machine: RemoteMachine, tmp_path: Path
) -> None:
    packaged = provision(parse_engine_name(f"{ENGINE}+rocksdb"), LocalHost(), Home.of_user())
    plugin = tmp_path / "ha_built_here.so"
    shutil.copy(packaged.plugin_directory / packaged.plugin_files["rocksdb"], plugin)
    study = write_study(tmp_path, machine, ("loopback",), is_single=True)
    study.write_text(
        study.read_text()
        .replace(f'engine = "{ENGINE}"', f'engine = "{ENGINE}+rocksdb"\nplugin = "{plugin}"')
        .replace('settings = {"redo.capacity" = "64MB"}', "")
    )
    process = start(machine, "run", str(study), "--force", "-o", str(tmp_path / "out"))
    told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    stored = StoredStudy.open(tmp_path / "out")
    (record,) = stored.records()
    assert (record.status, record.storage_engine) == ("good", "rocksdb"), record.reason
    (folder,) = (machine.home / ".cache/dbdyno/plugins").glob("ha_built_here-*")
    assert stored.document(record.run.run_id, "variables")["plugin_dir"].rstrip("/").endswith(folder.name)
    assert (folder / plugin.name).read_bytes() == plugin.read_bytes()
    links = [path for path in folder.iterdir() if path.is_symlink()]
    (engine_folder,) = {str(link.readlink()).partition("/engines/")[2].partition("/")[0] for link in links}
    assert (machine.home / ".cache/dbdyno/engines" / engine_folder).is_dir(), "links lead to the server's own plug-ins"
    assert_nothing_is_left(machine)


def test_clients_on_the_host_are_calibrated_there_and_those_of_the_network_are_not(
    machine: RemoteMachine, tmp_path: Path
) -> None:
    words = ["calibrate", "--host", machine.destination, "--quick", "--redo", "--json"]
    process = start(machine, *words)
    text, told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    assert {point["route"] for point in json.loads(text)["points"]} == {"socket", "loopback"}
    study = write_study(tmp_path, machine, ("socket", "network"), is_single=True)
    process = start(machine, "run", str(study), "--force", "--quiet", "-o", str(tmp_path / "out"))
    told = process.communicate(timeout=240)[1]
    assert process.returncode == 0, told
    stored = StoredStudy.open(tmp_path / "out")
    records = {record.run.cell.route: record for record in stored.records()}
    assert {record.status for record in records.values()} == {"good"}
    bases = {route: record.cpu.client_use_basis for route, record in records.items()}
    assert bases == {"socket": "calibration", "network": "busy share"}
    target = stored.document(records["socket"].run.run_id, "order")["target"]
    assert target["socket"].startswith("/") and target["host"] is None
    assert_nothing_is_left(machine)


def assert_encrypted(stored: StoredStudy) -> None:
    """All loads used TLS, by one cipher."""
    sessions = [stored.document(record.run.run_id, "start")["session"] for record in stored.records()]
    ((version, cipher),) = {(session["tls_version"], session["tls_cipher"]) for session in sessions}
    assert version == "TLSv1.3" and cipher


def has_caveat(record: RunRecord, code: str) -> bool:
    return code in {caveat.code for caveat in record.caveats}


def seconds_of(stored: StoredStudy, run_id: str, *prefixes: str) -> set[int]:
    """Seconds in which something was read of each of these."""
    rows = stored.telemetry(run_id).rows()
    each = [{row["second"] for row in rows if row["metric"].startswith(prefix)} for prefix in prefixes]
    return set.intersection(*each)


def is_cleaned(machine: RemoteMachine) -> bool:
    """Have what is left on the host removed; whether nothing is left. An agent is known to have no lab after 15 s."""
    with start(machine, "clean", "--host", machine.destination, "--remove") as process:
        process.communicate(timeout=60)
    return process.returncode == 0 and comes_true(lambda: not machine.processes(), 5)  # its own agent ends after it


@pytest.mark.parametrize(
    ("route", "cut_s", "exit_code", "status", "code"),
    [
        ("loopback", 8, 0, "good", "control-lost"),  # the load itself never noticed
        ("network", 8, 0, "good", "made-again"),
        ("network", 0, 3, "failed", ""),
    ],
)
def test_a_cut_cable_is_a_lost_path_and_no_stall(
    route: str, cut_s: int, exit_code: int, status: str, code: str, machine: RemoteMachine, tmp_path: Path
) -> None:
    study, output = write_study(tmp_path, machine, (route,), window=11, is_single=True), tmp_path / "out"
    process = start(machine, "run", str(study), "--force", "-o", str(output))
    assert comes_true(lambda: load_is_driven(machine, route) or process.poll() is not None, 120)
    time.sleep(3)
    machine.cut()
    try:
        if cut_s:
            time.sleep(cut_s)
            machine.mend()
        told = process.communicate(timeout=120)
    finally:
        machine.mend()
    assert process.returncode == exit_code, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    assert (record.status, record.fault) == (status, "" if status == "good" else "network"), record.reason
    assert has_caveat(record, code) or not code
    if status == "good":
        seconds = set(range(len(stored.seconds(record.run.run_id))))
        assert seconds_of(stored, record.run.run_id, "host.cpu", "server.cpu") == seconds
    else:
        assert comes_true(lambda: is_cleaned(machine), 60)
    assert_nothing_is_left(machine)


def test_a_server_that_is_killed_on_the_host_is_a_named_crash(machine: RemoteMachine, tmp_path: Path) -> None:
    study, output = write_study(tmp_path, machine, ("network",), window=11, is_single=True), tmp_path / "out"
    process = start(machine, "run", str(study), "--force", "-o", str(output))
    assert comes_true(lambda: load_is_driven(machine, "network") or process.poll() is not None, 120)
    time.sleep(3)
    (pid,) = [pid for pid, words in machine.processes().items() if "mariadbd" in words]
    os.kill(pid, signal.SIGKILL)
    told = process.communicate(timeout=120)
    assert process.returncode == 1, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    assert (record.status, record.fault) == ("failed", "killed"), record.reason
    assert "signal 9" in record.reason
    assert "ready for connections" in stored.text(record.run.run_id, "server.log")
    death = stored.document(record.run.run_id, "life")["death"]
    assert (death["kind"], death["exit_code"]) == ("killed", -9)
    assert_nothing_is_left(machine)


def test_a_host_that_stands_still_is_no_stall_of_its_server(machine: RemoteMachine, tmp_path: Path) -> None:
    study, output = write_study(tmp_path, machine, ("loopback",), window=11, is_single=True), tmp_path / "out"
    process = start(machine, "run", str(study), "--force", "-o", str(output))
    assert comes_true(lambda: load_is_driven(machine, "loopback") or process.poll() is not None, 120)
    time.sleep(3)
    machine.freeze()
    try:
        time.sleep(8)
    finally:
        machine.thaw()
    told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    (record,) = stored.records()
    assert record.status == "good", record.reason
    assert has_caveat(record, "made-again")
    assert [row["second"] for row in stored.seconds(record.run.run_id).rows() if row["tps"] == 0] == []
    assert_nothing_is_left(machine)


@pytest.mark.parametrize("route", ["loopback", "network"])
def test_an_interrupt_ends_a_run_within_seconds_and_cleans_the_host(
    route: str, machine: RemoteMachine, tmp_path: Path
) -> None:
    study, output = write_study(tmp_path, machine, (route,), window=60, is_single=True), tmp_path / "out"
    process = start(machine, "run", str(study), "--force", "-o", str(output))
    assert comes_true(lambda: load_is_driven(machine, route) or process.poll() is not None, 120)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=30)  # half of the window's length
    assert process.returncode == 1, told
    assert_nothing_is_left(machine)


@pytest.mark.parametrize(
    ("route", "loss"), [("loopback", "lab killed"), ("network", "lab killed"), ("loopback", "cable cut")]
)
def test_without_a_lab_the_server_of_a_running_study_ends_with_the_lease(
    route: str, loss: str, machine: RemoteMachine, tmp_path: Path
) -> None:
    """Nobody tells the agent that the lab is gone; the load on the host would go on for another minute."""
    study, output = write_study(tmp_path, machine, (route,), window=60, is_single=True), tmp_path / "out"
    process = start(machine, "run", str(study), "--force", "-o", str(output), before=SHORT_LEASE)
    assert comes_true(lambda: load_is_driven(machine, route) or process.poll() is not None, 120)
    assert any("mariadbd" in words for words in machine.processes().values()), process.poll()
    if loss == "cable cut":
        machine.cut()
    process.kill()
    process.communicate(timeout=30)
    try:
        assert comes_true(lambda: not machine.processes(), 30), machine.processes()
    finally:
        machine.mend()
    assert_nothing_is_left(machine)
    assert not list((output / "runs").glob("*")), "the run under way is lost, and no part of it is stored"
    snapshots = sorted(path.name for path in (machine.home / ".cache/dbdyno/snapshots").glob("*"))
    study.write_text(study.read_text().replace('window = "60s"', 'window = "2s"'))
    process = start(machine, "run", str(study), "--force", "--fresh", "-o", str(output))
    told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    assert [record.status for record in StoredStudy.open(output).records()] == ["good"]
    assert sorted(path.name for path in (machine.home / ".cache/dbdyno/snapshots").glob("*")) == snapshots
    assert_nothing_is_left(machine)


def test_compare_copies_a_base_directory_to_another_home_on_the_host(machine: RemoteMachine, tmp_path: Path) -> None:
    unpacked = provision(parse_engine_name("mysql:8.0@maven"), LocalHost(), Home.of_user())
    output, home = tmp_path / "out", "/home/bench/elsewhere"
    words = ["compare", f"mysql:8.0@basedir:{unpacked.base_directory}", "--host", machine.destination]
    words += ["--host-address", machine.address, "--host-home", home, "--route", "loopback,network"]
    words += ["--tables", "1", "--rows", "1000", "--tier", "64MB", "--concurrency", "2", "--rate", "50"]
    words += ["--warm-up", "1s", "--window", "3s", "--repeats", "1", "--set", "tls.available=ON"]
    words += ["--force", "-o", str(output)]
    process = start(machine, *words)
    told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    stored = StoredStudy.open(output)
    records = {record.run.cell.route: record for record in stored.records()}
    assert {route: record.status for route, record in records.items()} == {"loopback": "good", "network": "good"}
    targets = {route: stored.document(record.run.run_id, "order")["target"] for route, record in records.items()}
    assert {route: target["host"] for route, target in targets.items()} == {
        "loopback": "127.0.0.1",
        "network": machine.address,
    }
    assert_encrypted(stored)
    host = stored.study.benches[0].server
    assert host is not None
    assert (host.ssh, host.address, host.home) == (machine.destination, machine.address, home)
    copied = [folder.name for folder in (machine.home / "elsewhere/engines").iterdir()]
    assert any(name.startswith(unpacked.base_directory.name) for name in copied), copied
    assert_nothing_is_left(machine, machine.home / "elsewhere")
