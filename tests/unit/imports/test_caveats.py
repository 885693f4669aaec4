"""What limits an imported run of any tool."""

from __future__ import annotations

import pytest

from dbdyno.imports._caveats import about_window
from dbdyno.stats import settled_part


@pytest.mark.parametrize("seconds", [0, 1, 60, 179, 180])
def test_a_run_has_a_caveat_where_it_is_too_short_to_be_judged(seconds: int) -> None:
    """0 stands for a length that the log does not give."""
    caveat = about_window(seconds)
    assert (caveat is not None) == (seconds > 0 and settled_part([100.0] * seconds) is None)
    assert caveat is None or (caveat.code == "short-window" and f"{seconds} s" in caveat.text)
