"""Prints judged runs: in the terminal with their limitations and comparison, or as one object for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dbdyno.analyse import (
    STATUS_WORDS,
    GroupJudgement,
    RunPair,
    SeriesJudgement,
    assumed_words,
    counted,
    level_words,
    slower_words,
    span_words,
    stall_words,
    stop_words,
    wave_words,
    window_words,
    with_remedy,
)
from dbdyno.cli._console import wide_console
from dbdyno.cli._format import sparkline, tps_words
from dbdyno.core import is_vague_ratio, short_percent
from dbdyno.stats import METHOD, PRIOR_SPREAD, NoiseInterval, Period, Stalls, t_quantile

if TYPE_CHECKING:
    from dbdyno.store import JsonValue


_SPARK_BARS = 24
_NAME_MOST = 44
_FOOT = "From throughput alone: neither the server's pending work nor the spread between repeats is visible."


def print_judged(judged: Mapping[str, SeriesJudgement]) -> None:
    """Print a table with a line a run, then the caveats."""
    console = wide_console()
    table = _run_table("run", "status", "window", "TPS", "stalls", "wave", "2 % stop", "from zero")
    for name, judgement in judged.items():
        table.add_row(*(Text(cell) for cell in _run_row(name, judgement)))
    console.print(table)
    _print_caveats(judged, console)
    console.print(Text(_FOOT, style="dim"))


def print_group(group: GroupJudgement, judged: Mapping[str, SeriesJudgement], over: str) -> None:
    """Print places with ties, each against the first, and the lead."""
    console = wide_console()
    console.print()
    if len(group.ranks) < 2:
        console.print("Fewer than two runs can be compared.")
        return
    means = {name: _run_mean(judged[name], over) for name in group.ranks}
    ranked_names = sorted(means, key=lambda name: -means[name])
    pairs_with_best = {pair.worse: pair for pair in group.pairs if pair.better == ranked_names[0]}
    table = _run_table("run", "place", "TPS", "against the first", "verdict")
    for name in ranked_names:
        table.add_row(*(Text(cell) for cell in _rank_row(name, group, means[name], pairs_with_best.get(name))))
    console.print(table)
    console.print(Text(_lead_words(group)))
    console.print(Text(_tally_sentence(group, over)), soft_wrap=True)


def _run_row(name: str, judgement: SeriesJudgement) -> Sequence[str]:
    return (
        printable_name(name),
        STATUS_WORDS[judgement.state.status],
        window_words(judgement),
        level_words(judgement),
        stall_words(judgement),
        wave_words(judgement),
        stop_words(judgement),
        sparkline(_spark_values(judgement)),
    )


def printable_name(name: str) -> str:
    r"""Return a name from a file as a terminal may show it.

    >>> printable_name("a\x1b[31mb")
    'a?[31mb'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in name[:200])


def _spark_values(judgement: SeriesJudgement) -> list[float]:
    buckets = np.array_split(judgement.tps, min(_SPARK_BARS, len(judgement.tps)))
    return [float(bucket.mean()) for bucket in buckets]


def _run_table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in titles:
        is_name = title == "run"
        table.add_column(title, no_wrap=True, overflow="ellipsis", max_width=_NAME_MOST if is_name else None)
    return table


def _print_caveats(judgements: Mapping[str, SeriesJudgement], console: Console) -> None:
    """Print each caveat once, with the runs that carry it; a single run's unchanged."""
    names_by_caveat: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for name, judgement in judgements.items():
        for caveat in judgement.caveats:
            names_by_caveat.setdefault(caveat.code, []).append(name)
            texts.setdefault(caveat.code, with_remedy(caveat).text)
    if not names_by_caveat:
        return
    console.print(Text("\nLimitations", style="bold"))
    for code, names in names_by_caveat.items():
        runs_words = "" if len(judgements) == 1 else f"{counted(len(names), 'run')}, first {printable_name(names[0])}: "
        console.print(Text(f"- {runs_words}{texts[code]}"), soft_wrap=True)
    console.print()


def _run_mean(judgement: SeriesJudgement, over: str) -> float:
    interval = judgement.state.window if over == "window" else judgement.whole
    return interval.mean if interval else 0.0


