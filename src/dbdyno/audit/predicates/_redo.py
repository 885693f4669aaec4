"""Tests the redo log: requested, shown and in effect."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.audit._effective import effective
from dbdyno.audit._normalise import parse_number
from dbdyno.audit._reading import number
from dbdyno.audit._verdict import (
    Question,
    RuleVerdict,
    decide,
    grouped,
    labelled,
    not_applicable,
)
from dbdyno.audit.predicates._generic import all_equal
from dbdyno.audit.quantities import CAPACITY_OPTIONS, derived, resized_bytes
from dbdyno.core import format_bytes

_OLD_FILE_SIZE = 100663296


def redo_files_ignored(question: Question) -> RuleVerdict:
    """Check that no option file asks for several redo files where there is one."""
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    amounts: dict[str, tuple[float, float]] = {}
    for target in question.targets:
        if target.facts.option_file is None:
            lacks[target.name] = "option file"
            continue
        files = parse_number(target.asked("innodb_log_files_in_group") or "1") or 1
        if files > question.rule.threshold:
            size = parse_number(target.asked("innodb_log_file_size") or "") or _OLD_FILE_SIZE
            capacity = derived(target, "redo_capacity")
            effective_words = "unknown"
            if capacity.state == "known":
                effective_words = format_bytes(int(number(capacity)))
                amounts[target.name] = (size * files, number(capacity))
            words.append((target.name, f"asked {format_bytes(int(size * files))}, effective {effective_words}"))
    return replace(decide(labelled(words), lacks), asked_and_effective=amounts)


def redo_shown_otherwise(question: Question) -> RuleVerdict:
    """Check that SHOW VARIABLES shows the capacity in effect."""
    words: list[tuple[str, str]] = []
    lacks: dict[str, str] = {}
    for target in question.targets:
        resized = resized_bytes(target)
        shown_capacity = effective(target, "redo.capacity")
        if resized is None or shown_capacity.state != "known" or shown_capacity.certainty == "asked":
            lacks[target.name] = shown_capacity.lacks or "status Innodb_redo_log_capacity_resized"
        elif number(shown_capacity) != resized:
            shown_words = format_bytes(int(number(shown_capacity)))
            words.append((target.name, f"shown {shown_words}, effective {format_bytes(int(resized))}"))
    return decide(labelled(words), lacks)


def redo_default_left(question: Question) -> RuleVerdict:
    """Check that a workload that writes has a log that somebody sized."""
    if question.study.get("writes") is False:
        return not_applicable("the workload does not write")
    default_capacities = {}
    lacks: dict[str, str] = {}
    for target in question.targets:
        capacity = derived(target, "redo_capacity")
        if capacity.state == "missing":
            lacks[target.name] = capacity.lacks
        elif capacity.value in question.rule.threshold:
            if target.facts.option_file is None:
                lacks[target.name] = "option file"
            elif target.asked(*CAPACITY_OPTIONS) is None:
                default_capacities[target.name] = capacity
    return decide(grouped(default_capacities.items()), lacks)


def write_ahead(question: Question) -> RuleVerdict:
    """Redo writes have one granule, and it fits the device's blocks."""
    verdict = all_equal(question)
    misfits = [
        (target.name, f"{granule.value} on blocks of {block}")
        for target in question.targets
        if (block := target.fact("host", "block_size"))
        and (granule := effective(target, "redo.write_ahead")).state == "known"
        and number(granule) % float(block)
    ]
    if not misfits:
        return verdict
    return decide({**verdict.values, "host:block_size": labelled(misfits)}, verdict.lacks, verdict.certainty)
