"""What open lengths leave in doubt is said in the words of the live view, not in names of states."""

from __future__ import annotations

from dbdyno.analyse._course import course_caveats, unsettled_words
from dbdyno.core import Cell, Run, RunCourse, RunRecord, TotalFigures

RUN = Run(Cell("mariadb:11.8", 64 << 20, 4, "sysbench/oltp_read_write", "socket"), 1, 0, 1, "")


def test_what_had_not_settled_at_the_cap_is_told_in_the_words_of_the_live_view() -> None:
    gates = ("throughput not-reached", "redo")
    course = RunCourse(150, "cap", gates, 150, 390, "certainty", (), (), 270)
    record = RunRecord(
        RUN,
        "mariadb",
        "11.8.6",
        "innodb",
        "good",
        figures=TotalFigures(tps_mean=500.0, tps_half_width=9.0),
        course=course,
    )
    text = next(caveat.text for caveat in course_caveats([record], {}) if caveat.code == "warm-up-cap")
    words = [unsettled_words(gate) for gate in gates]
    assert set(words).isdisjoint(gates)
    assert f"{words[0]} (1) and {words[1]} (1)" in text
