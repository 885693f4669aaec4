"""Learns where the threads of a server wait, by provoking each wait once on a server of the same build.

Builds such as Debian's MariaDB hide the names of InnoDB's functions. A session that waits for a row lock there shows
return addresses only. They are the same whenever the same build waits for a row lock, so they are learned once and kept
in the home folder. What is learned is used to name waits and for nothing else.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pymysql

from dbdyno.connections import ServerConnection
from dbdyno.core import DbdynoError, Home, MeasureError
from dbdyno.hosts import Host
from dbdyno.lab._server import LabServer
from dbdyno.lab._session import own_process
from dbdyno.measure.telemetry import SessionThreads, ThreadsPlace, WaitStack
from dbdyno.store import JsonValue

_METHOD_VERSION = 5
"""Raise it with every change of how stacks are followed or counted: what was learned before is then learned anew."""
LEARNING_REDO_BYTES = 8 << 20
_SCHEMA = "dbdyno_wait_sites"
_WRITERS = 6
_LONG_ROWS = 200
_PROVOKED_S = 1.2
_IDLE_S = 0.15
_LOOKS_HZ = 200
_INNERMOST = 3
"""Frames of a stack that show what it waits for; those further out are statements, which wait for many things."""
_LEAST_SHARE = 0.1
"""Of the waits seen: a rarer one is a side effect."""


@dataclass(frozen=True, slots=True)
class Provocation:
    """Makes sessions wait for one thing.

    Parameters
    ----------
    wait_class : the id under which ``dbdyno-load`` counts it
    provoke : given the sessions, waits or makes them wait until the time is over
    through : latches count, too, if this function led to them; empty: none
    is_certain : sessions wait in any case; others may find that there is nothing to wait for
    """

    wait_class: str
    provoke: Callable[[Sequence[ServerConnection]], None]
    through: str = ""
    is_certain: bool = False


def wait_sites(
    facts: Mapping[str, object],
    storage_engine: str,
    home: Home,
    host: Host,
    learn: Callable[[], list[JsonValue] | None],
) -> Path | None:
    """Return the file of a build's wait sites; it is made by `learn` unless it is there. None: that failed.

    Parameters
    ----------
    facts : of the installation: what distinguishes one build from another
    """
    key = hashlib.sha256(json.dumps([_METHOD_VERSION, storage_engine, facts], sort_keys=True).encode()).hexdigest()[:20]
    path = home.root / "wait-sites" / f"{key}.json"
    if host.files.stat(path) is None:
        sites = learn()
        if sites is None:
            return None
        host.make_directory(path.parent)
        host.files.write(path, json.dumps(sites).encode(), mode=0o644)
    return path


def learned_sites(server: LabServer, storage_engine: str, host: Host, generator: Path) -> list[JsonValue]:
    """Provoke each wait on a private server and return the return addresses that lead to it alone.

    Raises
    ------
    DbdynoError, pymysql.MySQLError : the server does not do what it is asked, or its threads can't be watched
    """
    stacks_by_class: dict[str, Sequence[WaitStack]] = {}
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {_SCHEMA}")
        columns = "id INT PRIMARY KEY, v INT NOT NULL, filler VARCHAR(4000) NOT NULL"
        for table, count in (("t", _WRITERS), ("long_rows", _WRITERS * _LONG_ROWS)):
            cursor.execute(f"CREATE TABLE {_SCHEMA}.{table} ({columns}) CHARACTER SET latin1 ENGINE = {storage_engine}")
            rows = ", ".join(f"({number}, 0, '')" for number in range(count))
            cursor.execute(f"INSERT INTO {_SCHEMA}.{table} VALUES {rows}")
            connection.commit()
    for provocation in PROVOCATIONS:
        stacks = _provoked_stacks(provocation, server, host, generator)
        if not stacks and provocation.is_certain:
            raise MeasureError(f"no session was seen waiting, though {provocation.wait_class} was provoked")
        stacks_by_class[provocation.wait_class] = _distinctive_stacks(provocation, stacks)
    return sites_of(stacks_by_class)


def sites_of(seen: Mapping[str, Sequence[WaitStack]]) -> list[JsonValue]:
    """Return the innermost return addresses of each class of waits that no class before it has.

    Parameters
    ----------
    seen : class -> stacks, in the order in which they were provoked: what is provoked first is provoked alone

    >>> from dbdyno.measure.telemetry import StackFrame
    >>> stack = lambda *addresses: WaitStack(9, False, False, tuple(StackFrame("f", "b", a, None) for a in addresses))
    >>> sites = sites_of({"row_lock": [stack(1, 2, 9)], "redo_flush": [stack(1, 3, 9), stack(2, 4, 9)]})
    >>> [(site["address"], site["class"]) for site in sites]
    [(1, 'row_lock'), (2, 'row_lock'), (9, 'row_lock'), (3, 'redo_flush'), (4, 'redo_flush')]
    """
    sites: list[JsonValue] = []
    known_sites: set[tuple[str, int]] = set()
    for wait_class, stacks in seen.items():
        class_sites = _innermost_addresses(stacks) - known_sites
        known_sites |= class_sites
        sites += [
            {"build_id": build_id, "address": address, "class": wait_class} for build_id, address in sorted(class_sites)
        ]
    return sites


def _innermost_addresses(stacks: Sequence[WaitStack]) -> set[tuple[str, int]]:
    frames = (frame for stack in stacks for frame in stack.frames[:_INNERMOST])
    return {(frame.build_id, frame.address) for frame in frames if frame.build_id}


def _distinctive_stacks(provocation: Provocation, stacks: Sequence[WaitStack]) -> list[WaitStack]:
    """Return the frequent stacks that nothing else names."""
    required_function = provocation.through
    unnamed_stacks = [
        stack
        for stack in stacks
        if not stack.is_named
        and (
            not stack.is_latch
            or (required_function and any(required_function in (frame.function or "") for frame in stack.frames))
        )
    ]
    samples_min = _LEAST_SHARE * sum(stack.samples for stack in stacks)
    return [stack for stack in unnamed_stacks if stack.samples >= samples_min]


def _provoked_stacks(provocation: Provocation, server: LabServer, host: Host, generator: Path) -> Sequence[WaitStack]:
    """Return the stacks that our own sessions waited with."""
    pid = server.pid
    if pid is None:
        return []
    with ExitStack() as stack:
        sessions = [stack.enter_context(server.connect()) for _ in range(_WRITERS)]
        for session in sessions:
            session.autocommit(True)
        threads = SessionThreads(ThreadsPlace(host, generator, pid, rate_hz=_LOOKS_HZ))
        threads.start(time.monotonic_ns() + int(_IDLE_S * 1e9), own_process(host)[0])
        time.sleep(_IDLE_S)
        provocation.provoke(sessions)
        threads.stop(0)
        return threads.stacks()


def _wait_for_row(sessions: Sequence[ServerConnection]) -> None:
    """Make all sessions but one wait for a row that this one holds."""
    holder, *waiters = sessions
    _execute(holder, f"SELECT v FROM {_SCHEMA}.t WHERE id = 0 FOR UPDATE", begin=True)
    update = f"UPDATE {_SCHEMA}.t SET v = v + 1 WHERE id = 0"
    threads = [threading.Thread(target=_execute, args=(waiter, update), daemon=True) for waiter in waiters]
    for thread in threads:
        thread.start()
    time.sleep(_PROVOKED_S)
    holder.rollback()
    for thread in threads:
        thread.join()


def _commit(sessions: Sequence[ServerConnection]) -> None:
    """Commit in each session changes of a row that no other changes."""
    deadline = time.monotonic() + _PROVOKED_S

    def change(session: ServerConnection, row: int) -> None:
        while time.monotonic() < deadline:
            _execute(session, f"UPDATE {_SCHEMA}.t SET v = v + 1 WHERE id = {row}")

    _run_in_parallel(change, sessions)


def _fill_the_log(sessions: Sequence[ServerConnection]) -> None:
    """Write long rows in each session, until the small redo log has no room."""
    deadline = time.monotonic() + 2 * _PROVOKED_S

    def write(session: ServerConnection, part: int) -> None:
        first_id = part * _LONG_ROWS
        while time.monotonic() < deadline:
            _execute(
                session,
                f"UPDATE {_SCHEMA}.long_rows SET v = v + 1, filler = REPEAT(CHAR(65 + v % 26), 4000) "
                f"WHERE id BETWEEN {first_id} AND {first_id + _LONG_ROWS - 1}",
            )

    _run_in_parallel(write, sessions)


def _run_in_parallel(work: Callable[[ServerConnection, int], None], sessions: Sequence[ServerConnection]) -> None:
    threads = [threading.Thread(target=work, args=(session, row), daemon=True) for row, session in enumerate(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


PROVOCATIONS = (
    Provocation("row_lock", _wait_for_row, is_certain=True),
    Provocation("redo_flush", _commit, through="ha_commit_trans"),
    Provocation("redo_space", _fill_the_log),
)
"""What is provoked on a server with a redo log of `LEARNING_REDO_BYTES`."""


def _execute(session: ServerConnection, statement: str, *, begin: bool = False) -> None:
    with suppress(pymysql.MySQLError), session.cursor() as cursor:
        if begin:
            session.begin()
        cursor.execute(statement)


def try_to_learn(
    fresh_server: Callable[[], LabServer], storage_engine: str, host: Host, generator: Path
) -> list[JsonValue] | None:
    """Learn as `learned_sites`, on a server made for it; None where that fails: waits then stay without a name."""
    try:
        server = fresh_server()
    except DbdynoError:
        return None
    try:
        return learned_sites(server, storage_engine, host, generator)
    except (DbdynoError, pymysql.MySQLError):
        return None
    finally:
        server.discard()
