"""The program under test and a private MariaDB of the release that the reference samples were taken with."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.configure import Server
from dbdyno.hosts import LocalHost
from laboratory import Laboratory
from sysbench_program import PACKAGE_SCRIPTS, Program, program_under_test, real_sysbench

SCHEMA = "sbtest"
CARELESS = {"innodb_flush_method": "nosync", "innodb_flush_log_at_trx_commit": "0"}
"""These tests make and drop hundreds of tables, and no server of theirs comes back after a crash of the machine."""


@pytest.fixture(scope="session")
def program() -> Iterator[Program]:
    folder = Path(tempfile.mkdtemp(prefix="dbdyno-sysbench-", dir="/tmp"))
    found = program_under_test(folder)
    if found is None:
        pytest.skip("dbdyno-load is not built: make setup")
    yield found
    LocalHost().remove_tree(folder)


@pytest.fixture(scope="session")
def sysbench() -> Program:
    """The original."""
    found = real_sysbench()
    if found is None:
        pytest.skip("needs the reference: apt-get install sysbench")
    return found


@pytest.fixture(scope="session")
def package_scripts() -> Path:
    """The scripts of Debian's sysbench, which are not ours to carry."""
    if not PACKAGE_SCRIPTS.exists():
        pytest.skip("needs the scripts of the reference: apt-get install sysbench")
    return PACKAGE_SCRIPTS


@pytest.fixture(scope="session")
def mariadb(laboratory: Laboratory) -> Iterator[Server]:
    """A server with an empty schema sbtest."""
    running = laboratory.start("mariadb:10.11", route="loopback", raw=CARELESS)
    with running.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {SCHEMA}")
        for source in ("localhost", "127.0.0.1"):
            cursor.execute(f"GRANT ALL ON {SCHEMA}.* TO '{running.endpoint.user}'@'{source}'")
    yield running
    running.kill()


@pytest.fixture(scope="session")
def mysql(laboratory: Laboratory) -> Iterator[Server]:
    """A server of the other family."""
    running = laboratory.start("mysql:9.7", route="loopback", raw=CARELESS)
    yield running
    running.kill()
