"""Defines the events of a running study, as frozen values. Sinks write them to journal, live log and console."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dbdyno.core import ResultComparison, Run, RunRecord, format_duration
from dbdyno.lab._outcome import StudyOutcome
from dbdyno.populate import ConditionWait
from dbdyno.stats import Course
from dbdyno.store import JsonValue

RunPhase = Literal["restore", "settle", "load", "verify", "recover", "stop"]


@dataclass(frozen=True, slots=True)
class StudyStarted:
    """A study begins, or goes on: `runs_done` of `runs_total` were there already."""

    name: str
    targets_count: int
    runs_total: int
    runs_done: int


@dataclass(frozen=True, slots=True)
class RunsSetAside:
    """Runs are made again, because they failed, lost their host or were disturbed; their records are kept apart."""

    why: Literal["failed", "lost", "disturbed"]
    run_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MissingFinishNoted:
    """A kill between storing a run and journaling its end left the journal a line short: it is added now."""

    record: RunRecord


@dataclass(frozen=True, slots=True)
class MachineExamined:
    """The machine was examined before the study, with these facts and diagnoses."""

    facts: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class OutputLost:
    """The console can't be written any more: the reader of a pipe has ended, or the terminal is gone."""

    reason: str


@dataclass(frozen=True, slots=True)
class FolderLost:
    """The results folder was moved or removed while the study ran."""

    reason: str


@dataclass(frozen=True, slots=True)
class OrphansRemoved:
    """Describes what an earlier, killed run had left behind."""

    what: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PasswordExposed:
    """The file of a server's password can be read, or written, by every user of the machine."""

    server: str
    file: str
    mode: int


@dataclass(frozen=True, slots=True)
class OrphansRemain:
    """The study was interrupted, and what it had on the machine could not all be removed in time."""


@dataclass(frozen=True, slots=True)
class OthersRunning:
    """Servers that dbdyno has started elsewhere and that share the machine with this study; they are left alone."""

    what: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineProgress:
    """Words of provisioning while it works."""

    target: str
    text: str


@dataclass(frozen=True, slots=True)
class EngineReady:
    """An engine is at hand. `note` says what was taken instead of what was asked; empty when it is that."""

    target: str
    title: str
    source: str
    note: str


@dataclass(frozen=True, slots=True)
class FillStarted:
    """A dataset is not there yet and is filled."""

    target: str
    dataset: str


@dataclass(frozen=True, slots=True)
class FillAdvanced:
    """Describes how far the filling is; `phase` is ``load`` or ``index``."""

    target: str
    phase: str
    rows_done: int
    rows_total: int


@dataclass(frozen=True, slots=True)
class FillAwaited:
    """Reports that another study fills the dataset of a target, which is used as soon as it is complete."""

    target: str

    @property
    def words(self) -> str:
        """For people."""
        return f"{self.target}: waiting for another study, which is filling the same dataset"


@dataclass(frozen=True, slots=True)
class ConditionAwaited:
    """A condition between tables is not answered yet. After `limit_ns` it is undecided, and the next is asked."""

    target: str
    name: str
    meaning: str
    waited_ns: int
    limit_ns: int

    @property
    def words(self) -> str:
        """For people."""
        waiting_time, limit = format_duration(round(self.waited_ns, -9)), format_duration(self.limit_ns)
        return (
            f"{self.target}: waiting for condition {self.name} ({self.meaning}) since {waiting_time}, at most {limit}"
        )


@dataclass(frozen=True, slots=True)
class ConditionUndecided:
    """Conditions of a filled dataset were not answered in time; `reason` names them."""

    target: str
    dataset: str
    reason: str


@dataclass(frozen=True, slots=True)
class DatasetReady:
    """A target's dataset is filled, proven and kept; `reused`: it was so already.

    `bytes` is None on a running server, whose files are not ours to look at.
    """

    target: str
    dataset: str
    rows_total: int
    fill_ns: int
    bytes: int | None
    reused: bool


@dataclass(frozen=True, slots=True)
class TargetFailed:
    """A target could not be set up; its runs will be stored as failed."""

    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class DatasetsEqual:
    """The checksums of a dataset are the same on all targets."""

    dataset: str
    targets_count: int


