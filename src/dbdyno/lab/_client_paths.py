"""Measures the network between the server and each machine of its client: round trip, and rate of large replies.

A lab that drives the load itself asks on one connection. Where load hosts do, the load generator asks on each of them:
a lab elsewhere would measure its own network. All asks for rows of a constant text, one reply after the other.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path, PurePosixPath
from typing import Protocol

from dbdyno.connections import ServerConnection
from dbdyno.core import ConfigureError, HostError, MeasureError
from dbdyno.hosts import Host
from dbdyno.lab._bench import RunServer
from dbdyno.lab._context import LoadClient
from dbdyno.measure import IntervalRecord, LoadAgent, LoadOrder, StartRecord, parse_record
from dbdyno.store import JsonValue, merged_histogram

THIS_MACHINE = "this machine"
_PINGS = 20
_ROW_BYTES = 1 << 16
"""Of one row of a reply, well below the longest packet that servers send unasked."""
_REPLIES = 4
_LEAST_BYTES, _MOST_BYTES = 1 << 16, 8 << 20
_LONG_NS = 200_000_000
"""A reply that takes so long shows the rate: TCP's slow start and waits for a processor are a small part of it."""
_EXPECTED_S = 0.25
"""Of a reply at a rate that is expected."""
_GROWTH = 8
_TIMEOUT_S = 120.0
_WORKLOAD = """\
description = "Large replies: the rate of the network"
[transactions.reply]
statements = ["{statement}"]
"""


class ClientPath(Protocol):
    """Represents the network between the server and one machine of its client."""

    @property
    def name(self) -> str:
        """Return what people call the machine."""

    def round_trip_ns(self) -> int:
        """Return the shortest of several round trips.

        Raises
        ------
        MeasureError : the machine can't ask
        """

    def read(self, expected_bits_per_s: int | None = None) -> tuple[int, int]:
        """Return round trip in nanoseconds, and bits per second of the fastest large reply.

        Parameters
        ----------
        expected_bits_per_s : what the network carries at most, if that is known

        Raises
        ------
        MeasureError, ConfigureError : the machine can't ask, or the server does not reply
        """


@contextlib.contextmanager
def client_paths(order: LoadOrder, server: RunServer, client: LoadClient) -> Iterator[Sequence[ClientPath]]:
    """Yield the path to each machine of a client, those of load hosts in their order."""
    if client.agents:
        pairs = zip(client.agents, client.agent_hosts, strict=True)
        yield [LoadHostPath(agent, host, order.target) for agent, host in pairs]
        return
    with server.client_connection() as connection:
        yield [LabPath(connection)]


def client_addresses(server: RunServer, client: LoadClient) -> list[str]:
    """Return the IPv4 address of each machine of a client, as the server sees it.

    Raises
    ------
    ConfigureError : the server can't be reached from one, or reports another kind of address
    """
    return [_client_address(server, host) for host in client.agent_hosts or (None,)]


