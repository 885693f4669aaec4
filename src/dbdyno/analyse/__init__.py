"""Judges stored figures: values in, findings out. One file per question; knows no files and no engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dbdyno.late_names import late_names

if TYPE_CHECKING:
    from dbdyno.analyse._answer import Answer, answer, answer_place
    from dbdyno.analyse._averages import compare_averages
    from dbdyno.analyse._capacity import (
        CapacityJudgement,
        CapacityStep,
        capacity_sentences,
        fall_sentence,
        judge_capacity,
        level_interval,
        peak_words,
    )
    from dbdyno.analyse._cells import CellJudgement, is_vague_level, judge_cells
    from dbdyno.analyse._closing import closing_cells
    from dbdyno.analyse._course import CourseSummary, course_words, courses_words, summarise_courses, verdict_words
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
    from dbdyno.analyse._self_check import Quiet, SelfCheck, SelfComparison, judge_self_check
    from dbdyno.analyse._sentinel import SentinelJudgement, judge_sentinel, sentinel_spread, sentinel_words
    from dbdyno.analyse._series import SeriesJudgement, judge_series
    from dbdyno.analyse._settled import FAR, remedy_words
    from dbdyno.analyse._upgrades import Upgrade, is_shown, upgrades
    from dbdyno.analyse._variation import observed_variation
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
            "_capacity": (
                "CapacityJudgement CapacityStep capacity_sentences fall_sentence judge_capacity level_interval "
                "peak_words"
            ),
            "_cells": "CellJudgement is_vague_level judge_cells",
            "_closing": "closing_cells",
            "_course": "CourseSummary course_words courses_words summarise_courses verdict_words",
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
            "_pairs": "ALL_CONCURRENCIES Place by_place compare_targets pair_at place_of rank_places turned",
            "_phrases": (
                "change_words counted listed plus_minus ratio_words significant_words slower_words span_words supported"
            ),
            "_places": "panel_namer place_namer place_words",
            "_remedies": "with_remedy",
            "_self_check": "Quiet SelfCheck SelfComparison judge_self_check",
            "_sentinel": "SentinelJudgement judge_sentinel sentinel_spread sentinel_words",
            "_series": "SeriesJudgement judge_series",
            "_settled": "FAR remedy_words",
            "_upgrades": "Upgrade is_shown upgrades",
            "_variation": "observed_variation",
            "_windows": "unsettled_windows",
            "_words": (
                "STATUS_WORDS assumed_words cell_level_words level_words stall_words stop_words vague_words wave_words "
                "window_words"
            ),
        },
    )

__all__ = [
    "ALL_CONCURRENCIES",
    "FAR",
    "QUANTILES",
    "SHORTEST_NOISE_S",
    "STATUS_WORDS",
    "Answer",
    "CapacityJudgement",
    "CapacityStep",
    "CellChange",
    "CellHistory",
    "CellJudgement",
    "CourseSummary",
    "Criterion",
    "GateOutcome",
    "GroupJudgement",
    "HistoryChange",
    "HistoryPoint",
    "LatencyJudgement",
    "Measure",
    "Place",
    "Quantile",
    "Quiet",
    "RunPair",
    "SecondHistograms",
    "SelfCheck",
    "SelfComparison",
    "SentinelJudgement",
    "SeriesJudgement",
    "StudyFacts",
    "TargetShift",
    "Upgrade",
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
    "level_interval",
    "level_words",
    "limitations",
    "listed",
    "observed_variation",
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
    "sentinel_spread",
    "sentinel_words",
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
    "window_words",
    "with_machine_changes",
    "with_noise_intervals",
    "with_remedy",
]
