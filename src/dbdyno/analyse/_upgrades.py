"""Answers what each upgrade brought, from one version of a server to the next that the study has.

An upgrade's changes are the comparisons of its two targets, turned so that the newer version is on the left: place by
place, and on average over all concurrencies.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._pairs import ALL_CONCURRENCIES, Place, place_of, turned
from dbdyno.analyse._phrases import common_span_words, faster_words, multiple_from
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words
from dbdyno.core import Comparison, RunRecord, counted, is_vague_ratio, target_title, verb_for

_MOST_NAMED = 3
_SHOWN = ("different", "slightly different")
_OPEN = ("same", "undecided", "vague", "not settled")


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Describes two versions of a server with the same storage engine, between which the study has no other.

    Parameters
    ----------
    old, new : names of targets
    changes : place -> throughput of the new version over that of the old
    averages : the same on average over all concurrencies, by places that have `ALL_CONCURRENCIES`
    """

    old: str
    new: str
    changes: Mapping[Place, Comparison]
    averages: Mapping[Place, Comparison]

    @property
    def title(self) -> str:
        """Return both versions, such as ``MySQL 8.0 → 9.7``."""
        return f"{target_title(self.old)} → {version_title(self.new, self.old)}"

    def shown(self) -> list[Comparison]:
        """Return the changes that differ from none and can be stated as a number, the largest gain first."""
        clear_changes = [change for change in self.changes.values() if is_shown(change)]
        return sorted(clear_changes, key=lambda change: -change.ratio)


def upgrades(
    judgements: Sequence[CellJudgement], comparisons: Sequence[Comparison], averages: Sequence[Comparison] = ()
) -> list[Upgrade]:
    """Return the steps from each version to the next, family by family in the order of the study.

    A family of which two targets have the same version is left out: they differ in something else.

    Parameters
    ----------
    averages : comparisons of the targets on average over all concurrencies, as `compare_averages` returns them
    """
    pairs: dict[frozenset[str], list[Comparison]] = {}
    for pair in (*comparisons, *averages):
        pairs.setdefault(frozenset((pair.left, pair.right)), []).append(pair)
    steps = []
    for versions in _versions_by_server(judgements):
        names = sorted(versions, key=versions.__getitem__)
        for old, new in itertools.pairwise(names):
            version_pairs = [
                pair if pair.left == new else turned(pair) for pair in pairs.get(frozenset((old, new)), [])
            ]
            if version_pairs:
                steps.append(Upgrade(old, new, *_split_averages(version_pairs)))
    return steps


def upgrade_sentence(upgrades: Sequence[Upgrade], place: Place, namer: Callable[[Place], str]) -> str:
    """Return what the upgrades brought, the largest changes by name; empty where there are none.

    Parameters
    ----------
    place : where, unless they can be averaged over all concurrencies of its workload, route and memory
    namer : names a place
    """
    average_place = (*place[:3], ALL_CONCURRENCIES)
    place_changes = [
        (upgrade, upgrade.averages[average_place]) for upgrade in upgrades if average_place in upgrade.averages
    ]
    where = f"with {namer(average_place)}"
    unaveraged_count = sum(
        average_place not in upgrade.averages and any(one[:3] == place[:3] for one in upgrade.changes)
        for upgrade in upgrades
    )
    if not place_changes:
        unaveraged_count = 0
        place_changes = [(upgrade, upgrade.changes[place]) for upgrade in upgrades if place in upgrade.changes]
        where = f"at {namer(place)}"
    shown_changes = [(upgrade, change) for upgrade, change in place_changes if is_shown(change)]
    shown_changes.sort(key=lambda step: -abs(math.log(step[1].ratio)))
    if not place_changes:
        return ""
    named_changes = shown_changes[:_MOST_NAMED]
    least_multiple = multiple_from(change.ratio for _, change in named_changes)
    phrases = [_change_words(*step, least_multiple) for step in named_changes]
    if further_changes := shown_changes[_MOST_NAMED:]:
        span = common_span_words([(change.low, change.high) for _, change in further_changes])
        phrases.append(f"{counted(len(further_changes), 'smaller change')}: {span}")
    others = [change for upgrade, change in place_changes if not is_shown(change)]
    phrases += _others_words(others, has_named=bool(shown_changes))
    if unaveraged_count:
        phrases.append(f"{counted(unaveraged_count, 'other')} {verb_for(unaveraged_count, 'has', 'have')} no average")
    judged_changes = [change for _, change in place_changes if change.verdict != "not settled"]
    spread_words = assumed_words(most_assumed_spread(judged_changes))
    return f"Upgrades {where}{f', {spread_words}' if spread_words else ''}: {'; '.join(phrases)}."


