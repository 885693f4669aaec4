"""How a host is reached: what each check says of its agent, round trip, clock, connection and shaped routes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbdyno.core import Machine
from dbdyno.doctor import CheckOutcome, Needs, RemoteAccess, examine

ACCESS = RemoteAccess(
    "bench@db1", "/home/bench/.cache/dbdyno", "x86_64", "glibc 2.36", 34, 300_000, 150_000, 0.5, 1.0, True
)
CHECKS = ("remote-agent", "remote-round-trip", "remote-clock-drift", "remote-connection", "remote-shaping")


def outcome_of(check: str, access: RemoteAccess, *, is_load_host: bool = False) -> CheckOutcome:
    needs = Needs(5_000, 0, 0, ("network",), has_own_servers=not is_load_host, is_load_host=is_load_host)
    (outcome,) = (one for one in examine(Machine(), needs, access=access).outcomes if one.check_id == check)
    return outcome


def test_a_machine_that_is_reached_without_a_network_is_not_asked() -> None:
    asked = {outcome.check_id for outcome in examine(Machine(), None).outcomes}
    assert not [check for check in asked if check.startswith("remote-")]


@pytest.mark.parametrize("check", CHECKS[:-1])
def test_a_host_that_is_reached_well_is_clear(check: str) -> None:
    assert outcome_of(check, ACCESS).state == "clear"


def test_a_c_library_without_packaged_engines_is_noted_where_servers_run() -> None:
    alpine = replace(ACCESS, libc="musl 1.2.4")
    found = outcome_of("remote-agent", alpine)
    assert (found.state, found.severity) == ("found", "note")
    assert "musl 1.2.4" in found.seen and "glibc" in found.remedy
    assert outcome_of("remote-agent", alpine, is_load_host=True).state == "clear"


@pytest.mark.parametrize(("bound_ns", "state"), [(2_500_000, "clear"), (2_500_001, "found")])
def test_clocks_that_are_mapped_worse_than_2_5_ms_weaken_a_result(bound_ns: int, state: str) -> None:
    outcome = outcome_of("remote-round-trip", replace(ACCESS, round_trip_ns=2 * bound_ns, clock_bound_ns=bound_ns))
    assert outcome.state == state
    assert "5.00 ms" in outcome.seen
    assert state == "clear" or outcome.severity == "weakens"


@pytest.mark.parametrize(
    ("drift_ppm", "bound_ppm", "state"),
    [
        (15.0, 5.0, "clear"),
        (-15.0, 5.0, "clear"),
        (25.1, 5.0, "found"),
        (-25.1, 5.0, "found"),
        (25.0, 5.1, "unknown"),
        (-1.0, 30.0, "unknown"),
        (None, None, "idle"),
    ],
)
def test_a_clock_is_judged_only_as_far_as_its_drift_is_known(
    drift_ppm: float | None, bound_ppm: float | None, state: str
) -> None:
    outcome = outcome_of("remote-clock-drift", replace(ACCESS, drift_ppm=drift_ppm, drift_bound_ppm=bound_ppm))
    assert outcome.state == state
    if drift_ppm is not None:
        assert f"{drift_ppm:+.1f} ppm" in outcome.seen
    if state == "found":
        assert outcome.severity == "weakens" and "NTP" in outcome.remedy


@pytest.mark.parametrize(("destination", "user"), [("bench@db1", "bench"), ("db1", "USER")])
def test_an_agent_that_ends_with_its_connection_is_a_blocker(destination: str, user: str) -> None:
    found = outcome_of("remote-connection", replace(ACCESS, destination=destination, outlives_connection=False))
    assert (found.state, found.severity) == ("found", "blocker")
    assert f"enable-linger {user} " in found.remedy


def test_whether_a_host_can_shape_routes_is_noted_with_its_obstacle_and_remedy() -> None:
    obstacle, remedy = "sudo asks for a password", "allow tc in sudoers"
    found = outcome_of("remote-shaping", replace(ACCESS, shaping_obstacle=obstacle, shaping_remedy=remedy))
    assert (found.state, found.severity, found.seen, found.remedy) == ("found", "note", obstacle, remedy)
    assert outcome_of("remote-shaping", replace(ACCESS, shaping_obstacle="")).state == "clear"
    assert outcome_of("remote-shaping", replace(ACCESS, shaping_obstacle=None)).state == "idle"
