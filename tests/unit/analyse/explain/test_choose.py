"""What is said of a place that a study does not have."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dbdyno.analyse.explain._choose import choose_place
from dbdyno.core import RequestError


@pytest.mark.parametrize(("count", "end"), [(8, "128 connections"), (12, " 512, 1024, 2048")])
def test_few_known_places_are_named_and_of_many_their_values(count: int, end: str) -> None:
    places = [("sysbench/oltp_read_write", "socket", 64 << 20, 1 << step) for step in range(count)]
    explanation: Any = SimpleNamespace(cells_at={place: {} for place in places})
    with pytest.raises(RequestError) as refused:
        choose_place(explanation, "3GB")
    assert refused.value.why.startswith("known are ") and refused.value.why.endswith(end)
    assert refused.value.remedy == f"write for example --at 64MB,{1 << (count - 1)}"
