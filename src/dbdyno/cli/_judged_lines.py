"""Judged runs in the terminal: a line a run, what weakens them, and their comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dbdyno.analyse import (
    STATUS_WORDS,
    GroupJudgement,
    RunPair,
    SeriesJudgement,
    counted,
    level_words,
    ratio_words,
    stall_words,
    stop_words,
    wave_words,
    window_words,
)
from dbdyno.cli._console import wide_console
from dbdyno.cli._words import sparkline, tps_words

_SPARK_BARS = 24
_NAME_MOST = 44
_FOOT = "From throughput alone: what the server still had to do, and the spread between repeats, are not seen."


def print_judged(judged: Mapping[str, SeriesJudgement]) -> None:
    """A table with a line a run, then the caveats."""
    console = wide_console()
    table = _table("run", "status", "window", "TPS", "stalls", "wave", "2 % stop", "from zero")
    for name, found in judged.items():
        table.add_row(*(Text(cell) for cell in _row(name, found)))
    console.print(table)
    _print_caveats(judged, console)
    console.print(Text(_FOOT, style="dim"))


def print_group(group: GroupJudgement, judged: Mapping[str, SeriesJudgement], over: str) -> None:
    """Places with ties, each against the first, and the lead."""
    console = wide_console()
    console.print()
    if group.lead is None:
        console.print("Fewer than two runs can be compared.")
        return
    means = {name: _mean(judged[name], over) for name in group.ranks}
    ordered = sorted(means, key=lambda name: -means[name])
    against = {pair.worse: pair for pair in group.pairs if pair.better == ordered[0]}
    table = _table("run", "place", "TPS", "of the first", "verdict")
    for name in ordered:
        table.add_row(*(Text(cell) for cell in _place(name, group, means[name], against.get(name))))
    console.print(table)
    console.print(Text(_lead_words(group)))
    console.print(Text(_tally(group, over)), soft_wrap=True)


def _row(name: str, found: SeriesJudgement) -> Sequence[str]:
    return (
        printable(name),
        STATUS_WORDS[found.state.status],
        window_words(found),
        level_words(found),
        stall_words(found),
        wave_words(found),
        stop_words(found),
        sparkline(_thinned(found)),
    )


def printable(name: str) -> str:
    r"""A name from a file as a terminal may show it.

    >>> printable("a\x1b[31mb")
    'a?[31mb'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in name[:200])


def _thinned(found: SeriesJudgement) -> list[float]:
    parts = np.array_split(found.tps, min(_SPARK_BARS, len(found.tps)))
    return [float(part.mean()) for part in parts]


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in titles:
        is_name = title == "run"
        table.add_column(title, no_wrap=True, overflow="ellipsis", max_width=_NAME_MOST if is_name else None)
    return table


def _print_caveats(judged: Mapping[str, SeriesJudgement], console: Console) -> None:
    """Each caveat once, with the runs that carry it; a single run's as they are."""
    carriers: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for name, found in judged.items():
        for caveat in found.caveats:
            carriers.setdefault(caveat.code, []).append(name)
            texts.setdefault(caveat.code, caveat.text)
    if not carriers:
        return
    console.print(Text("\nLimitations", style="bold"))
    for code, names in carriers.items():
        who = "" if len(judged) == 1 else f"{counted(len(names), 'run')}, first {printable(names[0])}: "
        console.print(Text(f"- {who}{texts[code]}"), soft_wrap=True)
    console.print()


def _mean(found: SeriesJudgement, over: str) -> float:
    interval = found.state.window if over == "window" else found.whole
    return interval.mean if interval else 0.0


def _place(name: str, group: GroupJudgement, mean: float, pair: RunPair | None) -> Sequence[str]:
    first, last = group.ranks[name]
    place = f"{first}" if first == last else f"{first}-{last}"
    if pair is None:
        return printable(name), place, f"{tps_words(mean)}", "", ""
    low, high = pair.difference.interval()
    number, interval = ratio_words(1 / pair.difference.ratio, 1 / high, 1 / low).split(", ", 1)
    return printable(name), place, f"{tps_words(mean)}", f"{number} ({interval})", _verdict_words(pair)


def _verdict_words(pair: RunPair) -> str:
    """The verdict; `same` and a difference can both hold, and then its size is told."""
    if pair.verdict == "same" and pair.is_significant:
        return f"same (differs by {100 * (pair.difference.ratio - 1):.1f} %)"
    return pair.verdict


def _lead_words(group: GroupJudgement) -> str:
    lead = group.lead
    if lead is None:
        return ""
    percents = [f"{100 * (ratio - 1):+.1f} %" for ratio in (lead.ratio, lead.low, lead.high)]
    words = f"{printable(lead.best)} leads by {percents[0]} [{percents[1]} to {percents[2]}]"
    return f"\n{words} over the next best of all compared, {printable(lead.next_best)}."


def _tally(group: GroupJudgement, over: str) -> str:
    verdicts = [pair.verdict for pair in group.pairs]
    parts = [f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts)]
    means = "means of windows" if over == "window" else "means of whole runs"
    return (
        f"{counted(len(verdicts), 'pair')} by {means}: {', '.join(parts)}. Places overlap where runs can't be told "
        f"apart. This holds if repeats spread by {group.spread:.1%}, which is assumed."
    )
