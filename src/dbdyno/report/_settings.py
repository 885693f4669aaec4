"""Lists the configuration as read back: requested values with reasons, and where targets differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.core import RunRecord, format_memory
from dbdyno.report._study_analysis import StudyAnalysis
from dbdyno.store import StoredStudy

EMPTY = "(empty)"
"""Stands for the value of a variable that is there, but has no letters."""
# Settings that differ between server starts without meaning: names, identifiers and paths.
_OF_ONE_LIFE = re.compile(
    r"hostname|port|socket|.*(_dir|dir|_file|_path|basename|_index)$|pid_file|server_(id|uuid)|.*timestamp|gtid_.*|"
    r"pseudo_.*|rand_seed.*|.*_(gtid|purged|executed)|secure_file_priv|log_error|report_.*|.*uuid.*|"
    r"in_transaction|last_insert_id|identity|warning_count|error_count|.*_sock(et)?"
)


@dataclass(frozen=True, slots=True)
class RequestedSetting:
    """Describes one option that was written for a target: value asked, value read back, reason."""

    option: str
    asked: str
    effective: str
    reason: str


@dataclass(frozen=True, slots=True)
class VariableRow:
    """Describes one variable over all targets; None where the target has no such variable."""

    name: str
    values: tuple[str | None, ...]
    differs: bool


def requested_settings(analysis: StudyAnalysis) -> dict[str, list[RequestedSetting]]:
    """Return per target the options written for it; where a value follows the tier, one text for all."""
    rows_by_target: dict[str, dict[str, list[Mapping[str, str | None]]]] = {
        t: defaultdict(list) for t in analysis.targets
    }
    tiers: dict[str, dict[str, list[int]]] = {t: defaultdict(list) for t in analysis.targets}
    for record in analysis.stored:
        target = record.run.cell.target
        for row in analysis.results.document(record.run.run_id, "settings"):
            rows_by_target[target][row["option"]].append(row)
            tiers[target][row["option"]].append(record.run.cell.tier_bytes)
    return {
        target: [_requested_setting(option, rows, tiers[target][option]) for option, rows in sorted(options.items())]
        for target, options in rows_by_target.items()
    }


def _requested_setting(option: str, rows: Sequence[Mapping[str, str | None]], tiers: Sequence[int]) -> RequestedSetting:
    def text(field: str) -> str:
        return _by_tier_words([str(row[field]) if row[field] is not None else "not shown" for row in rows], tiers)

    return RequestedSetting(option, text("asked"), text("effective"), str(rows[0]["reason"] or ""))


def variable_rows(analysis: StudyAnalysis) -> list[VariableRow]:
    """Return every variable that means something, with its value on each target."""
    values = variable_values(analysis.results, analysis.stored)
    rows = []
    for name, targets in sorted(values.items()):
        target_values = tuple(targets.get(target) for target in analysis.targets)
        spellings = {None if value is None else plain(value) for value in target_values}
        rows.append(VariableRow(name, target_values, len(spellings) > 1))
    return rows


def variable_values(results: StoredStudy, records: Iterable[RunRecord]) -> dict[str, dict[str, str]]:
    """Map variable -> target -> its value in these runs, in words where it follows the tier.

    What belongs to one server's life alone, such as its port, is left out.
    """
    values_by_name: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    seen_keys = set()
    for record in records:
        cell, variables = record.run.cell, results.document(record.run.run_id, "variables")
        if (cell.target, cell.tier_bytes, id(variables)) in seen_keys:  # runs of one server share theirs
            continue
        seen_keys.add((cell.target, cell.tier_bytes, id(variables)))
        for name, value in variables.items():
            if not _OF_ONE_LIFE.fullmatch(name.lower()):
                values_by_name[name.lower()][cell.target].append((cell.tier_bytes, str(value)))
    return {
        name: {target: _tier_values_words(tier_values) for target, tier_values in targets.items()}
        for name, targets in values_by_name.items()
    }


def _tier_values_words(tier_values: Sequence[tuple[int, str]]) -> str:
    return _by_tier_words([value for _, value in tier_values], [tier for tier, _ in tier_values])


def _by_tier_words(values: Sequence[str], tiers: Sequence[int]) -> str:
    """Return one value, or a value for each tier, or the words that it varies."""
    if len(set(values)) <= 1:
        return values[0] if values else ""
    values = [value or EMPTY for value in values]
    by_tier: dict[int, set[str]] = defaultdict(set)
    for tier, value in zip(tiers, values, strict=True):
        by_tier[tier].add(value)
    if all(len(distinct_values) == 1 for distinct_values in by_tier.values()):
        return "; ".join(
            f"{format_memory(tier)}: {next(iter(distinct_values))}" for tier, distinct_values in sorted(by_tier.items())
        )
    return "varies from run to run"


def plain(value: str) -> str:
    """Return one spelling for values that mean the same.

    >>> plain("10.000000") == plain("10"), plain("ON") == plain("1"), plain("0") == plain("1")
    (True, True, False)
    """
    spelling = value.strip().lower()
    spelling = {"on": "1", "true": "1", "yes": "1", "off": "0", "false": "0", "no": "0"}.get(spelling, spelling)
    try:
        return repr(float(spelling))
    except ValueError:
        return spelling
