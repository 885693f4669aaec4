"""Hosts that are one machine under two names, by what their kernel counts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dbdyno.hosts import Host, LocalHost, have_one_kernel


def test_this_machine_has_one_kernel_however_it_is_reached(host: Host) -> None:
    assert have_one_kernel(LocalHost(), host)
    assert have_one_kernel(host, LocalHost())


def other_host(*texts: str) -> Any:
    """A host whose /proc/stat says these things, one after the other, and the last from then on."""
    rest = list(texts)

    def read_many(paths: object) -> list[bytes]:
        return [(rest.pop(0) if len(rest) > 1 else rest[0]).encode()]

    return SimpleNamespace(files=SimpleNamespace(read_many=read_many))


def stat(switches: int, processes: int) -> str:
    return f"cpu  1 2 3\nctxt {switches}\nbtime 17\nprocesses {processes}\nprocs_running 1\n"


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        (stat(1000, 50), True),
        (stat(1010, 51), True),
        (stat(999, 50), False),
        (stat(1011, 50), False),
        (stat(1005, 52), False),
        ("", False),
        ("ctxt 1005\n", False),
    ],
)
def test_counts_of_one_kernel_lie_between_those_read_before_and_after(between: str, expected: bool) -> None:
    assert have_one_kernel(other_host(stat(1000, 50), stat(1010, 51)), other_host(between)) is expected


def test_counts_that_can_not_be_read_say_nothing() -> None:
    assert not have_one_kernel(other_host(""), other_host(stat(1, 1)))
