"""Gates read off telemetry: what fails, what can't be read, what does not apply."""

from __future__ import annotations

import pytest

from dbdyno.stats import Readings, ServerFacts, server_gates

PAGE = 16384
VARIABLES = {"innodb_page_size": str(PAGE), "innodb_log_file_size": str(96 << 20)}
LEVEL = {
    "engine.pages.dirty": 500.0,
    "engine.redo.checkpoint_age": 40e6,
    "engine.pages.total": 4000.0,
    "engine.pages.free": 1000.0,
    "engine.pages.read": 0.0,
    "engine.handler.read_key": 1000.0,
    "engine.history.length": 12.0,
    "server.device_written": 9e6,
}


def gates_of(
    changes: dict[str, list[float]], *, redo_per_s: float = 4e6, variables: dict[str, str] = VARIABLES
) -> dict[str, bool | None]:
    readings = Readings()
    for metric, value in LEVEL.items():
        values = changes.get(metric, [value] * 120)
        readings.add((second, metric, reading) for second, reading in enumerate(values))
    readings.add((second, "engine.redo.lsn", 1e9 + redo_per_s * second) for second in range(120))
    facts = ServerFacts("innodb", variables, dataset_bytes=20 << 20, is_flash=False)
    return dict(server_gates(facts, readings, [1000.0] * 120)(30, 120))


def test_a_server_at_rest_passes_every_gate() -> None:
    assert gates_of({}) == dict.fromkeys(("redo", "cache", "dirty data", "history", "device"), True)


@pytest.mark.parametrize(
    ("metric", "values", "gate"),
    [
        ("engine.pages.dirty", [10.0 * second for second in range(120)], "dirty data"),
        ("engine.redo.checkpoint_age", [4e5 * second for second in range(120)], "dirty data"),
        ("engine.history.length", [100.0 * second for second in range(120)], "history"),
        ("server.device_written", [1e6 + 1e5 * second for second in range(120)], "device"),
        ("engine.pages.read", [400.0 - 3 * second for second in range(120)], "cache"),
    ],
)
def test_what_moves_fails_its_gate_and_no_other(metric: str, values: list[float], gate: str) -> None:
    assert [name for name, passed in gates_of({metric: values}).items() if not passed] == [gate]


def test_a_redo_log_must_be_written_over_twice() -> None:
    assert gates_of({}, redo_per_s=1e6)["redo"] is False


def test_a_run_that_writes_nothing_has_no_redo_log_and_no_device_to_settle() -> None:
    found = gates_of({"server.device_written": [100.0] * 120}, redo_per_s=10.0)
    assert "redo" not in found and "device" not in found


def test_what_a_server_does_not_show_is_unread_and_not_passed() -> None:
    found = gates_of({"engine.history.length": [], "engine.redo.checkpoint_age": []}, variables={})
    assert [name for name, passed in found.items() if passed is None] == ["redo", "cache", "dirty data", "history"]


def test_readings_outside_of_the_stretch_do_not_count() -> None:
    rising_before = [10.0 * second for second in range(30)] + [300.0] * 90
    assert gates_of({"engine.pages.dirty": rising_before})["dirty data"] is True
