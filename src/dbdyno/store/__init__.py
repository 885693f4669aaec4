"""Stores and opens results folders, to which runs are only added.

Execution writes one through `Results.writing`, analysis reads it through `StoredStudy.open`; nothing here judges.
A run is stored whole or not at all, the journal is on the disk before the next thing begins, and the manifest names
every file with its checksum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.store._altered import QUICK_CHECK, FileAlteration, FolderCheck
    from dbdyno.store._damage import reading_intervals
    from dbdyno.store._files import JsonValue, write_whole
    from dbdyno.store._fingerprints import StoredFingerprint
    from dbdyno.store._folder_checks import check_free
    from dbdyno.store._gather import Gathered, gather
    from dbdyno.store._histograms import (
        FilledCounts,
        Histogram,
        filled_counts,
        latency_of,
        latency_of_counts,
        mean_of_counts,
        merged_histogram,
        sums_of,
    )
    from dbdyno.store._journal import MACHINE_EXAMINED, PARTS_GATHERED, REPEATS_RAISED, JournalEntry
    from dbdyno.store._layout import SCHEMA_VERSION, target_slug
    from dbdyno.store._live import LiveLog, LiveReader
    from dbdyno.store._lock import is_being_written
    from dbdyno.store._machines import are_alike, check_alike, gathered_parts
    from dbdyno.store._manifest import Manifest, ManifestEntry, find_results, is_results_folder, study_digest
    from dbdyno.store._proofs import ProofNote, proof_notes, write_proof_note
    from dbdyno.store._records import record_from_json, record_to_json
    from dbdyno.store._results import Results
    from dbdyno.store._runs import PackedRun, SettingRow, StoredRun, pack_run, server_files
    from dbdyno.store._same_targets import check_same_engine, check_same_rows, has_other_files
    from dbdyno.store._series import IntervalKind, IntervalRow, SecondRow, TelemetryRow
    from dbdyno.store._stack_profile import StackProfile, deep_folder, deep_folders, folded_text, read_profile
    from dbdyno.store._stored_study import StoredStudy
    from dbdyno.store._throughput import printed_tps, window_tps
    from dbdyno.store._writer import ResultsWriter
else:
    __getattr__ = late_names(
        __name__,
        {
            "_folder_checks": "check_free",
            "_altered": "QUICK_CHECK FileAlteration FolderCheck",
            "_damage": "reading_intervals",
            "_files": "JsonValue write_whole",
            "_fingerprints": "StoredFingerprint",
            "_gather": "Gathered gather",
            "_machines": "are_alike check_alike gathered_parts",
            "_histograms": (
                "FilledCounts Histogram filled_counts latency_of latency_of_counts mean_of_counts merged_histogram "
                "sums_of"
            ),
            "_journal": "MACHINE_EXAMINED PARTS_GATHERED REPEATS_RAISED JournalEntry",
            "_layout": "SCHEMA_VERSION target_slug",
            "_live": "LiveLog LiveReader",
            "_lock": "is_being_written",
            "_manifest": "Manifest ManifestEntry find_results is_results_folder study_digest",
            "_proofs": "ProofNote proof_notes write_proof_note",
            "_records": "record_from_json record_to_json",
            "_results": "Results",
            "_runs": "PackedRun SettingRow StoredRun pack_run server_files",
            "_same_targets": "check_same_engine check_same_rows has_other_files",
            "_series": "IntervalKind IntervalRow SecondRow TelemetryRow",
            "_stack_profile": "StackProfile deep_folder deep_folders folded_text read_profile",
            "_stored_study": "StoredStudy",
            "_throughput": "printed_tps window_tps",
            "_writer": "ResultsWriter",
        },
    )

__all__ = [
    "MACHINE_EXAMINED",
    "PARTS_GATHERED",
    "QUICK_CHECK",
    "REPEATS_RAISED",
    "SCHEMA_VERSION",
    "FileAlteration",
    "FilledCounts",
    "FolderCheck",
    "Gathered",
    "Histogram",
    "IntervalKind",
    "IntervalRow",
    "JournalEntry",
    "JsonValue",
    "LiveLog",
    "LiveReader",
    "Manifest",
    "ManifestEntry",
    "PackedRun",
    "ProofNote",
    "Results",
    "ResultsWriter",
    "SecondRow",
    "SettingRow",
    "StackProfile",
    "StoredFingerprint",
    "StoredRun",
    "StoredStudy",
    "TelemetryRow",
    "are_alike",
    "check_alike",
    "check_free",
    "check_same_engine",
    "check_same_rows",
    "deep_folder",
    "deep_folders",
    "filled_counts",
    "find_results",
    "folded_text",
    "gather",
    "gathered_parts",
    "has_other_files",
    "is_being_written",
    "is_results_folder",
    "latency_of",
    "latency_of_counts",
    "mean_of_counts",
    "merged_histogram",
    "pack_run",
    "printed_tps",
    "proof_notes",
    "read_profile",
    "reading_intervals",
    "record_from_json",
    "record_to_json",
    "server_files",
    "study_digest",
    "sums_of",
    "target_slug",
    "window_tps",
    "write_proof_note",
    "write_whole",
]
