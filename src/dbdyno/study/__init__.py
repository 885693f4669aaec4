"""Reads, checks and types the study file. Knows nothing of machines or of what engines exist."""

from dbdyno.study._cell_filter import CellFilter, read_cell_filter, study_of_cells, words_of_cell
from dbdyno.study._key_types import parse_processors
from dbdyno.study._limits import MemoryLimit, StudyLimits, Timeouts
from dbdyno.study._pacing import CLOSED_LOOP, Pacing, Search, Stretch, Think
from dbdyno.study._places import (
    BenchChoice,
    FleetChoice,
    HostChoice,
    RouteChoice,
    ServerAddress,
)
from dbdyno.study._read import question_words
from dbdyno.study._room import connection_limit, needs_room, open_files_limit, table_handles
from dbdyno.study._settings import BUDGET, POLICIES, settings_lines, settings_object, with_policy
from dbdyno.study._spelling import current_spelling, digest_spelling
from dbdyno.study._study_file import parse_study, read_study, scales_of
from dbdyno.study._values import (
    AdaptiveLength,
    AfterRun,
    AuditStop,
    ErrorPolicy,
    Imported,
    Pinning,
    ResolvedWorkload,
    Study,
    WorkloadChoice,
    concerns,
)
from dbdyno.study._workloads import (
    IMPORTED,
    OPTION_ALIASES,
    SQL_FILES,
    OptionValue,
    family_name,
    family_of,
    full_name,
    named_quirks,
    option_words,
    options_of,
    workload_names,
)
from dbdyno.study._write import study_text

__all__ = [
    "BUDGET",
    "CLOSED_LOOP",
    "IMPORTED",
    "OPTION_ALIASES",
    "POLICIES",
    "SQL_FILES",
    "AdaptiveLength",
    "AfterRun",
    "AuditStop",
    "BenchChoice",
    "CellFilter",
    "ErrorPolicy",
    "FleetChoice",
    "HostChoice",
    "Imported",
    "MemoryLimit",
    "OptionValue",
    "Pacing",
    "Pinning",
    "ResolvedWorkload",
    "RouteChoice",
    "Search",
    "ServerAddress",
    "Stretch",
    "Study",
    "StudyLimits",
    "Think",
    "Timeouts",
    "WorkloadChoice",
    "concerns",
    "connection_limit",
    "current_spelling",
    "digest_spelling",
    "family_name",
    "family_of",
    "full_name",
    "named_quirks",
    "needs_room",
    "open_files_limit",
    "option_words",
    "options_of",
    "parse_processors",
    "parse_study",
    "question_words",
    "read_cell_filter",
    "read_study",
    "scales_of",
    "settings_lines",
    "settings_object",
    "study_of_cells",
    "study_text",
    "table_handles",
    "with_policy",
    "words_of_cell",
    "workload_names",
]
