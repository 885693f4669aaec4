"""Memory limits as a study file says them."""

from __future__ import annotations

import pytest

from dbdyno.core import StudyError
from dbdyno.study import Study, parse_study, study_text

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
        ("1GB", "no more than the tier of 1 GiB"),
        ("tier", "more than the tier"),
        ("tier * 0.9 + 1GB", "more than the tier"),
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
    with pytest.raises(StudyError, match="runs already"):
        parse_study(text + '[servers.a]\nsocket = "/tmp/s"\nuser = "u"\n', "example.toml")


def test_a_study_without_limits_is_written_without_them() -> None:
    text = TEXT.split("[limits]")[0]
    assert "[limits]" not in study_text(parse_study(text, "x.toml"))
    assert "after_run" not in study_text(parse_study(text, "x.toml"))


def test_what_is_done_after_a_run_is_written_back() -> None:
    study = parse_study(TEXT.split("[limits]")[0] + '[measure]\nafter_run = "recover"\n', "x.toml")
    assert study.after_run == "recover"
    assert parse_study(study_text(study), "y.toml").after_run == "recover"
