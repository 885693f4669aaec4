"""Every option that a study can have written, live: accepted, read back, and no word of diagnostic in the log.

The options follow from the tables: each parameter with each word it can have, and numbers at both ends of what is
cheap. Many go into one start. MariaDB 11.8 (MyRocks, too), MySQL 9.7, 8.0 and 5.7 are always tried, the other engines
where DBDYNO_TEST_CATALOGUE=1 is set.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import RequestedOptions, Server, ServerBuild, ServerSize, choose_settings
from dbdyno.core import ConfigureError, StudyError, parse_engine_name
from dbdyno.engines import OptionRow, Parameter, SettingValue, catalogue, parameters_for, vocabulary
from dbdyno.provision import sources

pytestmark = pytest.mark.server
MIB = 1 << 20
TIER = 1104 * MIB  # parts of a pool exist from 1 GiB on
ALWAYS = ("mariadb:11.8", "mariadb:11.8+rocksdb", "mysql:9.7", "mysql:8.0@maven", "mysql:5.7@maven")
PACKAGED = ("mariadb:10.5", "mariadb:10.5+rocksdb", "mariadb:10.11", "mariadb:10.11+rocksdb")
REST = tuple(entry.engine for entry in catalogue() if entry.version not in ("5.7.22", "8.0.31"))
ENGINES = (*ALWAYS, *PACKAGED, *REST)
CLIENTS = {"maven": "mvn", "npm": "npm"}
CHEAP_MAX = {"bytes": 256 * MIB, "count": 4096, "pages": 4096, "percent": 99, "seconds": 2700, "microseconds": 100_000}
# Values whose bounds are set by the machine, by other values, or by nothing.
CHOSEN: Mapping[str, tuple[SettingValue, ...]] = {
    "charset.server": ("utf8mb4",),
    "charset.collation": ("utf8mb4_bin", "utf8mb4_unicode_ci"),
    "session.sql_mode": ("STRICT_ALL_TABLES", "NO_ENGINE_SUBSTITUTION"),
    "server.open_files_limit": (12_000, 16_000),
    "server.table_open_cache": (800, 4000),
    "server.max_connections": (64, 400),
    "redo.capacity": (64 * MIB, 512 * MIB),
    "memory.write_buffers": (16 * MIB, 256 * MIB),
    "memory.buffer_pool_instances": (4, 2),
    "server.table_open_cache_instances": (1, 8),
    "flush.page_cleaners": (1, 8),
    "flush.lru_scan_depth": (1024, 16_384),
    "server.thread_cache": (0, 64),
    "redo.files": (2, 4),
}
# What takes effect on some machines or in some builds only: the read-back names it, and the rest is tried without.
OF_THE_MACHINE = {
    ("redo.file_buffering", "OFF"): "MariaDB must know the block size of the device",
    ("memory.numa_interleave", "ON"): "the build must have NUMA support",
}
OF_THE_BUILD = {("5.5.9", "io.native_aio", "ON"): "the server of this archive was built without libaio"}
# What the server says of an option that it does not take as it is. That an option is on its way out is no such word.
_COMPLAINT = re.compile(
    r"ignoring option|ignored|adjusted|unknown variable|unknown option|invalid value|not effect", re.I
)
Start = Callable[..., Server]
Wanted = tuple[str, SettingValue]


def available(engine: str, laboratory: Any) -> str:
    name = parse_engine_name(engine)
    kind = name.source_kind
    here = {offer.location for offer in sources()[kind].offers(laboratory.host, laboratory.home)} if kind else set()
    if engine not in ALWAYS and not os.environ.get("DBDYNO_TEST_CATALOGUE"):
        pytest.skip("large: tried where DBDYNO_TEST_CATALOGUE=1 is set")
    if kind in CLIENTS and name.source_place not in here and shutil.which(CLIENTS[kind]) is None and not here:
        pytest.skip(f"{CLIENTS[kind]} is not on this machine")
    return engine


def numbers(parameter: Parameter, row: OptionRow) -> tuple[SettingValue, ...]:
    """Both ends of what is cheap, as multiples of what the option can hold."""
    assert parameter.least is not None and parameter.most is not None
    top = min(parameter.most, CHEAP_MAX[parameter.unit], row.most if row.most is not None else parameter.most)
    unit = row.step
    return tuple(
        dict.fromkeys(int(-(-value // unit) * unit) for value in (parameter.least, max(top // 4, parameter.least)))
    )


def wanted(engine: str, family: str, version: str) -> list[Wanted]:
    """Each parameter that the server has an option for, with each value to try."""
    found: dict[Wanted, None] = {}
    storage_engine = parse_engine_name(engine).storage_engine
    for parameter in parameters_for(storage_engine):
        name = parameter.parameter_id
        if name not in vocabulary():
            continue
        for row in parameter.rows_of(family, version):
            values: tuple[SettingValue, ...] = tuple(value for value in parameter.values if row.can_be(value))
            if not parameter.values:
                values = CHOSEN[name] if name in CHOSEN else numbers(parameter, row)
            found |= dict.fromkeys((name, value) for value in values)
    return list(found)


def batches(
    all_wanted: list[Wanted], family: str, version: str, storage_engine: str
) -> Iterator[dict[str, SettingValue]]:
    """As few starts as hold everything: each takes what can be had beside the rest of it."""
    pending = list(all_wanted)
    while pending:
        batch: dict[str, SettingValue] = {}
        left = []
        for name, value in pending:
            needs = vocabulary()[name][0].needs
            beside = {other: words[0] for other, words in needs.items() if batch.get(other) not in words}
            rows = (row for parameter in vocabulary()[name] for row in parameter.rows_of(family, version))
            partners = {row.needs_positive for row in rows if row.needs_positive and value}
            beside |= {other: 50 for other in partners if not batch.get(other)}
            trial = {**batch, **beside, name: value}
            if name in batch or set(beside) & set(batch) or not possible(trial, family, version, storage_engine):
                left.append((name, value))
            else:
                batch = trial
        done = {(name, value) for name, value in batch.items()}
        assert len(left) < len(pending), f"can't be had beside anything: {left}"
        pending = [one for one in left if one not in done]
        yield batch


def possible(asked: dict[str, SettingValue], family: str, version: str, storage_engine: str) -> bool:
    try:
        choose_settings(ServerBuild(family, version, storage_engine), ServerSize(TIER, 16), RequestedOptions(asked))
    except StudyError:
        return False
    return True


def may_be_refused(version: str) -> set[Wanted]:
    """Values that the machine or this build may not have."""
    return {*OF_THE_MACHINE, *((name, value) for of, name, value in OF_THE_BUILD if of == version)}


def diagnostics(server: Server) -> list[str]:
    settings = [s for s in server.settings if s.source == "settings" and not s.option.startswith("loose_")]
    options = {s.option.replace("_", "-") for s in settings}
    lines = [line for line in server.log_tail(2000).splitlines() if _COMPLAINT.search(line) and "' entry '" not in line]
    return [line for line in lines if any(option in line.replace("_", "-") for option in options)]


@pytest.fixture(scope="module")
def kept() -> dict[str, Path]:
    """Data directories by engine, for starts that are refused or ask for nothing of the data."""
    return {}


@pytest.fixture
def data(engine: str, kept: dict[str, Path], laboratory: Any) -> Path:
    """One for all such starts of an engine: a copy for each would be gigabytes. To be asked for before `start`."""
    if engine not in kept:
        kept[engine] = laboratory.data_directory(engine)
    return kept[engine]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.partition(":maven:")[0].replace("@", "-"))
def test_every_option_that_can_be_written_is_accepted_and_effective(engine: str, start: Start, laboratory: Any) -> None:
    installation = laboratory.installation(available(engine, laboratory))
    family, version = installation.family, installation.version
    storage_engine = parse_engine_name(engine).storage_engine
    all_wanted = wanted(engine, family, version)
    wrong: list[str] = []
    seen: set[Wanted] = set()
    for batch in batches(all_wanted, family, version, storage_engine):
        while True:
            try:
                server = start(engine, tier=TIER, asked=batch)
            except ConfigureError as error:
                blamed = [name for name in batch if f"set by the study: {name} = " in error.why]
                if not (blamed and (blamed[0], batch[blamed[0]]) in may_be_refused(version)):
                    wrong.append(f"{error.what}: {error.why.splitlines()[0] if error.why else ''}")
                if not blamed:
                    pytest.fail("\n".join([*wrong, error.why[-2000:]]))
                batch = {name: value for name, value in batch.items() if name != blamed[0]}
            else:
                break
        settings = [s for s in server.settings if s.source == "settings" and not s.option.startswith("loose_")]
        assert all(s.effective is not None for s in settings), settings
        wrong += diagnostics(server)
        seen |= set(batch.items())
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE dbdyno_t")
            cursor.execute(f"CREATE TABLE dbdyno_t.t (id INT PRIMARY KEY, c CHAR(120)) ENGINE={storage_engine}")
            cursor.execute("INSERT INTO dbdyno_t.t VALUES (7, 'seven')")
            connection.commit()
        assert server.stop() < 120
    print(f"{engine} {version}: {len(seen)} values of {len({name for name, _ in seen})} parameters")
    assert not wrong, "\n".join(wrong)
    assert set(all_wanted) - may_be_refused(version) <= seen, set(all_wanted) - seen


@pytest.mark.parametrize("engine", ["mariadb:11.8", "mysql:9.7", "mysql:5.7@maven"])
def test_a_bare_option_of_a_tuned_file_is_on_and_a_log_lies_with_the_server(engine: str, start: Start) -> None:
    options = {"slow_query_log": None, "innodb_file_per_table": None, "server_id": "7", "log_bin": "/var/lib/mysql/bin"}
    server = start(engine, policy="tuned", file_options=options)
    shown = {s.option: s.effective for s in server.settings if s.source == "file"}
    assert shown == dict.fromkeys(options, "ON") | {"server_id": "7"}
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL VARIABLES WHERE Variable_name IN ('datadir', 'log_bin_basename')")
        places = dict(cursor.fetchall())
    assert places["log_bin_basename"] == f"{places['datadir']}bin"


@pytest.mark.parametrize("engine", ALWAYS)
@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"innodb_io_capacty": "500"}, "refused the option"),
        ({"innodb_doublewrite": "perhaps"}, "the option"),
        ({"transaction_isolation": "SOMETIMES"}, "refused the option"),
        ({"innodb_purge_threads": "99"}, "did not take effect"),
        ({"sort_buffer_size": "much"}, "the option"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_name_or_value_is_named(engine: str, raw: dict[str, str], said: str, data: Path, start: Start) -> None:
    with pytest.raises(ConfigureError) as caught:
        start(engine, data, raw=raw)
    assert next(iter(raw)) in caught.value.what and said in caught.value.what and caught.value.remedy


@pytest.mark.parametrize("engine", ALWAYS)
def test_an_option_of_another_server_is_named_or_has_its_effect(
    engine: str, data: Path, start: Start, laboratory: Any
) -> None:
    """Most are refused from the tables; the server itself is asked of the rest."""
    installation = laboratory.installation(engine)
    family, version, storage_engine = (
        installation.family,
        installation.version,
        parse_engine_name(engine).storage_engine,
    )
    everywhere = {row.name for parameter in parameters_for(storage_engine) for row in parameter.rows}
    own = {row.name for parameter in parameters_for(storage_engine) for row in parameter.rows_of(family, version)}
    told = 0
    for option in sorted(everywhere - own):
        value = "TLSv1.2" if option == "tls_version" else "O_DIRECT" if option == "innodb_flush_method" else "1"
        value = "67108864" if option == "innodb_buffer_pool_chunk_size" else value
        try:
            server = start(engine, data, raw={option: value})
        except (StudyError, ConfigureError) as error:
            assert option.removeprefix("loose_") in error.what.replace("-", "_"), error
            told += 1
        else:
            setting = next(s for s in server.settings if s.option == option)
            assert option.startswith(("loose_", "skip_")) or setting.effective is not None, option
            server.kill()
    assert told >= 3
