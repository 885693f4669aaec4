"""What packages are built from, and by which recipes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_recipe_compiles_scripts_so_that_they_can_be_interrupted() -> None:
    settings = tomllib.loads((ROOT / ".cargo" / "config.toml").read_text())
    [define] = re.findall(r"-D\w+", settings["env"]["STATIC_CC"])
    container = (ROOT / "Dockerfile").read_text()
    assert container.index("COPY .cargo .cargo") < container.index("cargo build")
    release = (ROOT / "packaging" / "release").read_text()
    [compiler] = re.findall(r"STATIC_CC=(.+)", release)
    assert "zig" in compiler
    assert define in compiler


def test_the_container_has_all_that_the_package_is_built_from() -> None:
    """The build leaves out a folder of shared data that is missing, and says nothing."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    sources = [*wheel["packages"], *wheel["force-include"], *wheel["shared-data"]]
    copied = {source for source, _ in re.findall(r"^COPY (\w+) (/build/\w+)$", (ROOT / "Dockerfile").read_text(), re.M)}
    assert {source.partition("/")[0] for source in sources} <= copied


def test_the_load_generator_has_less_than_ten_megabytes() -> None:
    program = ROOT / ".venv" / "bin" / "dbdyno-load"
    if not program.exists():
        pytest.skip("make setup has not run")
    assert program.stat().st_size < 10_000_000


def test_what_drives_a_load_is_not_made_small_to_save_room() -> None:
    """How the crate of the program is optimised is how all crates are when they are linked."""
    packages = tomllib.loads((ROOT / "Cargo.toml").read_text())["profile"]["release"]["package"]
    hot = ("wire", "drive", "meter", "chance", "workload", "lua", "fiber", "sysbench", "load")
    assert packages and not packages.keys() & {f"dbdyno-{name}" for name in hot}


def test_make_builds_the_program_again_after_a_change_of_any_file_in_it() -> None:
    argv = ["make", "--silent", "--eval=sources: ; @printf '%s\\n' $(RUST_SOURCES)", "sources"]
    sources = set(subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())
    included = {
        (rust.parent / name).resolve()
        for rust in (ROOT / "crates").rglob("*.rs")
        for name in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', rust.read_text())
    }
    texts = {str(path.relative_to(ROOT)) for path in included if path.is_relative_to(ROOT / "crates")}
    assert any(text.endswith(".sql") for text in texts) and any(text.endswith(".lua") for text in texts)
    assert texts | {"crates/lua/exports.list", ".cargo/config.toml"} <= sources


@pytest.mark.parametrize(
    ("failing", "code"), [("client_cost", 1), ("populate.py", 1), ("against_tools.py", 1), ("", 0)]
)
def test_a_bench_that_fails_is_seen(failing: str, code: int, tmp_path: Path) -> None:
    argv = ["make", "--dry-run", "--no-print-directory", "--old-file=setup", "bench"]
    recipe = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name, text in ((".venv/bin/python", f"[ \"$1\" != 'benches/{failing}' ]"), ("bin/sysbench", "")):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    assert subprocess.run(["bash", "-c", recipe], cwd=tmp_path, env=environment, check=False).returncode == code


def _released(folder: Path, failing: str) -> subprocess.CompletedProcess[str]:
    """Run the recipe with programs that only make a file each; maturin fails for the target that is named."""
    programs = {
        ".tools/bin/uv": 'touch "${@: -1}/dbdyno-0-py3-none-any.whl"',
        ".tools/bin/python": "echo '{}'",
        "bin/rustup": "",
        "target/release-tools/bin/maturin": f'[[ " $* " != *" {failing} "* ]] && touch "${{@: -1}}/load-$RANDOM.whl"',
    }
    for name, text in programs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"#!/bin/bash\n{text}\n")
        (folder / name).chmod(0o755)
    (folder / "packaging").mkdir()
    shutil.copy(ROOT / "packaging" / "release", folder / "packaging")
    environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    argv = ["bash", str(folder / "packaging" / "release")]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("failing", "code", "packages"),
    [("x86_64-unknown-linux-gnu", 3, 1), ("aarch64-unknown-linux-gnu", 0, 2), ("nothing", 0, 3)],
)
def test_a_release_has_a_load_generator_or_fails(failing: str, code: int, packages: int, tmp_path: Path) -> None:
    done = _released(tmp_path, failing)
    assert done.returncode == code, done.stderr
    files = {path.name for path in (tmp_path / "target" / "release-files").iterdir()}
    assert len([name for name in files if name.endswith(".whl")]) == packages
    assert ("SHA256SUMS" in files) == (code == 0)
    assert (failing in done.stderr) == (failing != "nothing")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_the_bill_of_materials_has_what_is_in_the_packages_and_nothing_else() -> None:
    environment = {**os.environ, "CARGO_NET_OFFLINE": "true"}
    argv = [sys.executable, str(ROOT / "packaging" / "sbom.py")]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
    components = json.loads(done.stdout)["components"]
    names = {(row["purl"].partition("/")[0], row["name"]) for row in components}
    assert {("pkg:cargo", "luajit-src"), ("pkg:cargo", "rustls"), ("pkg:pypi", "cryptography")} <= names
    assert "hashes" in next(row for row in components if row["name"] == "luajit-src")
    tests_alone = {("pkg:cargo", "clap_mangen"), ("pkg:cargo", "roff"), ("pkg:pypi", "pytest")}
    other_systems = {name for name in names if re.search(r"windows|wincon|pywin32|^wasi$", name[1])}
    assert not (names & tests_alone) and not other_systems
