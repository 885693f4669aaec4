"""Holds units, names, errors, and the values that packages hand to each other; decodes what comes from outside.

No dependency. The only I/O is reading a file that somebody named (`read_input`), bounded and without waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.core._cell import ROUTES, UNKNOWN_ROUTE, Cell, Route, Run, RunStatus, is_network_route
    from dbdyno.core._comparison import Comparison, Verdict, is_vague_ratio
    from dbdyno.core._decode import LARGEST, DecodeError, decode
    from dbdyno.core._documents import InvalidValueError, json_value, toml_document
    from dbdyno.core._engine import (
        IMPORTED_SOURCE,
        NO_DELAYS,
        STORAGE_ENGINE_ALIASES,
        CallDelays,
        ContainerChoice,
        EngineName,
        Policy,
        Target,
        check_plugin,
        parse_engine_name,
        target_title,
    )
    from dbdyno.core._errors import (
        AlteredError,
        AnalysisError,
        ConfigureError,
        DamageError,
        DbdynoError,
        HostError,
        MeasureError,
        PopulateError,
        ProvisionError,
        RequestError,
        SeriesError,
        StoreError,
        StudyError,
        TreeError,
        WorldError,
    )
    from dbdyno.core._fingerprint import Fingerprint, ResultComparison, compare_results
    from dbdyno.core._flat_fields import FLAT, is_flat, stored_fields, stored_values
    from dbdyno.core._further_error import RetriedError, parse_retried_error
    from dbdyno.core._home import Home
    from dbdyno.core._input_file import (
        LIMIT_VARIABLE,
        input_limit,
        read_input,
        read_input_text,
        too_large,
        unpacked_gzip,
        utf8_text,
        words_of,
    )
    from dbdyno.core._machine import (
        UNLIMITED,
        AsyncIo,
        BusyProcess,
        ControlGroup,
        Disk,
        Docker,
        Limits,
        Load,
        Machine,
        Memory,
        Processors,
        Profiler,
    )
    from dbdyno.core._processor_use import IDLE_TIMES, PROCESSOR_TIMES, foreign_use, processor_totals
    from dbdyno.core._record import (
        ACCEPTED,
        CLIENT_BOUND,
        ONE_MACHINE,
        OTHER_LOAD,
        STEAL,
        Caveat,
        ClientUseBasis,
        CpuUse,
        LadderStep,
        LatencyNs,
        OrderRates,
        PacingFigures,
        RunCourse,
        RunRecord,
        RunSpan,
        SettledPart,
        Steadiness,
        ToolFigures,
        TotalFigures,
        TypeFigures,
    )
    from dbdyno.core._stack import (
        FURTHER,
        KERNEL_MARK,
        SESSIONS,
        Stack,
        folded_stack,
        function_name,
        is_unnamed,
        linker_name,
    )
    from dbdyno.core._units import (
        counted,
        format_address,
        format_bytes,
        format_duration,
        format_memory,
        memory_text,
        parse_bytes,
        parse_duration_ns,
        percent,
        short_number,
        short_percent,
        verb_for,
        with_unit,
    )
else:
    __getattr__ = late_names(
        __name__,
        {
            "_cell": "ROUTES UNKNOWN_ROUTE Cell Route Run RunStatus is_network_route",
            "_comparison": "Comparison Verdict is_vague_ratio",
            "_decode": "LARGEST DecodeError decode",
            "_documents": "InvalidValueError json_value toml_document",
            "_engine": (
                "IMPORTED_SOURCE NO_DELAYS STORAGE_ENGINE_ALIASES CallDelays ContainerChoice EngineName Policy "
                "Target check_plugin parse_engine_name target_title"
            ),
            "_errors": (
                "AlteredError AnalysisError ConfigureError DamageError DbdynoError HostError MeasureError "
                "PopulateError ProvisionError RequestError SeriesError StoreError StudyError TreeError WorldError"
            ),
            "_fingerprint": "Fingerprint ResultComparison compare_results",
            "_flat_fields": "FLAT is_flat stored_fields stored_values",
            "_further_error": "RetriedError parse_retried_error",
            "_home": "Home",
            "_input_file": (
                "LIMIT_VARIABLE input_limit read_input read_input_text too_large unpacked_gzip utf8_text words_of"
            ),
            "_machine": (
                "UNLIMITED AsyncIo BusyProcess ControlGroup Disk Docker Limits Load Machine Memory Processors Profiler"
            ),
            "_processor_use": "IDLE_TIMES PROCESSOR_TIMES foreign_use processor_totals",
            "_record": (
                "ACCEPTED CLIENT_BOUND ONE_MACHINE OTHER_LOAD STEAL Caveat ClientUseBasis CpuUse LadderStep "
                "LatencyNs OrderRates PacingFigures RunCourse RunRecord RunSpan SettledPart Steadiness ToolFigures "
                "TotalFigures TypeFigures"
            ),
            "_stack": "FURTHER KERNEL_MARK SESSIONS Stack folded_stack function_name is_unnamed linker_name",
            "_units": (
                "counted format_address format_bytes format_duration format_memory memory_text parse_bytes "
                "parse_duration_ns percent short_number short_percent verb_for with_unit"
            ),
        },
    )

__all__ = [
    "ACCEPTED",
    "CLIENT_BOUND",
    "FLAT",
    "FURTHER",
    "IDLE_TIMES",
    "IMPORTED_SOURCE",
    "KERNEL_MARK",
    "LARGEST",
    "LIMIT_VARIABLE",
    "NO_DELAYS",
    "ONE_MACHINE",
    "OTHER_LOAD",
    "PROCESSOR_TIMES",
    "ROUTES",
    "SESSIONS",
    "STEAL",
    "STORAGE_ENGINE_ALIASES",
    "UNKNOWN_ROUTE",
    "UNLIMITED",
    "AlteredError",
    "AnalysisError",
    "AsyncIo",
    "BusyProcess",
    "CallDelays",
    "Caveat",
    "Cell",
    "ClientUseBasis",
    "Comparison",
    "ConfigureError",
    "ContainerChoice",
    "ControlGroup",
    "CpuUse",
    "DamageError",
    "DbdynoError",
    "DecodeError",
    "Disk",
    "Docker",
    "EngineName",
    "Fingerprint",
    "Home",
    "HostError",
    "InvalidValueError",
    "LadderStep",
    "LatencyNs",
    "Limits",
    "Load",
    "Machine",
    "MeasureError",
    "Memory",
    "OrderRates",
    "PacingFigures",
    "Policy",
    "PopulateError",
    "Processors",
    "Profiler",
    "ProvisionError",
    "RequestError",
    "ResultComparison",
    "RetriedError",
    "Route",
    "Run",
    "RunCourse",
    "RunRecord",
    "RunSpan",
    "RunStatus",
    "SeriesError",
    "SettledPart",
    "Stack",
    "Steadiness",
    "StoreError",
    "StudyError",
    "Target",
    "ToolFigures",
    "TotalFigures",
    "TreeError",
    "TypeFigures",
    "Verdict",
    "WorldError",
    "check_plugin",
    "compare_results",
    "counted",
    "decode",
    "folded_stack",
    "foreign_use",
    "format_address",
    "format_bytes",
    "format_duration",
    "format_memory",
    "function_name",
    "input_limit",
    "is_flat",
    "is_network_route",
    "is_unnamed",
    "is_vague_ratio",
    "json_value",
    "linker_name",
    "memory_text",
    "parse_bytes",
    "parse_duration_ns",
    "parse_engine_name",
    "parse_retried_error",
    "percent",
    "processor_totals",
    "read_input",
    "read_input_text",
    "short_number",
    "short_percent",
    "stored_fields",
    "stored_values",
    "target_title",
    "toml_document",
    "too_large",
    "unpacked_gzip",
    "utf8_text",
    "verb_for",
    "with_unit",
    "words_of",
]
