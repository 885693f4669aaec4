"""Reads the round trips of a client again after a load: a network that changed meanwhile is not the one of its start.

The connections of the load can't show it. The least round trip that the kernel keeps of a connection is that of the
last five minutes, and its smoothed one contains the server's time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pymysql

from dbdyno.core import Caveat, DbdynoError
from dbdyno.lab._bench import RunServer
from dbdyno.lab._client_paths import THIS_MACHINE, client_paths
from dbdyno.lab._context import LoadClient
from dbdyno.lab._shaping import AppliedShape
from dbdyno.measure import LoadOrder
from dbdyno.store import JsonValue

_FACTOR, _LEAST_NS = 1.5, 250_000


def with_path_after(shape: AppliedShape, order: LoadOrder, server: RunServer, client: LoadClient) -> AppliedShape:
    """Add the round trips after the load to those before it, and a caveat of each that clearly differs."""
    network = cast("dict[str, JsonValue] | None", shape.facts.get("network"))
    if network is None or server.exit_reason() or server.hang_reason():
        return shape
    try:
        with client_paths(order, server, client) as paths:
            after = {path.name: path.round_trip_ns() for path in paths}
    except (DbdynoError, pymysql.MySQLError, OSError):  # the run itself has ended well
        return shape
    rows = cast("dict[str, dict[str, JsonValue]]", network.get("hosts") or {THIS_MACHINE: network})
    before = {name: cast("int | None", row["round_trip_ns"]) for name, row in rows.items()}
    new_rows = {name: {**row, "round_trip_after_ns": after[name]} for name, row in rows.items()}
    new_network = {**network, "hosts": new_rows} if "hosts" in network else new_rows[THIS_MACHINE]
    facts = cast("dict[str, JsonValue]", {**shape.facts, "network": new_network})
    return AppliedShape(facts, (*shape.caveats, *changed_path_caveats(before, after)))


def changed_path_caveats(before: Mapping[str, int | None], after: Mapping[str, int]) -> tuple[Caveat, ...]:
    """Return a caveat for each machine whose round trip changed by half and by a quarter of a millisecond.

    >>> changed_path_caveats({"c1": 1_000_000, "c2": 1_000_000}, {"c1": 1_200_000, "c2": 9_000_000})[0].text
    'round trip from c2: 1.00 ms before the load, 9.00 ms after it'
    """
    caveats = []
    for name, round_trip_ns in before.items():
        if round_trip_ns is None:
            continue
        low_ns, high_ns = sorted((round_trip_ns, after[name]))
        if high_ns > _FACTOR * low_ns and high_ns - low_ns > _LEAST_NS:
            times = f"{round_trip_ns / 1e6:.2f} ms before the load, {after[name] / 1e6:.2f} ms after it"
            caveats.append(Caveat("network-changed", f"round trip from {name}: {times}"))
    return tuple(caveats)
