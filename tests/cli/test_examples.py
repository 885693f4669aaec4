"""The examples for builds: their commands are ones that dbdyno takes, and their study is one that it runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dbdyno.cli._main import _parser
from dbdyno.study import read_study

FOLDER = Path(__file__).parents[2] / "examples" / "ci"
_COMMAND_RE = re.compile(r"^[\s-]*(dbdyno .*?)(?:\s\|.*)?$", re.MULTILINE)


@pytest.mark.parametrize(("name", "commands"), [("github-actions.yml", ["run", "diff"]), ("gitlab-ci.yml", 3)])
def test_each_command_of_a_job_is_taken(name: str, commands: object) -> None:
    lines = [shlex.split(line)[1:] for line in _COMMAND_RE.findall((FOLDER / name).read_text())]
    for words in lines:
        choices, unknown = _parser(words[0]).parse_known_args(words)
        assert not unknown and choices.command
    assert commands in ([words[0] for words in lines], len(lines))


def test_the_study_compares_two_builds() -> None:
    study = read_study(FOLDER / "builds.toml")
    assert [target.name for target in study.targets] == ["base", "new"]
    assert {target.engine.source_kind for target in study.targets} == {"archive"}
