"""What a load host measures of its network, with a load generator of paper."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from dbdyno.hosts import Completed, Host
from dbdyno.lab._client_paths import LoadHostPath
from dbdyno.measure import LoadAgent
from dbdyno.store import JsonValue
from encoded_histograms import encoded_counts

SAMPLES = Path(__file__).parents[3] / "contract" / "samples" / "load-records.jsonl"
TARGET: Mapping[str, JsonValue] = {
    "host": "10.1.0.2",
    "port": 3306,
    "user": "u",
    "database": "d",
    "tls": "off",
    "path_timeout_ns": 10**10,
}
ROUND_TRIP_NS, RATE = 220_000_000, 10**9


class FarHost:
    """Reads replies over a network with a long round trip, and keeps how large they were."""

    def __init__(self) -> None:
        self.files, self.sizes = self, list[int]()

    def make_directory(self, path: Path) -> None: ...

    def remove_tree(self, path: Path) -> None: ...

    def write(self, path: Path, content: bytes) -> None:
        self.sizes.append(content.count(b"SELECT 1 AS line") << 16)

    def run(self, words: Sequence[str], **_: object) -> Completed:
        records: list[dict[str, Any]] = [json.loads(line) for line in SAMPLES.read_text().splitlines()]
        start, second = (next(row for row in records if row["record"] == kind) for kind in ("start", "interval"))
        start["network"]["least_round_trip_ns"] = ROUND_TRIP_NS
        service = encoded_counts({ROUND_TRIP_NS + self.sizes[-1] * 8 * 10**9 / RATE: 4})
        statement = next(iter(second["statements"].values()))
        second["statements"] = {"reply": {**statement, "service": service}}
        return Completed(tuple(words), 0, f"{json.dumps(start)}\n{json.dumps(second)}\n", "")


def test_a_long_round_trip_is_no_long_reply() -> None:
    """Replies grow until their bytes take long enough: of a small one, the round trip alone took 0.2 s here."""
    host = FarHost()
    path = LoadHostPath(LoadAgent("c1", "c1", "/load", "/run/p/password", 4), cast("Host", host), TARGET)
    round_trip_ns, rate = path.read()
    assert host.sizes[0] < host.sizes[-1] == 8 << 20
    assert round_trip_ns == ROUND_TRIP_NS
    assert rate == pytest.approx(RATE, rel=0.02)
