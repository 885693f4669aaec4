"""Tests whether the requested settings are those that ran."""

from __future__ import annotations

import re
from collections.abc import Callable

from dbdyno.audit._effective import is_asked, shown_value
from dbdyno.audit._normalise import normalise, parse_number, switch, value_text
from dbdyno.audit._reading import SourcedValue, weakest
from dbdyno.audit._target import LSM_ENGINES, AuditTarget
from dbdyno.audit._verdict import Groups, Question, RuleVerdict, decide, grouped, labelled, undecided
from dbdyno.audit.quantities import CAPACITY_OPTIONS
from dbdyno.core import format_bytes
from dbdyno.engines import (
    NAMES_A_FILE,
    enum_word,
    fold_charsets,
    has_flags,
    is_flag_list,
    measured_state,
    neutral_parameters,
    size_variables,
)

# Limits of connections and files: separate rules check them.
_LIMITS = frozenset(
    {"server.max_connections", "server.back_log", "server.open_files_limit", "server.innodb_open_files"}
)
_OTHER_RULES = frozenset({*CAPACITY_OPTIONS, "table_open_cache_instances", "innodb_use_native_aio"})
_PATH_RE = re.compile(r"(_file|_dir|dir|_path|socket|log_bin|log_error|relay_log|_index|_log)$")
_LEAST_UNIT = 1024
_LAUNCH = frozenset({"plugin_load", "plugin_load_add"})
_SESSION_SCOPED = frozenset({"charset.default_per_charset"})
# Variables that the machine, the build or the tables decide, not an option file.
_CIRCUMSTANCES = frozenset(
    {
        "charset.collation", "io.native_aio", "memory.numa_interleave", "redo.capacity", "redo.write_ahead",
        "tls.available", "undo.tablespaces", "memory.buffer_pool_max", "redo.file_buffering", "redo.mmap",
        "io.data_file_buffering", "misc.monitor_enable",
    }
)  # fmt: skip


def ignored_options(question: Question) -> RuleVerdict:
    """Check that no option file asks for what this server does not heed."""
    ignored_by_target: Groups = {}
    lacks: dict[str, str] = {}
    for target in question.targets:
        if target.facts.option_file is None:
            lacks[target.name] = "option file"
            continue
        states = {name: _option_state(target, name) for name in target.facts.option_file}
        ignored_names = tuple(sorted(name for name, state in states.items() if state in question.rule.threshold))
        unknown = sorted(name for name, state in states.items() if state is None)
        if ignored_names:
            ignored_by_target[target.name] = ignored_names
        if unknown:
            lacks[target.name] = f"how the server treats {', '.join(unknown)}"
    return decide(ignored_by_target, lacks)


def _option_state(target: AuditTarget, option: str) -> str | None:
    """Return what the server makes of an option; None if no table has it and no variable has its name."""
    if option == "innodb_log_files_in_group" and target.is_family("mariadb", "10.5"):
        return "accepted"  # redo-files-in-group-noop reports it
    if option in _LAUNCH:
        return "accepted"  # the server would not have started
    state = measured_state(option, target.family, target.version) if target.family else None
    if target.variable(option) is not None and state != "no-op":
        return "accepted"  # the server would not show it otherwise
    if state == "refused" and target.facts.variables is not None:
        return "ignored-unknown"  # it did start, so the option was loose
    return state


def asked_not_effective(question: Question) -> RuleVerdict:
    """Check that every option that a variable shows has the value asked for."""
    differences_by_target: Groups = {}
    lacks: dict[str, str] = {}
    for target in question.targets:
        if target.facts.option_file is None or target.facts.variables is None:
            lacks[target.name] = "option file" if target.facts.option_file is None else "variables"
            continue
        differences = tuple(
            f"{name}: {_asked_and_effective_words(name, requested, effective_text)}"
            for name, requested in sorted(target.facts.option_file.items())
            if name not in _OTHER_RULES
            and (effective_text := target.variable(name)) is not None
            and not same_value(name, requested, effective_text)
        )
        if differences:
            differences_by_target[target.name] = differences
    return decide(differences_by_target, lacks)


