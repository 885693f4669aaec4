"""Judges stored figures: values in, findings out. One file per question; knows no files and no engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.analyse._answer import Answer, answer, answer_place
    from dbdyno.analyse._averages import compare_averages
    from dbdyno.analyse._boxes import FEWEST_BOX_SECONDS, BoxPlot, window_boxes
    from dbdyno.analyse._capacity import (
        CapacityJudgement,
        CapacityStep,
        LawPoint,
        capacity_sentences,
        fall_sentence,
        judge_capacity,
        law_points,
        level_interval,
        peak_words,
    )
    from dbdyno.analyse._cells import CellJudgement, is_vague_level, judge_cells
    from dbdyno.analyse._closing import closing_cells
    from dbdyno.analyse._counters import CellCounters
    from dbdyno.analyse._course import CourseSummary, course_words, courses_words, summarise_courses, verdict_words
    from dbdyno.analyse._course_again import ServerReadings, course_again
    from dbdyno.analyse._criterion import Criterion, GateOutcome, parse_criterion
    from dbdyno.analyse._diff import (
        CellChange,
        Measure,
        TargetShift,
        common_shifts,
        compare_quantiles,
        compare_studies,
    )
    from dbdyno.analyse._group import GroupJudgement, RunPair, compare_runs
    from dbdyno.analyse._history import (
        CellHistory,
        HistoryChange,
        HistoryPoint,
        judge_history,
        quantile_point,
        tps_point,
        with_machine_changes,
    )
    from dbdyno.analyse._latency import (
        QUANTILES,
        SHORTEST_NOISE_S,
        LatencyJudgement,
        Quantile,
        SecondHistograms,
        judge_latency,
        with_noise_intervals,
    )
    from dbdyno.analyse._limitations import StudyFacts, is_mostly_disturbed, limitations
    from dbdyno.analyse._method import GATE_METRICS, LEAST_MOVE, METHOD, MOST_P
    from dbdyno.analyse._pairs import (
        ALL_CONCURRENCIES,
        Place,
        by_place,
        compare_targets,
        pair_at,
        place_of,
        rank_places,
        turned,
    )
    from dbdyno.analyse._phrases import (
        change_words,
        counted,
        listed,
        plus_minus,
        ratio_words,
        significant_words,
        slower_words,
        span_words,
        supported,
    )
    from dbdyno.analyse._places import panel_namer, place_namer, place_words
    from dbdyno.analyse._remedies import with_remedy
    from dbdyno.analyse._response_curves import CURVE_QUANTILES, ResponseCurve, response_curve
    from dbdyno.analyse._self_check import Quiet, SelfCheck, SelfComparison, judge_self_check
    from dbdyno.analyse._sentinel import (
        SentinelJudgement,
        judge_sentinel,
        of_working_benches,
        sentinel_spread,
        sentinel_words,
    )
    from dbdyno.analyse._series import SeriesJudgement, judge_series
    from dbdyno.analyse._settled import FAR, remedy_words, settled_again
    from dbdyno.analyse._upgrades import Upgrade, is_shown, upgrades
    from dbdyno.analyse._variation import observed_variation
    from dbdyno.analyse._window_stalls import WindowStalls, window_stalls
    from dbdyno.analyse._windows import unsettled_windows
    from dbdyno.analyse._words import (
        STATUS_WORDS,
        assumed_words,
        cell_level_words,
        level_words,
        stall_words,
        stop_words,
        vague_words,
        wave_words,
        window_words,
    )
else:
    __getattr__ = late_names(
        __name__,
        {
            "_answer": "Answer answer answer_place",
            "_averages": "compare_averages",
            "_boxes": "BoxPlot FEWEST_BOX_SECONDS window_boxes",
            "_capacity": (
                "CapacityJudgement CapacityStep LawPoint capacity_sentences fall_sentence judge_capacity law_points "
                "level_interval peak_words"
            ),
            "_cells": "CellJudgement is_vague_level judge_cells",
            "_closing": "closing_cells",
            "_counters": "CellCounters",
            "_course": "CourseSummary course_words courses_words summarise_courses verdict_words",
            "_course_again": "ServerReadings course_again",
            "_criterion": "Criterion GateOutcome parse_criterion",
            "_diff": "CellChange Measure TargetShift common_shifts compare_quantiles compare_studies",
            "_group": "GroupJudgement RunPair compare_runs",
            "_history": (
                "CellHistory HistoryChange HistoryPoint judge_history quantile_point tps_point with_machine_changes"
            ),
            "_latency": (
                "QUANTILES SHORTEST_NOISE_S LatencyJudgement Quantile SecondHistograms judge_latency "
                "with_noise_intervals"
            ),
            "_limitations": "StudyFacts is_mostly_disturbed limitations",
            "_method": "GATE_METRICS LEAST_MOVE METHOD MOST_P",
            "_pairs": "ALL_CONCURRENCIES Place by_place compare_targets pair_at place_of rank_places turned",
            "_phrases": (
                "change_words counted listed plus_minus ratio_words significant_words slower_words span_words supported"
            ),
            "_places": "panel_namer place_namer place_words",
            "_remedies": "with_remedy",
            "_response_curves": "CURVE_QUANTILES ResponseCurve response_curve",
            "_self_check": "Quiet SelfCheck SelfComparison judge_self_check",
            "_sentinel": "SentinelJudgement judge_sentinel of_working_benches sentinel_spread sentinel_words",
            "_series": "SeriesJudgement judge_series",
            "_settled": "FAR remedy_words settled_again",
            "_upgrades": "Upgrade is_shown upgrades",
            "_variation": "observed_variation",
            "_window_stalls": "WindowStalls window_stalls",
            "_windows": "unsettled_windows",
            "_words": (
                "STATUS_WORDS assumed_words cell_level_words level_words stall_words stop_words vague_words wave_words "
                "window_words"
            ),
        },
    )

__all__ = [
    "ALL_CONCURRENCIES",
    "CURVE_QUANTILES",
    "FAR",
    "FEWEST_BOX_SECONDS",
    "GATE_METRICS",
    "LEAST_MOVE",
    "METHOD",
    "MOST_P",
    "QUANTILES",
    "SHORTEST_NOISE_S",
    "STATUS_WORDS",
    "Answer",
    "BoxPlot",
    "CapacityJudgement",
    "CapacityStep",
    "CellChange",
    "CellCounters",
    "CellHistory",
    "CellJudgement",
    "CourseSummary",
    "Criterion",
    "GateOutcome",
    "GroupJudgement",
    "HistoryChange",
    "HistoryPoint",
    "LatencyJudgement",
    "LawPoint",
    "Measure",
    "Place",
    "Quantile",
    "Quiet",
    "ResponseCurve",
    "RunPair",
    "SecondHistograms",
    "SelfCheck",
    "SelfComparison",
    "SentinelJudgement",
    "SeriesJudgement",
    "ServerReadings",
    "StudyFacts",
    "TargetShift",
    "Upgrade",
    "WindowStalls",
    "answer",
    "answer_place",
    "assumed_words",
    "by_place",
    "capacity_sentences",
    "cell_level_words",
    "change_words",
    "closing_cells",
    "common_shifts",
    "compare_averages",
    "compare_quantiles",
    "compare_runs",
    "compare_studies",
    "compare_targets",
    "counted",
    "course_again",
    "course_words",
    "courses_words",
    "fall_sentence",
    "is_mostly_disturbed",
    "is_shown",
    "is_vague_level",
    "judge_capacity",
    "judge_cells",
    "judge_history",
    "judge_latency",
    "judge_self_check",
    "judge_sentinel",
    "judge_series",
    "law_points",
    "level_interval",
    "level_words",
    "limitations",
    "listed",
    "observed_variation",
    "of_working_benches",
    "pair_at",
    "panel_namer",
    "parse_criterion",
    "peak_words",
    "place_namer",
    "place_of",
    "place_words",
    "plus_minus",
    "quantile_point",
    "rank_places",
    "ratio_words",
    "remedy_words",
    "response_curve",
    "sentinel_spread",
    "sentinel_words",
    "settled_again",
    "significant_words",
    "slower_words",
    "span_words",
    "stall_words",
    "stop_words",
    "summarise_courses",
    "supported",
    "tps_point",
    "turned",
    "unsettled_windows",
    "upgrades",
    "vague_words",
    "verdict_words",
    "wave_words",
    "window_boxes",
    "window_stalls",
    "window_words",
    "with_machine_changes",
    "with_noise_intervals",
    "with_remedy",
]
