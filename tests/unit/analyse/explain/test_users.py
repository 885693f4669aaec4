"""The time of a transaction by whose work the processors did, where they are used up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dbdyno.analyse.explain import (
    Circumstances,
    Gap,
    PinnedServer,
    RunTimes,
    compare_breakdowns,
    gap_lines,
    processors_used,
    split_by_users,
    utilisation,
)
from dbdyno.core import IDLE_TIMES, PROCESSOR_TIMES, Cell, Run

USED = {"sessions": 1.4, "background": 0.1, "client": 0.4, "neighbours": 0.06, "steal": 0.02}
CONNECTIONS, SECONDS = 32, 12.0


def run_times(target: str, repeat: int, tps: float, used: dict[str, float], idle: float = 0.04) -> RunTimes:
    cell = Cell(target, 512 << 20, CONNECTIONS, "sysbench/oltp_read_write", "socket")
    processors = {**used, "busy": sum(used.values()), "idle": idle}
    done = round(tps * SECONDS)
    return RunTimes(Run(cell, repeat, 0, repeat, ""), False, SECONDS, done, done, None, None, processors=processors)


def test_each_users_time_is_its_share_of_the_processors() -> None:
    run = run_times("a", 1, 1600.0, USED)
    found = split_by_users(run)
    assert found is not None
    assert found.total_ms == pytest.approx(1e3 * CONNECTIONS / 1600.0)
    own = {name: part.ms for name, part in found.by_id().items()}
    # The utilisation law: N D / B, with D the sessions' processor time of a transaction.
    assert own["processors.sessions"] == pytest.approx(CONNECTIONS * (1.4e3 / 1600.0) / sum(USED.values()))
    assert sum(own.values()) == pytest.approx(found.total_ms)


@pytest.mark.parametrize(
    "run",
    [
        run_times("a", 1, 1600.0, USED, idle=0.4),
        replace(run_times("a", 1, 1600.0, USED), rests=True, transaction_sum_ms=1e4),
        run_times("a", 1, 1600.0, {name: used for name, used in USED.items() if name != "neighbours"}),
    ],
    ids=["processors to spare", "connections that rest", "a user that is not known"],
)
def test_without_processors_that_are_used_up_there_is_no_split(run: RunTimes) -> None:
    found = split_by_users(run)
    assert found is not None
    assert not found.parts
    assert found.missing


def test_over_a_network_the_load_generator_uses_no_processor_of_the_servers_host() -> None:
    local_run = run_times("a", 1, 1600.0, {name: used for name, used in USED.items() if name != "client"})
    run = replace(local_run, is_client_here=False)
    found = split_by_users(run)
    assert found is not None
    assert set(found.by_id()) >= {"processors.sessions", "processors.background", "processors.neighbours"}
    assert "processors.client" not in found.by_id()


def test_other_programs_are_what_server_and_a_load_generator_on_its_host_leave() -> None:
    means = {
        "host.cpu.user": 1.5, "host.cpu.idle": 0.5, "server.cpu.user": 0.8, "client.cpu.user": 0.4,
        "sessions.on_cpu": 0.7, "background.page_cleaner.on_cpu": 0.1,
    }  # fmt: skip
    silent_metrics = (*(name for names in PROCESSOR_TIMES.values() for name in names), *IDLE_TIMES)
    means = dict.fromkeys(silent_metrics, 0.0) | means
    near, far = (processors_used(means, is_client_here=is_client_here) for is_client_here in (True, False))
    assert (near["neighbours"], near["client"]) == (pytest.approx(0.3), 0.4)
    assert far["neighbours"] == pytest.approx(0.7)
    assert "client" not in far
    assert near["background"] == far["background"] == pytest.approx(0.1)


def test_what_the_hypervisor_took_is_no_other_program() -> None:
    silent_metrics = (*(name for names in PROCESSOR_TIMES.values() for name in names), *IDLE_TIMES)
    means = dict.fromkeys(silent_metrics, 0.0) | {"host.cpu.user": 1.2, "host.cpu.steal": 0.5, "host.cpu.idle": 0.3}
    used = processors_used(means | {"server.cpu.user": 0.8, "client.cpu.user": 0.1}, is_client_here=True)
    assert (used["neighbours"], used["steal"]) == (pytest.approx(0.3), 0.5)
    assert (used["busy"], used["idle"]) == (pytest.approx(1.7), 0.3)
    assert "stolen" not in used  # of whom, nobody knows
    watched = processors_used(
        means | {"server.cpu.user": 0.8, "client.cpu.user": 0.1, "sessions.on_cpu": 0.6}, is_client_here=True
    )
    assert watched["stolen"] == pytest.approx(0.5 * 0.6 / 1.2)


@pytest.mark.parametrize("steal", [0.0, 0.3])
def test_a_hypervisor_that_took_processors_is_a_user_of_them(steal: float) -> None:
    found = split_by_users(run_times("a", 1, 1600.0, {**USED, "steal": steal}))
    assert found is not None
    parts = found.by_id()
    assert ("processors.steal" in parts) == bool(steal)
    if steal:
        neighbours = parts["processors.neighbours"].ms
        assert parts["processors.steal"].ms == pytest.approx(neighbours * steal / USED["neighbours"])


def gap_of(dearer: float, seed: int = 0) -> Gap:
    """Sessions of the right side take so many times the processor time for each transaction."""
    random = np.random.default_rng(seed)
    runs = {}
    for target, factor in (("a", 1.0), ("b", dearer)):
        used = {**USED, "sessions": factor * USED["sessions"]}
        scale = sum(USED.values()) / sum(used.values())
        tps = [1600.0 * scale * float(np.exp(random.normal(0, 0.02))) for _ in range(3)]
        own = [
            run_times(target, number, level, {u: scale * x for u, x in used.items()})
            for number, level in enumerate(tps)
        ]
        runs[own[0].run.cell] = tuple(part for run in own if (part := split_by_users(run)) is not None)
    left, right = runs
    return compare_breakdowns(runs, [(left, right)])[0]


def test_dearer_sessions_are_the_decided_part_and_are_said() -> None:
    gap = gap_of(1.5)
    assert [part.part_id for part in gap.with_verdict("decided")] == ["processors.sessions"]
    (sessions,) = gap.with_verdict("decided")
    truth = CONNECTIONS * 0.5 * (1.4e3 / 1600.0) / sum(USED.values())
    assert sessions.difference.low < truth < sessions.difference.high
    assert "sessions" in gap_lines(gap, "here", users=gap)[1]


def test_equal_sides_have_no_decided_user() -> None:
    assert not any(gap_of(1.0, seed).with_verdict("decided") for seed in range(20))


@pytest.mark.parametrize(
    ("pinned", "busy", "users"),
    [
        (None, 2.7, set()),
        (PinnedServer(2, "other"), 1.95, {"sessions", "background"}),
        (PinnedServer(2, "any"), 1.95, {"sessions", "background"}),
        (PinnedServer(2, "same"), 2.0, {"sessions", "background", "client"}),
    ],
)
def test_a_server_uses_up_the_processors_that_it_is_pinned_to(
    pinned: PinnedServer | None, busy: float, users: set[str]
) -> None:
    """On a host of 16 processors 13.3 are idle, and the server has two of them."""
    means = {name: 0.0 for names in PROCESSOR_TIMES.values() for name in names} | dict.fromkeys(IDLE_TIMES, 0.0)
    means |= {"host.cpu.user": 2.7, "host.cpu.idle": 13.3, "server.cpu.user": 1.95, "client.cpu.user": 0.5}
    means |= {"sessions.on_cpu": 1.8, "background.purge.on_cpu": 0.15}
    run = run_times("a", 1, 1600.0, {})
    run = replace(run, pinned=pinned, processors=processors_used(means, pinned, is_client_here=True))
    assert run.processors["busy"] == pytest.approx(busy)
    assert utilisation(run)["processors"] == pytest.approx(busy / (16 if pinned is None else 2))
    found = split_by_users(run)
    assert found is not None
    assert set(found.by_id()) == {f"processors.{user}" for user in users} | ({"rest"} if users else set())
    known = Circumstances.of([run], [run])
    assert known.has_client_host == (pinned is not None and pinned.client == "other")
    assert ("processors.client" in known.facts) != known.has_client_host
