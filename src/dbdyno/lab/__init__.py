"""A plan walked through the bench rooms: engines, datasets, runs; journal, resume, clean-up, progress.

Nothing here prints and nothing here judges: what happens is told as frozen events, what was seen is stored.
"""

from dbdyno.lab._events import (
    AuditFinding,
    ConditionAwaited,
    DatasetReady,
    DatasetsEqual,
    EngineProgress,
    EngineReady,
    Event,
    FillAdvanced,
    FillStarted,
    FurtherRepeats,
    OnEvent,
    OrphansRemain,
    OrphansRemoved,
    OthersRunning,
    Outcome,
    PasswordExposed,
    ResultsCompared,
    ResultsComparing,
    RunFinished,
    RunPhase,
    RunPhaseEntered,
    RunStarted,
    SecondMeasured,
    ServerLookedAt,
    ServersAudited,
    StudyFinished,
    StudyStarted,
    TargetFailed,
)
from dbdyno.lab._generator import find_generator
from dbdyno.lab._orphans import Orphans, RunningServer, clean_up, find_orphans
from dbdyno.lab._preflight import Auditor
from dbdyno.lab._resolve_workloads import resolve_workloads
from dbdyno.lab._run_study import run_study

__all__ = [
    "AuditFinding",
    "Auditor",
    "ConditionAwaited",
    "DatasetReady",
    "DatasetsEqual",
    "EngineProgress",
    "EngineReady",
    "Event",
    "FillAdvanced",
    "FillStarted",
    "FurtherRepeats",
    "OnEvent",
    "Orphans",
    "OrphansRemain",
    "OrphansRemoved",
    "OthersRunning",
    "Outcome",
    "PasswordExposed",
    "ResultsCompared",
    "ResultsComparing",
    "RunFinished",
    "RunPhase",
    "RunPhaseEntered",
    "RunStarted",
    "RunningServer",
    "SecondMeasured",
    "ServerLookedAt",
    "ServersAudited",
    "StudyFinished",
    "StudyStarted",
    "TargetFailed",
    "clean_up",
    "find_generator",
    "find_orphans",
    "resolve_workloads",
    "run_study",
]
