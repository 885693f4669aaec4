"""Engines out of container images, on a daemon of the tests' own, by images made of unpacked packages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import docker
import pymysql
import pytest

from container_engine import containers_of, make_image, private_docker
from dbdyno.configure import Credentials, Server, credentials_file, remove_noted_containers
from dbdyno.configure._container import CONTAINER_NOTE
from dbdyno.core import ConfigureError, ContainerChoice, HostError, ProvisionError, StudyError, parse_engine_name
from dbdyno.hosts import ContainerOrder, ContainerProcess, LocalHost
from dbdyno.lab import find_generator
from dbdyno.measure.telemetry import SessionThreads, ThreadsPlace
from dbdyno.provision import list_offers, provision
from dbdyno.store import StoredStudy
from error_codes import raises_code
from punctual import ahead_of_others

pytestmark = pytest.mark.server
MIB = 1 << 20
ENGINES = ("mariadb:11.8", "mysql:9.7")
DBDYNO = (sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main())")
Start = Callable[..., Server]


@pytest.fixture(scope="module")
def daemon(laboratory: Any) -> Iterator[str]:
    """Address of a daemon that holds an image of each engine under its official name."""
    with private_docker() as address:
        before, os.environ["DOCKER_HOST"] = os.environ.get("DOCKER_HOST"), address
        for engine in ENGINES:
            make_image(address, engine, laboratory.installation(engine))
        yield address
        if before is None:
            del os.environ["DOCKER_HOST"]
        else:
            os.environ["DOCKER_HOST"] = before


def has_memory_limits(daemon: str) -> None:
    """Skip where the daemon can't set any."""
    if not docker.DockerClient(base_url=daemon, version="auto").info()["MemoryLimit"]:
        pytest.skip("this host has no memory limits for containers")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("route", ["socket", "loopback"])
def test_the_server_of_an_image_is_configured_as_any_other(engine: str, route: str, daemon: str, start: Start) -> None:
    server = start(f"{engine}@image", route=route, cpus=[0])
    assert len(server.settings) > 30 and all(setting.effective is not None for setting in server.settings)
    assert server.variables()["skip_networking"] == ("ON" if route == "socket" else "OFF")
    with server.connect(as_load_user=True) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_t")
    process = Path(f"/proc/{server.pid}")
    assert (process / "comm").read_text().strip() in ("mariadbd", "mysqld")
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    assert status["Cpus_allowed_list"] == "0" and status["Uid"].split()[0] != "0"
    assert server.installation.origin.packages[0].sha256 == server.installation.image.removeprefix("sha256:")
    assert server.stop() < 60
    assert server.exit_reason() == "exit code 0" and not containers_of(daemon)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_password_is_seen_from_outside_and_none_is_empty(engine: str, daemon: str, start: Start) -> None:
    server = start(f"{engine}@image", route="loopback")
    assert server.data_directory is not None
    credentials = Credentials.load(credentials_file(server.data_directory), LocalHost())
    (container,) = containers_of(daemon)
    seen = json.dumps(container.attrs) + container.logs().decode() + server.option_file + server.log_tail(10_000)
    seen += Path(f"/proc/{server.pid}/cmdline").read_text() + Path(f"/proc/{server.pid}/environ").read_text()
    assert credentials.admin_password not in seen and credentials.load_password not in seen
    for user in ("root", "dbdyno", ""):
        with pytest.raises(pymysql.MySQLError):
            pymysql.connect(user=user, password="", host="127.0.0.1", port=server.endpoint.port or 0)


def test_a_bridge_gives_an_address_of_its_own_and_the_memory_limit_is_the_kernels(daemon: str, start: Start) -> None:
    try:
        server = start("mariadb:11.8@image", route="loopback", container=ContainerChoice("bridge", 512 * MIB), cpus=[0])
    except HostError as error:
        pytest.skip(f"no bridge here: {error.why}")
    assert server.endpoint.port == 3306 and server.endpoint.host not in (None, "127.0.0.1")
    with server.connect(as_load_user=True) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    (container,) = containers_of(daemon)
    held = container.attrs["HostConfig"]
    assert (held["Memory"], held["CpusetCpus"]) == (512 * MIB, "0")
    assert isinstance(server.process, ContainerProcess)
    facts = server.process.facts()
    assert (facts["memory_bytes"], facts["network"]) == (str(512 * MIB), "bridge")
    server.kill()
    with pytest.raises(ConfigureError) as raised:
        server.connect(as_load_user=True)
    assert raised.value.fault != "network" and "has ended" in str(raised.value)


