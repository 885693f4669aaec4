"""One restore for several concurrencies: read, written, and refused where the next concurrency would suffer from it."""

from __future__ import annotations

import pytest

from dbdyno.core import StudyError
from dbdyno.study import Study, parse_study, study_text
from numbers_in import numbers_in

HEAD = 'targets = ["mysql:9.7"]\naxes = {tier = "64MB", concurrency = [1, 4]}\n'


def study(measure: str, workload: str = "oltp_read_only", more: str = "") -> Study:
    return parse_study(f'{HEAD}workload.name = "{workload}"\n{more}\n[measure]\n{measure}', "example.toml")


def test_data_are_restored_for_each_run_unless_the_study_says_otherwise() -> None:
    assert study("repeats = 2").restore == "run"


def test_a_ladder_reads_back_as_it_was_written_and_says_both_warm_ups() -> None:
    found = study('restore = "ladder"\nstep_warm_up = "45s"\nwarm_up = "5min"\nwindow = "60s"')
    assert found.step_warm_up_ns == 45 * 10**9
    assert parse_study(study_text(found), "example.toml") == found
    assert numbers_in(found.warm_up_words) == [5, 45]


@pytest.mark.parametrize(
    ("measure", "workload", "more", "words"),
    [
        ('step_warm_up = "45s"', "oltp_read_only", "", "'step_warm_up'"),
        ('restore = "ladder"\nending = "stop"', "oltp_read_only", "", "after_run"),
        ('restore = "ladder"', "oltp_insert", "", " rows"),
        ('restore = "ladder"', "linkbench", "", " rows"),
        ('restore = "ladder"', "oltp_read_only", '[pacing]\nrates = ["500/s for 30s"]', " rate"),
    ],
)
def test_a_ladder_is_refused_where_a_run_would_spoil_the_next(
    measure: str, workload: str, more: str, words: str
) -> None:
    with pytest.raises(StudyError) as error:
        study(measure, workload, more)
    assert words in f"{error.value.what} {error.value.why}"


def test_a_server_that_runs_already_has_nothing_to_restore() -> None:
    text = 'targets = ["mysql@server:mine"]\nworkload.name = "oltp_read_only"\n'
    text += 'axes = {tier = "64MB", concurrency = [1, 4]}\nmeasure = {restore = "ladder"}\n'
    with pytest.raises(StudyError) as error:
        parse_study(text + '[servers.mine]\nsocket = "/s"\nuser = "u"\n', "example.toml")
    assert "'mysql@server:mine'" in error.value.why
