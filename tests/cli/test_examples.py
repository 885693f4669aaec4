"""The examples for builds: their commands are ones that dbdyno takes, and their study is one that it runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from dbdyno.cli._main import _command_parser
from dbdyno.study import read_study

FOLDER = Path(__file__).parents[2] / "examples" / "ci"
_COMMAND_RE = re.compile(r"^[\s-]*(dbdyno .*?)(?:\s[|>].*)?$", re.MULTILINE)


_JOBS = ("github-actions.yml", "gitlab-ci.yml")


@pytest.mark.parametrize("name", _JOBS)
def test_each_command_of_a_job_is_taken(name: str) -> None:
    lines = [shlex.split(line)[1:] for line in _COMMAND_RE.findall((FOLDER / name).read_text())]
    for words in lines:
        choices, unknown = _command_parser(words[0]).parse_known_args(words)
        assert not unknown and choices.command
    assert {words[0] for words in lines} == {"run", "diff", "history"}


@pytest.mark.parametrize("name", _JOBS)
def test_a_job_comments_and_keeps_a_history(name: str) -> None:
    text = (FOLDER / name).read_text()
    steps = yaml.safe_load(text)
    assert isinstance(steps, dict)
    assert "--format md" in text and "diff.md" in text
    assert 'cp -r results/builds "$HISTORY/' in text


def test_the_study_compares_two_builds() -> None:
    study = read_study(FOLDER / "builds.toml")
    assert [target.name for target in study.targets] == ["base", "new"]
    assert {target.engine.source_kind for target in study.targets} == {"archive"}