def test_what_a_server_uses_of_its_containers_limit_is_read_until_it_ends(daemon: str, start: Start) -> None:
    has_memory_limits(daemon)
    server = start("mariadb:11.8@image", container=ContainerChoice(memory_bytes=512 * MIB))
    group, use = server.memory_group, server.read_memory_use()
    assert group is not None and use is not None
    assert str(server.pid) in (group.folder / "cgroup.procs").read_text().split()
    assert use.limit_bytes == 512 * MIB and 30 * MIB < use.used_bytes < 512 * MIB
    server.stop()
    assert not group.folder.exists() and server.memory_use is not None
    assert server.memory_use.used_bytes > 30 * MIB and server.memory_use.oom_kills == 0


@pytest.mark.parametrize(("network", "route"), [("host", "socket"), ("host", "loopback"), ("bridge", "loopback")])
@pytest.mark.parametrize("engine", ENGINES)
def test_session_threads_of_a_server_in_a_container_are_watched(
    engine: str, network: Literal["host", "bridge"], route: str, daemon: str, start: Start
) -> None:
    try:
        server = start(f"{engine}@image", route=route, container=ContainerChoice(network))
    except HostError as error:
        if network == "host":
            raise
        pytest.skip(f"no bridge here: {error.why}")
    assert server.pid is not None
    with ahead_of_others(), server.connect() as connection, server.connect(), connection.cursor() as cursor:
        threads = SessionThreads(ThreadsPlace(LocalHost(), find_generator(), server.pid))
        threads.start(time.monotonic_ns() + 500_000_000, os.getpid())
        time.sleep(0.6)
        cursor.execute("DO SLEEP(3)")
        threads.stop(3)
    assert threads.caveats(3) == ()
    metrics = [(row.metric, row.value) for row in threads.rows(3)]
    assert [value for metric, value in metrics if metric == "sessions.count"] == [2, 2, 2]
    slept = [value for metric, value in metrics if metric == "sessions.wait.sleep"]
    assert max(slept) == pytest.approx(1, abs=0.15), "its name stands in a file of the container"


def test_a_server_that_is_killed_is_seen_dead_and_its_container_is_gone(daemon: str, start: Start) -> None:
    server = start("mariadb:11.8@image")
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while server.exit_reason() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert "(signal 9)" in str(server.exit_reason()) and not containers_of(daemon)


def test_one_that_runs_out_of_its_limit_is_said_to_have(daemon: str, start: Start) -> None:
    has_memory_limits(daemon)
    with pytest.raises(ConfigureError) as caught:
        start("mysql:9.7@image", tier=512 * MIB, container=ContainerChoice(memory_bytes=96 * MIB))
    assert " 96 MiB" in str(caught.value) and not containers_of(daemon)


def test_what_a_killed_session_leaves_is_removed_by_its_note(daemon: str, start: Start, laboratory: Any) -> None:
    server = start("mariadb:11.8@image")
    assert server.data_directory is not None
    (container,) = containers_of(daemon)
    folder = server.data_directory.parent
    assert json.loads((folder / "run" / CONTAINER_NOTE).read_text()) == {"container": container.id}
    assert remove_noted_containers(folder, laboratory.host) == [f"removed the container {container.id[:12]}"]
    assert not containers_of(daemon) and not remove_noted_containers(folder, laboratory.host)
    assert server.exit_reason() is not None


def test_an_option_that_the_image_s_server_refuses_is_named(daemon: str, start: Start) -> None:
    with raises_code(ConfigureError, "option-refused", "innodb_bufer_pool_size"):
        start("mariadb:11.8@image", raw={"innodb_bufer_pool_size": "64M"})
    assert not containers_of(daemon)


def test_a_storage_engine_of_the_image_or_a_file_is_loaded(daemon: str, start: Start, laboratory: Any) -> None:
    server = start("mariadb:11.8+rocksdb@image")
    assert "rocksdb" in server.storage_engines()
    server.stop()
    packaged = laboratory.installation("mariadb:11.8+rocksdb")
    file = packaged.plugin_directory / packaged.plugin_files["rocksdb"]
    server = start(f"mariadb:11.8+rocksdb@image#plugin={file}")
    assert "rocksdb" in server.storage_engines()
    assert server.installation.mounted_files


