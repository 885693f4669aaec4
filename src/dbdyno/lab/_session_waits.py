"""Follows a run second by second, and asks the server what its sessions wait for when no transaction ends.

A second without a transaction is a stall, and a stall is no reason to ask: the question would be load, too.
So the server is asked in a phase that has not had one transaction yet: after five seconds of it, and in its last one.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import pymysql

from dbdyno.connections import number_of, rows_of
from dbdyno.core import DbdynoError, Run, counted
from dbdyno.lab import _events as events
from dbdyno.measure import LoadOrder
from dbdyno.stats import Course
from dbdyno.store import JsonValue, SecondRow

if TYPE_CHECKING:
    from pymysql.connections import Connection

_QUIET_S = 5
_ASK_S = 10.0
_STATEMENT_WORDS = 3
_KINDS_SHOWN = 3
_IDLE = frozenset({"sleep", "daemon", "binlog dump", "event_scheduler"})
_LOCK_WAITS = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"


class SessionSource(Protocol):
    """Describes a server that reports what its sessions do."""

    def session_waits(self) -> Mapping[str, JsonValue]:
        """See `read_session_waits`."""


@dataclass(slots=True)
class SecondReporter:
    """Reports the seconds of one run."""

    run: Run
    order: LoadOrder
    on_event: events.OnEvent
    course: Course | None = None

    def follow(self, course: Course) -> None:
        """Take in what the run has come to."""
        self.course = course

    def take(self, row: SecondRow) -> None:
        """Report a second: its number within its phase, and the phase's length, or its longest if that is open."""
        first_second, count = self._phase_span(row.phase)
        self.on_event(
            events.SecondMeasured(
                self.run,
                row.phase,
                row.second - first_second + 1,
                count,
                row.tps,
                row.p95_ns,
                row.errors or 0,
                row.client_use_share,
                self.course,
                row.qps,
                row.connections_live,
            )
        )

    def _phase_span(self, phase: str) -> tuple[int, int]:
        if self.order.study.pacing.search is not None:
            return 0, 0
        if phase != "window":
            return 0, self.order.first_window_second
        warm_up_s = None if self.course is None else self.course.warm_up_s
        return self.order.first_window_second if warm_up_s is None else warm_up_s, self.order.window_seconds


@dataclass(slots=True)
class SessionWatch:
    """Follows the seconds of one run, and asks its server where there is no transaction.

    Parameters
    ----------
    reporter : receives each second first
    """

    order: LoadOrder
    server: SessionSource
    reporter: SecondReporter
    samples: list[JsonValue] = field(default_factory=list)
    _phase: str = ""
    _seconds: int = 0
    _has_transactions: bool = False

    def take(self, row: SecondRow) -> None:
        """Take a second in."""
        self.reporter.take(row)
        if row.phase != self._phase:
            self._phase, self._seconds, self._has_transactions = row.phase, 0, False
        self._seconds += 1
        self._has_transactions |= row.tps > 0
        if not self._has_transactions and self._seconds in (_QUIET_S, self._last_second()):
            self._sample_waits(row.second)

    def words(self) -> str:
        """Say what the sessions waited for in the last sample; empty where there was none, or no answer."""
        answers = [sample for sample in self.samples if isinstance(sample, Mapping) and sample.get("sessions")]
        return waits_words(answers[-1]) if answers else ""

    def _last_second(self) -> int:
        return self.order.window_seconds if self._phase == "window" else self.order.first_window_second

    def _sample_waits(self, second: int) -> None:
        """Ask in a separate thread: a server that does not answer must not hold up the records of the load."""
        answers: list[Mapping[str, JsonValue]] = []

        def ask() -> None:
            try:
                answers.append(self.server.session_waits())
            except (DbdynoError, pymysql.MySQLError, OSError) as error:
                answers.append({"lacks": str(error).splitlines()[0]})

        thread = threading.Thread(target=ask, name="session-waits", daemon=True)
        thread.start()
        thread.join(_ASK_S)
        answer = answers[0] if answers else {"lacks": f"the server did not answer within {_ASK_S:g} s"}
        self.samples.append({"second": second, "phase": self._phase, **answer})


def read_session_waits(connection: Connection[Any]) -> dict[str, JsonValue]:
    """Read what the sessions of a server do now, and how many transactions of InnoDB wait for a lock.

    `lock_waits` is None where the account may not ask for it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT CONNECTION_ID()")
        own_id = next((row[0] for row in rows_of(cursor, 1)), None)
        cursor.execute("SHOW FULL PROCESSLIST")
        # Id, User, Host, db, Command, Time, State, Info; MariaDB adds Progress.
        rows = [row for row in rows_of(cursor, 8) if row[0] != own_id and str(row[4]).lower() not in _IDLE]
        lock_waits: int | None = None
        with contextlib.suppress(pymysql.MySQLError):
            cursor.execute(_LOCK_WAITS)
            lock_waits = next((int(number_of(row[0])) for row in rows_of(cursor, 1)), None)
    return {"sessions": [{**kind} for kind in alike(rows)], "lock_waits": lock_waits}


def alike(rows: Iterable[Sequence[Any]]) -> list[dict[str, str | int]]:
    """Return rows of the process list by state and by how their statement begins, the commonest first.

    >>> alike([(7, "u", "h", "d", "Execute", 40, "Updating", "UPDATE sbtest1 SET k=k+1 WHERE id=5")] * 2)
    [{'count': 2, 'state': 'Updating', 'statement': 'UPDATE sbtest1 SET', 'longest_s': 40}]
    """
    longest: dict[tuple[str, str], int] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        command, seconds, state, text = (row[column] for column in (4, 5, 6, 7))
        kind = (str(state or command), _statement_beginning(str(text or "")))
        counts[kind] += 1
        longest[kind] = max(longest.get(kind, 0), int(number_of(seconds or 0)))
    return [
        {"count": count, "state": state, "statement": statement, "longest_s": longest[state, statement]}
        for (state, statement), count in counts.most_common()
    ]


def waits_words(sample: Mapping[str, Any]) -> str:
    """Return a sample of sessions as a sentence's end.

    >>> kinds = [{"count": 3, "state": "Updating", "statement": "UPDATE sbtest1 SET", "longest_s": 40}]
    >>> waits_words({"second": 59, "phase": "window", "sessions": kinds, "lock_waits": 3})
    'in second 60 3 sessions in "Updating" (UPDATE sbtest1 SET, for up to 40 s); 3 InnoDB transactions waited for locks'
    """
    kinds = [
        f'{counted(kind["count"], "session")} in "{kind["state"]}" '
        f"({kind['statement'] or 'no statement'}, for up to {kind['longest_s']} s)"
        for kind in sample["sessions"][:_KINDS_SHOWN]
    ]
    locks = sample.get("lock_waits")
    words = f"in second {sample['second'] + 1} {', '.join(kinds)}"
    return words + (f"; {counted(locks, 'InnoDB transaction')} waited for locks" if locks else "")


def _statement_beginning(text: str) -> str:
    """Return the first words of a statement, without the values in it."""
    words = re.sub(r"/\*.*?\*/", " ", text).split()[:_STATEMENT_WORDS]
    return re.sub(r"'[^']*'?|\b\d+\b", "?", " ".join(words))[:60]
