"""Computes statistics: pure functions of arrays, without engines, files or words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.core import Steadiness
from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.stats._adaptive_length import (
        SHORTEST_WARM_UP_S,
        AdaptiveLengthRule,
        Course,
        Gates,
        WarmUpEnd,
        WindowEnd,
        advanced,
        followed,
        no_gates,
        run_course,
    )
    from dbdyno.stats._change_points import (
        LEAST_MOVE,
        MOST_P,
        ChangePoint,
        change_points,
        smallest_new_change,
        spread_between,
    )
    from dbdyno.stats._compare import (
        MARGIN,
        MOST_REPEATS,
        LogDifference,
        compare,
        compare_pairs,
        repeats_to_decide,
        repeats_to_exclude,
        smallest_detectable_ratio,
        spread_to_stand,
        spreads_to_stand,
        two_sided_p,
        verdict_of,
        welch_df,
    )
    from dbdyno.stats._decomposition import logarithmic_mean, split_by_factors
    from dbdyno.stats._distributions import t_quantile
    from dbdyno.stats._drift import Drift, drift
    from dbdyno.stats._families import benjamini_hochberg, holm, rank_intervals
    from dbdyno.stats._gates import (
        ServerSteadiness,
        cache_settled,
        device_settled,
        dirty_data_settled,
        is_settled,
        redo_cycled,
        server_steadiness,
    )
    from dbdyno.stats._lead import Lead, lead
    from dbdyno.stats._noise import NoiseInterval, autocorrelation_time, noise_interval
    from dbdyno.stats._period import Period, period
    from dbdyno.stats._planning import ASSUMED_VARIATION, Variation, cheapest_window_s, matching_window_s
    from dbdyno.stats._quantile import (
        QuantileInterval,
        exceedances_at,
        quantile_interval,
        quantile_intervals,
    )
    from dbdyno.stats._scalability import Peak, ScalabilityFit, fit_scalability, peak
    from dbdyno.stats._segments import Segments, segments
    from dbdyno.stats._server_gates import GATE_METRICS, Readings, ServerFacts, gate_facts, is_flash, server_gates
    from dbdyno.stats._settled import SHORTEST_JUDGED_S, settled_part
    from dbdyno.stats._spread import (
        ASSUMED_SPREAD,
        LEAST_SHARED_DF,
        LEAST_SPREAD,
        MODERATED_FROM_CELLS,
        PRIOR_SPREAD,
        LogLevel,
        ModeratedSpread,
        assumed_spread_of_one,
        borrowed_level,
        bounded_exp,
        moderated_spread,
        pooled_spread,
        repeated_level,
        rounds_to_pair,
        single_run_level,
        staged_levels,
    )
    from dbdyno.stats._stalls import Stalls, stalled_seconds, stalls
    from dbdyno.stats._start import mser5
    from dbdyno.stats._steady import SteadyState, steady_state, whole_cycles
    from dbdyno.stats._stopping import (
        StopCheck,
        StopChecks,
        StoppingPoint,
        StoppingRule,
        stop_check,
        stopping_point,
    )
else:
    __getattr__ = late_names(
        __name__,
        {
            "_adaptive_length": (
                "SHORTEST_WARM_UP_S AdaptiveLengthRule Course Gates WarmUpEnd WindowEnd advanced followed "
                "no_gates run_course"
            ),
            "_change_points": "LEAST_MOVE MOST_P ChangePoint change_points smallest_new_change spread_between",
            "_compare": (
                "MARGIN MOST_REPEATS LogDifference compare compare_pairs repeats_to_decide repeats_to_exclude "
                "smallest_detectable_ratio spread_to_stand spreads_to_stand two_sided_p verdict_of welch_df"
            ),
            "_decomposition": "logarithmic_mean split_by_factors",
            "_distributions": "t_quantile",
            "_drift": "Drift drift",
            "_families": "benjamini_hochberg holm rank_intervals",
            "_gates": (
                "ServerSteadiness cache_settled device_settled dirty_data_settled is_settled redo_cycled "
                "server_steadiness"
            ),
            "_lead": "Lead lead",
            "_noise": "NoiseInterval autocorrelation_time noise_interval",
            "_period": "Period period",
            "_planning": "ASSUMED_VARIATION Variation cheapest_window_s matching_window_s",
            "_quantile": "QuantileInterval exceedances_at quantile_interval quantile_intervals",
            "_scalability": "Peak ScalabilityFit fit_scalability peak",
            "_segments": "Segments segments",
            "_server_gates": "GATE_METRICS Readings ServerFacts gate_facts is_flash server_gates",
            "_settled": "SHORTEST_JUDGED_S settled_part",
            "_spread": (
                "ASSUMED_SPREAD LEAST_SHARED_DF LEAST_SPREAD MODERATED_FROM_CELLS PRIOR_SPREAD LogLevel "
                "ModeratedSpread assumed_spread_of_one borrowed_level bounded_exp moderated_spread pooled_spread "
                "repeated_level rounds_to_pair single_run_level staged_levels"
            ),
            "_stalls": "Stalls stalled_seconds stalls",
            "_start": "mser5",
            "_steady": "SteadyState steady_state whole_cycles",
            "_stopping": "StopCheck StopChecks StoppingPoint StoppingRule stop_check stopping_point",
        },
    )

METHOD = "dbdyno-stats/1"
"""Version of the methods, kept with every number that they give."""

__all__ = [
    "ASSUMED_SPREAD",
    "ASSUMED_VARIATION",
    "GATE_METRICS",
    "LEAST_MOVE",
    "LEAST_SHARED_DF",
    "LEAST_SPREAD",
    "MARGIN",
    "METHOD",
    "MODERATED_FROM_CELLS",
    "MOST_P",
    "MOST_REPEATS",
    "PRIOR_SPREAD",
    "SHORTEST_JUDGED_S",
    "SHORTEST_WARM_UP_S",
    "AdaptiveLengthRule",
    "ChangePoint",
    "Course",
    "Drift",
    "Gates",
    "Lead",
    "LogDifference",
    "LogLevel",
    "ModeratedSpread",
    "NoiseInterval",
    "Peak",
    "Period",
    "QuantileInterval",
    "Readings",
    "ScalabilityFit",
    "Segments",
    "ServerFacts",
    "ServerSteadiness",
    "Stalls",
    "Steadiness",
    "SteadyState",
    "StopCheck",
    "StopChecks",
    "StoppingPoint",
    "StoppingRule",
    "Variation",
    "WarmUpEnd",
    "WindowEnd",
    "advanced",
    "assumed_spread_of_one",
    "autocorrelation_time",
    "benjamini_hochberg",
    "borrowed_level",
    "bounded_exp",
    "cache_settled",
    "change_points",
    "cheapest_window_s",
    "compare",
    "compare_pairs",
    "device_settled",
    "dirty_data_settled",
    "drift",
    "exceedances_at",
    "fit_scalability",
    "followed",
    "gate_facts",
    "holm",
    "is_flash",
    "is_settled",
    "lead",
    "logarithmic_mean",
    "matching_window_s",
    "moderated_spread",
    "mser5",
    "no_gates",
    "noise_interval",
    "peak",
    "period",
    "pooled_spread",
    "quantile_interval",
    "quantile_intervals",
    "rank_intervals",
    "redo_cycled",
    "repeated_level",
    "repeats_to_decide",
    "repeats_to_exclude",
    "rounds_to_pair",
    "run_course",
    "segments",
    "server_gates",
    "server_steadiness",
    "settled_part",
    "single_run_level",
    "smallest_detectable_ratio",
    "smallest_new_change",
    "split_by_factors",
    "spread_between",
    "spread_to_stand",
    "spreads_to_stand",
    "staged_levels",
    "stalled_seconds",
    "stalls",
    "steady_state",
    "stop_check",
    "stopping_point",
    "t_quantile",
    "two_sided_p",
    "verdict_of",
    "welch_df",
    "whole_cycles",
]
