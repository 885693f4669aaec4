"""Asks the load generator whether tables are consistent, and what a server returns for events that others get, too."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dbdyno.core import DecodeError, Fingerprint, HostError, PopulateError, decode, format_duration, json_value
from dbdyno.hosts import Completed, Host, ProcessWatch
from dbdyno.populate._dataset import Dataset, DatasetOrder
from dbdyno.populate._records import ConditionAnswer, TableSpace, TableSums, bad_record_error, record_row
from dbdyno.populate._server import FillServer, ServerCheck, exit_words
from dbdyno.store import JsonValue
from dbdyno.study import (
    NO_FOLDERS,
    Study,
    Timeouts,
    WorkloadChoice,
    WorkloadFolders,
    option_words,
    placed_workload,
)

Moment = Literal["load", "run"]
"""What was done to the tables last: filled, or worked on."""
_EXIT_S = 10.0
_KILL_WAIT_S = 2.0
_FLAGS = ("socket", "host", "port", "user", "password_file", "database", "tls", "tls_ca_file")
_FIRST_WORD_S = 5.0
_NEXT_WORD_S = 30.0


@dataclass(frozen=True, slots=True)
class ConditionAsked:
    """Describes a condition that was sent to the server."""

    name: str
    meaning: str
    limit_ns: int


@dataclass(frozen=True, slots=True)
class ConditionWait:
    """Describes a condition that the server has not answered for a while.

    Parameters
    ----------
    waited_ns, limit_ns : since it was asked; after which it is undecided
    """

    name: str
    meaning: str
    waited_ns: int
    limit_ns: int


@dataclass(frozen=True, slots=True)
class Verified:
    """Describes whether the tables of a dataset are consistent, and what they take."""

    answers: tuple[ConditionAnswer, ...] = ()
    space: tuple[TableSpace, ...] = ()

    @property
    def undecided(self) -> tuple[ConditionAnswer, ...]:
        """Return what the server did not answer in time."""
        return tuple(answer for answer in self.answers if answer.status == "undecided")


@dataclass(frozen=True, slots=True)
class _SpaceRecord:
    tables: tuple[TableSpace, ...]


@dataclass(frozen=True, slots=True)
class _EndRecord:
    status: str
    failure_kind: str | None = None


def verify(
    order: DatasetOrder,
    server: FillServer,
    moment: Moment,
    on_wait: Callable[[ConditionWait], None] = lambda _: None,
) -> Verified:
    """Ask every condition of a dataset that has some, and what its tables take.

    Parameters
    ----------
    on_wait : receives a condition that is not answered for a while

    Raises
    ------
    PopulateError : they could not be asked, or the server hangs
    """
    dataset, target = order.dataset, server.order_target(order.dataset.schema)
    words = verify_words(dataset, target, order.storage_engine, moment, order.timeouts)
    reader = _Reader(on_wait)
    try:
        exit_result = reader.read(order.host, [str(order.generator), *words], ServerCheck(server))
    except HostError as error:
        raise PopulateError(f"{dataset.title} could not be verified", str(error)) from error
    end_record = reader.end
    if end_record is None or end_record.status not in ("consistent", "inconsistent", "undecided"):
        fault = end_record.failure_kind or "" if end_record else ""
        why = exit_words(server) or exit_result.stderr.strip()[-2000:] or f"exit code {exit_result.exit_code}"
        raise PopulateError(f"{dataset.title} could not be verified", why, fault=fault, code="unverified")
    return Verified(tuple(reader.answers), reader.space)


@dataclass
class _Reader:
    """Follows the load generator: which conditions are asked, and what became of them."""

    on_wait: Callable[[ConditionWait], None]
    answers: list[ConditionAnswer] = field(default_factory=list)
    space: tuple[TableSpace, ...] = ()
    end: _EndRecord | None = None
    asked: dict[str, tuple[ConditionAsked, float]] = field(default_factory=dict)
    due: float = 0.0

    def read(self, host: Host, argv: Sequence[str], look: ServerCheck) -> Completed:
        """Return all of its records; the server and the load generator are looked at meanwhile."""
        process = host.spawn_piped(argv, stdin=b"")
        watch = ProcessWatch(host.files.read_bytes, process.pid, process.start_ticks)

        def tick() -> None:
            halt_words = watch.verdict()
            if halt_words is not None:
                raise PopulateError(f"the load generator {halt_words}")
            look()
            self.report_wait()

        try:
            for line in process.lines(tick):
                self.take(record_row(line), line)
                look.answered()
            return process.wait(_EXIT_S)
        except BaseException:
            process.kill()
            with contextlib.suppress(HostError):
                process.wait(_KILL_WAIT_S)
            raise

    def take(self, row: Mapping[str, Any], line: str) -> None:
        """Take a record; skip kinds that mean nothing here."""
        try:
            match row["record"]:
                case "condition-asked":
                    condition = decode(ConditionAsked, row)
                    self.asked[condition.name] = condition, time.monotonic()
                    self.due = self.due or time.monotonic() + _FIRST_WORD_S
                case "condition":
                    answer = decode(ConditionAnswer, row)
                    self.answers.append(answer)
                    self.asked.pop(answer.name, None)
                case "space":
                    self.space = decode(_SpaceRecord, row).tables
                case "verify-end":
                    self.end = decode(_EndRecord, row)
                case _:
                    pass
        except DecodeError as error:
            raise bad_record_error(line, error) from error

    def report_wait(self) -> None:
        """Report the condition that is waited for longest, now and then."""
        now_s = time.monotonic()
        waiting = [
            (condition, now_s - since_s)
            for condition, since_s in self.asked.values()
            if now_s - since_s >= _FIRST_WORD_S
        ]
        if waiting and now_s >= self.due:
            self.due = now_s + _NEXT_WORD_S
            condition, waited_s = max(waiting, key=lambda pair: pair[1])
            self.on_wait(ConditionWait(condition.name, condition.meaning, round(waited_s * 1e9), condition.limit_ns))


def verify_words(
    dataset: Dataset,
    target: Mapping[str, JsonValue],
    storage_engine: str,
    moment: Moment,
    timeouts: Timeouts | None = None,
) -> list[str]:
    """Return the words of ``dbdyno-load verify``.

    >>> verify_words(Dataset("tpcc", {"warehouses": 2}), {"socket": "/s", "port": None}, "rocksdb", "run")
    ['verify', 'tpcc', '--after=run', '--json', '--storage-engine=rocksdb', '--socket=/s', '--warehouses=2']
    """
    check_options = [f"--after={moment}", "--json", f"--storage-engine={storage_engine}"]
    times = timeouts.check_words() if timeouts is not None else []
    name, options = dataset.placed()
    return ["verify", name, *check_options, *times, *reach_words(target), *option_words(options)]


def reach_words(target: Mapping[str, JsonValue]) -> list[str]:
    """Return options of the load generator that name a server.

    >>> reach_words({"socket": "/s", "port": None, "password_file": "/p"})
    ['--socket=/s', '--password-file=/p']
    >>> reach_words({"host": "db", "path_timeout_ns": 3_000_000_000})
    ['--host=db', '--path-timeout=3s']
    """
    path_ns = target.get("path_timeout_ns")
    path = [f"--path-timeout={path_ns // 10**9}s"] if isinstance(path_ns, int) and target.get("host") else []
    return [f"--{flag.replace('_', '-')}={target[flag]}" for flag in _FLAGS if target.get(flag) is not None] + path


def broken_words(answers: tuple[ConditionAnswer, ...]) -> str:
    """Return what must hold and does not, in words; empty when all does."""
    broken_answers = [answer for answer in answers if answer.status == "broken"]
    return "; ".join(
        f"{answer.name} ({answer.meaning}) does not hold in {answer.rows} rows" for answer in broken_answers
    )


def undecided_words(answers: Sequence[ConditionAnswer], timeouts: Timeouts | None = None) -> str:
    """Return what the server did not answer in time, in words; empty when it answered all."""
    names = [f"{answer.name} ({answer.meaning})" for answer in answers if answer.status == "undecided"]
    check_ns = timeouts.check_ns if timeouts is not None else None
    limit_words = "ten minutes" if check_ns is None else format_duration(check_ns)
    return f"not answered within {limit_words}, so undecided: {'; '.join(names)}" if names else ""


_TIMEOUT_S = 3600.0


def fingerprint(
    study: Study,
    choice: WorkloadChoice,
    server: FillServer,
    order: DatasetOrder,
    folders: WorkloadFolders = NO_FOLDERS,
) -> Fingerprint:
    """Send the study's number of events and sum up the tables, which are changed by it.

    Parameters
    ----------
    folders : on the order's host

    Raises
    ------
    PopulateError : the server or the load generator failed
    """
    words = fingerprint_words(study, choice, server.order_target(order.dataset.schema), folders)
    argv = [str(order.generator), *words]
    try:
        result = order.host.run(argv, timeout_s=_TIMEOUT_S, check=False, tick=ServerCheck(server))
    except HostError as error:
        raise PopulateError(f"results of {choice.label} could not be compared", str(error)) from error
    try:
        row = decode(_Row, json_value(result.stdout))
        tables = [TableSums.from_json(table) for table in row.tables]
    except ValueError as error:
        why = exit_words(server) or result.stderr.strip()[-2000:] or str(error)
        raise PopulateError(f"results of {choice.label} could not be compared", why) from error
    sums = {table.name: {"rows": table.rows, **table.sums} for table in tables}
    return Fingerprint(row.events, row.failed, row.statements_sha256 or "", row.content_sha256, sums)


@dataclass(frozen=True, slots=True)
class _Row:
    events: int
    failed: int
    content_sha256: str
    tables: tuple[dict[str, Any], ...]
    statements_sha256: str | None = None


def fingerprint_words(
    study: Study, choice: WorkloadChoice, target: Mapping[str, JsonValue], folders: WorkloadFolders = NO_FOLDERS
) -> list[str]:
    """Return the words of ``dbdyno-load fingerprint``."""
    event_options = [f"--events={study.equivalence_events}", f"--protocol={study.protocol}"]
    event_options += [f"--rng={study.rng}", f"--seed={study.seed}", "--json", *study.timeouts.check_words()]
    name, options = placed_workload(choice.name, choice.options, folders)
    return ["fingerprint", name, *event_options, *reach_words(target), *option_words(options)]
