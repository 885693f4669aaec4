"""The jobs of examples/ci as a runner executes them: the commands of the shipped files, two real builds as archives.

Only what belongs to a vendor is replaced: the name of the server, the script that builds it, and lengths that would
take half an hour. `gh` and `curl` are programs that record their calls. test_wheels.py tries the installation.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from dbdyno.hosts import LocalHost

pytestmark = pytest.mark.server

EXAMPLES = Path(__file__).parents[2] / "examples" / "ci"
BUILDS = ("mysql:8.0.15@maven", "mysql:8.0.31@maven")
_BUILD_SCRIPT = """#!/bin/sh
exec tar -C "$(git show "$1:BUILD")" --use-compress-program='gzip -1' -cf "$2" .
"""
_LENGTHS = {
    "rows": "1000",
    "concurrency": "[2]",
    "warm_up": '"1s"',
    "window": '"3s"',
    "tier": '"64MB"',
    "repeats": "2\nequivalence_events = 0",
}
_INSTALLING = ("venv", 'PATH="')


def _of_vendor(name: str) -> str:
    """A file of the example, for a vendor whose server is MySQL."""
    return (EXAMPLES / name).read_text().replace("mariadb:11.8", "mysql:8.0")


@dataclass(frozen=True)
class Runner:
    """A machine of a build service: a clone with two commits, and programs that record what they are called with."""

    clone: Path
    home: Path
    history: Path
    environ: Mapping[str, str]

    def run(self, script: str, *, pipefail: bool = True, **environ: str) -> subprocess.CompletedProcess[str]:
        argv = ["bash", "--noprofile", "--norc", "-e", *(["-o", "pipefail"] if pipefail else []), "-c", script]
        return subprocess.run(
            argv,
            cwd=self.clone,
            env={**self.environ, **environ},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.clone, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def unpacked_servers(self) -> set[str]:
        return {path.name for path in (self.home / "engines").iterdir() if (path / "installation.json").exists()}

    def kept(self) -> list[Path]:
        return sorted(self.history.iterdir())


def _recording(folder: Path, name: str) -> None:
    program = folder / name
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {folder}/{name}.called\n')
    program.chmod(0o755)


@pytest.fixture(scope="module")
def runner(laboratory: Any) -> Iterator[Runner]:
    if shutil.which("mvn") is None:
        pytest.skip("the two builds come from Maven, and mvn is not on this machine")
    place = Path(laboratory.folder())
    clone, home, programs = place / "clone", place / "home", place / "programs"
    (clone / "scripts").mkdir(parents=True)
    programs.mkdir()
    for name in ("gh", "curl"):
        _recording(programs, name)
    study = _of_vendor("builds.toml")
    for key, value in _LENGTHS.items():
        study, count = re.subn(rf"^{key} = .*$", f"{key} = {value}", study, flags=re.MULTILINE)
        assert count == 1, key
    (clone / "builds.toml").write_text(study)
    (clone / "scripts" / "build-archive.sh").write_text(_BUILD_SCRIPT)
    (clone / "scripts" / "build-archive.sh").chmod(0o755)
    environ = {**os.environ, "DBDYNO_HOME": str(home), "DBDYNO_NO_CALIBRATION": "1", "HISTORY": str(place / "history")}
    environ["PATH"] = f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    made = Runner(clone, home, place / "history", environ)
    made.git("init", "-q", "-b", "main")
    for engine in BUILDS:
        (clone / "BUILD").write_text(str(laboratory.installation(engine).base_directory))
        made.git("add", ".")
        made.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", engine)
    made.git("tag", "v1.0", "HEAD~1")
    yield made
    LocalHost().remove_tree(place)


def _verdict(markdown: str) -> str:
    """The worst of what the rules say, as its exit code goes by."""
    words = set(re.findall(r"\b(FAIL|NOT SHOWN|PASS)\b", markdown))
    return next(word for word in ("FAIL", "NOT SHOWN", "PASS") if word in words)


def test_a_pull_request_is_built_compared_and_commented_and_main_is_followed(runner: Runner) -> None:
    job = yaml.safe_load(_of_vendor("github-actions.yml"))
    steps = {step["name"]: step for step in job["jobs"]["compare"]["steps"] if "run" in step}
    commit = runner.git("rev-parse", "HEAD")
    environ = {"BASE": f"{commit}^1", "GITHUB_SHA": commit, "GITHUB_RUN_ATTEMPT": "1", "SINCE": job["env"]["SINCE"]}

    def do(name: str) -> subprocess.CompletedProcess[str]:
        script = steps[name]["run"].replace("${{ github.event.pull_request.number }}", "7")
        return runner.run(script, pipefail=steps[name].get("shell") == "bash", **environ)

    assert do("Build the two servers").returncode == 0
    compared = do("Compare them")
    comment = (runner.clone / "diff.md").read_text()
    assert compared.returncode == (0 if _verdict(comment) == "PASS" else 1), compared.stderr
    assert "8.0.15" in comment and "8.0.31" in comment
    assert len(runner.unpacked_servers()) == 2
    assert do("Comment on the pull request").returncode == 0
    called = Path(runner.environ["PATH"].partition(":")[0]) / "gh.called"
    assert called.read_text().split() == ["pr", "comment", "7", "--body-file", "diff.md"]
    assert do("Follow main").returncode == 0, "a history of one study judges nothing"
    assert [path.name.partition("-" + commit)[2] for path in runner.kept()] == ["-1"]


def test_the_next_night_measures_new_servers_and_joins_the_history(runner: Runner) -> None:
    job = yaml.safe_load(_of_vendor("gitlab-ci.yml"))
    before = [line for line in job[".compare"]["before_script"] if not any(word in line for word in _INSTALLING)]
    variables = job["night"]["variables"] | {"HISTORY": str(runner.history)}
    environ = {"CI_COMMIT_SHA": runner.git("rev-parse", "HEAD"), "CI_JOB_ID": "2", **variables}
    assert len(before) == 4 and len(runner.kept()) == 1, "the job of the test above ran here before"
    shutil.rmtree(runner.clone / "results")
    study = runner.clone / "builds.toml"
    study.write_text(study.read_text().replace("repeats = 2", "repeats = 1"))  # the night has no rule that needs two
    # A runner concatenates both scripts, so what one sets the other has.
    removed = runner.run("\n".join(before), **environ)
    assert removed.returncode == 0, removed.stderr
    assert runner.unpacked_servers() == set(), "the servers of the job before"
    night = runner.run("\n".join(job["night"]["script"]), **environ)
    rules = re.findall(r"^(FAIL|NOT SHOWN|PASS) slower", night.stdout, re.MULTILINE)
    assert rules, night.stderr
    assert night.returncode == (1 if set(rules) & {"FAIL"} or rules[0] == "NOT SHOWN" else 0), night.stdout
    assert len(runner.unpacked_servers()) == 2
    assert len(runner.kept()) == 2
    assert (runner.clone / "history.html").stat().st_size > 50_000


def test_a_merge_request_gets_the_comparison_as_a_note(runner: Runner) -> None:
    job = yaml.safe_load(_of_vendor("gitlab-ci.yml"))["merge-request"]
    (runner.clone / "diff.md").write_text("PASS")
    environ = {"PERFORMANCE_TOKEN": "t0ken", "CI_API_V4_URL": "https://gitlab.example/api/v4", "CI_PROJECT_ID": "3"}
    assert runner.run("\n".join(job["after_script"]), **environ, CI_MERGE_REQUEST_IID="5").returncode == 0
    called = (Path(runner.environ["PATH"].partition(":")[0]) / "curl.called").read_text().splitlines()
    assert called[-1] == "https://gitlab.example/api/v4/projects/3/merge_requests/5/notes"
    assert called[called.index("--data-urlencode") + 1] == "body@diff.md"
