"""Other programs and guests of the machine below, from the telemetry of a window."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.measure._other_load import other_load_caveats
from dbdyno.store import TelemetryRow

MODES = ("user", "nice", "system", "irq", "softirq", "steal", "iowait", "idle")


def rows_of(second: int, *, others: float = 0.0, stolen: float = 0.0, client: float = 0.2) -> list[TelemetryRow]:
    """A second of a host with four processors of which the server uses one."""
    host = dict.fromkeys(MODES, 0.0) | {"user": 1 + client + others, "steal": stolen}
    host["idle"] = 4 - sum(host.values())
    rows = [TelemetryRow(second, f"host.cpu.{mode}", value, "cpus") for mode, value in host.items()]
    for program, used in (("server", 1.0), ("client", client)):
        rows += [TelemetryRow(second, f"{program}.cpu.user", used, "cpus")]
        rows += [TelemetryRow(second, f"{program}.cpu.system", 0.0, "cpus")]
    return rows


def codes(rows: list[TelemetryRow], *, is_client_here: bool = True) -> list[str]:
    return [caveat.code for caveat in other_load_caveats(rows, 2, 2, is_client_here=is_client_here)]


@pytest.mark.parametrize(
    ("others", "stolen", "expected"),
    [(0.1, 0.0, []), (0.3, 0.0, ["other-load"]), (0.0, 0.1, ["steal"]), (0.5, 0.1, ["other-load", "steal"])],
)
def test_what_others_use_is_named_from_a_share_that_matters_on(
    others: float, stolen: float, expected: list[str]
) -> None:
    assert codes([*rows_of(2, others=others, stolen=stolen), *rows_of(3, others=others, stolen=stolen)]) == expected


def test_only_the_window_counts() -> None:
    outside = [*rows_of(0, others=2.0), *rows_of(1, others=2.0), *rows_of(4, others=2.0)]
    assert codes([*outside, *rows_of(2), *rows_of(3)]) == []


@pytest.mark.parametrize(("hard_interrupts", "expected"), [(0.001, []), (0.0, ["other-load"])])
def test_interrupts_that_the_kernel_measures_apart_are_no_other_program(
    hard_interrupts: float, expected: list[str]
) -> None:
    """A kernel that measures them shows time in hard ones, and has them in no process."""
    interrupts = {"host.cpu.softirq": 0.4, "host.cpu.irq": hard_interrupts}
    rows = [replace(row, value=interrupts.get(row.metric, row.value)) for second in (2, 3) for row in rows_of(second)]
    assert codes(rows) == expected


def test_a_load_generator_on_another_host_uses_nothing_of_this_one() -> None:
    rows = [*rows_of(2, client=0.5), *rows_of(3, client=0.5)]
    assert codes(rows) == []
    assert codes(rows, is_client_here=False) == ["other-load"]


@pytest.mark.parametrize("metric", ["server.cpu.user", "client.cpu.system", "host.cpu.idle", "host.cpu.steal"])
def test_nothing_is_said_where_who_used_what_is_not_known(metric: str) -> None:
    rows = [*rows_of(2, others=2.0), *rows_of(3, others=2.0)]
    assert codes(rows) == ["other-load"]
    assert codes([row for row in rows if row.metric != metric]) == []
