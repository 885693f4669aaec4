"""The blocks that the Rust crate prints are those of recorded outputs of sysbench, which lie outside the repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT.parent / "shared" / "data" / "sysbench-output"


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
@pytest.mark.skipif(not SAMPLES.exists(), reason="needs ../shared/data/sysbench-output")
def test_the_crate_rebuilds_the_recorded_outputs() -> None:
    # Of one crate alone cargo would choose other features and build it and what it needs once more.
    argv = ["cargo", "test", "--locked", "--workspace", "--test", "recorded_outputs", "--", "--include-ignored"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "3 passed; 0 failed; 0 ignored" in done.stdout
