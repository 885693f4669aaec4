"""Judged runs as one object for programs. Times in seconds, rates per second, shares 0 to 1; null: there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dbdyno.analyse import GroupJudgement, RunPair, SeriesJudgement
from dbdyno.stats import ASSUMED_SPREAD, METHOD, NoiseInterval, Period, Stalls, t_quantile

if TYPE_CHECKING:
    from dbdyno.store import JsonValue

SCHEMA_VERSION = 1


def judged_object(
    judged: Mapping[str, SeriesJudgement], group: GroupJudgement | None = None, over: str = "window"
) -> dict[str, JsonValue]:
    """Every figure of every run, and the comparison when one was asked for."""
    found: dict[str, JsonValue] = {
        "schema_version": SCHEMA_VERSION,
        "method": METHOD,
        "runs": {name: _run(run) for name, run in judged.items()},
    }
    if group is not None:
        found["group"] = _group(group, over)
    return found


def _run(found: SeriesJudgement) -> dict[str, JsonValue]:
    state = found.state
    moved = state.drift
    return {
        "status": state.status,
        "accepted": state.is_accepted,
        "n": len(found.tps),
        "median": found.median,
        "minimum": found.minimum,
        "maximum": found.maximum,
        **_noise(found),
        "drift": found.whole_drift.change if found.whole_drift else None,
        "drift_half": found.whole_drift.half_width if found.whole_drift else None,
        "mser5": found.mser5_s,
        "segments": list(state.levels.bounds_s) if state.levels else None,
        "segment_means": [_readable(mean) for mean in state.levels.means] if state.levels else None,
        **_window(state.start_s, state.window),
        "steady_drift": moved.change if moved else None,
        "steady_drift_half": moved.half_width if moved else None,
        "quarters": state.quarters,
        **_period("", state.period),
        **_period("whole_", found.whole_period),
        **_stalls("", found.window_stalls),
        **_stalls("whole_", found.whole_stalls),
        **_stops(found),
        "waves": [{"from_s": start, **_period("", wave)} for start, wave in found.waves.items()],
        "caveats": [{"code": caveat.code, "text": caveat.text} for caveat in found.caveats],
    }


def _noise(found: SeriesJudgement) -> dict[str, JsonValue]:
    """Of the whole run; `iid_half` as if its seconds were independent."""
    whole = found.whole
    if whole is None:
        names = ("sd", "iid_half", "iat", "ess", "half_iat", "half_bm5", "half")
        return {"mean": float(found.tps.mean()), **dict.fromkeys(names)}
    return {
        "mean": whole.mean,
        "sd": whole.sd,
        "iid_half": t_quantile(0.975, math.inf) * whole.sd / math.sqrt(whole.n),
        "iat": whole.iat,
        "ess": whole.ess,
        "half_iat": whole.half_iat,
        "half_bm5": None if math.isnan(whole.half_bm5) else whole.half_bm5,
        "half": whole.half_width,
    }


def _window(start_s: int | None, window: NoiseInterval | None) -> dict[str, JsonValue]:
    return {
        "steady_start": start_s,
        "steady_n": window.n if window else None,
        "steady_mean": window.mean if window else None,
        "steady_half": window.half_width if window else None,
        "steady_iat": window.iat if window else None,
    }


def _period(prefix: str, wave: Period | None) -> dict[str, JsonValue]:
    return {
        f"{prefix}period_s": wave.period_s if wave else None,
        f"{prefix}period_share": wave.share if wave else None,
        f"{prefix}period_acf": wave.correlation if wave else None,
    }


def _stalls(prefix: str, found: Stalls | None) -> dict[str, JsonValue]:
    return {
        f"{prefix}stall_median": found.median if found else None,
        f"{prefix}stall_share": found.share if found else None,
        f"{prefix}stall_count": found.count if found else None,
        f"{prefix}stall_longest": found.longest_s if found else None,
        f"{prefix}stall_lost": found.lost if found else None,
        f"{prefix}zero_seconds": found.zero_s if found else None,
    }


def _stops(found: SeriesJudgement) -> dict[str, JsonValue]:
    stops: dict[str, JsonValue] = {}
    for precision, point in found.stops.items():
        name = f"stop_{round(100 * precision)}pct"
        stops |= {f"{name}_s": point.at_s if point else None, f"{name}_mean": point.mean if point else None}
    return stops


def _readable(mean: float) -> float:
    """A segment's mean to three decimals; a segment is a step of a picture, not a result."""
    return round(mean, 3) if mean >= 1 else float(f"{mean:.4g}")


def _group(group: GroupJudgement, over: str) -> dict[str, JsonValue]:
    lead = group.lead
    return {
        "over": over,
        "sigma_b": group.spread,
        "sigma_b_is_default": group.spread == ASSUMED_SPREAD,
        "summary": {
            "pairs": len(group.pairs),
            "different": sum(pair.is_significant for pair in group.pairs),
            "equivalent": sum(pair.difference.is_same() for pair in group.pairs),
        },
        "rank_intervals": {name: list(places) for name, places in group.ranks.items()},
        "lead": None
        if lead is None
        else {"best": lead.best, "next_best": lead.next_best, "ratio": lead.ratio, "lo": lead.low, "hi": lead.high},
        "pairs": {f"{pair.better} / {pair.worse}": _pair(pair) for pair in group.pairs},
    }


def _pair(pair: RunPair) -> dict[str, JsonValue]:
    low, high = pair.difference.interval()
    return {
        "ratio": pair.difference.ratio,
        "lo": low,
        "hi": high,
        "se": pair.difference.se,
        "p": pair.difference.p,
        "p_adjusted": None,  # the spread is assumed, so it would be the p of an assumption
        "equivalent": pair.difference.is_same(),
        "verdict": pair.verdict,
    }
