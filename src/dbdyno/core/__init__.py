"""Units, names, errors and the values handed between rooms. No I/O, no dependency."""

from dbdyno.core._cell import Cell, Route, Run, RunStatus
from dbdyno.core._engine import STORAGE_ENGINE_ALIASES, EngineName, Target, parse_engine_name
from dbdyno.core._errors import (
    AnalysisError,
    ConfigureError,
    DbdynoError,
    HostError,
    MeasureError,
    PopulateError,
    ProvisionError,
    RequestError,
    StoreError,
    StudyError,
    WorldError,
)
from dbdyno.core._fingerprint import Fingerprint, ResultComparison, compare_results, unlike_most
from dbdyno.core._record import (
    CLIENT_BOUND,
    Caveat,
    ClientUseBasis,
    Comparison,
    LatencyNs,
    OrderRates,
    RunRecord,
    TypeFigures,
    Verdict,
)
from dbdyno.core._units import format_bytes, format_duration, parse_bytes, parse_duration_ns

__all__ = [
    "CLIENT_BOUND",
    "STORAGE_ENGINE_ALIASES",
    "AnalysisError",
    "Caveat",
    "Cell",
    "ClientUseBasis",
    "Comparison",
    "ConfigureError",
    "DbdynoError",
    "EngineName",
    "Fingerprint",
    "HostError",
    "LatencyNs",
    "MeasureError",
    "OrderRates",
    "PopulateError",
    "ProvisionError",
    "RequestError",
    "ResultComparison",
    "Route",
    "Run",
    "RunRecord",
    "RunStatus",
    "StoreError",
    "StudyError",
    "Target",
    "TypeFigures",
    "Verdict",
    "WorldError",
    "compare_results",
    "format_bytes",
    "format_duration",
    "parse_bytes",
    "parse_duration_ns",
    "parse_engine_name",
    "unlike_most",
]
