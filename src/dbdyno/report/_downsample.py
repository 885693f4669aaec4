"""Downsamples and packs runs for the page, as little as its size allows.

Throughput and response times come first: they keep every second while there is room. Of each stretch that is thinned
the least and the greatest value stay, so that no stall and no spike is lost; the folder keeps every second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.report._format import at_places, significant_digits
from dbdyno.report._html import packed_json
from dbdyno.report._series import downsampled


@dataclass(frozen=True, slots=True)
class Downsampling:
    """Holds the most points of a line.

    Parameters
    ----------
    own : of throughput and response times
    other : of telemetry and the rest
    shown : of metrics that no panel draws by itself; 0 leaves them to the folder
    """

    own: int
    other: int
    shown: int


LADDER = (
    Downsampling(3600, 1200, 600),
    Downsampling(1800, 600, 300),
    Downsampling(900, 450, 150),
    Downsampling(900, 300, 100),
    Downsampling(900, 150, 0),
    Downsampling(600, 100, 0),
    Downsampling(450, 60, 0),
    Downsampling(300, 40, 0),
    Downsampling(200, 24, 0),
    Downsampling(120, 12, 0),
)
_OWN = ("tps", "latency")
_MOST_MORE_DIGITS = 5
"""Digits by which the numbers of a line may be longer than the longest one's, as whole numbers of one decimal place."""
_MOST_EXACT_POWER = 22
"""Of ten, which a number of 64 bits holds exactly: a whole number divided by it is what JSON of the quotient gives."""
_POWERS = 10 ** np.arange(_MOST_MORE_DIGITS + 1)
_NO_PLACE = -400
"""Decimal place of zeros, which have no digits: below that of all numbers."""


def packed_sample(sample: Mapping[str, Mapping[str, Any]], budget_bytes: float) -> tuple[Downsampling, dict[str, str]]:
    """Return the least thinning with which a sample of runs fits, and the runs packed so.

    Most studies fit as they are, so the ladder is climbed from its foot: nothing is packed for a look alone. A thinning
    is given up with the first run that does not fit any more.
    """
    for thinning in LADDER:
        packed: dict[str, str] = {}
        packed_bytes = 0
        for run_id, run in sample.items():
            packed[run_id] = packed_run(run, thinning)
            packed_bytes += len(packed[run_id])
            if packed_bytes > budget_bytes and thinning is not LADDER[-1]:
                break
        if packed_bytes <= budget_bytes:
            break
    return thinning, packed


def packed_run(run: Mapping[str, Any], thinning: Downsampling) -> str:
    """Return one run."""
    shown_panels = [panel for panel in run["panels"] if _most_points(panel, thinning)]
    lines = [(line, _most_points(panel, thinning)) for panel in shown_panels for line in panel["lines"]]
    points = [downsampled(line["s"], line["v"], max_points) for line, max_points in lines]
    # All lines are rounded at once: a run has twenty, and a dozen NumPy calls per line cost more than the rounding.
    numbers = _short_numbers([values for _, values in points])
    seconds = iter(seconds for seconds, _ in points)
    panels = [
        {**panel, "lines": [_packed_line(line, next(seconds), next(numbers)) for line in panel["lines"]]}
        for panel in shown_panels
    ]
    omitted_count = len(run["panels"]) - len(panels)
    return packed_json({**run, "panels": panels, "leftOut": omitted_count, "thinned": _is_downsampled(run, thinning)})


def _short_numbers(lines: Sequence[NDArray[np.float64]]) -> Iterator[tuple[list[int] | list[float], int]]:
    """Yield each line's values rounded as they are drawn, and their decimal place.

    They are whole numbers, to be divided by the power of ten of their place: JSON of those takes 0.6 of the time. A
    line of very unlike values stays as it is, at place 0.
    """
    if not lines:
        return
    digits, places = significant_digits(np.concatenate(lines))
    places[digits == 0] = _NO_PLACE
    lengths = [len(line) for line in lines]
    ends = np.cumsum(np.array(lengths, dtype=np.int64), dtype=np.int64)
    line_places = np.maximum.reduceat(places, ends - lengths)
    more_digits = np.where(digits == 0, 0, np.repeat(line_places, lengths) - places)
    line_more_digits = np.maximum.reduceat(more_digits, ends - lengths).tolist()
    numbers = digits.astype(np.int64) * _POWERS[np.minimum(more_digits, _MOST_MORE_DIGITS)]
    for length, end, place, most_more in zip(
        lengths, ends.tolist(), line_places.tolist(), line_more_digits, strict=True
    ):
        line = slice(end - length, end)
        if place == _NO_PLACE:
            yield [0] * length, 0
        elif most_more > _MOST_MORE_DIGITS or abs(place) > _MOST_EXACT_POWER:
            yield at_places(digits[line], np.where(digits[line] == 0, 0, places[line])).tolist(), 0
        else:
            yield _without_last_zeros(numbers[line], place)


def _without_last_zeros(numbers: NDArray[np.int64], place: int) -> tuple[list[int], int]:
    """Return numbers without the zeros that all of them end in, and the decimal place that is left.

    >>> _without_last_zeros(np.array([1200, 500]), 3)
    ([12, 5], 1)
    """
    while not numbers[0] % 10 and not (numbers % 10).any():
        numbers, place = numbers // 10, place - 1
    return numbers.tolist(), place


def _most_points(panel: Mapping[str, Any], thinning: Downsampling) -> int:
    return thinning.own if panel["key"] in _OWN else thinning.shown if panel["key"] == "other" else thinning.other


def _is_downsampled(run: Mapping[str, Any], thinning: Downsampling) -> bool:
    lines = ((line, _most_points(panel, thinning)) for panel in run["panels"] for line in panel["lines"])
    return any(len(line["v"]) > max_points > 0 for line, max_points in lines)


def _packed_line(
    line: Mapping[str, Any], seconds: NDArray[np.int64], numbers: tuple[list[int] | list[float], int]
) -> dict[str, Any]:
    """Return seconds as steps from one to the next, which packs well; without steps where each is one.

    It names the decimal place of its values unless it is 0, for how many seconds a value stands unless it is one, which
    points come after a gap, and whether points of the line were left out.
    """
    steps = seconds[1:] - seconds[:-1]
    values, place = numbers
    packed: dict[str, Any] = {"n": line["name"], "s": int(seconds[0]), "v": values}
    if place:
        packed["p"] = place
    if (steps != 1).any():
        packed["d"] = steps.tolist()
    if line["step"] != 1:
        packed["u"] = line["step"]
    if len(line["after_gaps"]):
        packed["g"] = np.unique(np.searchsorted(seconds, line["after_gaps"])).tolist()
    if len(seconds) < len(line["s"]):
        packed["t"] = True
    return packed
