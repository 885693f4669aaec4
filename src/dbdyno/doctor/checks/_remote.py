"""Checks how a remote host is reached: its agent, the round trip, its clock, the end of a connection."""

from __future__ import annotations

from dbdyno.core import counted
from dbdyno.doctor._verdict import (
    CheckAnswer,
    MachineCheck,
    RemoteAccess,
    Subject,
    blocks,
    clear,
    idle,
    notes,
    unknown,
    weakens,
)

_BOUND_NS = 2_500_000
"""A telemetry reading that is off by more belongs partly to another second."""
_DRIFT_PPM = 20.0
_LEAST_LOST, _LOST_SHARE = 3, 0.001
_LEFT_TO_DOCTOR = "takes 10 s; dbdyno doctor checks it"


def agent(subject: Subject) -> CheckAnswer:
    """Check that programs can run there."""
    access = subject.access
    if access is None:
        return idle("this machine needs no agent")
    if not access.libc.startswith("glibc") and not subject.is_load_host:
        return notes(
            f"{access.architecture}, C library: {access.libc}",
            "the agent runs, but packaged engines need glibc",
            "use a distribution with glibc",
        )
    return clear(f"runs from {access.home}: {access.architecture}, {access.libc}, needs 2.{access.needs_libc}")


def round_trip(subject: Subject) -> CheckAnswer:
    """Check the round trip: the clocks are mapped to within half of it."""
    access = subject.access
    if access is None:
        return idle("this machine needs no network")
    words = f"{access.round_trip_ns / 1e6:.2f} ms, clocks mapped to {access.clock_bound_ns / 1e6:.2f} ms"
    if access.clock_bound_ns > _BOUND_NS:
        effect = (
            "hosts of one client may begin so far apart"
            if subject.is_load_host
            else "server telemetry may be off by a second"
        )
        return weakens(words, effect, "run dbdyno on a host closer to it")
    return clear(words)


def drift(subject: Subject) -> CheckAnswer:
    """Check the clock: one that runs away must be mapped anew all the time."""
    access = subject.access
    if access is None:
        return idle("this machine uses the local clock")
    if access.drift_ppm is None or access.drift_bound_ppm is None:
        return idle(_LEFT_TO_DOCTOR)
    words = f"{access.drift_ppm:+.1f} ppm (± {access.drift_bound_ppm:.1f})"
    if abs(access.drift_ppm) - access.drift_bound_ppm > _DRIFT_PPM:
        return weakens(
            words, "a second there is not a second of the client", "synchronise both hosts' clocks by NTP (chrony)"
        )
    if abs(access.drift_ppm) + access.drift_bound_ppm > _DRIFT_PPM:
        return unknown(f"{words}; the round trip is too long to measure it better in a few seconds")
    return clear(words)


def end_of_connection(subject: Subject) -> CheckAnswer:
    """Check that a lost connection does not end the servers."""
    access: RemoteAccess | None = subject.access
    if access is None:
        return idle("this machine needs no connection")
    if access.outlives_connection is None:
        return idle(_LEFT_TO_DOCTOR)
    if not access.outlives_connection:
        user = access.destination.rpartition("@")[0] or "USER"
        return blocks(
            "the agent ended with its connection",
            "a one-second loss of the network would end the server and the run",
            f"loginctl enable-linger {user} there, or KillUserProcesses=no in /etc/systemd/logind.conf",
        )
    return clear("the agent survives a lost connection")


def shaping(subject: Subject) -> CheckAnswer:
    """Check shaped routes, which need `tc` as root; whether the kernel has netem shows when a study tries it."""
    access = subject.access
    if access is None:
        return idle("this machine shapes no routes")
    if access.shaping_obstacle is None:
        return idle("a study tries each of its [routes.NAME]")
    if access.shaping_obstacle:
        return notes(access.shaping_obstacle, "[routes.NAME] can't be used with this host", access.shaping_remedy)
    return clear("tc can be run as root; a study tries each of its [routes.NAME] before it starts")


def network(subject: Subject) -> CheckAnswer:
    """Check that a client can connect to the address that servers will listen on."""
    trial = subject.access.network_trial if subject.access is not None else None
    if trial is None:
        return idle("no network to another host was tried here")
    if trial.obstacle:
        return blocks(
            f"{trial.client} to {trial.server} ({trial.address}): {trial.obstacle}",
            "no run over the network can start",
            "check `address` of the server's host and the firewalls between; `ports` of [hosts.NAME] names the ports "
            "that servers may listen on",
        )
    if trial.reading is None:
        return clear(f"{trial.client} connected to {trial.server} ({trial.address})")
    reading = trial.reading
    rate = reading.bits_per_s / 1e6
    return clear(
        f"{trial.client} to {trial.server} ({trial.address}): {rate:,.{0 if rate >= 100 else 1}f} Mbit/s, round trip "
        f"{reading.round_trip_ns / 1e6:.2f} ms, packets up to {reading.mtu_bytes:,} bytes"
    )


def loss(subject: Subject) -> CheckAnswer:
    """Check that the network loses no packets of a load that leaves most of its rate free."""
    trial = subject.access.network_trial if subject.access is not None else None
    if trial is None or trial.obstacle:
        return idle("no load was sent over a network to another host")
    if (reading := trial.reading) is None:
        return idle("takes 5 s; dbdyno doctor checks it")
    words = f"{reading.lost_packets:,} of about {counted(reading.packets, 'packet')} lost or overtaken by others"
    if reading.lost_packets >= _LEAST_LOST and reading.lost_packets > _LOST_SHARE * reading.packets:
        return weakens(
            words,
            "replies wait until a packet is sent again, often 200 ms and more, which no server can help",
            "look for errors on both hosts (ip -s link), and at cables, duplex and queues of the switches between",
        )
    return clear(words)


REMOTE_CHECKS = (
    MachineCheck("remote-agent", "Agent on the host", agent),
    MachineCheck("remote-round-trip", "Round trip to the host", round_trip),
    MachineCheck("remote-clock-drift", "Clock of the host", drift),
    MachineCheck("remote-connection", "Loss of a connection", end_of_connection),
    MachineCheck("remote-shaping", "Shaped routes", shaping),
    MachineCheck("remote-network", "Network between clients and server", network),
    MachineCheck("remote-loss", "Packets lost between clients and server", loss),
)
