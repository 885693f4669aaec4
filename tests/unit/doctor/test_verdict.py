"""What a study asks of the machine."""

from __future__ import annotations

import pytest

from dbdyno.doctor._verdict import needs_of
from dbdyno.study import parse_study

TEXT = """
targets = ["mysql:9.7"]
workload.name = "oltp_read_only"
axes = {tier = "64MB", concurrency = 4}
"""


@pytest.mark.parametrize(("more", "features"), [("", ()), ('[limits]\nmemory = "1GB"', ("memory",))])
def test_a_memory_limit_asks_for_its_controller(more: str, features: tuple[str, ...]) -> None:
    assert needs_of(parse_study(TEXT + more, "x.toml"), 1, 1).features == features
