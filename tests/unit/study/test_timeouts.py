"""Times after which a server or the way to it is given up, as a study file says them."""

from __future__ import annotations

import pytest

from dbdyno.core import StudyError
from dbdyno.measure import LoadOrder
from dbdyno.plan import make_plan
from dbdyno.study import Timeouts, parse_study, study_text

TEXT = """
targets = ["mariadb:11.8"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 4}
"""


def test_timeouts_reach_the_order_and_the_text_of_the_study() -> None:
    study = parse_study(TEXT + '[timeouts]\npath = "3s"\nanswer = "20s"\ncheck = "2h"\n', "x.toml")
    assert study.timeouts == Timeouts(3 * 10**9, 20 * 10**9, 7200 * 10**9)
    assert parse_study(study_text(study), "x.toml") == study
    assert LoadOrder(make_plan(study).runs[0], study, {}, 1).to_json()["answer_timeout_ns"] == 20 * 10**9


def test_an_answer_may_be_waited_for_without_end() -> None:
    study = parse_study(TEXT + '[timeouts]\nanswer = "none"\n', "x.toml")
    assert study.timeouts.answer_ns is None
    assert parse_study(study_text(study), "x.toml") == study


@pytest.mark.parametrize("line", ['path = "0s"', 'path = "2h"', 'path = "none"', 'answer = "2days"', "check = 5"])
def test_a_time_that_nobody_can_mean_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(StudyError, match=r"x\.toml:6"):
        parse_study(TEXT + f"[timeouts]\n{line}\n", "x.toml")


def test_a_study_without_timeouts_is_written_without_them() -> None:
    assert "[timeouts]" not in study_text(parse_study(TEXT, "x.toml"))