@dataclass(frozen=True, slots=True)
class ServerInspected:
    """A server is started to be audited before anything is measured."""

    target: str


@dataclass(frozen=True, slots=True)
class ServerNotAudited:
    """A server could not be started or read for the audit; its runs will fail with the reason."""

    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Describes a difference between targets, in words.

    Parameters
    ----------
    favours : whom it helps
    remedy : what would remove it, as a sentence
    is_fixable : whether settings of the study can remove it
    """

    rule_id: str
    severity: str
    words: str
    favours: str
    remedy: str
    is_fixable: bool


@dataclass(frozen=True, slots=True)
class ServersAudited:
    """Describes what the audit says of the servers before the first run.

    Parameters
    ----------
    place : where they were looked at: workload, route, memory
    targets : names of those that were
    findings : worst first
    undecided_count : rules that lack evidence, such as that of a driven window
    stops : the study asked to be stopped by what was found
    """

    place: str
    targets: tuple[str, ...]
    findings: tuple[AuditFinding, ...]
    undecided_count: int
    stops: bool


@dataclass(frozen=True, slots=True)
class ResultsComparing:
    """A target is sent the events by which results are compared."""

    target: str
    workload: str


@dataclass(frozen=True, slots=True)
class ResultsCompared:
    """Describes whether the targets made the same of the same events."""

    comparison: ResultComparison


@dataclass(frozen=True, slots=True)
class FurtherRepeats:
    """A round has shown which cells need another run; none where `runs` is 0."""

    repeat: int
    runs: int
    sure_count: int
    cell_count: int


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins; `number` counts from 1 over the whole plan."""

    run: Run
    number: int
    runs_total: int


@dataclass(frozen=True, slots=True)
class RunPhaseEntered:
    """A run has come to a phase."""

    run: Run
    phase: RunPhase


@dataclass(frozen=True, slots=True)
class SecondMeasured:
    """One second of load; `second` counts within its phase, from 1 to `seconds_count`.

    `course` is what the run has come to, where its length is left to itself; `seconds_count` is the most then.
    `connections` are those alive.
    """

    run: Run
    phase: str
    second: int
    seconds_count: int
    tps: float
    p95_ns: int | None
    errors: int
    client_use_share: float | None
    course: Course | None = None
    qps: float = 0.0
    connections: int | None = None


@dataclass(frozen=True, slots=True)
class RunFinished:
    """A run is stored, good or not."""

    record: RunRecord
    number: int
    runs_total: int


@dataclass(frozen=True, slots=True)
class BenchReady:
    """A bench of several is reached, with the facts of its machine."""

    facts: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class BenchLost:
    """A bench of several is used no longer; the others make the runs that it has not made."""

    reason: str


@dataclass(frozen=True, slots=True)
class StudyFinished:
    """Nothing more will happen."""

    outcome: StudyOutcome


Event: TypeAlias = (
    StudyStarted
    | RunsSetAside
    | MissingFinishNoted
    | MachineExamined
    | OutputLost
    | FolderLost
    | OrphansRemoved
    | OrphansRemain
    | OthersRunning
    | PasswordExposed
    | EngineProgress
    | EngineReady
    | FillStarted
    | FillAdvanced
    | FillAwaited
    | ConditionAwaited
    | ConditionUndecided
    | DatasetReady
    | DatasetsEqual
    | TargetFailed
    | ServerInspected
    | ServerNotAudited
    | ServersAudited
    | ResultsComparing
    | ResultsCompared
    | FurtherRepeats
    | RunStarted
    | RunPhaseEntered
    | SecondMeasured
    | RunFinished
    | BenchReady
    | BenchLost
    | StudyFinished
)
OnEvent: TypeAlias = Callable[[Event], None]


def awaited(target: str, wait: ConditionWait) -> ConditionAwaited:
    """Make the event of a condition that a target has not answered for a while."""
    return ConditionAwaited(target, wait.name, wait.meaning, wait.waited_ns, wait.limit_ns)