def _asked_and_effective_words(name: str, asked: str, effective_text: str) -> str:
    """Return both values; sizes in units for people, with their bytes where rounding would hide that they differ."""
    if name not in size_variables():
        return f"asked {asked}, effective {effective_text}"
    asked_words, effective_words = _size_words(asked), _size_words(effective_text)
    if asked_words == effective_words:
        asked_words, effective_words = (f"{asked_words} ({parse_number(text)})" for text in (asked, effective_text))
    return f"asked {asked_words}, effective {effective_words}"


def _size_words(text: str) -> str:
    """Return a size as people read it; anything else as it was written."""
    amount = parse_number(text)
    return text if amount is None or amount < _LEAST_UNIT else format_bytes(int(amount))


def same_value(name: str, asked: str, shown: str) -> bool:
    """Return whether a value asked for is the one shown; paths count as set or not.

    >>> same_value("sort_buffer_size", "256K", "262144"), same_value("log_bin", "/var/log/binlog", "ON")
    (True, True)
    >>> same_value("innodb_doublewrite", "1", "ON"), same_value("max_connections", "4096", "214")
    (True, False)
    >>> same_value("collation_server", "utf8_bin", "utf8mb3_bin"), same_value("sql_mode", "ansi", "ANSI,IGNORE_SPACE")
    (True, True)
    """
    if asked.endswith(NAMES_A_FILE):
        return False  # who wrote OFF did not want what the server made of it
    if is_flag_list(name):
        return has_flags(name, asked, shown)
    asked, shown = fold_charsets(enum_word(name, asked)), fold_charsets(shown)
    if _PATH_RE.search(name) and parse_number(asked) is None:
        unset = ("", "OFF")
        return (switch(asked) in unset) == (switch(shown) in unset) or not shown
    if switch(asked) == switch(shown):
        return True
    requested_number, shown_number = parse_number(asked), parse_number(shown)
    if requested_number is not None and shown_number is not None:
        return requested_number == shown_number
    words = value_text(normalise(asked, "enum")).replace("-", "_")
    return words == shown.strip().upper().replace("-", "_") or _is_same_set(asked, shown)


def _is_same_set(asked: str, shown: str) -> bool:
    """Return whether both lists hold the same, or the option changes some members (optimizer_switch)."""
    requested_members, shown_members = (
        {member.strip().upper() for member in text.split(",")} for text in (asked, shown)
    )
    return requested_members == shown_members or (
        len(requested_members) >= 1 and "=" in asked and requested_members <= shown_members
    )


def autosized(question: Question) -> RuleVerdict:
    """Check that no parameter that a server computes differs from another target's."""
    if undecided_verdict := _without_option_file(question):
        return undecided_verdict
    return _differences_verdict(question, autosized_parameters(question))


def autosized_parameters(question: Question) -> tuple[str, ...]:
    """Return parameters whose value some server worked out itself, and which differ."""
    return tuple(
        name
        for name in neutral_parameters()
        if name not in _LIMITS
        and any(_is_computed(t, name) for t in question.targets)
        and _has_differing_values(question, name)
    )


def _is_computed(target: AuditTarget, name: str) -> bool:
    server_variable = neutral_parameters()[name].shown(target.family, target.version, target.storage_engine)
    return (
        server_variable is not None
        and server_variable.computed
        and _is_for_test_tables(target, name)
        and not is_asked(target, name)
    )


def _is_for_test_tables(target: AuditTarget, name: str) -> bool:
    """Return whether a parameter rules the test tables: next to an LSM engine, InnoDB holds system tables alone."""
    server_variable = neutral_parameters()[name].shown(target.family, target.version, target.storage_engine)
    return (
        server_variable is None
        or target.storage_engine not in LSM_ENGINES
        or not server_variable.variable.startswith("innodb_")
    )


def _shown_values(question: Question, name: str) -> dict[str, SourcedValue]:
    return {t.name: shown_value(t, name) for t in question.targets if _is_for_test_tables(t, name)}


def unpinned(question: Question) -> RuleVerdict:
    """Check that no default that nobody set differs."""
    if undecided_verdict := _without_option_file(question):
        return undecided_verdict
    autosized_names = autosized_parameters(question)
    names = tuple(
        name
        for name in neutral_parameters()
        if name not in autosized_names
        and name not in _LIMITS
        and not any(is_asked(target, name) for target in question.targets)
        and _has_differing_values(question, name)
    )
    return _differences_verdict(question, names)


