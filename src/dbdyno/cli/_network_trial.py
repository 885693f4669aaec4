"""Tries the network between a host of clients and the address that servers of another host will listen on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.core import HostError, MeasureError, format_address

if TYPE_CHECKING:
    from dbdyno.doctor import NetworkReading, NetworkTrial
    from dbdyno.hosts import Host
    from dbdyno.hosts.remote import RemoteHost
    from dbdyno.measure import EndRecord, IntervalRecord, StartRecord
    from dbdyno.study import HostChoice

_FULL_S, _LIGHT_S = 2, 3
_FULL_ROWS, _FULL_CONNECTIONS = 1000, 16
_LIGHT_ROWS, _LIGHT_CONNECTIONS = 100, 4
_LIGHT_SHARE = 0.2
"""Of the rate that the network carries: a light load fills no queue, so no packet is dropped for want of room."""
_MOST_LIGHT_REPLIES = 200
_ROW_BYTES = 125
"""Of a row of sbtest's c in a reply, its packet's header included."""
_HEADER_BYTES = 52
"""Of IP and TCP in a packet, with TCP's timestamps."""
_TIMEOUT_S = 20.0


def try_network(
    server: RemoteHost,
    server_choice: HostChoice,
    client: RemoteHost | None,
    client_name: str,
    *,
    is_measured: bool = False,
) -> NetworkTrial | None:
    """Connect from a client's host to the address of a server's host; None: no client uses a network to it.

    A null server listens there meanwhile, since no server runs yet.

    Parameters
    ----------
    client : None: this machine
    is_measured : whether to measure what the network carries and loses, too, which takes five seconds
    """
    from dbdyno.configure import NetworkAccess, trial_listener  # late: see _main
    from dbdyno.doctor import NetworkTrial
    from dbdyno.hosts import LocalHost
    from dbdyno.lab import find_generator

    if server_choice.address is None:
        return None
    machine = LocalHost() if client is None else client
    if machine.boot_id() == server.boot_id():
        words = "both are one machine, so there is no network between them"
        return NetworkTrial(client_name, server_choice.name, server_choice.address, words)
    access = NetworkAccess(server_choice.address, server_choice.ports, ())
    reading = None
    try:
        with trial_listener(server, Path(server.program.path), access) as address:
            obstacle = machine.connection_obstacle(address)
            if is_measured and not obstacle:
                program = str(find_generator()) if client is None else client.program.path
                reading = _read_network(machine, program, address)
    except HostError as error:
        if error.fault == "network":
            raise
        return NetworkTrial(client_name, server_choice.name, server_choice.address, f"{error.what}: {error.why}")
    except MeasureError as error:
        obstacle = str(error)
    return NetworkTrial(client_name, server_choice.name, format_address(*address), obstacle, reading)


def _read_network(client: Host, program: str, address: tuple[str, int]) -> NetworkReading:
    """Drive large replies as fast as they come, then small ones at a fraction of that rate.

    Parameters
    ----------
    program : the load generator on the client's host
    address : of a null server

    Raises
    ------
    MeasureError : the load generator failed
    """
    from dbdyno.doctor import NetworkReading  # late: see _main

    full = ("--range-size", str(_FULL_ROWS), "--concurrency", str(_FULL_CONNECTIONS), "--time", f"{_FULL_S}s")
    _, seconds, _ = _drive(client, program, address, full)
    bits_per_s = max(round(8e9 * row.bytes_received / row.duration_ns) for row in seconds)
    rate = min(max(_LIGHT_SHARE * bits_per_s / (8 * _ROW_BYTES * _LIGHT_ROWS), 1.0), _MOST_LIGHT_REPLIES)
    light = ("--range-size", str(_LIGHT_ROWS), "--concurrency", str(_LIGHT_CONNECTIONS), "--time", f"{_LIGHT_S}s")
    start, seconds, end = _drive(client, program, address, (*light, "--rate", f"{rate:.3f}"))
    path, use = start.raw["network"], end.raw["network"]
    received = sum(row.bytes_received for row in seconds) // (path["mtu_bytes"] - _HEADER_BYTES)
    return NetworkReading(
        path["least_round_trip_ns"],
        path["mtu_bytes"],
        bits_per_s,
        use["segments_sent"] + received,
        use["segments_retransmitted"] + use["segments_out_of_order"],
    )


def _drive(
    client: Host, program: str, address: tuple[str, int], options: Sequence[str]
) -> tuple[StartRecord, list[IntervalRecord], EndRecord]:
    """Have a load generator ask for ranges of rows; whatever it asks for, a null server replies."""
    from dbdyno.measure import EndRecord, IntervalRecord, StartRecord, parse_record  # late: see _main

    others = [f"--{name}=0" for name in ("point-selects", "sum-ranges", "order-ranges", "distinct-ranges")]
    words = [program, "run", "sysbench/oltp_read_only", "--table-size=10000", "--skip-trx", *others, *options]
    words += [f"--host={address[0]}", f"--port={address[1]}", "--user=trial", "--warm-up=0s", "--json-lines=-"]
    result = client.run(words, timeout_s=_TIMEOUT_S, check=False)
    records = [parse_record(line) for line in result.stdout.splitlines() if line.startswith("{")]
    start = next((record for record in records if isinstance(record, StartRecord)), None)
    end = next((record for record in records if isinstance(record, EndRecord)), None)
    seconds = [record for record in records if isinstance(record, IntervalRecord)]
    if result.exit_code or start is None or end is None or not seconds:
        raise MeasureError("the network can't be measured", result.stderr.strip()[-2000:])
    return start, seconds, end
