"""Limits and timeouts of a study: read, written, refused where they make no sense."""

from __future__ import annotations

import pytest

from dbdyno.core import StudyError
from dbdyno.measure import LoadOrder
from dbdyno.plan import make_plan
from dbdyno.study import Study, Timeouts, parse_study, study_text
from error_codes import raises_code

TEXT = """
targets = ["mysql:9.7"]
workload.name = "oltp_read_only"
[axes]
tier = ["64MB", "1GB"]
concurrency = 4
[limits]
memory = "{}"
"""


def study_of(limit: str) -> Study:
    return parse_study(TEXT.format(limit), "example.toml")


@pytest.mark.parametrize(
    ("limit", "mib"),
    [("3GB", 3072), ("tier + 512MB", 576), ("tier*1.5", 96), ("tier * 1.25 + 256MB", 336)],
)
def test_limits_follow_the_tier_or_stand_alone(limit: str, mib: int) -> None:
    study = study_of(limit)
    assert study.limits.memory is not None
    assert study.limits.memory.bytes_at(64 << 20) >> 20 == mib
    assert parse_study(study_text(study), "again.toml") == study


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("1GB", " 1 GiB"),
        ("tier", "the tier"),
        ("tier * 0.9 + 1GB", "the tier"),
        ("tier - 1GB", "tier + 512MB"),
        ("a lot", "tier + 512MB"),
    ],
)
def test_a_limit_that_leaves_no_room_is_refused(limit: str, words: str) -> None:
    with pytest.raises(StudyError) as caught:
        study_of(limit)
    assert words in f"{caught.value.what} {caught.value.why}"
    assert "example.toml:8" in caught.value.what


def test_a_server_that_runs_already_can_not_be_bounded() -> None:
    text = TEXT.format("3GB").replace("mysql:9.7", "mysql:9.7@server:a")
    with pytest.raises(StudyError, match=r"'mysql:9\.7@server:a'"):
        parse_study(text + '[servers.a]\nsocket = "/tmp/s"\nuser = "u"\n', "example.toml")


def test_a_study_without_limits_is_written_without_them() -> None:
    text = TEXT.split("[limits]")[0]
    assert "[limits]" not in study_text(parse_study(text, "x.toml"))
    assert "after_run" not in study_text(parse_study(text, "x.toml"))


def test_what_is_done_after_a_run_is_written_back() -> None:
    study = parse_study(TEXT.split("[limits]")[0] + '[measure]\nafter_run = "recover"\n', "x.toml")
    assert study.after_run == "recover"
    assert parse_study(study_text(study), "y.toml").after_run == "recover"


TIMEOUTS = """
targets = ["mariadb:11.8"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 4}
"""


def test_timeouts_reach_the_order_and_the_text_of_the_study() -> None:
    study = parse_study(TIMEOUTS + '[timeouts]\npath = "3s"\nanswer = "20s"\ncheck = "2h"\n', "x.toml")
    assert study.timeouts == Timeouts(3 * 10**9, 20 * 10**9, 7200 * 10**9)
    assert parse_study(study_text(study), "x.toml") == study
    assert LoadOrder(make_plan(study).runs[0], study, {}, 1).to_json()["answer_timeout_ns"] == 20 * 10**9


def test_an_answer_may_be_waited_for_without_end() -> None:
    study = parse_study(TIMEOUTS + '[timeouts]\nanswer = "none"\n', "x.toml")
    assert study.timeouts.answer_ns is None
    assert parse_study(study_text(study), "x.toml") == study


@pytest.mark.parametrize("line", ['path = "0s"', 'path = "2h"', 'path = "none"', 'answer = "2days"', "check = 5"])
def test_a_time_that_nobody_can_mean_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(StudyError, match=r"x\.toml:6"):
        parse_study(TIMEOUTS + f"[timeouts]\n{line}\n", "x.toml")


def test_a_study_without_timeouts_is_written_without_them() -> None:
    assert "[timeouts]" not in study_text(parse_study(TIMEOUTS, "x.toml"))


def test_servers_can_be_set_up_for_more_connections_than_are_driven() -> None:
    text = TEXT.split("[limits]")[0] + "[limits]\nconnections = 300\n"
    study = parse_study(text, "x.toml")
    assert study.connections_max == 300
    assert parse_study(study_text(study), "x.toml") == study


def test_servers_for_fewer_connections_than_are_driven_are_refused() -> None:
    with raises_code(StudyError, "connections-exceeded", "3", "4"):
        parse_study(TEXT.split("[limits]")[0] + "[limits]\nconnections = 3\n", "x.toml")
