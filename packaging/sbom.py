"""Prints what the packages are made of, as CycloneDX JSON: every crate and Python package of the lock files.

usage: python packaging/sbom.py >sbom.json
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWN = "dbdyno"


def components() -> list[dict[str, object]]:
    """Each package once, with its digest where the lock file has one."""
    crates = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    rows = [_component("cargo", row["name"], row["version"], row.get("checksum")) for row in crates if "source" in row]
    packages = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    names = _needed({row["name"]: row for row in packages})
    rows += [_component("pypi", row["name"], row["version"], None) for row in packages if row["name"] in names]
    return rows


def _needed(packages: dict[str, dict[str, object]]) -> set[str]:
    """Python packages that an installation has: what dbdyno asks for, and what those ask for."""
    found, waiting = set[str](), [OWN]
    while waiting:
        dependencies = packages[waiting.pop()].get("dependencies", [])
        new = {row["name"] for row in dependencies} - found  # type: ignore[attr-defined]
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
