"""A condition that a server never answers is undecided in time, and does not hold up who asks."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from dbdyno.lab import find_generator
from null_server import NullServer

pytestmark = pytest.mark.truth


def verify(server: NullServer, *more: str) -> tuple[int, list[dict[str, object]], float]:
    argv = [str(find_generator()), "verify", "tpcc/standard", "--warehouses", "1", "--after", "load", "--json"]
    argv += ["--socket", str(server.socket), "--user", "any", "--database", "d", *more]
    began = time.monotonic()
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, rows, time.monotonic() - began


def test_a_check_that_is_never_answered_is_undecided_and_the_others_are_asked(truth_folder: Path) -> None:
    with NullServer(truth_folder, "--delay", "constant:1h") as server:
        code, rows, took_s = verify(server, "--check-timeout", "200ms", "--connections", "4")
    conditions = [row for row in rows if row["record"] == "condition"]
    assert len(conditions) >= 12 and {row["status"] for row in conditions} == {"undecided"}
    assert rows[-1]["status"] in ("undecided", "incomplete") and rows[-1]["undecided"] == len(conditions)
    assert code in (1, 3) and took_s < 60


def test_checks_that_are_answered_in_time_are_decided(truth_folder: Path) -> None:
    with NullServer(truth_folder, "--delay", "constant:20ms") as server:
        _, rows, _ = verify(server, "--check-timeout", "20s")
    statuses = {row["status"] for row in rows if row["record"] == "condition"}
    assert statuses and "undecided" not in statuses
