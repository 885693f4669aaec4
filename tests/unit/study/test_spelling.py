"""Keys have a current and an earlier spelling: the same study, the same digest, the same places in errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.core import StudyError
from dbdyno.store import Results, study_digest
from dbdyno.study import parse_study, study_text

EARLIER = """\
workload.name = "oltp_read_write"
axes = {tier = "64MB", concurrency = 4}
[[target]]
engine = "mysql:9.7"
held_share = 0.1
[measure]
window = "auto"
certainty = 0.03
repeats_max = 4
level_certainty = 0.04
ending = "recover"
[scale.small.measure]
ending = "stop"
"""
NAMES = {
    "level_certainty": "level_target_half_width",
    "certainty": "target_half_width",
    "ending": "after_run",
    "held_share": "throttled_share",
}
SEARCH = """\
targets = ["mysql:9.7"]
workload.name = "oltp_read_write"
axes = {tier = "64MB", concurrency = 4}
pacing = {promise = "p99 < 20ms", first_rate = 100}
"""
THINK = """\
targets = ["mysql:9.7"]
workload.name = "oltp_read_write"
axes = {tier = "64MB", concurrency = 4}
pacing = {think = "5ms", think_law = "constant"}
"""


def respelled(text: str) -> str:
    for old, new in NAMES.items():
        text = text.replace(f"\n{old} =", f"\n{new} =")
    return text.replace("promise =", "slo =").replace("think_law =", "think_distribution =")


@pytest.mark.parametrize("text", [EARLIER, SEARCH, THINK])
def test_both_spellings_are_one_study_with_one_digest(text: str) -> None:
    assert respelled(text) != text
    study = parse_study(text, "x.toml")
    assert parse_study(respelled(text), "x.toml") == study
    assert study_digest(text) == study_digest(respelled(text))
    written = study_text(study)
    assert respelled(written) == written
    assert parse_study(written, "x.toml") == study


def test_a_digest_is_that_of_the_earlier_spelling() -> None:
    """Folders hold it: this value was computed before the keys got their names of today."""
    assert study_digest(respelled(SEARCH)) == "14436514d445c746a8d4aa7f18ec5edb02cd6058557332ff65ca910a8f6b5a51"


def test_a_folder_of_the_earlier_spelling_is_resumed(tmp_path: Path) -> None:
    """As an earlier version wrote it; the file in the folder stays what it was."""
    study = parse_study(EARLIER, "x.toml")
    written = study_text(study)
    for old, new in NAMES.items():
        written = written.replace(f"\n{new} =", f"\n{old} =")
    assert written != study_text(study)
    for text in (written, study_text(study)):
        results = Results.open_or_create(tmp_path / "r", text, {}, {}, study_name="x")
        assert results.path.joinpath("study.toml").read_text() == written


def test_a_scale_may_be_spelled_either_way() -> None:
    for text in (EARLIER, respelled(EARLIER)):
        assert parse_study(text, "x.toml", "small").after_run == "stop"


def test_a_key_in_both_spellings_is_refused() -> None:
    with pytest.raises(StudyError, match="'ending' and 'after_run'"):
        parse_study(EARLIER.replace("ending =", 'after_run = "stop"\nending ='), "x.toml")


@pytest.mark.parametrize("text", [EARLIER, respelled(EARLIER)])
def test_an_error_names_the_line_of_either_spelling(text: str) -> None:
    with pytest.raises(StudyError, match=r"x\.toml:11:"):
        parse_study(text.replace('"recover"', '"never"'), "x.toml")
