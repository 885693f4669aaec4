"""Crates import lower crates only, as the order in docs/design/architecture.md has it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = (
    {"load"},
    {"commands"},
    {"lua"},
    {"sysbench"},
    {"drive"},
    {"workload", "null_server"},
    {"wire"},
    {"input", "meter", "chance", "fiber", "threads", "agent"},
)
"""From the top: a crate may import those of lower lines; crates of one line do not import each other."""
CRATES = sorted(path.parent.name for path in ROOT.glob("crates/*/Cargo.toml"))


def lower_crates(crate: str) -> set[str]:
    [place] = [place for place, layer in enumerate(LAYERS) if crate in layer]
    return set().union(*LAYERS[place + 1 :])


def imported_crates(crate: str) -> set[str]:
    """Return the crates that the program of this one holds; what its tests or its build import is in no program."""
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text())
    return _own_crates(manifest) | set().union(*map(_own_crates, manifest.get("target", {}).values()))


def _own_crates(table: dict[str, Any]) -> set[str]:
    names = table.get("dependencies", {})
    return {name.removeprefix("dbdyno-").replace("-", "_") for name in names if name.startswith("dbdyno-")}


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_imports_lower_crates_only(crate: str) -> None:
    assert imported_crates(crate) - lower_crates(crate) == set()


def test_every_crate_has_a_layer_and_a_line_in_the_document() -> None:
    document = (ROOT / "docs" / "design" / "architecture.md").read_text()
    described = re.findall(r"^\| `(\w+)` \|", document.partition("## Rust crates")[2], re.MULTILINE)
    assert sorted(set().union(*LAYERS)) == CRATES == sorted(set(described) & set(CRATES))
    assert imported_crates("drive") >= {"wire", "workload"} and imported_crates("load") == {"commands"}
