"""What the attacks share: a home that each worker fills once, their time, and the table of what faults struck."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import rounds
from fault_trial import Trial

from apart_home import new_home
from dbdyno.core import Home

_PROPERTY = "fault trial"


@pytest.fixture(scope="session")
def home() -> Iterator[Home]:
    """Filled by the first trial that needs it."""
    yield from new_home()


@pytest.fixture
def noted(record_property: Callable[[str, object], None]) -> Callable[[str, Trial], Trial]:
    """Note a trial for the table, under the name of its fault, however it ends."""

    def note(fault: str, trial: Trial) -> Trial:
        trial.struck |= {"fault": fault, "moment": str(trial.moment)}
        record_property(_PROPERTY, trial.struck)
        return trial

    return note


def pytest_configure() -> None:
    """Begin the time of `make attack`; workers of pytest inherit it."""
    rounds.begin()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where the time is limited, one trial of each kind comes before a second of any."""
    if rounds.MINUTES:
        items.sort(key=_round_of)


def _round_of(item: pytest.Item) -> int:
    """What takes longest begins first."""
    if item.path.name == "test_cut_beyond_the_lease.py":
        return -1
    number = item.callspec.params.get("number") if hasattr(item, "callspec") else 0
    return number if type(number) is int else 0  # else it is the number of a signal


@pytest.fixture(autouse=True)
def in_time() -> None:
    """Begin nothing once the time of `make attack` is up."""
    if rounds.is_time_up():
        pytest.skip("the time of make attack is up")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line for each trial of a fault: where it was to strike, what it struck, in which phase, what names it."""
    for outcome in ("passed", "failed", "rerun"):
        for report in terminalreporter.stats.get(outcome, []):
            for trial in [value for name, value in report.user_properties if name == _PROPERTY]:
                named = " ".join(str(trial.get("named", "")).split())[:100] or "nothing was spoilt"
                words = (
                    outcome,
                    trial["fault"],
                    trial["moment"],
                    trial.get("struck", ""),
                    trial.get("phase", ""),
                    named,
                )
                terminalreporter.write_line("FAULT " + " | ".join(words))
