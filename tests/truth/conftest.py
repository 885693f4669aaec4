"""What all tests against a known truth share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

import open_window
import whole_minutes
from dbdyno.core import MeasureError
from dbdyno.hosts import LocalHost
from dbdyno.lab import find_generator


@pytest.fixture(scope="session")
def truth_folder() -> Iterator[Path]:
    """A folder with a short name, because sockets lie in it; skips where the load generator is not built."""
    try:
        find_generator()
    except MeasureError as error:
        pytest.skip(f"{error.what}: {error.why}")
    folder = Path(tempfile.mkdtemp(prefix="dbdyno-", dir="/tmp"))
    yield folder
    LocalHost().remove_tree(folder)


@pytest.fixture(scope="session", autouse=True)
def begun(request: pytest.FixtureRequest, truth_folder: Path) -> Iterator[dict[str, whole_minutes.Pair]]:
    """The loads of ``test_whole_minutes.py``, under way from the first truth test on; none if it is not to run."""
    if not _is_to_run(request, "test_whole_minutes.py"):
        yield {}
        return
    with whole_minutes.begin(truth_folder) as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def begun_window(request: pytest.FixtureRequest, truth_folder: Path) -> Iterator[Future[open_window.OpenWindow] | None]:
    """The run of ``test_open_window.py``, under way from the first truth test on; None if it is not to run."""
    if not _is_to_run(request, "test_open_window.py"):
        yield None
        return
    with open_window.begin(truth_folder) as running:
        yield running


def _is_to_run(request: pytest.FixtureRequest, file_name: str) -> bool:
    return any(item.path.name == file_name for item in request.session.items)