def network_facts(order: LoadOrder, readings: Mapping[str, tuple[int, int] | None]) -> dict[str, JsonValue]:
    """Return round trip and rate of a client's network, for the run's telemetry.

    Parameters
    ----------
    readings : of each machine, by its name; None: it could not be measured. Those of load hosts are listed by name
    """
    if (reading := readings.get(THIS_MACHINE)) is not None:
        return {"round_trip_ns": reading[0], "reply_bits_per_s": reading[1]}
    connections = [-(-(order.run.cell.concurrency - index) // len(readings)) for index in range(len(readings))]
    rows: dict[str, JsonValue] = {}
    for name, reading in readings.items():
        round_trip_ns, rate = (None, None) if reading is None else reading
        rows[name] = {"round_trip_ns": round_trip_ns, "reply_bits_per_s": rate}
    rates = [None if reading is None else reading[1] for reading in readings.values()]
    return {"reply_bits_per_s": shared_rate(rates, connections), "hosts": rows}


def shared_rate(rates: Sequence[int | None], connections: Sequence[int]) -> int | None:
    """Return the rate by which the bytes of all connections together take as long as on their own hosts.

    >>> shared_rate([100, 100], [3, 2]), shared_rate([100, 50], [1, 1]), shared_rate([100, None], [1, 1])
    (100, 67, None)
    """
    known_rates = [rate for rate in rates if rate]
    if len(known_rates) < len(rates) or not known_rates:
        return None
    times = [count / rate for count, rate in zip(connections, known_rates, strict=True)]
    return round(sum(connections) / sum(times))


@dataclass(frozen=True, slots=True)
class LabPath:
    """See `ClientPath`: to this machine, on one connection from before a change to after it."""

    connection: ServerConnection

    @property
    def name(self) -> str:
        """See `ClientPath`."""
        return THIS_MACHINE

    def round_trip_ns(self) -> int:
        """See `ClientPath`."""
        times = []
        for _ in range(_PINGS):
            began_ns = time.monotonic_ns()
            self.connection.ping(reconnect=False)
            times.append(time.monotonic_ns() - began_ns)
        return min(times)

    def read(self, expected_bits_per_s: int | None = None) -> tuple[int, int]:
        """See `ClientPath`. Without an expected rate, replies grow until one takes long enough."""
        round_trip_ns, rate = self.round_trip_ns(), 0
        sizes = _reply_sizes() if expected_bits_per_s is None else [_expected_size(expected_bits_per_s)]
        for size_bytes in sizes:
            took_ns = min(self._reply_ns(size_bytes) for _ in range(_REPLIES)) - round_trip_ns
            rate = _bits_per_s(size_bytes, took_ns)
            if took_ns >= _LONG_NS:
                break
        return round_trip_ns, rate

    def _reply_ns(self, size_bytes: int) -> int:
        """Return the time of a reply of so many bytes, a multiple of `_ROW_BYTES`."""
        began_ns = time.monotonic_ns()
        with self.connection.cursor() as cursor:
            cursor.execute(_reply_statement(size_bytes))
            rows = cursor.fetchall()
        took_ns = time.monotonic_ns() - began_ns
        if sum(len(row[0] or "") for row in rows) != size_bytes:
            raise ConfigureError(
                "the rate of the network can't be measured", f"the server does not reply with {size_bytes} bytes"
            )
        return took_ns


@dataclass(frozen=True, slots=True)
class LoadHostPath:
    """See `ClientPath`: to a load host, by its load generator; its kernel tells the round trip.

    Parameters
    ----------
    target : of the load order
    """

    agent: LoadAgent
    host: Host
    target: Mapping[str, JsonValue]

    @property
    def name(self) -> str:
        """See `ClientPath`."""
        return self.agent.name

    def round_trip_ns(self) -> int:
        """See `ClientPath`."""
        with self._workload_folder() as folder:
            return self._fastest_reply(folder, _LEAST_BYTES)[0]

    def read(self, expected_bits_per_s: int | None = None) -> tuple[int, int]:
        """See `ClientPath`."""
        round_trip_ns, rate = 0, 0
        sizes = _reply_sizes() if expected_bits_per_s is None else [_expected_size(expected_bits_per_s)]
        with self._workload_folder() as folder:
            for size_bytes in sizes:
                round_trip_ns, reply_ns = self._fastest_reply(folder, size_bytes)
                took_ns = reply_ns - round_trip_ns
                rate = _bits_per_s(size_bytes, took_ns)
                if took_ns >= _LONG_NS:
                    break
        return round_trip_ns, rate

    @contextlib.contextmanager
    def _workload_folder(self) -> Iterator[Path]:
        folder = Path(self.agent.password_file).with_name("reply-rate")
        self.host.files.make_directory(folder)
        try:
            yield folder
        finally:
            with contextlib.suppress(HostError, OSError):  # the host's session removes the folder above it
                self.host.remove_tree(folder)

    def _fastest_reply(self, folder: Path, size_bytes: int) -> tuple[int, int]:
        """Return round trip and the time of the fastest of several replies."""
        text = _WORKLOAD.format(statement=_reply_statement(size_bytes))
        self.host.files.write(folder / "workload.toml", text.encode())
        words = [self.agent.program, "run", f"sql:{PurePosixPath(folder)}", f"--events={_REPLIES}", "--concurrency=1"]
        words += ["--protocol=text", "--json-lines=-", *_target_words(self.target, self.agent.password_file)]
        result = self.host.run(words, timeout_s=_TIMEOUT_S, check=False)
        records = [parse_record(line) for line in result.stdout.splitlines() if line.startswith("{")]
        starts = [record for record in records if isinstance(record, StartRecord)]
        services = [
            counts.service
            for record in records
            if isinstance(record, IntervalRecord)
            for counts in record.statements.values()
        ]
        if result.exit_code or not starts:
            what = f"the rate of the network to {self.agent.name} can't be measured"
            raise MeasureError(what, result.stderr.strip()[-2000:])
        took_ns = merged_histogram(services).get_value_at_percentile(0.0)
        network = starts[0].raw.get("network") or {}
        return int(network.get("least_round_trip_ns", 0)), int(took_ns)


def _client_address(server: RunServer, host: Host | None) -> str:
    with server.client_connection(host) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT USER()")
        row = cursor.fetchone()
    address = str(row[0]).rpartition("@")[2] if row else ""
    try:
        return str(IPv4Address(address))
    except ValueError:
        what = "the server does not report the address of its client"
        raise ConfigureError(what, f"USER() is {row[0] if row else 'empty'}", "set skip_name_resolve = ON") from None


def _reply_statement(size_bytes: int) -> str:
    """Return a statement whose reply has so many bytes of text, a multiple of `_ROW_BYTES`."""
    lines = " UNION ALL ".join(["SELECT 1 AS line"] * (size_bytes // _ROW_BYTES))
    return f"SELECT REPEAT('x', {_ROW_BYTES}) FROM ({lines}) AS text_lines"


def _reply_sizes() -> Iterator[int]:
    """Yield sizes that grow: who measures ends where a reply takes long enough to show the rate."""
    size_bytes = _LEAST_BYTES
    while size_bytes < _MOST_BYTES:
        yield size_bytes
        size_bytes *= _GROWTH
    yield _MOST_BYTES


def _expected_size(rate_bits_per_s: int) -> int:
    """Return the size of a reply that takes about `_EXPECTED_S` at a rate.

    >>> _expected_size(20_000_000), _expected_size(10**9), _expected_size(10**6)
    (589824, 8388608, 65536)
    """
    size_bytes = min(max(round(rate_bits_per_s / 8 * _EXPECTED_S), _LEAST_BYTES), _MOST_BYTES)
    return size_bytes - size_bytes % _ROW_BYTES


def _bits_per_s(size_bytes: int, took_ns: int) -> int:
    return round(size_bytes * 8 * 10**9 / max(took_ns, 1))


def _target_words(target: Mapping[str, JsonValue], password_file: str) -> list[str]:
    words = [f"--host={target['host']}", f"--port={target['port']}", f"--user={target['user']}"]
    words += [f"--password-file={password_file}", f"--database={target['database']}", f"--tls={target['tls']}"]
    path_timeout_ns = target["path_timeout_ns"]
    assert isinstance(path_timeout_ns, int), "orders have it in nanoseconds"
    return [*words, f"--path-timeout={path_timeout_ns // 10**6}ms"]
