"""The scripts of the pages: their bundles are what their sources make, and their own tests pass."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[3] / "web"
HAS_TOOLS = shutil.which("npm") is not None and (WEB / "node_modules").is_dir()


@pytest.mark.skipif(not HAS_TOOLS, reason="no Node.js, or its packages are not installed: make pages")
@pytest.mark.parametrize("script", ["lint", "test", "check-bundles"])
def test_the_scripts_of_the_pages_hold(script: str) -> None:
    ended = subprocess.run(["npm", "run", "--silent", script], cwd=WEB, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
