"""Kinds of pacing and what becomes of errors: read, refused in words, written back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.core import RetriedError, StudyError
from dbdyno.study import ErrorPolicy, Pacing, Search, Stretch, Study, Think, parse_study, study_text

HEAD = """\
targets = ["mysql:9.7"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 4}
"""


def study(tables: str) -> Study:
    return parse_study(HEAD + tables, "s.toml")


@pytest.mark.parametrize(
    ("text", "pacing"),
    [
        ("", Pacing()),
        ("rate_per_s = 500", Pacing(500.0)),
        ('think = "100ms"', Pacing(think=Think(100_000_000, "exponential"))),
        ('think = "1.5ms"\nthink_distribution = "constant"', Pacing(think=Think(1_500_000, "constant"))),
        (
            'rates = ["500/s for 30s", "500/s to 2000.5/s over 1min", "500/s for 30s"]\narrivals = "constant"',
            Pacing(
                arrivals="constant",
                stretches=(
                    Stretch(30 * 10**9, 500.0, 500.0),
                    Stretch(60 * 10**9, 500.0, 2000.5),
                    Stretch(30 * 10**9, 500.0, 500.0),
                ),
            ),
        ),
        ('slo = "p99 < 20ms"\nfirst_rate = 100', Pacing(search=Search(0.99, 20_000_000, 100.0, 0.05, 2 * 10**9))),
        (
            'slo = "p99.9 < 2s"\nfirst_rate = 0.5\nprecision = 0.02\nprobe_settle = "0s"',
            Pacing(search=Search(0.999, 2 * 10**9, 0.5, 0.02, 0)),
        ),
        (
            'slo = "p99.99999 < 20ms"\nfirst_rate = 100',
            Pacing(search=Search(0.9999999, 20_000_000, 100.0, 0.05, 2 * 10**9)),
        ),
        ('rates = ["0.00001/s for 10s"]', Pacing(stretches=(Stretch(10 * 10**9, 0.00001, 0.00001),))),
    ],
)
def test_each_kind_is_read_and_written_back(text: str, pacing: Pacing) -> None:
    found = study(f"[pacing]\n{text}")
    assert found.pacing == pacing
    assert parse_study(study_text(found), "s.toml").pacing == pacing


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('think = "1s"\nrate_per_s = 5', "'rate_per_s' and 'think'"),
        ('slo = "p99 < 20ms"', "first rate"),
        ("first_rate = 5", "'first_rate' needs 'slo'"),
        ('think_distribution = "constant"', "'think_distribution' needs 'think'"),
        ('think = "1s"\narrivals = "poisson"', "no arrivals"),
        ('think = "0ms"', "above 0"),
        ('rates = ["fast"]', "500/s for 30s"),
        ('rates = ["99999999/s for 30s"]', "at most 10,000,000/s"),
        ('slo = "p100 < 20ms"\nfirst_rate = 5', " quantile "),
        ('slo = "p99.9999999999 < 20ms"\nfirst_rate = 5', " quantile "),
        ('slo = "p0.00000000001 < 20ms"\nfirst_rate = 5', " quantile "),
        ('slo = "p99 under 20ms"\nfirst_rate = 5', " quantile "),
        ('slo = "p99 < 20ms"\nfirst_rate = 5\nprecision = 1.5', "at most 1"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(StudyError) as caught:
        study(f"[pacing]\n{text}")
    assert words in f"{caught.value.what} {caught.value.why}"
    assert caught.value.what.startswith("s.toml:")


def test_usual_numbers_are_written_as_they_always_were() -> None:
    """The digest of a study, by which a results folder knows it, is taken of these texts."""
    search = Search(0.99, 20_000_000, 100.0, 0.05, 0)
    assert [replace(search, quantile=quantile).slo.split()[0] for quantile in (0.9, 0.99, 0.999)] == [
        "p90",
        "p99",
        "p99.9",
    ]
    assert str(Stretch(10**9, 500.0, 0.5)) == "500.0/s to 0.5/s over 1s"


def test_only_a_load_without_a_clock_is_a_closed_loop() -> None:
    closed = {text: study(f"[pacing]\n{text}").pacing.is_closed for text in ("", 'think = "1s"', "rate_per_s = 5")}
    assert list(closed.values()) == [True, True, False]
    assert not study('[pacing]\nrates = ["5/s for 1s"]').pacing.is_closed
    assert not study('[pacing]\nslo = "p99 < 1s"\nfirst_rate = 1').pacing.is_closed


def test_the_policy_of_errors_is_read_and_written_back() -> None:
    found = study('[errors]\ndraws = "same"\nretry_limit = 0\npause = "5ms"\nprepared_full = "text"')
    assert found.errors == ErrorPolicy("same", 0, 5_000_000, "text")
    assert parse_study(study_text(found), "s.toml").errors == found.errors
    assert study("").errors == ErrorPolicy()


def test_further_errors_are_codes_with_or_without_the_number_in_their_message() -> None:
    found = study('[errors]\nalso = [1296, "1180/149"]')
    assert found.errors.also == (RetriedError(1296), RetriedError(1180, 149))
    assert parse_study(study_text(found), "s.toml") == found
    for wrong in ("true", '"deadlock"', "[0]", "[70000]", '["1180/"]', '["1180/149/1"]', "[1.5]", '""'):
        with pytest.raises(StudyError, match=r"\b1296\b"):
            study(f"[errors]\nalso = {wrong}")
