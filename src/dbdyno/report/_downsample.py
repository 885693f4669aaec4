"""Downsamples and packs runs for the page, as little as its size allows.

Throughput and response times come first: they keep every second while there is room. Of each stretch that is thinned
the least and the greatest value stay, so that no stall and no spike is lost; the folder keeps every second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbdyno.report._format import significant_array
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
_EXACT = 2.0**62
"""Whole numbers below it fit into 64 bits."""


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
    rounded = iter(_split_rounded([values for _, values in points]))
    seconds = iter(seconds for seconds, _ in points)
    panels = [
        {**panel, "lines": [_packed_line(line, next(seconds), next(rounded)) for line in panel["lines"]]}
        for panel in shown_panels
    ]
    omitted_count = len(run["panels"]) - len(panels)
    return packed_json({**run, "panels": panels, "leftOut": omitted_count, "thinned": _is_downsampled(run, thinning)})


def _split_rounded(lines: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return each line's values rounded as they are drawn."""
    rounded = significant_array(np.concatenate([np.zeros(0), *lines]))
    ends = np.cumsum([len(values) for values in lines]).tolist()
    return [rounded[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def _most_points(panel: Mapping[str, Any], thinning: Downsampling) -> int:
    return thinning.own if panel["key"] in _OWN else thinning.shown if panel["key"] == "other" else thinning.other


def _is_downsampled(run: Mapping[str, Any], thinning: Downsampling) -> bool:
    lines = ((line, _most_points(panel, thinning)) for panel in run["panels"] for line in panel["lines"])
    return any(len(line["v"]) > max_points > 0 for line, max_points in lines)


def _packed_line(line: Mapping[str, Any], seconds: NDArray[np.int64], values: NDArray[np.float64]) -> dict[str, Any]:
    """Return seconds as steps from one to the next, which packs well; without steps where each is one.

    It names for how many seconds a value stands unless it is one, which points come after a gap, and whether points of
    the line were left out.
    """
    steps = seconds[1:] - seconds[:-1]
    packed: dict[str, Any] = {"n": line["name"], "s": int(seconds[0]), "v": _short_numbers(values)}
    if (steps != 1).any():
        packed["d"] = steps.tolist()
    if line["step"] != 1:
        packed["u"] = line["step"]
    if len(line["after_gaps"]):
        packed["g"] = np.unique(np.searchsorted(seconds, line["after_gaps"])).tolist()
    if len(seconds) < len(line["s"]):
        packed["t"] = True
    return packed


def _short_numbers(values: NDArray[np.float64]) -> list[float | int]:
    """Return numbers as short as JSON has them: whole ones without a point."""
    is_whole = values == np.rint(values)
    if is_whole.all() and (np.abs(values) < _EXACT).all():
        integers: list[float | int] = values.astype(np.int64).tolist()
        return integers
    numbers: list[float | int] = values.tolist()
    for index in np.flatnonzero(is_whole).tolist():
        numbers[index] = int(numbers[index])
    return numbers
