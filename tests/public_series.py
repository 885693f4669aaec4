"""Real throughput series with known answers, where they lie beside this checkout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "series"
needs_series = pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/series")
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text()) if FOLDER.is_dir() else {}
RUNS = sorted(EXPECTED) or ["absent"]


def public_series() -> dict[str, np.ndarray]:
    """Transactions per second of each run, in order of seconds."""
    table = pq.read_table(FOLDER / "series.parquet", columns=["run", "second", "tps"])
    runs = np.array(table["run"].to_pylist())
    tps, second = table["tps"].to_numpy(), table["second"].to_numpy()
    return {run: tps[runs == run][np.argsort(second[runs == run])] for run in RUNS}


def close(expected: Any) -> Any:
    """The tolerance that the series come with; segment means are rounded to three decimals there."""
    return None if expected is None else pytest.approx(expected, rel=1e-5, abs=2e-6)
