"""What is asked of a machine before `make setup` builds anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_RUST_VERSION_RE = re.compile(r'^rust-version = "([\d.]+)"$', re.MULTILINE)


def checked(folder: Path, cargo: str) -> subprocess.CompletedProcess[str]:
    """Check a machine that has all but this script for its cargo, from a folder that is not the project."""
    for name in ("cc", "git", "dpkg-deb"):
        _write_program(folder / name, "exit 0")
    _write_program(folder / "cargo", cargo)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    command = ["bash", str(ROOT / ".ci" / "prerequisites"), sys.executable]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _write_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def oldest_rust() -> str:
    match = _RUST_VERSION_RE.search((ROOT / "Cargo.toml").read_text())
    assert match
    return match[1]


@pytest.mark.parametrize("version", ["1.63.0", "1.85.0", "1.9.0"])
def test_a_rust_that_is_too_old_is_refused_with_where_to_get_one(version: str, tmp_path: Path) -> None:
    done = checked(tmp_path, f"echo 'cargo {version} (d73d2caf9 2024-12-31)'")
    assert done.returncode == 3
    assert oldest_rust() in done.stderr and version in done.stderr and "rustup.rs" in done.stderr


@pytest.mark.parametrize("version", [oldest_rust() + ".0", oldest_rust() + ".1", "1.95.0", "2.0.0"])
def test_a_rust_that_is_new_enough_is_accepted(version: str, tmp_path: Path) -> None:
    done = checked(tmp_path, f"echo 'cargo {version}'")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_cargo_that_does_not_run_is_refused(tmp_path: Path) -> None:
    assert checked(tmp_path, "exit 1").returncode == 3


def test_cargo_is_asked_where_the_toolchain_is_named(tmp_path: Path) -> None:
    done = checked(tmp_path, "[ -e rust-toolchain.toml ] && echo 'cargo 1.95.0' || echo 'cargo 1.80.0'")
    assert done.returncode == 0


def test_the_documents_name_the_oldest_rust() -> None:
    for name in ("README.md", "docs/tutorial/first-study.md", "docs/guides/install.md"):
        assert f"Rust {oldest_rust()} or later" in (ROOT / name).read_text(), name
