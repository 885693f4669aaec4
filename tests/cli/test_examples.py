"""The examples for builds: their commands are ones that dbdyno takes, and their study is one that it runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

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
    assert {words[0] for words in lines} == {"clean", "engines", "run", "diff", "history"}


@pytest.mark.parametrize("name", _JOBS)
def test_a_job_first_removes_what_earlier_ones_left(name: str) -> None:
    """Each has two new builds, whose servers and datasets would fill the disk one day."""
    lines = _COMMAND_RE.findall((FOLDER / name).read_text())
    engine = read_study(FOLDER / "builds.toml").targets[0].engine
    removed = lines.index(f"dbdyno engines remove {engine.family}:{engine.version}@{engine.source_kind}")
    emptied = next(number for number, line in enumerate(lines) if line.startswith("dbdyno clean --datasets "))
    assert lines[emptied].endswith(" --remove")
    assert max(removed, emptied) < min(number for number, line in enumerate(lines) if line.startswith("dbdyno run "))


@pytest.mark.parametrize("name", _JOBS)
def test_a_job_comments_and_keeps_a_history(name: str) -> None:
    text = (FOLDER / name).read_text()
    steps = yaml.safe_load(text)
    assert isinstance(steps, dict)
    assert "--format md" in text and "diff.md" in text
    # A job that is run again adds a folder: history would not enter one within that of its first attempt.
    assert re.search(r'cp -r results/builds "\$HISTORY/[^"]*\$(GITHUB_RUN_ATTEMPT|CI_JOB_ID)"', text)


@pytest.mark.parametrize("name", _JOBS)
def test_a_job_installs_files_and_never_a_name_that_anybody_may_register(name: str) -> None:
    installed = re.findall(r"pip install (.*)$", (FOLDER / name).read_text(), re.MULTILINE)
    assert installed
    assert all("*.whl" in words and not re.search(r"(^|\s)dbdyno\b", words) for words in installed)


@pytest.mark.parametrize("name", _JOBS)
def test_a_job_can_be_told_that_a_slowdown_is_accepted(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert re.search(r'dbdyno history .*--fail-on .*--since "\$SINCE"', text)
    assert re.search(r'SINCE: "\d{4}-\d\d-\d\d"', text)


def _git(folder: Path, *words: str) -> str:
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    argv = ["git", *names, "-C", str(folder), *words]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


def _built(job: dict[str, Any], folder: Path, environment: dict[str, str]) -> list[str]:
    """Which commits a job of GitHub builds, in a folder with a build script that only prints them."""
    (step,) = (step for step in job["jobs"]["compare"]["steps"] if step.get("name") == "Build the two servers")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "build-archive.sh").write_text('#!/bin/sh\necho "$1"\n')
    (folder / "scripts" / "build-archive.sh").chmod(0o755)
    argv = ["bash", "-e", "-c", step["run"]]
    done = subprocess.run(
        argv, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_a_pull_request_is_compared_with_the_main_that_it_is_merged_into(tmp_path: Path) -> None:
    """Main moves on after the request was opened: what it got meanwhile is no change of the request."""
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "opened here")
    _git(tmp_path, "checkout", "-q", "-b", "request")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "the change")
    _git(tmp_path, "checkout", "-q", "main")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "somebody else's change")
    today = _git(tmp_path, "rev-parse", "main")
    _git(tmp_path, "merge", "-q", "--no-ff", "-m", "as GitHub merges it to test it", "request")
    merged = _git(tmp_path, "rev-parse", "HEAD")
    job = yaml.safe_load((FOLDER / "github-actions.yml").read_text())
    assert job["env"]["BASE"].endswith("|| format('{0}^1', github.sha) }}")
    assert _built(job, tmp_path, {"BASE": f"{merged}^1", "GITHUB_SHA": merged}) == [today, merged]


def test_the_base_of_a_job_is_among_the_commits_that_it_fetches() -> None:
    """GitLab fetches tags, and commits further back than some 20, only where the depth is 0."""
    steps = yaml.safe_load((FOLDER / "github-actions.yml").read_text())["jobs"]["compare"]["steps"]
    assert steps[0]["with"]["fetch-depth"] == 0
    assert yaml.safe_load((FOLDER / "gitlab-ci.yml").read_text())[".compare"]["variables"]["GIT_DEPTH"] == 0


@pytest.mark.parametrize(
    ("source", "built"), [({}, "head"), ({"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "branch"}, "branch")]
)
def test_a_merge_request_is_built_without_what_its_target_got_meanwhile(source: dict[str, str], built: str) -> None:
    lines = yaml.safe_load((FOLDER / "gitlab-ci.yml").read_text())[".compare"]["before_script"]
    (line,) = (line for line in lines if line.endswith("new.tar.gz"))
    script = line.replace("./scripts/build-archive.sh", "echo")
    environment = {"PATH": os.environ["PATH"], "CI_COMMIT_SHA": "head", **source}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [built, "new.tar.gz"]


@pytest.mark.parametrize(("failing", "code"), [("diff", 1), ("history", 1), ("nothing", 0)])
def test_a_night_is_judged_by_its_release_and_by_its_history(failing: str, code: int, tmp_path: Path) -> None:
    lines = yaml.safe_load((FOLDER / "gitlab-ci.yml").read_text())["night"]["script"]
    program = tmp_path / "dbdyno"
    program.write_text(f'#!/bin/sh\necho "$1"; [ "$1" != {failing} ] || exit 1; mkdir -p results/builds\n')
    program.chmod(0o755)
    (tmp_path / "history" / "the night before").mkdir(parents=True)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HISTORY": str(tmp_path / "history"),
        "SINCE": "2026-11-01",
    }
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.split()) == (code, ["run", "diff", "history"])


def test_the_study_compares_two_builds() -> None:
    study = read_study(FOLDER / "builds.toml")
    assert [target.name for target in study.targets] == ["base", "new"]
    assert {target.engine.source_kind for target in study.targets} == {"archive"}