def _without_option_file(question: Question) -> RuleVerdict | None:
    lacks = {t.name: "option file" for t in question.targets if t.facts.option_file is None}
    lacks |= {t.name: "which server and version it is" for t in question.targets if not t.family}
    return undecided(lacks) if lacks else None


def _has_differing_values(question: Question, name: str) -> bool:
    return len({r.value for r in _shown_values(question, name).values() if r.state == "known"}) > 1


def _differences_verdict(question: Question, names: tuple[str, ...]) -> RuleVerdict:
    differences: dict[str, Groups] = {}
    known_readings: list[SourcedValue] = []
    for name in names:
        readings = _shown_values(question, name)
        differences[name] = grouped(readings.items())
        known_readings += [reading for reading in readings.values() if reading.state == "known"]
    return decide(differences, {}, weakest(*(reading.certainty for reading in known_readings)))


def packaged_settings(question: Question) -> RuleVerdict:
    """Check that no setting comes from a file that is not ours."""
    settings_by_target: Groups = {}
    lacks: dict[str, str] = {}
    is_certain = True
    for target in question.targets:
        foreign_files = target.fact("host", "option_files_read")
        if foreign_files is not None:
            if foreign_files:
                settings_by_target[target.name] = tuple(map(str, foreign_files))
        elif target.facts.option_file is None or target.facts.variables is None or not target.family:
            lacks[target.name] = "list of the option files read, or option file and variables"
        elif settings := _unexplained_settings(target):
            settings_by_target[target.name] = settings
            is_certain = False
    return decide(settings_by_target, lacks, "read" if is_certain else "inferred")


def _unexplained_settings(target: AuditTarget) -> tuple[str, ...]:
    """Return settings that are neither default, nor computed, nor asked for."""
    settings = []
    for name, parameter in neutral_parameters().items():
        server_variable = parameter.shown(target.family, target.version, target.storage_engine)
        if (
            server_variable is None
            or server_variable.computed
            or not server_variable.default
            or name in _SESSION_SCOPED | _CIRCUMSTANCES
        ):
            continue
        text = target.variable(server_variable.variable)
        if text is None or is_asked(target, name):
            continue
        default = normalise(server_variable.default, parameter.kind, name)
        if normalise(text, parameter.kind, name) != default:
            settings.append(f"{server_variable.variable}={text}")
    return tuple(sorted(settings))


def early_evidence(question: Question) -> RuleVerdict:
    """Check that some status dump can have seen the load."""
    words: list[tuple[str, str]] = []
    for target in question.targets:
        dumps = [dump for dump in (target.facts.status, target.facts.status_end) if dump is not None]
        if target.facts.status_each_second or target.facts.counters_each_second:
            continue
        if not dumps:
            words.append((target.name, "none"))
            continue
        count: Callable[[str], list[float]] = lambda name: [float(parse_number(d.get(name, "0")) or 0) for d in dumps]  # noqa: B023, E731
        are_early = [
            u < question.rule.threshold or c == 0 for u, c in zip(count("uptime"), count("handler_commit"), strict=True)
        ]
        if all(are_early):
            scope = any(q < c - 1 for q, c in zip(count("questions"), count("connections"), strict=True))
            words.append((target.name, "before the load" + (", session scope" if scope else "")))
    return decide(labelled(words), {})


def claims(question: Question) -> RuleVerdict:
    """Check that what a report says of the configuration is what ran."""
    report_claims = question.text.get("claims")
    if report_claims is None:
        return undecided("claims of the report (text:claims)")
    differences: dict[str, Groups] = {}
    for claim in report_claims:
        name, claimed_value = str(claim["parameter"]), claim["value"]
        kind = neutral_parameters()[name].kind if name in neutral_parameters() else "enum"
        chosen = [t for t in question.targets if not claim.get("targets") or t.name in claim["targets"]]
        readings = {t.name: shown_value(t, name) for t in chosen}
        contradictions = {
            n: r
            for n, r in readings.items()
            if r.state == "known" and r.value != normalise(str(claimed_value), kind, name)
        }
        if contradictions:
            differences[f"{name}, said to be {claimed_value}"] = grouped(contradictions.items())
    return decide(differences, {})
