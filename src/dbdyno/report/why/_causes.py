"""Puts the causes of a pair together from a stored study, and gives them as rows that terminal and pages share."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analyse.explain import (
    CauseRanking,
    Circumstances,
    Gap,
    causes,
    difference_words,
    least_total,
    ms_words,
    shown_causes,
    watched_runs,
)
from dbdyno.audit import SourcedValue, TargetFacts, server_of, spoken_value, title_of, unit_of, value_in_effect
from dbdyno.audit.studies import campaign_name, study_sets
from dbdyno.core import Cell, format_bytes
from dbdyno.engines import neutral_parameter
from dbdyno.report._format import figure
from dbdyno.report._study_analysis import StudyAnalysis

ABOUT_CAUSES = (
    "Each millisecond belongs to at most one cause. Explained by: the difference is significant (Holm over all "
    "causes), at least 3 % of the shorter time, and one of its parts is decided. Goes with: undecided. Caused by: "
    "explained by, and an experiment proved it."
)
ABOUT_USERS = (
    "Average number of processors in use while sessions ran or waited for one. Sessions wait longer because of the "
    "threads whose use grew."
)
USERS = {
    "sessions": "sessions of the load",
    "background": "the server's background threads",
    "client": "the load generator",
    "neighbours": "other programs",
    "steal": "the hypervisor (steal)",
}
_BINLOG = "binlog.enabled"
_MOST_GROUPS = 4
_LEAST_PROCESSORS = 0.005


def circumstances_of(analysis: StudyAnalysis, gap: Gap) -> Circumstances:
    """Return what the study knows of a pair in addition to its parts."""
    times = analysis.times or {}
    builds = [
        {
            (record.family, record.version, record.storage_engine)
            for record in analysis.stored
            if record.run.cell == cell
        }
        for cell in (gap.left, gap.right)
    ]
    return Circumstances.of(
        watched_runs(times[gap.left]),
        watched_runs(times[gap.right]),
        _differing_settings(analysis, gap),
        has_one_build=builds[0] == builds[1],
    )


def _differing_settings(analysis: StudyAnalysis, gap: Gap) -> dict[str, tuple[str, str]]:
    """Compare the settings of two targets, or of a target with two amounts of memory."""
    if gap.left.target == gap.right.target and gap.left.tier_bytes == gap.right.tier_bytes:
        return {}
    left, right = (_facts_of(analysis, cell) for cell in (gap.left, gap.right))
    return {} if left is None or right is None else settings_in_effect(left, right)


def settings_in_effect(left: TargetFacts, right: TargetFacts) -> dict[str, tuple[str, str]]:
    """Map each neutral setting that bears on a cause to its values in effect on both sides, if both are known."""
    names = dict.fromkeys(
        name
        for cause in causes()
        for name in (
            *cause.settings,
            *(condition.differs for condition in (*cause.conditions, *cause.alternatives) if condition.differs),
        )
    )
    settings = {}
    for name in names:
        if any(_is_of_unused_innodb(facts, name) for facts in (left, right)):
            continue
        values = _known_value_text(value_in_effect(left, name)), _known_value_text(value_in_effect(right, name))
        if values[0] is not None and values[1] is not None:
            settings[name] = (values[0], values[1])
    if settings.get(_BINLOG) == ("OFF", "OFF"):  # without a binary log, its other settings mean nothing
        return {name: values for name, values in settings.items() if not name.startswith("binlog.")}
    return settings


def _is_of_unused_innodb(facts: TargetFacts, name: str) -> bool:
    """Return whether a setting is InnoDB's and the target's tables are not: such as its page checksum under MyRocks."""
    family, version, storage_engine = server_of(facts)
    if storage_engine == "innodb" or ":" in name:
        return False
    shown = neutral_parameter(name).shown(family, version, storage_engine)
    return shown is not None and shown.variable.startswith("innodb_")


def _facts_of(analysis: StudyAnalysis, cell: Cell) -> TargetFacts | None:
    place = format_bytes(cell.tier_bytes), campaign_name(analysis.study, cell.workload, cell.route)
    return next(
        (
            facts
            for target_set in analysis.results.once(study_sets)
            if (target_set.tier, target_set.campaign) == place
            for facts in target_set.targets
            if facts.name == cell.target
        ),
        None,
    )


def _known_value_text(sourced_value: SourcedValue) -> str | None:
    if sourced_value.state != "known":
        return None
    return f"{sourced_value.value:.10g}" if isinstance(sourced_value.value, float) else str(sourced_value.value)


def cause_rows(ranking: CauseRanking) -> list[list[str]]:
    """Return a row a cause, the first one first; then smaller ones together, what is not explained, and the whole."""
    main_causes = shown_causes(ranking)
    rows = [
        [
            ranked_cause.grade,
            ranked_cause.cause.words,
            difference_words(ranked_cause.difference, ranking),
            "; ".join(_setting_words(name, values) for name, values in ranked_cause.settings.items()),
            ranked_cause.cause.remedy,
        ]
        for ranked_cause in main_causes
    ]
    minor_causes = [ranked_cause for ranked_cause in ranking.causes if ranked_cause not in main_causes]
    scale = least_total(ranking.gap.total.left_ms, ranking.gap.total.right_ms)
    if minor_causes:
        minor_sum = ms_words(sum(ranked_cause.difference.ms for ranked_cause in minor_causes), scale, signed=True)
        rows.append(["", f"{len(minor_causes)} more, small or undecided", f"{minor_sum} ms", "", ""])
    rows.append(["", "not explained", difference_words(ranking.not_explained, ranking), "", ""])
    return [*rows, ["", "whole difference", difference_words(ranking.gap.total, ranking), "", ""]]


def _setting_words(name: str, values: Sequence[str]) -> str:
    value_words = [spoken_value(value, unit_of(name)).words for value in values]
    return f"{title_of(name)} {' → '.join(value_words)}"


def user_rows(known: Circumstances | None) -> list[list[str]]:
    """Return processors that each used on both sides, the server's busiest groups of threads by name; else none."""
    facts = (
        {} if known is None else {name.partition(".")[2]: pair for name, pair in known.facts.items() if _is_use(name)}
    )
    if "sessions" not in facts:
        return []
    rows = []
    for user, words in USERS.items():
        is_shown = user in facts and (user != "steal" or max(facts[user]) >= _LEAST_PROCESSORS)
        rows += [_user_cells(words, facts[user])] if is_shown else []
        groups = {name.partition(".")[2]: pair for name, pair in facts.items() if name.startswith(f"{user}.")}
        busiest = sorted(groups.items(), key=lambda item: -max(item[1]))[:_MOST_GROUPS]
        rows += [_user_cells(_group_words(name), pair) for name, pair in busiest if max(pair) >= _LEAST_PROCESSORS]
    return rows


def _group_words(name: str) -> str:
    """Return a group of threads as a line; a thread without a name has that of its program, here the loader's.

    >>> _group_words("page_cleaner"), _group_words("ld-linux-x86")
    ('- page_cleaner', '- threads without a name')
    """
    return f"- {'threads without a name' if name.startswith('ld-linux') else name}"


def _is_use(name: str) -> bool:
    return name.startswith("processors.")


def _user_cells(words: str, used_processors: tuple[float, float]) -> list[str]:
    return [
        words,
        *(figure(value, 3) if value else "0" for value in used_processors),
        f"{used_processors[1] - used_processors[0]:+.3g}",
    ]
