"""Measures how fast large replies of the server come to each load host, from that host.

The load generator there asks for rows of a constant text, one reply after the other on one connection, before the load.
A lab elsewhere would measure its own network. How the network of one machine is measured: see `_shaping`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from dbdyno.core import HostError, MeasureError
from dbdyno.hosts import Host
from dbdyno.lab._context import LoadClient
from dbdyno.measure import IntervalRecord, LoadAgent, LoadOrder, StartRecord, parse_record
from dbdyno.store import JsonValue, merged_histogram

ROW_BYTES = 1 << 16
"""Of one row of a reply, well below the longest packet that servers send unasked."""
REPLIES = 4
LEAST_REPLY_BYTES, LARGEST_REPLY_BYTES = 1 << 16, 8 << 20
"""Smaller replies show the round trip alone; larger ones are not needed, and take long on slow networks."""
_LONG_NS = 200_000_000
"""A reply that takes so long shows the rate: TCP's slow start and waits for a processor are a small part of it."""
_GROWTH = 8
_TIMEOUT_S = 120.0
_WORKLOAD = """\
description = "Large replies: the rate of the network"
[transactions.reply]
statements = ["{statement}"]
"""


def reply_statement(size_bytes: int) -> str:
    """Return a statement whose reply has so many bytes of text, a multiple of `ROW_BYTES`."""
    lines = " UNION ALL ".join(["SELECT 1 AS line"] * (size_bytes // ROW_BYTES))
    return f"SELECT REPEAT('x', {ROW_BYTES}) FROM ({lines}) AS text_lines"


def reply_sizes() -> Iterator[int]:
    """Yield sizes that grow: who measures ends where a reply takes `is_long` time."""
    size_bytes = LEAST_REPLY_BYTES
    while size_bytes < LARGEST_REPLY_BYTES:
        yield size_bytes
        size_bytes *= _GROWTH
    yield LARGEST_REPLY_BYTES


def is_long(took_ns: int) -> bool:
    """Return whether a reply took long enough to show the rate."""
    return took_ns >= _LONG_NS


def bits_per_s(size_bytes: int, took_ns: int) -> int:
    """Return the rate of a reply."""
    return round(size_bytes * 8 * 10**9 / max(took_ns, 1))


def load_host_network(client: LoadClient, order: LoadOrder) -> dict[str, JsonValue]:
    """Return round trip and rate that each load host sees, and those of all of them as one client.

    A rate that can't be measured on a host is null, and so is the one of all.
    """
    rows: dict[str, dict[str, JsonValue]] = {}
    connections = []
    for index, (agent, host) in enumerate(zip(client.agents, client.agent_hosts, strict=True)):
        round_trip_ns, rate = _read_path(host, agent, order.target)
        rows[agent.name] = {"round_trip_ns": round_trip_ns, "reply_bits_per_s": rate}
        connections.append(-(-(order.run.cell.concurrency - index) // len(client.agents)))
    rates = [row["reply_bits_per_s"] for row in rows.values()]
    return {"reply_bits_per_s": shared_rate(rates, connections), "hosts": {**rows}}


def shared_rate(rates: Sequence[JsonValue], connections: Sequence[int]) -> int | None:
    """Return the rate by which the bytes of all connections together take as long as on their own hosts.

    >>> shared_rate([100, 100], [3, 2]), shared_rate([100, 50], [1, 1]), shared_rate([100, None], [1, 1])
    (100, 67, None)
    """
    known_rates = [rate for rate in rates if isinstance(rate, int) and rate > 0]
    if len(known_rates) < len(rates) or not known_rates:
        return None
    times = [count / rate for count, rate in zip(connections, known_rates, strict=True)]
    return round(sum(connections) / sum(times))


def _read_path(host: Host, agent: LoadAgent, target: Mapping[str, JsonValue]) -> tuple[int | None, int | None]:
    """Return the shortest round trip and the rate of the longest reply."""
    folder = Path(agent.password_file).with_name("reply-rate")
    host.files.make_directory(folder)
    round_trip_ns, rate = None, None
    try:
        for size_bytes in reply_sizes():
            text = _WORKLOAD.format(statement=reply_statement(size_bytes))
            host.files.write(folder / "workload.toml", text.encode())
            round_trip_ns, took_ns = _fastest_reply(host, agent, target, folder)
            rate = bits_per_s(size_bytes, took_ns - round_trip_ns)
            if is_long(took_ns):
                break
    except MeasureError:
        return round_trip_ns, None
    finally:
        with contextlib.suppress(HostError, OSError):  # the host's session removes the folder above it
            host.remove_tree(folder)
    return round_trip_ns, rate


def _fastest_reply(host: Host, agent: LoadAgent, target: Mapping[str, JsonValue], folder: Path) -> tuple[int, int]:
    """Return round trip and the time of the fastest of several replies.

    Raises
    ------
    MeasureError : the load generator there could not ask
    """
    words = [agent.program, "run", f"sql:{PurePosixPath(folder)}", f"--events={REPLIES}", "--concurrency=1"]
    words += ["--protocol=text", "--json-lines=-", *_target_words(target, agent.password_file)]
    result = host.run(words, timeout_s=_TIMEOUT_S, check=False)
    records = [parse_record(line) for line in result.stdout.splitlines() if line.startswith("{")]
    starts = [record for record in records if isinstance(record, StartRecord)]
    services = [
        counts.service
        for record in records
        if isinstance(record, IntervalRecord)
        for counts in record.statements.values()
    ]
    if result.exit_code or not starts:
        raise MeasureError(f"the rate of the network to {agent.name} can't be measured", result.stderr.strip()[-2000:])
    took_ns = merged_histogram(services).get_value_at_percentile(0.0)
    network = starts[0].raw.get("network") or {}
    return int(network.get("least_round_trip_ns", 0)), int(took_ns)


def _target_words(target: Mapping[str, JsonValue], password_file: str) -> list[str]:
    words = [f"--host={target['host']}", f"--port={target['port']}", f"--user={target['user']}"]
    words += [f"--password-file={password_file}", f"--database={target['database']}", f"--tls={target['tls']}"]
    path_timeout_ns = target["path_timeout_ns"]
    assert isinstance(path_timeout_ns, int), "orders have it in nanoseconds"
    return [*words, f"--path-timeout={path_timeout_ns // 10**6}ms"]
