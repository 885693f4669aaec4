"""Real servers: initialised, started, read back, stopped, broken."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

from dbdyno.configure import Credentials, Server, copy_data_directory, credentials_file, end_orphan
from dbdyno.core import ConfigureError, StudyError
from dbdyno.hosts import LocalHost
from error_codes import raises_code

pytestmark = pytest.mark.server
MIB = 1 << 20
ENGINES = ("mariadb:11.8", "mariadb:11.8+rocksdb", "mysql:9.7")
Start = Callable[..., Server]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("tier", "route"), [(64 * MIB, "socket"), (512 * MIB, "loopback")])
def test_every_setting_takes_effect(engine: str, tier: int, route: str, start: Start) -> None:
    server = start(engine, tier=tier, route=route, cpus=[0])
    assert len(server.settings) > 30
    assert all(setting.effective is not None for setting in server.settings)
    variables = server.variables()
    name = "rocksdb_block_cache_size" if "rocksdb" in engine else "innodb_buffer_pool_size"
    expected = tier - min(tier // 4, 256 * MIB) if "rocksdb" in engine else tier
    assert int(variables[name]) == expected
    assert variables["skip_networking"] == ("ON" if route == "socket" else "OFF")
    assert server.route == route
    with server.connect(as_load_user=True) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_t")
        cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        assert cursor.fetchall() == (("Ssl_cipher", ""),)
        with pytest.raises(pymysql.MySQLError, match="denied"):
            cursor.execute("CREATE DATABASE elsewhere")
    process = Path(f"/proc/{server.pid}")
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    assert status["Cpus_allowed_list"] == "0"
    if os.geteuid() == 0:
        assert status["Uid"].split()[0] != "0"
    assert server.stop() < 60
    assert not server.is_alive() and server.exit_reason() == "exit code 0"


@pytest.mark.parametrize("tier_mib", [60, 100, 200, 1100])
@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_a_tier_that_is_no_power_of_two_is_kept_to_one_percent(engine: str, tier_mib: int, start: Start) -> None:
    try:
        server = start(engine, tier=tier_mib * MIB)
    except ConfigureError as error:
        assert "innodb_buffer_pool_size" in error.what and "8 MiB" in error.remedy
        assert tier_mib % 8
    else:
        assert int(server.variables()["innodb_buffer_pool_size"]) <= tier_mib * MIB * 1.01


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_no_password_is_seen_anywhere_and_none_is_empty(engine: str, start: Start) -> None:
    server = start(engine, route="loopback")
    assert server.data_directory is not None
    credentials = Credentials.load(credentials_file(server.data_directory), LocalHost())
    secrets = (credentials.admin_password, credentials.load_password)
    argv = Path(f"/proc/{server.pid}/cmdline").read_text()
    environment = Path(f"/proc/{server.pid}/environ").read_text()
    for text in (argv, environment, server.option_file, server.log_tail(10_000), repr(server), repr(credentials)):
        assert not any(secret in text for secret in secrets)
    assert str(secrets) not in str(server.endpoint.order_target("dbdyno_t"))
    for user in ("root", "dbdyno", ""):
        for host in (None, "127.0.0.1"):
            with pytest.raises(pymysql.MySQLError):
                pymysql.connect(
                    user=user, password="", host=host, port=server.endpoint.port or 0,
                    unix_socket=None if host else str(server._launch.admin_socket),
                )  # fmt: skip
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT User, Host FROM mysql.user WHERE User NOT LIKE 'm%'")
        assert sorted(cursor.fetchall()) == [("dbdyno", "127.0.0.1"), ("dbdyno", "localhost"), ("root", "localhost")]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_option_that_the_server_refuses_is_named(engine: str, start: Start) -> None:
    with raises_code(ConfigureError, "option-refused", "innodb_io_capacty") as caught:
        start(engine, raw={"innodb-io-capacty": "500"})
    assert "innodb_io_capacity" in caught.value.remedy


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_a_value_that_the_server_refuses_is_named(engine: str, start: Start) -> None:
    with raises_code(ConfigureError, "option-refused", "innodb_doublewrite"):
        start(engine, raw={"innodb_doublewrite": "perhaps"})


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_a_setting_that_does_not_take_effect_is_named_with_both_values(engine: str, start: Start) -> None:
    with raises_code(ConfigureError, "setting-ineffective", "innodb_purge_threads") as caught:
        start(engine, raw={"innodb_purge_threads": "99"})
    assert "99" in caught.value.why and "32" in caught.value.why
    assert "settings of the target" in caught.value.remedy


def test_an_option_of_another_family_is_refused_before_anything_starts(start: Start) -> None:
    with pytest.raises(StudyError, match="innodb_redo_log_capacity"):
        start("mariadb:11.8", raw={"innodb_redo_log_capacity": "1G"})


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_a_port_that_is_taken_is_answered_with_another(
    engine: str, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports: Iterator[int] = iter([taken.getsockname()[1], LocalHost().free_port()])
        monkeypatch.setattr(LocalHost, "free_port", lambda host: next(ports))
        server = start(engine, route="loopback")
        assert server.endpoint.port != taken.getsockname()[1]
        assert next(ports, None) is None


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7"])
def test_a_server_that_dies_at_start_leaves_the_end_of_its_log_alone(
    engine: str, start: Start, laboratory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = laboratory.data_directory(engine)
    folders: list[Path] = []
    make = laboratory.host.make_private_directory
    monkeypatch.setattr(laboratory.host, "make_private_directory", lambda: folders.append(make()) or folders[-1])
    (data / "ibdata1").write_bytes(b"\xff" * (12 << 20))
    with pytest.raises(ConfigureError) as caught:
        start(engine, data)
    assert caught.value.code in ("assertion", "crashed", "ended")
    assert "ibdata1" in caught.value.why or "corrupt" in caught.value.why.lower()
    assert folders
    assert not [folder for folder in folders if (folder / "s" / "s.sock").exists()]


def test_a_server_that_is_killed_says_how_it_ended(start: Start) -> None:
    server = start("mysql:9.7")
    assert server.exit_reason() is None
    assert server.process is not None
    server.process.kill()
    server.process.wait(30)
    assert (server.exit_reason() or "").startswith("killed ")
    with raises_code(ConfigureError, "ended"):
        server.connect()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_stopped_data_directory_starts_again_elsewhere_with_its_data(
    engine: str, start: Start, laboratory: Any
) -> None:
    server = start(engine)
    table = f"dbdyno_t.t (id INT PRIMARY KEY) ENGINE={'RocksDB' if 'rocksdb' in engine else 'InnoDB'}"
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_t")
        cursor.execute(f"CREATE TABLE {table}")
        cursor.execute("INSERT INTO dbdyno_t.t VALUES (7)")
    server.stop()
    assert server.data_directory is not None
    copy = laboratory.folder() / "data"
    assert copy_data_directory(server.data_directory, copy, laboratory.host) in ("copy", "reflink")
    again = start(engine, copy, tier=512 * MIB, route="loopback")
    with again.connect(as_load_user=True) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id FROM dbdyno_t.t")
        assert cursor.fetchall() == ((7,),)


def test_what_a_killed_run_leaves_is_ended_and_only_that(start: Start, laboratory: Any) -> None:
    server, other = start("mariadb:11.8"), start("mariadb:11.8")
    assert server.data_directory is not None and server._launch is not None
    private = server._launch.private_directory
    run_directory = server.data_directory.parent / "run"
    assert f"process {server.pid}" in end_orphan(run_directory, laboratory.host)
    assert not server.is_alive() and other.is_alive()
    assert not private.exists()
    assert end_orphan(run_directory, laboratory.host) == ""
