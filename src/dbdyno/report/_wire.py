"""Runs as the page carries them: packed, and thinned as little as the page's size allows.

Throughput and response times come first: they keep every second while there is room. Of each stretch that is thinned
the least and the greatest value stay, so that no stall and no spike is lost; the folder keeps every second.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbdyno.report._format import significant
from dbdyno.report._pack import packed_json
from dbdyno.report._series import thinned


@dataclass(frozen=True, slots=True)
class Thinning:
    """The most points of a line.

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
    Thinning(3600, 1200, 600),
    Thinning(1800, 600, 300),
    Thinning(900, 450, 150),
    Thinning(900, 300, 100),
    Thinning(900, 150, 0),
    Thinning(600, 100, 0),
    Thinning(450, 60, 0),
    Thinning(300, 40, 0),
    Thinning(200, 24, 0),
    Thinning(120, 12, 0),
)
_OWN = ("tps", "latency")


def thinning_for(sample: Sequence[Mapping[str, Any]], budget_bytes: float) -> Thinning:
    """The least thinning with which a sample of runs fits."""
    return next((s for s in LADDER if sum(len(packed_run(run, s)) for run in sample) <= budget_bytes), LADDER[-1])


def packed_run(run: Mapping[str, Any], thinning: Thinning) -> str:
    """One run."""
    panels = [packed for panel in run["panels"] if (packed := _panel(panel, thinning)) is not None]
    left_out = len(run["panels"]) - len(panels)
    return packed_json({**run, "panels": panels, "leftOut": left_out, "thinned": _is_thinned(run, thinning)})


def _panel(panel: Mapping[str, Any], thinning: Thinning) -> dict[str, Any] | None:
    most = _most(panel, thinning)
    return {**panel, "lines": [_line(line, most) for line in panel["lines"]]} if most else None


def _most(panel: Mapping[str, Any], thinning: Thinning) -> int:
    return thinning.own if panel["key"] in _OWN else thinning.shown if panel["key"] == "other" else thinning.other


def _is_thinned(run: Mapping[str, Any], thinning: Thinning) -> bool:
    lines = ((line, _most(panel, thinning)) for panel in run["panels"] for line in panel["lines"])
    return any(len(line["v"]) > most > 0 for line, most in lines)


def _line(line: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Seconds as steps from one to the next, which packs well; without steps where each is one."""
    seconds, values = thinned(line["s"], line["v"], most)
    steps = [int(after - before) for before, after in itertools.pairwise(seconds)]
    regular: dict[str, Any] = {} if all(step == 1 for step in steps) else {"d": steps}
    shown = [significant(value) for value in values]
    return {"n": line["name"], "s": seconds[0], **regular, "v": [int(v) if v == int(v) else v for v in shown]}
