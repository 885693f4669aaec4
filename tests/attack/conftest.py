"""What tests that attack whole studies need."""

from __future__ import annotations

import pytest

from dbdyno.core import MeasureError
from dbdyno.lab import find_generator


@pytest.fixture
def load_generator() -> None:
    """Skip where no load generator was built."""
    try:
        find_generator()
    except MeasureError as error:
        pytest.skip(str(error))
