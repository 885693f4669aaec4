"""A plan walked through the bench rooms: engines, datasets, runs; journal, resume, clean-up, progress.

Nothing here prints and nothing here judges: what happens is told as frozen events, what was seen is stored.
"""

from dbdyno.lab._events import (
    AuditFinding,
    DatasetReady,
    DatasetsEqual,
    EngineProgress,
    EngineReady,
    Event,
    FillAdvanced,
    FillStarted,
    LeftoversRemoved,
    OnEvent,
    OthersRunning,
    Outcome,
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
from dbdyno.lab._look import Auditor
from dbdyno.lab._remains import Remains, RunningServer, clean_up, find_remains
from dbdyno.lab._run_study import run_study
from dbdyno.lab._told import told_workloads

__all__ = [
    "AuditFinding",
    "Auditor",
    "DatasetReady",
    "DatasetsEqual",
    "EngineProgress",
    "EngineReady",
    "Event",
    "FillAdvanced",
    "FillStarted",
    "LeftoversRemoved",
    "OnEvent",
    "OthersRunning",
    "Outcome",
    "Remains",
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
    "find_remains",
    "run_study",
    "told_workloads",
]
