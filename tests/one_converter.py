"""One process that draws charts for all tests of a worker: its JavaScript engine takes most of a second to start."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from types import TracebackType

import pytest

from dbdyno.report import _converter


@pytest.fixture(scope="session", autouse=True)
def one_converter() -> Iterator[None]:
    """Every `ChartConverter` of the session draws in the same process, and in a new one when that has died."""
    pools: list[ProcessPoolExecutor] = []
    begin = _converter.ChartConverter.__init__

    def begin_or_join(self: _converter.ChartConverter) -> None:
        if not pools or pools[-1]._broken:
            begin(self)
            pools.append(self._pool)
        self._pool = pools[-1]

    def leave(
        self: _converter.ChartConverter,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """The process goes on, for the next test."""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_converter.ChartConverter, "__init__", begin_or_join)
        patch.setattr(_converter.ChartConverter, "__exit__", leave)
        yield
    for pool in pools:
        pool.shutdown(cancel_futures=True)
