"""Every engine of the catalogue, live: initialised, configured as the others, restarted, asked what it made of it.

MySQL 5.7 and 8.0 are small and always tried; the rest where DBDYNO_TEST_CATALOGUE=1 is set. The registry's own client
(mvn, npm) must be on the machine, or the engine be here already.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymysql
import pytest

from dbdyno.configure import Server, copy_data_directory
from dbdyno.core import parse_engine_name
from dbdyno.engines import CatalogueEntry, catalogue
from dbdyno.provision import provision, sources

pytestmark = pytest.mark.server
MIB = 1 << 20
ALWAYS = ("5.7.22", "8.0.31")
CLIENTS = {"maven": "mvn", "npm": "npm"}
_COMPLAINT = re.compile(r"ignoring option|adjusted|unknown variable|invalid value|deprecated", re.IGNORECASE)
Start = Callable[..., Server]


def _available(entry: CatalogueEntry, laboratory: Any) -> str:
    kind, _, place = entry.source.partition(":")
    if entry.version not in ALWAYS and not os.environ.get("DBDYNO_TEST_CATALOGUE"):
        pytest.skip("large: tried where DBDYNO_TEST_CATALOGUE=1 is set")
    here = sources()[kind].offers(laboratory.host, laboratory.home)
    if place not in {offer.location for offer in here} and shutil.which(CLIENTS[kind]) is None:
        pytest.skip(f"{CLIENTS[kind]} is not on this machine")
    return entry.engine


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: f"{entry.family}-{entry.version}")
@pytest.mark.parametrize(("tier", "route"), [(64 * MIB, "socket"), (1104 * MIB, "loopback")])
def test_every_setting_is_accepted_and_takes_effect(
    entry: CatalogueEntry, tier: int, route: str, start: Start, laboratory: Any
) -> None:
    server = start(_available(entry, laboratory), tier=tier, route=route)
    assert server.installation.version == entry.version
    assert len(server.settings) > 25
    assert all(setting.effective is not None for setting in server.settings)
    options = {setting.option.replace("_", "-") for setting in server.settings}
    diagnostics = [line for line in server.log_tail(1000).splitlines() if _COMPLAINT.search(line)]
    assert not [line for line in diagnostics if any(option in line.replace("_", "-") for option in options)], (
        diagnostics
    )
    for user in ("root", ""):
        with pytest.raises(pymysql.MySQLError):
            pymysql.connect(user=user, password="", unix_socket=str(server._launch.admin_socket))
    assert server.stop() < 60 and server.exit_reason() == "exit code 0"


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: f"{entry.family}-{entry.version}")
def test_a_copy_of_its_data_directory_starts_with_the_rows(
    entry: CatalogueEntry, start: Start, laboratory: Any
) -> None:
    engine = _available(entry, laboratory)
    server = start(engine)
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE dbdyno_t")
        cursor.execute("CREATE TABLE dbdyno_t.t (id INT PRIMARY KEY) ENGINE=InnoDB")
        cursor.execute("INSERT INTO dbdyno_t.t VALUES (7)")
        cursor.execute("SHOW DATABASES LIKE 'test'")
        assert not cursor.fetchall()
    server.stop()
    assert server.data_directory is not None
    copy = laboratory.folder() / "data"
    copy_data_directory(server.data_directory, copy, laboratory.host)
    again = start(engine, copy, route="loopback")
    with again.connect(as_load_user=True) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id FROM dbdyno_t.t")
        assert cursor.fetchall() == ((7,),)


def test_an_unpacked_engine_serves_as_a_base_directory_and_as_nothing_else(start: Start, laboratory: Any) -> None:
    entry = next(e for e in catalogue() if e.version == "5.7.22")
    unpacked = laboratory.installation(_available(entry, laboratory))
    found = provision(parse_engine_name(f"mysql@basedir:{unpacked.base_directory}"), laboratory.host, laboratory.home)
    assert (found.version, found.share_directory) == (unpacked.version, unpacked.share_directory)
    assert Path(found.server_argv[-1]) == Path(unpacked.server_argv[-1])
    assert start(f"mysql:5.7@basedir:{unpacked.base_directory}").is_alive()
