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


LSM_LEVEL = {
    "engine.lsm.cache_misses": 5.0,
    "engine.handler.read_key": 500.0,
    "engine.handler.read_next": 400.0,
    "engine.handler.read_rnd_next": 100.0,
    "engine.lsm.compaction_queue": 3.0,
    "engine.lsm.flush_queue": 0.0,
    "disk.written_bytes": 9e6,
}
RISING = [float(second) for second in range(120)]


@pytest.mark.parametrize(
    ("engine", "changes", "cache_bytes", "expected"),
    [
        ("tidesdb", {}, 20, (True, True)),
        # A cache that is one byte too small, and of which nobody says whether it is full.
        ("tidesdb", {}, 19, (None, True)),
        ("tidesdb", {"engine.lsm.cache_misses": RISING}, 19, (False, True)),
        # 10 of 1,000 rows a second are as many misses as are too many.
        ("tidesdb", {"engine.lsm.cache_misses": [10.0] * 120}, 20, (None, True)),
        ("tidesdb", {"engine.lsm.cache_misses": [9.9] * 120}, 20, (True, True)),
        ("tidesdb", {}, None, (None, True)),
        ("tidesdb", {"engine.lsm.compaction_queue": RISING}, 20, (True, False)),
        ("tidesdb", {"engine.lsm.flush_queue": RISING, "engine.lsm.compaction_queue": []}, 20, (True, False)),
        ("tidesdb", {"engine.lsm.compaction_queue": []}, 20, (True, None)),
        # Half a job more is none of a hundred; three halves are one.
        ("tidesdb", {"engine.lsm.compaction_queue": [0.0] * 80 + [0.5] * 40}, 20, (True, True)),
        ("tidesdb", {"engine.lsm.compaction_queue": [0.0] * 80 + [1.5] * 40}, 20, (True, False)),
        ("rocksdb", {}, 20, (True, None)),
        ("rocksdb", {"engine.lsm.compaction_queue": RISING}, 20, (True, None)),
    ],
)
def test_an_lsm_engine_settles_by_its_cache_and_its_queues(
    engine: str, changes: dict[str, list[float]], cache_bytes: int | None, expected: tuple[bool | None, bool | None]
) -> None:
    readings = Readings()
    for metric, value in LSM_LEVEL.items():
        readings.add((second, metric, each) for second, each in enumerate(changes.get(metric, [value] * 120)))
    variables = {} if cache_bytes is None else {f"{engine}_block_cache_size": str(cache_bytes)}
    facts = ServerFacts(engine, variables, dataset_bytes=20, is_flash=False)
    found = server_gates(facts, readings, [1000.0] * 120)(30, 120)
    assert found == {"cache": expected[0], "dirty data": expected[1], "device": True}


def test_readings_outside_of_the_stretch_do_not_count() -> None:
    rising_before = [10.0 * second for second in range(30)] + [300.0] * 90
    assert gates_of({"engine.pages.dirty": rising_before})["dirty data"] is True
