"""Every recipe that compiles the load generator gives LuaJIT the compiler that checks hooks in compiled loops."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

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