@pytest.mark.parametrize(
    ("engine", "kind", "words"),
    [
        ("mariadb:11.8@image:nobody-has-this:1", ProvisionError, "can't be pulled"),
        ("mysql:8.0@image:mariadb:11.8", StudyError, "is not mysql 8.0"),
        ("mysql:9.7+rocksdb@image", StudyError, "no storage engine rocksdb"),
        ("mysql@image", StudyError, "does not say which image"),
    ],
)
def test_an_image_that_can_t_be_had_or_is_another_is_named(
    engine: str, kind: type[Exception], words: str, daemon: str, laboratory: Any
) -> None:
    with pytest.raises(kind, match=words):
        provision(parse_engine_name(engine), laboratory.host, laboratory.home)
    assert not containers_of(daemon)


def test_an_image_without_the_conventions_is_named(daemon: str, laboratory: Any) -> None:
    make_image(daemon, "stray:1", laboratory.installation("mariadb:11.8"), lambda text: '#!/bin/sh\nexec "$@"\n')
    with raises_code(ProvisionError, "version-unknown", "stray:1"):
        provision(parse_engine_name("mariadb:11.8@image:stray:1"), laboratory.host, laboratory.home)


def test_the_words_of_an_entry_point_that_gives_up_reach_the_user(daemon: str, laboratory: Any, start: Start) -> None:
    make_image(
        daemon, "stern:1", laboratory.installation("mariadb:11.8"), lambda text: text.replace("ROOT_PASSWORD", "OTHER")
    )
    with raises_code(ConfigureError, "not-initialised") as caught:
        start("mariadb:11.8@image:stern:1")
    assert "password option is not specified" in caught.value.why


def test_images_that_are_here_are_offered(daemon: str, laboratory: Any) -> None:
    offers = list_offers(laboratory.host, laboratory.home)
    assert {(o.family, o.version, o.location) for o in offers if o.source == "image"} >= {
        ("mariadb", "11.8", "mariadb:11.8"), ("mysql", "9.7", "mysql:9.7"),
    }  # fmt: skip


def test_a_container_that_ends_at_once_leaves_its_words(daemon: str, laboratory: Any, tmp_path: Path) -> None:
    order = ContainerOrder("mariadb:11.8", ("sh", "-c", "echo gone; exit 7"))
    process = laboratory.host.containers().start(order, tmp_path / "out")
    assert process.wait(30) == 7 and (tmp_path / "out").read_text() == "gone\n" and not containers_of(daemon)


def test_a_whole_study_runs_in_containers(daemon: str, laboratory: Any) -> None:
    results = laboratory.folder() / "results"
    study = laboratory.folder() / "study.toml"
    study.write_text(
        'target = [{engine = "mariadb:11.8@image", container = {memory = "1GB"}}, {engine = "mariadb:11.8"}]\n'
        'workload = {name = "sysbench/oltp_read_write", tables = 1, table_size = 1000}\n'
        'axes = {tier = "64MB", concurrency = 2}\npacing = {rate_per_s = 50}\n'
        'measure = {warm_up = "1s", window = "2s", repeats = 2, equivalence_events = 50}\n'
    )
    environment = {**os.environ, "DBDYNO_HOME": str(laboratory.home.root)}
    done = subprocess.run(
        [*DBDYNO, "run", str(study), "-o", str(results), "--quiet", "--no-calibrate"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    records = [json.loads((run / "record.json").read_text()) for run in (results / "runs").iterdir()]
    assert [record["status"] for record in records] == ["good"] * 4
    facts = [json.loads(path.read_text()) for path in sorted((results / "engines").glob("*.json"))]
    assert {fact["source"] for fact in facts} == {"image", "package"}
    processes = [json.loads((run / "process.json").read_text()) for run in (results / "runs").iterdir()]
    assert sorted("container" in process for process in processes) == [False, False, True, True]
    assert not containers_of(daemon)
    stored = StoredStudy.open(results)
    for record in stored.records():
        telemetry = stored.telemetry(record.run.run_id)
        counts = telemetry.numbers("value")[telemetry.texts("metric").among(["sessions.count"])]
        assert len(counts) and set(counts) == {2}, record.caveats
    has_memory_limits(daemon)
    in_containers = [r.run.run_id for r in stored.records() if r.run.cell.target == "mariadb:11.8@image"]
    for run_id in in_containers:
        assert stored.optional_document(run_id, "life")["memory"]["limit_bytes"] == 1 << 30
        assert "server.limit.used" in stored.telemetry(run_id).values("metric")
