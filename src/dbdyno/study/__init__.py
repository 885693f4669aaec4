"""Reads, checks and types the study file. Knows nothing of machines or of what engines exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.study._cell_filter import CellFilter, read_cell_filter, study_of_cells, words_of_cell
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
    from dbdyno.study._settings import (
        BUDGET,
        POLICIES,
        check_running_servers,
        settings_lines,
        settings_object,
        with_policy,
    )
    from dbdyno.study._spelling import current_spelling, digest_spelling
    from dbdyno.study._study_file import bundled_studies, parse_study, read_study, scales_of
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
        DATA_FILE,
        IMPORTED,
        NO_FOLDERS,
        OPTION_ALIASES,
        SQL_FILES,
        OptionValue,
        WorkloadFolders,
        dataset_name,
        directory_of,
        family_name,
        full_name,
        named_quirks,
        option_words,
        options_of,
        placed_workload,
        workload_names,
    )
    from dbdyno.study._write import study_text
else:
    __getattr__ = late_names(
        __name__,
        {
            "_cell_filter": "CellFilter read_cell_filter study_of_cells words_of_cell",
            "_limits": "MemoryLimit StudyLimits Timeouts",
            "_pacing": "CLOSED_LOOP Pacing Search Stretch Think",
            "_places": "BenchChoice FleetChoice HostChoice RouteChoice ServerAddress",
            "_read": "question_words",
            "_room": "connection_limit needs_room open_files_limit table_handles",
            "_settings": "BUDGET POLICIES check_running_servers settings_lines settings_object with_policy",
            "_spelling": "current_spelling digest_spelling",
            "_study_file": "bundled_studies parse_study read_study scales_of",
            "_values": (
                "AdaptiveLength AfterRun AuditStop ErrorPolicy Imported Pinning ResolvedWorkload Study "
                "WorkloadChoice concerns"
            ),
            "_workloads": (
                "DATA_FILE IMPORTED NO_FOLDERS OPTION_ALIASES SQL_FILES OptionValue WorkloadFolders dataset_name "
                "directory_of family_name full_name named_quirks option_words options_of placed_workload "
                "workload_names"
            ),
            "_write": "study_text",
        },
    )

__all__ = [
    "BUDGET",
    "CLOSED_LOOP",
    "DATA_FILE",
    "IMPORTED",
    "NO_FOLDERS",
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
    "WorkloadFolders",
    "bundled_studies",
    "check_running_servers",
    "concerns",
    "connection_limit",
    "current_spelling",
    "dataset_name",
    "digest_spelling",
    "directory_of",
    "family_name",
    "full_name",
    "named_quirks",
    "needs_room",
    "open_files_limit",
    "option_words",
    "options_of",
    "parse_study",
    "placed_workload",
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
