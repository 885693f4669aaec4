"""Defines where servers and clients of a study run, and how they reach each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dbdyno.core import Route, format_duration
from dbdyno.study._toml_text import decimal_text

_NOBODYS_NAMES = (".example", ".invalid")
_NOBODYS_ADDRESSES = ("192.0.2.", "198.51.100.", "203.0.113.")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Describes a server that is already running.

    Parameters
    ----------
    password_file : readable by its owner only
    password_env : name of the environment variable that holds the password instead; neither means an empty one
    tls : as the ``mysql`` client's ``--ssl-mode``; of all connections, dbdyno's own and the load's
    tls_ca : PEM file of the authority, with verify-ca and verify-identity
    """

    name: str
    user: str
    socket: str | None = None
    host: str | None = None
    port: int | None = None
    password_file: str | None = None
    password_env: str | None = None
    tls: str = "preferred"
    tls_ca: str | None = None


@dataclass(frozen=True, slots=True)
class HostChoice:
    """Describes a machine that is reached by SSH.

    Parameters
    ----------
    ssh : as ssh takes it
    address : of the interface that the network's clients connect to; None: there are none
    home : folder for all that dbdyno keeps there; empty: the user's default
    ports : first and last of those that servers listen on for the network; None: any
    sudo : for what dbdyno may use sudo there
    """

    name: str
    ssh: str
    address: str | None = None
    home: str = ""
    ports: tuple[int, int] | None = None
    sudo: tuple[str, ...] = ()

    @property
    def is_placeholder(self) -> bool:
        """Return whether its name or address is one that nobody can have (RFC 2606, RFC 5737), for a user to replace.

        >>> HostChoice("db1", "bench@db1.example").is_placeholder, HostChoice("db1", "bench@db1").is_placeholder
        (True, False)
        """
        return self.ssh.endswith(_NOBODYS_NAMES) or (self.address or "").startswith(_NOBODYS_ADDRESSES)

    @property
    def words(self) -> str:
        """Return its name, and how ssh reaches it."""
        return f"{self.name} ({self.ssh})"


@dataclass(frozen=True, slots=True)
class BenchChoice:
    """States where servers of a study run, and the clients of the route network and of shaped ones.

    Parameters
    ----------
    server : None: this machine
    clients : hosts that are one client together; none: this machine
    """

    name: str
    server: HostChoice | None = None
    clients: tuple[HostChoice, ...] = ()

    @property
    def words(self) -> str:
        """Return on which machine its servers run.

        >>> BenchChoice("a", HostChoice("db1", "bench@db1")).words, BenchChoice("b").words
        ('db1 (bench@db1)', 'this machine')
        """
        return "this machine" if self.server is None else self.server.words

    @property
    def client_words(self) -> str:
        """Return on which machines the clients of the route network run.

        >>> BenchChoice("a", None, (HostChoice("c1", "bench@c1"), HostChoice("c2", "c2"))).client_words
        'c1 (bench@c1) and c2 (c2) as one client'
        """
        if not self.clients:
            return "the lab's machine"
        names = " and ".join(host.words for host in self.clients)
        return f"{names} as one client" if len(self.clients) > 1 else names


@dataclass(frozen=True, slots=True)
class RouteChoice:
    """Describes a network that is made slower on purpose.

    Parameters
    ----------
    rtt_ns : added to each round trip
    rate_bits_per_s : most that a server sends to its clients; None: all that the network carries
    """

    name: Route
    rtt_ns: int = 0
    rate_bits_per_s: int | None = None

    @property
    def words(self) -> str:
        """Return what it is.

        >>> RouteChoice("wan", 10_000_000, 1_000_000_000).words
        'wan: network with 10 ms of round trip added, 1 Gbit/s'
        >>> RouteChoice("slow", rate_bits_per_s=20_000_000).words
        'slow: network with 20 Mbit/s'
        """
        parts = [f"{format_duration(self.rtt_ns)} of round trip added"] if self.rtt_ns else []
        parts += [f"{rate_text(self.rate_bits_per_s, ' ')}/s"] if self.rate_bits_per_s else []
        return f"{self.name}: network with {', '.join(parts)}"


def rate_text(bits_per_s: int, space: str = "") -> str:
    """Return a rate with its unit, exact.

    >>> rate_text(1_000_000_000), rate_text(2_500_000_000), rate_text(20_000_000, " "), rate_text(1_544_500)
    ('1Gbit', '2500Mbit', '20 Mbit', '1.5445Mbit')
    """
    for unit, size in (("Gbit", 10**9), ("Mbit", 10**6), ("kbit", 10**3)):
        if bits_per_s % size == 0:
            return f"{bits_per_s // size}{space}{unit}"
    return f"{decimal_text(bits_per_s / 10**6)}{space}Mbit"


@dataclass(frozen=True, slots=True)
class FleetChoice:
    """States what drives several benches.

    Parameters
    ----------
    engine : child processes of this machine's dbdyno, or actors of a Ray cluster on other machines
    address : of the cluster, as ``ray.init`` takes it
    """

    engine: Literal["processes", "ray"] = "processes"
    address: str = "auto"
