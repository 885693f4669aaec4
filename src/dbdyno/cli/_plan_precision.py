"""Prints how precise a planned study will be, in words and for programs."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.cli._folder import open_results
from dbdyno.cli._options import parse_share
from dbdyno.cli._seen_spread import SeenSpread, spread_seen_here
from dbdyno.core import counted, format_duration, short_number, short_percent
from dbdyno.plan import SHORTEST_WINDOW_S, Design, best_within, cheapest_design, designs_for, planned_design
from dbdyno.stats import ASSUMED_VARIATION, Variation, cheapest_window_s, matching_window_s
from dbdyno.study import Study

if TYPE_CHECKING:
    from dbdyno.store import JsonValue


_DEFAULT_HALF_WIDTH = 0.02
_MOST_SHOWN = 5
_WIDE = 0.5
"""Half-width on the ln scale from which it is no longer about a share."""
_LARGEST_FACTOR = 1_000


@dataclass(frozen=True, slots=True)
class PlanPrecision:
    """Describes what windows and repeats will give.

    Parameters
    ----------
    basis : where the variation comes from, in words
    wished : half-width of a cell's level, as a share
    within_ns : time that the runs may take; None for any
    designs : that give what is wished, by repeats
    best : what fits the time where none of them does
    """

    variation: Variation
    basis: str
    planned: Design
    wished: float
    within_ns: int | None
    designs: tuple[Design, ...]
    best: Design | None

    @property
    def cheapest(self) -> Design | None:
        """Return the design that gives what is wished in the least time."""
        return cheapest_design(list(self.designs))

    @property
    def is_possible(self) -> bool:
        """Return whether what is wished can be had in time."""
        return self.cheapest is not None and (self.within_ns is None or self.cheapest.runs_ns <= self.within_ns)


def plan_precision(
    study: Study,
    target_half_width: str | None,
    variation: tuple[Variation, str],
    within_ns: int | None,
    overhead_ns: int,
) -> PlanPrecision | None:
    """Return how sure the study will be; None for a search, whose own precision says that.

    Parameters
    ----------
    target_half_width : half-width of a cell's level to reach, as typed; None for 2 %
    variation : what to expect of repeats and windows, and where it comes from
    within_ns : time that the runs may take; None for any
    overhead_ns : what surrounds the window of one run, on average

    Raises
    ------
    RequestError : a half-width that is none
    """
    wished = (
        parse_share(target_half_width, "half-width", "--target-half-width 2%")
        if target_half_width
        else _DEFAULT_HALF_WIDTH
    )
    if study.pacing.search is not None:
        return None
    expected, basis = variation
    designs = tuple(designs_for(study, expected, wished, overhead_ns))
    best = None if within_ns is None else best_within(study, expected, within_ns, overhead_ns)
    planned = planned_design(study, expected, overhead_ns)
    return PlanPrecision(expected, basis, planned, wished, within_ns, designs, best)


def measured_variation(folder: Path, choices: argparse.Namespace) -> tuple[Variation, str]:
    """Return the variation of a results folder's repeats and windows, and where it comes from.

    Raises
    ------
    StoreError : no results folder
    """
    from dbdyno.analyse import observed_variation  # late: see _main
    from dbdyno.report import analyse_study

    measured, cells = observed_variation(analyse_study(open_results(folder, choices)).judgements)
    source_words = (
        f"seen in {counted(cells, 'repeated cell')} of" if cells else "assumed, because no cell was repeated in"
    )
    words = f"spread {short_percent(measured.spread)} between repeats, {source_words} {folder}"
    return measured, f"{words}; noise {short_percent(measured.noise_se)} of a window of 900 s"


def expected_variation(study: Study) -> tuple[Variation, str]:
    """Return what earlier studies on this machine showed, else what is assumed; and where it comes from."""
    seen = _spread_to_expect(study)
    if seen is None:
        words = f"assumed: {_variation_words(ASSUMED_VARIATION)}"
        return ASSUMED_VARIATION, f"{words}; plan --from RESULTS uses measured values"
    source_words = f"seen here in {counted(seen.cells, 'repeated cell')} of {counted(seen.studies, 'study', 'studies')}"
    words = f"{source_words}: {_variation_words(seen.variation)}"
    return seen.variation, f"{words}; plan --from RESULTS uses others"


def seen_precision_line(study: Study, overhead_ns: int) -> str:
    """Return which differences a study will show, by what earlier ones showed of this machine.

    Empty where none did, and where there are no two targets to differ.
    """
    seen = _spread_to_expect(study) if len(study.targets) > 1 else None
    if seen is None:
        return ""
    smallest = planned_design(study, seen.variation, overhead_ns).smallest_difference
    return (
        f"differences of two targets show from about {_difference_words(smallest)} on: repeats spread by "
        f"{short_percent(seen.variation.spread)} in {counted(seen.studies, 'earlier study', 'earlier studies')} here"
    )


def precision_lines(precision: PlanPrecision, overhead_s: float) -> list[str]:
    """Return what is printed under a plan."""
    planned, variation = precision.planned, precision.variation
    lines = [
        f"certainty  a cell's level to {_half_width_words(planned.half_width)}; two targets show a difference from "
        f"{_difference_words(planned.smallest_difference)} on (power 0.8, one comparison)",
        f"           {precision.basis}",
        *(f"           {words}" for words in _single_repeat_lines(precision)),
    ]
    lines += [f"           {words}" for words in _window_lines(variation, planned, overhead_s)]
    lines += ["", *_precision_goal_lines(precision)]
    return lines


def precision_object(precision: PlanPrecision) -> dict[str, JsonValue]:
    """Build the same for programs; cells that all spread alike have no number of repeats that they are worth."""
    prior_df = precision.variation.prior_df
    return {
        **asdict(precision.variation),
        "prior_df": prior_df if math.isfinite(prior_df) else None,
        "basis": precision.basis,
        "planned": asdict(precision.planned),
        "planned_spread": precision.variation.spread_of(precision.planned.repeats),
        "wished_half_width": precision.wished,
        "within_ns": precision.within_ns,
        "designs": [asdict(design) for design in precision.designs],
        "best_within": None if precision.best is None else asdict(precision.best),
        "is_possible": precision.is_possible,
    }


def _half_width_words(half_width: float) -> str:
    """Return the half-width of a level, given on the ln scale; a wide one as a factor: below zero there is no level.

    >>> _half_width_words(0.35), _half_width_words(1.1)
    ('±35 %', 'a factor of 3')
    """
    return f"±{short_percent(half_width)}" if half_width < _WIDE else _factor_words(half_width)


def _difference_words(share: float) -> str:
    """Return a difference of two levels as a share of the smaller; a large one as a factor.

    >>> _difference_words(0.35), _difference_words(5.84)
    ('35 %', 'a factor of 6.8')
    """
    return short_percent(share) if share < 1 else _factor_words(math.log1p(share))


def _factor_words(log_factor: float) -> str:
    """Return a factor that is given by its logarithm; a very large one is as good as unknown.

    >>> _factor_words(5.0), _factor_words(750.0)
    ('a factor of 148', 'a factor of more than 1,000')
    """
    is_known = log_factor < math.log(_LARGEST_FACTOR)
    return f"a factor of {short_number(math.exp(log_factor)) if is_known else f'more than {_LARGEST_FACTOR:,}'}"


def _variation_words(variation: Variation) -> str:
    return (
        f"spread {short_percent(variation.spread)} between repeats, noise {short_percent(variation.noise_se)} "
        "of a window of 900 s"
    )


def _spread_to_expect(study: Study) -> SeenSpread | None:
    """Return what earlier studies showed of this machine; None also for servers on another one, and for a rate.

    None also where it is less than what is assumed: short windows leave so much noise that no spread is seen in it.
    """
    from dbdyno.core import Home  # late: see _main

    if not study.pacing.is_closed or any(bench.server is not None for bench in study.benches):
        return None
    seen = spread_seen_here(Home.of_user().root)
    return seen if seen is not None and seen.variation.spread > ASSUMED_VARIATION.spread else None


def _single_repeat_lines(precision: PlanPrecision) -> list[str]:
    """Return which spread verdicts assume where nothing is repeated; nothing where something is."""
    spread = precision.variation.spread_of(precision.planned.repeats)
    if precision.planned.repeats > 1:
        return []
    return [f"with one repeat, verdicts assume that repeats spread by {short_percent(spread)}"]


def _window_lines(variation: Variation, planned: Design, overhead_s: float) -> list[str]:
    """Return where time is better spent: in longer windows or in more of them."""
    if variation.spread <= 0:
        return ["repeats spread no more than the noise of their windows: longer windows help as much as more repeats"]
    cheapest_s = cheapest_window_s(variation.noise_se, variation.spread, overhead_s)
    words = f"cheapest window for any precision here: {max(cheapest_s, SHORTEST_WINDOW_S):.0f} s"
    if planned.repeats < 2:
        return [words]
    matching_s = matching_window_s(planned.repeats, variation.noise_se, variation.spread)
    equivalent_words = (
        f"{matching_s:.0f} s have the same standard error as"
        if matching_s >= SHORTEST_WINDOW_S
        else "60 s have a smaller standard error than"
    )
    return [f"{words}; {planned.repeats} repeats of {equivalent_words} one of 900 s"]


def _precision_goal_lines(precision: PlanPrecision) -> list[str]:
    wish_words = f"±{short_percent(precision.wished)}"
    if not precision.designs:
        return [
            f"{wish_words} needs more than 20 repeats: repeats spread by {short_percent(precision.variation.spread)}"
        ]
    cheapest = precision.cheapest
    rows = sorted(precision.designs, key=lambda design: design.runs_ns)[:_MOST_SHOWN]
    lines = [
        f"{wish_words} needs one of these",
        *(_design_line(design, design == cheapest) for design in _sort_by_repeats(rows)),
    ]
    if precision.within_ns is not None and not precision.is_possible:
        time = format_duration(precision.within_ns)
        lines.append(f"within {time} {wish_words} can't be reached" + _best_design_words(precision.best))
    return lines


def _sort_by_repeats(designs: Sequence[Design]) -> list[Design]:
    return sorted(designs, key=lambda design: design.repeats)


def _design_line(design: Design, is_cheapest: bool) -> str:
    mark = ", the least time" if is_cheapest else ""
    return (
        f'  repeats = {design.repeats}, window = "{design.window_s:.0f}s": {format_duration(design.runs_ns)} of '
        f"runs, shows differences from {_difference_words(design.smallest_difference)} on{mark}"
    )


def _best_design_words(best: Design | None) -> str:
    if best is None:
        return ": two windows of 60 s a cell take longer; choose fewer cells"
    half_width = _half_width_words(best.half_width)
    return f'; the best is {half_width}, with repeats = {best.repeats}, window = "{best.window_s:.0f}s"'
