"""The packages as users install them: built, put into an empty environment, and a comparison run from there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.server

ROOT = Path(__file__).parents[2]
MOST_PROGRAM_BYTES = 10_000_000
UV = ROOT / ".tools" / "bin" / "uv"


@pytest.fixture(scope="module")
def wheels() -> list[Path]:
    if shutil.which("cargo") is None or not UV.exists():
        pytest.skip("wheels are built where make setup has run: cargo or uv is not here")
    subprocess.run(["make", "--no-print-directory", "wheels"], cwd=ROOT, check=True, timeout=900)
    return sorted((ROOT / "target" / "packages").glob("*.whl"))


@pytest.fixture(scope="module")
def programs(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds nothing but dbdyno and what it asks for."""
    environment = tmp_path_factory.mktemp("wheels") / "environment"
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, environment], check=True, timeout=300)
    # By name from the folder of wheels, as docs/guides/install.md has it; the rest comes from the ordinary index.
    pip = [UV.with_name("pip"), "--python", environment / "bin" / "python", "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, "--find-links", wheels[0].parent, "dbdyno"], check=True, timeout=900)
    return environment / "bin"


@pytest.fixture
def results(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "results"
    shutil.rmtree(tmp_path / "results", ignore_errors=True)


def test_two_packages_are_built(wheels: list[Path]) -> None:
    lab, load = wheels
    assert lab.name.endswith("-py3-none-any.whl")
    assert load.name.startswith("dbdyno_load-")
    assert load.stat().st_size < MOST_PROGRAM_BYTES


def test_the_load_generator_is_small(programs: Path) -> None:
    assert (programs / "dbdyno-load").stat().st_size < MOST_PROGRAM_BYTES


def test_an_installation_has_manual_pages_completions_and_studies(programs: Path) -> None:
    share = programs.parent / "share"
    pages = {path.name for path in (share / "man" / "man1").iterdir()}
    assert {"dbdyno.1", "dbdyno-compare.1", "dbdyno-load.1", "dbdyno-load-run.1"} <= pages
    completions = ("bash-completion/completions/{}", "zsh/site-functions/_{}", "fish/vendor_completions.d/{}.fish")
    names = [share / form.format(program) for form in completions for program in ("dbdyno", "dbdyno-load")]
    assert [name for name in names if not name.is_file()] == []
    planned = subprocess.run([programs / "dbdyno", "plan", "first"], capture_output=True, text=True, timeout=120)
    assert planned.returncode == 0 and planned.stdout.startswith("first"), planned.stderr


def test_uvx_runs_it_from_the_folder_of_wheels(wheels: list[Path]) -> None:
    # A wheel of the same name and version that an earlier test left in uv's cache would be taken for the new one.
    new = ["--refresh-package", "dbdyno", "--refresh-package", "dbdyno-load"]
    argv = [UV.with_name("uvx"), *new, "--python", sys.executable, "--find-links", wheels[0].parent, "dbdyno"]
    done = subprocess.run([*argv, "--version"], capture_output=True, text=True, timeout=300)
    assert done.stdout.startswith("dbdyno "), done.stderr


def test_an_installation_takes_less_than_200_megabytes(programs: Path) -> None:
    """What its packages list as theirs; bytecode and pip, some 65 MB, come on top."""
    (packages,) = (programs.parent / "lib").glob("python*/site-packages")
    installed = {
        distribution.name: sum(Path(file.locate()).stat().st_size for file in distribution.files or ())
        for distribution in distributions(path=[str(packages)])
    }
    assert {"dbdyno", "dbdyno-load", "numpy"} <= installed.keys()
    assert sum(installed.values()) < 200_000_000, sorted(installed.items(), key=lambda item: -item[1])[:8]


def test_an_installation_compares_two_engines(programs: Path, results: Path, laboratory: Any) -> None:
    for engine in ("mariadb:11.8", "mysql:9.7"):
        laboratory.installation(engine)  # fetched here, so that the time-out below is that of a comparison
    environ = {"PATH": f"{programs}:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": os.environ.get("HOME", "/root")}
    environ |= {"DBDYNO_HOME": str(laboratory.home.root)}
    sizes = ["--tables", "1", "--rows", "1000", "--tier", "64MB", "--concurrency", "1"]
    lengths = ["--warm-up", "1s", "--window", "5s", "--repeats", "1"]
    asked = ["compare", "mariadb:11.8", "mysql:9.7", *sizes, *lengths, "-o", str(results)]
    done = subprocess.run([programs / "dbdyno", *asked], env=environ, timeout=400, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert (results / "report.html").stat().st_size > 100_000
    shown = subprocess.run(
        [programs / "dbdyno", "show", str(results), "--json"], env=environ, capture_output=True, check=True, timeout=60
    )
    assert len(json.loads(shown.stdout)["cells"]) == 2
