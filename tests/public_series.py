"""Published throughput series with known answers: 32 runs, of which `vectors/series` keeps the rates of each second."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

FOLDER = Path(__file__).parent / "vectors" / "series"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text())
EXPECTED_GROUP: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected_cell.json").read_text())
RUNS = sorted(EXPECTED)


@cache
def _table() -> pa.Table:
    """Rates are kept as whole hundredths, as the tool printed them."""
    table = pq.read_table(FOLDER / "series.parquet")
    tps = pc.divide(pc.cast(table["tps_hundredths"], pa.float64()), 100.0)
    return table.select(["run", "second"]).append_column("tps", tps)


def public_series() -> dict[str, np.ndarray]:
    """Transactions per second of each run, in order of seconds."""
    table = _table()
    runs = np.array(table["run"].to_pylist())
    tps, second = table["tps"].to_numpy(), table["second"].to_numpy()
    return {run: tps[runs == run][np.argsort(second[runs == run])] for run in RUNS}


def series_file(folder: Path) -> Path:
    """Write the series as a file that `dbdyno judge` reads."""
    path = folder / "series.parquet"
    pq.write_table(_table(), path)
    return path


def close(expected: Any) -> Any:
    """The tolerance that the series come with; segment means are rounded to three decimals there."""
    return None if expected is None else pytest.approx(expected, rel=1e-5, abs=2e-6)
