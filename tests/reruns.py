"""What a test that failed on a real server is given when it is run once more."""

from __future__ import annotations

from pathlib import Path

import pytest

_MOST_CHARACTERS = 2000


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Make anew what the tests of a file look at together, such as a scene that was played once.

    A repetition would otherwise look at the very thing that failed.
    """
    if not isinstance(item, pytest.Function) or getattr(item, "execution_count", 1) == 1:
        return
    for definitions in item._fixtureinfo.name2fixturedefs.values():
        if definitions[-1].scope == "module":
            definitions[-1].finish(item._request)  # type: ignore[arg-type] # only to say who asked


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why each repeated test failed at first: a test that passes at last has no traceback in the output."""
    for report in terminalreporter.stats.get("rerun", []):
        crash = getattr(report.longrepr, "reprcrash", None)
        words = " | ".join((crash.message if crash else str(report.longrepr)).split("\n"))
        where = f" ({Path(crash.path).name}:{crash.lineno})" if crash else ""
        terminalreporter.write_line(f"REASON {report.nodeid}{where}: {words[:_MOST_CHARACTERS]}")