def _rank_row(name: str, group: GroupJudgement, mean: float, pair: RunPair | None) -> Sequence[str]:
    first, last = group.ranks[name]
    place = f"{first}" if first == last else f"{first}-{last}"
    if pair is None:
        return printable_name(name), place, f"{tps_words(mean)}", "", ""
    return printable_name(name), place, f"{tps_words(mean)}", _slower_words(pair), _verdict_words(pair, group.spread)


def _slower_words(pair: RunPair) -> str:
    """Return how far the slower run is behind, with its interval."""
    return slower_words(pair.difference.ratio, *pair.difference.interval())


def _verdict_words(pair: RunPair, spread: float) -> str:
    """Return the verdict and the spread it assumes; `same` and a difference can both hold: then it has its size."""
    if pair.verdict == "not settled":
        return pair.verdict
    is_both = pair.verdict == "same" and pair.is_significant
    difference_words = f" (differs by {100 * (pair.difference.ratio - 1):.1f} %)" if is_both else ""
    tolerance_words = (
        f" (stands up to {short_percent(pair.stands_to)})" if pair.is_significant and pair.stands_to else ""
    )
    return f"{pair.verdict}{difference_words}, {assumed_words(spread)}{tolerance_words}"


def _lead_words(group: GroupJudgement) -> str:
    lead = group.lead
    if lead is None:
        return "\nNo lead is shown: fewer than two of the runs have settled."
    best, next_best = printable_name(lead.best), printable_name(lead.next_best)
    if is_vague_ratio(lead.low, lead.high):
        return f"\nNo lead is shown: the runs of {best} and the next best, {next_best}, are too uncertain to compare."
    if lead.low <= 1:
        return f"\nNo lead is shown: {best} is {span_words(lead.low, lead.high)} than the next best, {next_best}."
    percents = [f"{100 * (ratio - 1):.1f}" for ratio in (lead.ratio, lead.low, lead.high)]
    return f"\n{best} is {percents[0]} % faster ({percents[1]} to {percents[2]} %) than the next best, {next_best}."


def _tally_sentence(group: GroupJudgement, over: str) -> str:
    verdicts = [pair.verdict for pair in group.pairs]
    verdict_counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts)]
    different_pairs = [pair for pair in group.pairs if pair.verdict == "different"]
    closest_words = ""
    if different_pairs and len(group.pairs) > 1:
        closest = min(different_pairs, key=lambda pair: pair.difference.ratio)
        closest_words = (
            f" The closest that differ: {printable_name(closest.worse)} is {_slower_words(closest)} than "
            f"{printable_name(closest.better)}."
        )
    means = "means of windows" if over == "window" else "means of whole runs"
    return (
        f"{counted(len(verdicts), 'pair')} by {means}: {', '.join(verdict_counts)}.{closest_words} Ranks overlap "
        f"where runs show no difference. The file shows no spread between repeats, so all verdicts assume "
        f"{short_percent(group.spread)} (--spread); a verdict stands up to the spread in brackets."
    )


SCHEMA_VERSION = 1


def judged_object(
    judged: Mapping[str, SeriesJudgement], group: GroupJudgement | None = None, over: str = "window"
) -> dict[str, JsonValue]:
    """Return every figure of every run, and the comparison when one was asked for."""
    document: dict[str, JsonValue] = {
        "schema_version": SCHEMA_VERSION,
        "method": METHOD,
        "runs": {name: _run_object(run) for name, run in judged.items()},
    }
    if group is not None:
        document["group"] = _group_object(group, over)
    return document


def _run_object(judgement: SeriesJudgement) -> dict[str, JsonValue]:
    state = judgement.state
    drift = state.drift
    return {
        "status": state.status,
        "accepted": state.is_accepted,
        "n": len(judgement.tps),
        "median": judgement.median,
        "minimum": judgement.minimum,
        "maximum": judgement.maximum,
        **_noise_object(judgement),
        "drift": judgement.whole_drift.change if judgement.whole_drift else None,
        "drift_half": judgement.whole_drift.half_width if judgement.whole_drift else None,
        "mser5": judgement.mser5_s,
        "segments": list(state.levels.bounds_s) if state.levels else None,
        "segment_means": [_rounded_mean(mean) for mean in state.levels.means] if state.levels else None,
        **_window_object(state.start_s, state.window),
        "steady_drift": drift.change if drift else None,
        "steady_drift_half": drift.half_width if drift else None,
        "quarters": state.quarters,
        **_period_object("", state.period),
        **_period_object("whole_", judgement.whole_period),
        **_stalls_object("", judgement.window_stalls),
        **_stalls_object("whole_", judgement.whole_stalls),
        **_stops_object(judgement),
        "waves": [{"from_s": start, **_period_object("", wave)} for start, wave in judgement.waves.items()],
        "caveats": [{"code": caveat.code, "text": caveat.text} for caveat in judgement.caveats],
    }


