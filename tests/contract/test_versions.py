"""Both packages and both programs bear one version, and the lab asks for exactly that load generator."""

from __future__ import annotations

import tomllib
from pathlib import Path

import dbdyno

ROOT = Path(__file__).parents[2]


def test_packages_and_programs_have_one_version() -> None:
    lab, load = (tomllib.loads((ROOT / name).read_text()) for name in ("pyproject.toml", "crates/load/pyproject.toml"))
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert lab["project"]["version"] == load["project"]["version"] == workspace == dbdyno.__version__
    assert f"dbdyno-load=={workspace}" in lab["project"]["dependencies"]
