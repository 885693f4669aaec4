"""Says who is fastest at a place, by how much, and who is not judged there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbdyno.analyse._cells import CellJudgement
from dbdyno.analyse._pairs import Place, distance_words, pair_at, turned
from dbdyno.analyse._phrases import faster_words, listed_or_counted, slower_words
from dbdyno.analyse._places import place_words
from dbdyno.analyse._settled import remedy_words
from dbdyno.analyse._standing import are_all_slower, fastest_first, rivals_to_settle, rivals_words, standing_words
from dbdyno.analyse._upgrades import is_newer, version_title
from dbdyno.analyse._variation import most_assumed_spread
from dbdyno.analyse._words import assumed_words, cell_level_words, vague_words
from dbdyno.core import Comparison, counted, is_vague_ratio, target_title

TESTED_TOGETHER = "several comparisons are tested together"
_FEW_RIVALS = 2
"""Up to so many, the answer names each."""


def place_sentence(place: Place, places: Mapping[Place, list[CellJudgement]], comparisons: Sequence[Comparison]) -> str:
    """Return who is fastest at a place, by how much, and who is not judged."""
    ranked = fastest_first(places[place], comparisons)
    best, unsettled_groups = ranked[0], [judgement for judgement in ranked if not judgement.decides]
    where = place_words(place, list(places))
    if not best.decides:
        return f"No run has settled at {where}. For one, {remedy_words(best.unsettled, target_title)}."
    rivals = [rival for rival in ranked[1:] if rival.decides]
    pair_by_rival = {rival.cell: pair_at(place, best.cell.target, rival.cell.target, comparisons) for rival in rivals}
    known_pairs = [pair for pair in pair_by_rival.values() if pair is not None]
    apart_groups = [rival for rival in rivals if pair_by_rival[rival.cell] is None]
    if not known_pairs:
        alone_words = single_target_sentence(place, [best, *apart_groups], list(places))
        return f"{alone_words}{_unsettled_words(unsettled_groups)}"
    if len(ranked) == 2:
        return f"{_two_targets_words(best, ranked[1], known_pairs[0], where)}{_assumed_spread_words(known_pairs)}."
    among = " of those compared" if apart_groups else " that settled" if rivals_to_settle(best, ranked) else ""
    if len(known_pairs) > _FEW_RIVALS:
        words = _many_targets_words(best, known_pairs, where, among)
    else:
        words = _leader_words(best, known_pairs, where, among)
        words += "".join(f"; {distance_words(pair)}{_undecided_words(pair)}" for pair in known_pairs[1:])
    excluded_words = f"{_apart_words(best, apart_groups)}{_unsettled_words(unsettled_groups)}"
    return f"{words}{_assumed_spread_words(known_pairs)}.{excluded_words}"


def _two_targets_words(best: CellJudgement, other: CellJudgement, pair: Comparison, where: str) -> str:
    """Return how two targets compare at a place; for two versions of one server: the newer against the older."""
    subject, reference = subject_and_reference(best, other)
    turned_pair = pair if subject is best else turned(pair)
    names = target_title(subject.cell.target), version_title(reference.cell.target, subject.cell.target)
    subject_level, reference_level = (cell_level_words(judgement, "TPS") for judgement in (subject, reference))
    levels = f"{subject_level}{',' if subject.is_vague else ''} against {reference_level}"
    repeats_words = _repeats_words(pair)
    if pair.verdict in ("different", "slightly different"):
        share, interval = faster_words(turned_pair.ratio, turned_pair.low, turned_pair.high)
        margin_words = "" if pair.verdict == "different" else ", less than the 3 % that count"
        is_turned = (turned_pair.ratio > 1) != ((subject.tps_mean or 0.0) > (reference.tps_mean or 0.0))
        rounds_words = " in the rounds of both" if is_turned else ""
        levels += " over all rounds" if is_turned else ""
        return f"{names[0]} is {share} {names[1]} at {where}{rounds_words} ({interval}{margin_words}): {levels}"
    if is_vague_ratio(pair.low, pair.high):
        reason = f"the runs differ too much to compare {names[0]} with {names[1]}"
        return f"Not decided at {where}: {reason} ({levels}){repeats_words}"
    percent_slower = slower_words(1 / turned_pair.ratio, 1 / turned_pair.high, 1 / turned_pair.low)
    if pair.verdict == "same":
        return f"{names[0]} and {names[1]} are equally fast at {where}, to within 3 %: {levels}"
    comparison_words = f"{names[0]} is {percent_slower} than {names[1]} ({levels})"
    return f"{_open_words(pair, where)}: {comparison_words}{repeats_words}"


def single_target_sentence(place: Place, group: Sequence[CellJudgement], places: Sequence[Place]) -> str:
    best, *others = fastest_first(group)
    tps = cell_level_words(best, "TPS")
    caveat_words = "" if best.is_settled else "; its throughput has not settled"
    runs = counted(len(best.judged), "run")
    if best.is_vague:
        runs = vague_words(best)
        tps = tps.replace(f", {runs}", "")
    words = f"{target_title(best.cell.target)} reaches {tps} at {place_words(place, places)} ({runs}){caveat_words}."
    return words + _apart_words(best, [other for other in others if other.decides])


def subject_and_reference(best: CellJudgement, other: CellJudgement) -> tuple[CellJudgement, CellJudgement]:
    """Return the subject and its reference: the newer version of one server, else the faster target, comes first."""
    return (other, best) if is_newer(other, best) else (best, other)


def _many_targets_words(best: CellJudgement, pairs: Sequence[Comparison], where: str, among: str) -> str:
    """Return which of four targets or more is fastest at a place, if one is, and how the others stand to it.

    Parameters
    ----------
    among : of which targets it is the fastest, where that is not all
    """
    name, tps = target_title(best.cell.target), cell_level_words(best, "TPS")
    rivals = sorted(pairs, key=lambda pair: pair.ratio)
    standing = "; ".join(standing_words(rivals))
    if are_all_slower(rivals):
        return f"{name} is {_rank_words(among)} at {where}: {tps}. {standing}"
    return f"No clear winner at {where}: {name} reaches {tps}; {standing}"


def _rank_words(among: str) -> str:
    return f"the fastest{among}" if among else "fastest"


def _leader_words(best: CellJudgement, pairs: Sequence[Comparison], where: str, among: str) -> str:
    """Return how the fastest compares with the next one; it is not called the fastest where a slower one may be it.

    Parameters
    ----------
    pairs : with all others that have settled, the fastest of them first
    among : of which targets it is the fastest, where that is not all
    """
    pair, rival_pairs = pairs[0], [pair for pair in pairs if not are_all_slower([pair])]
    name, tps, rival_title = target_title(best.cell.target), cell_level_words(best, "TPS"), target_title(pair.right)
    if are_all_slower([pair]):
        margin_words = "" if pair.verdict == "different" else ", less than the 3 % that count"
        if rival_pairs:
            are_same = all(pair.verdict == "same" for pair in rival_pairs)
            tps += f", but {rivals_words(rival_pairs)} {'is as fast, to within 3 %' if are_same else 'may be as fast'}"
        rank_words = "ahead" if rival_pairs else _rank_words(among)
        return f"{name} is {rank_words} at {where}: {tps}. {distance_words(pair)}{margin_words}"
    if pair.verdict == "same":
        return f"{name} ({tps}) and {rival_title} are equally fast at {where}, to within 3 %: {distance_words(pair)}"
    if is_vague_ratio(pair.low, pair.high):
        reason = f"the runs differ too much to compare {name} ({tps}) with {rival_title}"
        return f"Not decided at {where}: {reason}{_repeats_words(pair)}"
    pair_words = f" between the fastest two{among}"
    return f"{_open_words(pair, where, pair_words)}: {distance_words(pair)} than {name} ({tps}){_repeats_words(pair)}"


def _repeats_words(pair: Comparison) -> str:
    return f"; about {pair.repeats_needed} repeats would decide" if pair.repeats_needed else ""


def _open_words(pair: Comparison, where: str, pair_words: str = "") -> str:
    """Begin the sentence of an undecided comparison: its interval, which is for it alone, may exclude equality.

    Parameters
    ----------
    pair_words : which of several targets are compared; empty where there are two
    """
    if pair.low <= 1.0 <= pair.high:
        return f"No difference shown{pair_words} at {where}"
    return f"Not decided{pair_words} at {where}, where {TESTED_TOGETHER}"


def _undecided_words(pair: Comparison) -> str:
    if pair.verdict != "undecided" or is_vague_ratio(pair.low, pair.high):
        return ""
    return ", undecided" if pair.low <= 1.0 <= pair.high else f", not decided, as {TESTED_TOGETHER}"


def _unsettled_words(groups: Sequence[CellJudgement]) -> str:
    """Name the targets that are not compared, as their throughput has not settled."""
    if not groups:
        return ""
    targets_words = listed_or_counted([target_title(group.cell.target) for group in groups], "target")
    return f" Not compared: {targets_words}, whose throughput has not settled."


def _apart_words(best: CellJudgement, groups: Sequence[CellJudgement]) -> str:
    """Name the targets that have settled and are not compared with the best, as no bench ran both in one round."""
    if not groups:
        return ""
    targets_words = listed_or_counted([target_title(group.cell.target) for group in groups], "target")
    return f" Not compared with {target_title(best.cell.target)}: {targets_words}, as no bench ran both in one round."


def _assumed_spread_words(pairs: Sequence[Comparison]) -> str:
    words = assumed_words(most_assumed_spread(pairs))
    return f", {words}" if words else ""
