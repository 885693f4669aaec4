"""The jobs for Slurm and Kubernetes in the guide of several machines: their syntax, and the parts that they run.

Neither was tried on a cluster. The script is run here with programs that only print what they are asked.
"""

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
from dbdyno.plan import PartOfStudy

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "several-machines.md").read_text()
PARTS = [PartOfStudy(number, 3) for number in (1, 2, 3)]


def _example(heading: str, language: str) -> str:
    section = GUIDE.split(f"### {heading}\n")[1].partition("\n### ")[0]
    assert "tried on a cluster" in section and "A test checks" in section
    (text,) = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return str(text)


@pytest.fixture
def job() -> dict[str, Any]:
    """The job for Kubernetes."""
    read = yaml.safe_load(_example("Kubernetes", "yaml"))
    assert isinstance(read, dict)
    return read


def _printed(folder: Path, argv: list[str], environment: dict[str, str]) -> list[str]:
    """Words of the one command that was called; `srun` calls the rest of its words."""
    for name, text in {"srun": 'exec "$@"', "dbdyno": 'printf "%s\\n" "$@"'}.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    done = subprocess.run(argv, env={"PATH": path, **environment}, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def _part_of(words: list[str]) -> PartOfStudy:
    choices, unknown = _command_parser("run").parse_known_args(words)
    assert not unknown and choices.study and choices.output
    return PartOfStudy.parse(str(choices.part))


def test_the_slurm_script_is_one_of_bash_with_its_options_first(tmp_path: Path) -> None:
    text = _example("Slurm", "bash")
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)
    first, *lines = text.splitlines()
    assert first == "#!/bin/bash"
    directives = [line for line in lines if line.startswith("#SBATCH ")]
    assert lines[: len(directives)] == directives, "sbatch reads no options after the first command"
    options = dict(option.partition("=")[::2] for line in directives for option in shlex.split(line)[1:])
    assert options["--array"] == "1-3" and "--exclusive" in options
    assert re.fullmatch(r"\d\d:\d\d:\d\d", options["--time"])


def test_the_tasks_of_the_slurm_array_run_all_parts(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text(_example("Slurm", "bash"))
    outputs, parts = set(), []
    for task in ("1", "2", "3"):
        environment = {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_COUNT": "3"}
        words = _printed(tmp_path, ["bash", str(script)], environment)
        parts.append(_part_of(words))
        outputs.add(words[words.index("-o") + 1])
    assert parts == PARTS and len(outputs) == 3


def test_the_kubernetes_job_has_what_an_indexed_job_must_have(job: dict[str, Any]) -> None:
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    name = job["metadata"]["name"]
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name)
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 3, 3)
    assert pod["restartPolicy"] in ("Never", "OnFailure")
    (apart,) = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert apart["topologyKey"] == "kubernetes.io/hostname"
    assert apart["labelSelector"]["matchLabels"] == {"job-name": name}, "the label that the pods of a job have"
    (container,) = pod["containers"]
    assert container["name"] and container["image"] and isinstance(container["command"], list)
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert {volume["name"] for volume in pod["volumes"]} == mounts.keys()
    assert all(path.startswith("/") for path in mounts.values())


def test_the_pods_of_the_kubernetes_job_run_all_parts(job: dict[str, Any], tmp_path: Path) -> None:
    (container,) = job["spec"]["template"]["spec"]["containers"]
    mounts = [mount["mountPath"] for mount in container["volumeMounts"]]
    parts = []
    for index in range(job["spec"]["completions"]):
        words = _printed(tmp_path, container["command"], {"JOB_COMPLETION_INDEX": str(index)})
        parts.append(_part_of(words))
        paths = [word for word in words if word.startswith("/")]
        assert len(paths) == 2 and all(any(path.startswith(f"{mount}/") for mount in mounts) for path in paths)
    assert parts == PARTS
