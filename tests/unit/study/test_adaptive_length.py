"""Lengths that are left to the run: read, written, refused where they make no sense."""

from __future__ import annotations

import pytest

from dbdyno.core import StudyError
from dbdyno.plan import make_plan
from dbdyno.study import AdaptiveLength, Study, parse_study, study_text
from numbers_in import numbers_in

HEAD = 'targets = ["mysql:9.7"]\nworkload.name = "oltp_read_only"\naxes = {tier = "64MB", concurrency = 4}\n'


def study(measure: str, more: str = "") -> Study:
    return parse_study(f"{HEAD}{more}\n[measure]\n{measure}", "example.toml")


def test_auto_leaves_both_ends_open_with_caps() -> None:
    found = study('warm_up = "auto"\nwindow = "auto"\ncertainty = 0.01')
    assert found.adaptive_length == AdaptiveLength(True, 180 * 10**9, 0.01)
    assert (found.warm_up_ns, found.window_ns) == (1800 * 10**9, 900 * 10**9)
    assert numbers_in(found.window_words) == [1, 15]
    assert numbers_in(found.warm_up_words) == [30]


def test_durations_leave_nothing_open() -> None:
    assert not study('warm_up = "5s"\nwindow = "10s"').adaptive_length


@pytest.mark.parametrize(
    "measure",
    [
        'warm_up = "auto"\nwarm_up_max = "300s"\nwindow = "60s"',
        'warm_up = "0s"\nwindow = "auto"\nwindow_min = "60s"\nwindow_max = "200s"\ngates = "off"',
        'warm_up = "auto"\nwindow = "auto"\ncertainty = 0.05',
    ],
)
def test_what_is_written_reads_back_the_same(measure: str) -> None:
    found = study(measure)
    assert parse_study(study_text(found), "example.toml") == found


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ('warm_up = "30s"\nwarm_up_max = "300s"', "'warm_up_max'"),
        ('window = "30s"\ncertainty = 0.01', "'target_half_width'"),
        ('gates = "off"', "'gates'"),
        ('window = "auto"\nwindow_min = "600s"\nwindow_max = "600s"', "'window_max'"),
        ('warm_up = "auto"\nwarm_up_max = "60s"', "at least 150 s"),
        ('warm_up = "soon"', 'or "auto"'),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_reason(measure: str, words: str) -> None:
    with pytest.raises(StudyError) as error:
        study(measure)
    assert words in f"{error.value.what} {error.value.why}"


def test_a_rate_that_varies_has_no_level_to_wait_for() -> None:
    with pytest.raises(StudyError, match=r"example\.toml:5: 'rates'"):
        study('window = "auto"', '[pacing]\nrates = ["500/s for 30s"]')


def test_a_plan_says_from_and_to() -> None:
    runs = make_plan(study('warm_up = "auto"\nwindow = "auto"\nrepeats = 1')).budget.runs
    around = 2  # seconds of restore, start and stop
    assert runs.least_ns // 10**9 == around + 142 + 240
    assert runs.most_ns // 10**9 == around + 1800 + 900
    assert runs.least_ns < runs.expected_ns < runs.most_ns


def test_a_target_may_be_held_but_not_a_server_that_is_not_ours() -> None:
    own = '[[target]]\nengine = "mysql:9.7"\nthrottled_share = 0.1\n'
    found = parse_study(HEAD.partition("\n")[2] + own, "example.toml")
    assert found.targets[0].throttled_share == 0.1
    assert parse_study(study_text(found), "example.toml") == found
    running = own.replace('"mysql:9.7"', '"mysql@server:mine"') + '[servers.mine]\nsocket = "/s"\nuser = "u"\n'
    with pytest.raises(StudyError, match=r"example\.toml:5: "):
        parse_study(HEAD.partition("\n")[2] + running, "example.toml")