def is_shown(change: Comparison) -> bool:
    """Return whether a change differs from none, by an interval that says something."""
    return change.verdict in _SHOWN and not is_vague_ratio(change.low, change.high)


def is_newer(one: CellJudgement, than: CellJudgement) -> bool:
    """Return whether a cell's target is a newer version of the same server and storage engine."""
    return _server_and_storage_engine(one) == _server_and_storage_engine(than) and _version_key(one) > _version_key(
        than
    )


def version_title(name: str, neighbour: str) -> str:
    """Return the name of a target; next to another version of the same server the version alone.

    >>> version_title("mysql:9.7", "mysql:8.0"), version_title("mysql:9.7", "mariadb:11.8")
    ('9.7', 'MySQL 9.7')
    """
    title, neighbour_title = target_title(name), target_title(neighbour)
    brand, version = re.fullmatch(r"(.*?)(\d[-\d.]*)?", title).groups()  # type: ignore[union-attr]
    return version if version and brand and re.fullmatch(re.escape(brand) + r"\d[-\d.]*", neighbour_title) else title


def _split_averages(pairs: Sequence[Comparison]) -> tuple[dict[Place, Comparison], dict[Place, Comparison]]:
    """Return the comparisons at places, and those of averages."""
    by_place = {place_of(pair): pair for pair in pairs}
    return (
        {place: pair for place, pair in by_place.items() if place[3] != ALL_CONCURRENCIES},
        {place: pair for place, pair in by_place.items() if place[3] == ALL_CONCURRENCIES},
    )


def _versions_by_server(judgements: Sequence[CellJudgement]) -> list[dict[str, tuple[int, ...]]]:
    """Return per server and storage engine the versions of its targets, as far as they ran."""
    families: dict[tuple[str, str], dict[str, tuple[int, ...]]] = {}
    for judgement in (judgement for judgement in judgements if judgement.judged):
        families.setdefault(_server_and_storage_engine(judgement), {})[judgement.cell.target] = _version_key(judgement)
    return [
        versions
        for (family, _), versions in families.items()
        if family != "unknown" and len(set(versions.values())) == len(versions)
    ]


def _server_and_storage_engine(judgement: CellJudgement) -> tuple[str, str]:
    run = _run_with_version(judgement)
    return run.family, run.storage_engine


def _version_key(judgement: CellJudgement) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", _run_with_version(judgement).version)[:3])


def _run_with_version(judgement: CellJudgement) -> RunRecord:
    """Return a run that the server's own version is known of: one that was never made has that of the study file."""
    return (judgement.judged or judgement.runs)[0]


def _change_words(upgrade: Upgrade, change: Comparison, least_multiple: float) -> str:
    share, interval = faster_words(change.ratio, change.low, change.high, multiple_from=least_multiple)
    return f"{target_title(upgrade.new)} is {share} {version_title(upgrade.old, upgrade.new)} ({interval})"


def _others_words(changes: Sequence[Comparison], *, has_named: bool) -> list[str]:
    """Return how many further upgrades make no difference, may make one, or have not settled."""
    groups: dict[str, list[Comparison]] = {}
    for change in changes:
        is_vague = change.verdict != "not settled" and is_vague_ratio(change.low, change.high)
        groups.setdefault("vague" if is_vague else change.verdict, []).append(change)
    words: list[str] = []
    for verdict in _OPEN:
        if not (group := groups.get(verdict)):
            continue
        upgrades_words = counted(len(group), "other" if has_named or words else "upgrade")
        if verdict == "same":
            words.append(f"{upgrades_words} changed it by less than 3 %")
        elif verdict == "not settled":
            words.append(f"{upgrades_words} {verb_for(len(group), 'has', 'have')} not settled")
        elif verdict == "vague":
            words.append(f"{upgrades_words} cannot be compared, as the runs differ too much")
        else:
            span = common_span_words([(change.low, change.high) for change in group])
            is_even = all(change.low <= 1 <= change.high for change in group)
            open_words = "no difference is shown" if is_even else "nothing is decided"
            words.append(f"{open_words} for {upgrades_words}: {span}")
    return words
