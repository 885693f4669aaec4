"""Gates on the server's state: what passes, what fails, and what could not be read."""

from __future__ import annotations

import numpy as np
import pytest

from dbdyno.stats import (
    cache_settled,
    device_settled,
    dirty_data_settled,
    is_settled,
    redo_cycled,
    server_steadiness,
)

LEVEL = np.random.default_rng(1).normal(100, 5, 600)
RISING = LEVEL + np.linspace(0, 60, 600)


@pytest.mark.parametrize(
    ("readings", "capacity", "passed"),
    [
        (LEVEL, None, True),
        (RISING, None, False),
        (RISING, 1e6, True),
        (RISING, 1e3, False),
        (np.zeros(60), None, True),
        (np.repeat([0.0, 3.0], [60, 5]), None, True),  # the first reading of a rare event, in an incomplete group
        (np.repeat([0.0, 3.0], [57, 8]), None, False),
        (LEVEL[:29], None, None),
        (None, 1e6, None),
    ],
)
def test_a_reading_settles_by_its_drift_or_by_how_little_of_its_capacity_moves(
    readings: np.ndarray | None, capacity: float | None, passed: bool | None
) -> None:
    assert is_settled(readings, capacity) is passed


def test_a_redo_log_must_have_been_written_over_twice() -> None:
    assert redo_cycled(512, 256) is True
    assert redo_cycled(511, 256) is False
    assert redo_cycled(512, None) is None


@pytest.mark.parametrize(
    ("reads", "holds", "free", "passed"),
    [
        (0.005 * LEVEL, True, 0.5, True),
        (0.02 * LEVEL, True, 0.5, False),
        (LEVEL, False, 0.02, True),
        (LEVEL, False, 0.03, False),
        (RISING, False, 0.0, False),
        (0.005 * LEVEL, None, 0.5, None),
        (0.005 * LEVEL, True, None, True),
        (None, True, 0.0, None),
    ],
)
def test_a_cache_holds_the_dataset_or_is_full_with_level_reads(
    reads: np.ndarray | None, holds: bool | None, free: float | None, passed: bool | None
) -> None:
    assert cache_settled(reads, LEVEL, holds_dataset=holds, free_share=free) is passed


def test_dirty_data_needs_both_of_its_readings() -> None:
    capacities = {"dirty_capacity": 1000.0, "age_capacity": 1000.0}
    assert dirty_data_settled(LEVEL, LEVEL, **capacities) is True
    assert dirty_data_settled(LEVEL, RISING, **capacities) is False
    assert dirty_data_settled(LEVEL, None, **capacities) is None
    assert dirty_data_settled(RISING, None, **capacities) is False


def test_flash_must_have_been_written_over_since_it_was_trimmed() -> None:
    def device(is_flash: bool | None, written: float | None) -> bool | None:
        facts = {"is_flash": is_flash, "written_since_trim": written, "dataset_bytes": 10.0}
        return device_settled(9 * LEVEL, LEVEL, **facts)

    assert device(False, None) is True
    assert device(True, 10.0) is True
    assert device(True, 9.0) is False
    assert device(True, None) is None
    assert device(None, 10.0) is None
    rising = device_settled(RISING, np.full(600, 100.0), is_flash=False, written_since_trim=None, dataset_bytes=None)
    assert rising is False


def test_seconds_without_a_transaction_do_not_divide_by_zero() -> None:
    done = np.where(np.arange(600) % 7 == 0, 0.0, 100.0)
    facts = {"is_flash": False, "written_since_trim": None, "dataset_bytes": None}
    assert device_settled(9 * done, done, **facts) is True


def test_a_steady_server_is_confirmed_only_by_gates_that_were_read_and_passed() -> None:
    assert server_steadiness({"redo": True, "history": True}).is_confirmed
    found = server_steadiness({"redo": True, "history": None, "device": False})
    assert (found.failed, found.unread, found.is_confirmed) == (("device",), ("history",), False)
    assert not server_steadiness({}).is_confirmed