def _noise_object(judgement: SeriesJudgement) -> dict[str, JsonValue]:
    """Return the noise of the whole run; `iid_half` as if its seconds were independent."""
    interval = judgement.whole
    if interval is None:
        names = ("sd", "iid_half", "iat", "ess", "half_iat", "half_bm5", "half")
        return {"mean": float(judgement.tps.mean()), **dict.fromkeys(names)}
    return {
        "mean": interval.mean,
        "sd": interval.sd,
        "iid_half": t_quantile(0.975, math.inf) * interval.sd / math.sqrt(interval.n),
        "iat": interval.iat,
        "ess": interval.ess,
        "half_iat": interval.half_iat,
        "half_bm5": None if math.isnan(interval.half_bm5) else interval.half_bm5,
        "half": interval.half_width,
    }


def _window_object(start_s: int | None, window: NoiseInterval | None) -> dict[str, JsonValue]:
    return {
        "steady_start": start_s,
        "steady_n": window.n if window else None,
        "steady_mean": window.mean if window else None,
        "steady_half": window.half_width if window else None,
        "steady_iat": window.iat if window else None,
    }


def _period_object(prefix: str, wave: Period | None) -> dict[str, JsonValue]:
    return {
        f"{prefix}period_s": wave.period_s if wave else None,
        f"{prefix}period_share": wave.share if wave else None,
        f"{prefix}period_acf": wave.correlation if wave else None,
    }


def _stalls_object(prefix: str, stalls: Stalls | None) -> dict[str, JsonValue]:
    return {
        f"{prefix}stall_median": stalls.median if stalls else None,
        f"{prefix}stall_share": stalls.share if stalls else None,
        f"{prefix}stall_count": stalls.count if stalls else None,
        f"{prefix}stall_longest": stalls.longest_s if stalls else None,
        f"{prefix}stall_lost": stalls.lost if stalls else None,
        f"{prefix}zero_seconds": stalls.zero_s if stalls else None,
    }


def _stops_object(judgement: SeriesJudgement) -> dict[str, JsonValue]:
    stops: dict[str, JsonValue] = {}
    for precision, point in judgement.stops.items():
        name = f"stop_{round(100 * precision)}pct"
        stops |= {f"{name}_s": point.at_s if point else None, f"{name}_mean": point.mean if point else None}
    return stops


def _rounded_mean(mean: float) -> float:
    """Return a segment's mean to three decimals; a segment is a step of a picture, not a result."""
    return round(mean, 3) if mean >= 1 else float(f"{mean:.4g}")


def _group_object(group: GroupJudgement, over: str) -> dict[str, JsonValue]:
    lead = group.lead
    return {
        "over": over,
        "sigma_b": group.spread,
        "sigma_b_is_default": group.spread == PRIOR_SPREAD,
        "summary": {
            "pairs": len(group.pairs),
            "different": sum(pair.is_significant for pair in group.pairs),
            "equivalent": sum(pair.difference.is_same() for pair in group.pairs),
        },
        "rank_intervals": {name: list(places) for name, places in group.ranks.items()},
        "lead": None
        if lead is None
        else {"best": lead.best, "next_best": lead.next_best, "ratio": lead.ratio, "lo": lead.low, "hi": lead.high},
        "pairs": {f"{pair.better} / {pair.worse}": _pair_object(pair, group.spread) for pair in group.pairs},
    }


def _pair_object(pair: RunPair, spread: float) -> dict[str, JsonValue]:
    low, high = pair.difference.interval()
    return {
        "ratio": pair.difference.ratio,
        "lo": low,
        "hi": high,
        "se": pair.difference.se,
        "p": None,  # the spread is assumed, so this p would rest on an assumption
        "p_adjusted": None,
        "assumed_spread": spread,
        "stands_to": pair.stands_to if pair.is_significant else None,
        "equivalent": pair.difference.is_same(),
        "verdict": pair.verdict,
    }
