"""What the servers of a file wrote goes with the file: by the end of all files it would be gigabytes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from laboratory import remove_ended_folders


@pytest.fixture(scope="module", autouse=True)
def folders_go_with_their_file() -> Iterator[None]:
    yield
    remove_ended_folders()
