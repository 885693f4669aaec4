"""Prints what the packages are made of on Linux, as CycloneDX JSON.

These are the crates that the load generator is built from, and the Python packages that an installation has, in the
versions of the lock files.

usage: python packaging/sbom.py >sbom.json
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWN = "dbdyno"
PROGRAM = "dbdyno-load"
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
ELSEWHERE = "sys_platform == 'win32'"
"""What a dependency is marked with that Linux has not."""


def components() -> list[dict[str, object]]:
    """Each package once, with its digest where the lock file has one."""
    crates = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    built = set[tuple[str, str]]().union(*map(_built_from, TARGETS))
    locked = [row for row in crates if "source" in row and (row["name"], row["version"]) in built]
    rows = [_component("cargo", row["name"], row["version"], row.get("checksum")) for row in locked]
    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    names = _needed({row["name"]: row for row in packages})
    rows += [_component("pypi", row["name"], row["version"], None) for row in packages if row["name"] in names]
    return rows


def _built_from(target: str) -> set[tuple[str, str]]:
    """Name and version of each crate in the load generator for a target, and of those that build it.

    The lock file has more: what tests and benches need, and what other systems do.
    """
    argv = ["cargo", "metadata", "--format-version=1", "--locked", f"--filter-platform={target}"]
    found = json.loads(subprocess.run(argv, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    crates = {crate["id"]: crate for crate in found["packages"]}
    dependencies = {node["id"]: node["deps"] for node in found["resolve"]["nodes"]}
    waiting = [key for key, crate in crates.items() if crate["name"] == PROGRAM]
    reached = set(waiting)
    while waiting:
        needed = [row for row in dependencies[waiting.pop()] if any(kind["kind"] != "dev" for kind in row["dep_kinds"])]
        new = {row["pkg"] for row in needed} - reached
        reached |= new
        waiting += new
    return {(crates[key]["name"], crates[key]["version"]) for key in reached}


def _needed(packages: dict[str, dict[str, object]]) -> set[str]:
    """Python packages that an installation has: what dbdyno asks for, and what those ask for."""
    found, waiting = set[str](), [OWN]
    while waiting:
        dependencies = packages[waiting.pop()].get("dependencies", [])
        names = {row["name"] for row in dependencies if row.get("marker") != ELSEWHERE}  # type: ignore[attr-defined]
        new = names - found
        found |= new
        waiting += new
    return {name for name in found if not name.startswith(OWN)}


def _component(kind: str, name: str, version: str, sha256: str | None) -> dict[str, object]:
    component: dict[str, object] = {"type": "library", "name": name, "version": version}
    component |= {"purl": f"pkg:{kind}/{name}@{version}", "bom-ref": f"{kind}:{name}@{version}"}
    if sha256:
        component["hashes"] = [{"alg": "SHA-256", "content": sha256}]
    return component


def document() -> dict[str, object]:
    """The whole bill of materials."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    subject = {"type": "application", "name": OWN, "version": version, "bom-ref": OWN}
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
    return {**head, "metadata": {"component": subject}, "components": components()}


if __name__ == "__main__":
    print(json.dumps(document(), indent=1))
