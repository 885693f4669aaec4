"""Makes the network slower for what one server sends: a delay, a rate, by the traffic control of the server's host.

Packets from the server's port to the load's hosts are held back and no others: the lab's own connection stays as fast
as it is. All load hosts share one queue, so a load that several hosts drive meets the network that it would meet from
one. A delay on the way back alone lengthens each round trip by all of it. What undoes the change is given to the agent
before the change is made, so that it is undone however the session ends.

>>> from dbdyno.study import RouteChoice
>>> route = RouteChoice("slow", rate_bits_per_s=20_000_000)
>>> shaping_commands(route, Interface("eth0", 1500), 21000, ["10.1.0.3"])[2]
['qdisc', 'add', 'dev', 'eth0', 'parent', 'dbd0:1', 'handle', 'dbd1:', 'tbf', 'rate', '20000000bit', 'burst', '3036b', \
'limit', '500000b']
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.core import ConfigureError, HostError
from dbdyno.hosts import Host
from dbdyno.hosts.remote import RemoteHost
from dbdyno.study import HostChoice, RouteChoice

SUDO_SHAPE = "shape"
_HANDLE = "dbd0:"
"""Of our root queue: removing it by this handle removes nobody else's."""
_CLASS, _LEAF = f"{_HANDLE}1", "dbd1:"
_UNLIMITED = ("rate", "100gbit", "quantum", "60000", "burst", "1mb", "cburst", "1mb")
_FRAME_BYTES = 18  # Ethernet's header with a tag, beyond the MTU
_BURST_S = 0.0005
_QUEUE_S = 0.2
_DELAYED_PACKETS = 100_000
_TIMEOUT_S = 10.0
_LEFT_S = 5.0
_TRIAL_PORT = 9  # discard: no server listens there
_TRIAL_CLIENT = "192.0.2.1"
"""An address for documentation (RFC 5737): no host has it."""
_AT_END = "shaping"


@dataclass(frozen=True, slots=True)
class Interface:
    """Describes a network interface, with the largest packet that it sends in one piece, in bytes."""

    name: str
    mtu_bytes: int


def shaping_commands(route: RouteChoice, interface: Interface, port: int, clients: Sequence[str]) -> list[list[str]]:
    """Return arguments of ``tc``, in order: root queue, class, what holds packets back, and which packets go there.

    Parameters
    ----------
    clients : IPv4 addresses of the load's hosts, as the server sees them

    Notes
    -----
    A rate may be exceeded by half a millisecond's worth of bytes, or by two packets where that is more: a timer for
    each packet would cost more than it gains. Its queue holds 200 ms, then it drops packets as a router does.
    """
    device = ["dev", interface.name]
    rate = route.rate_bits_per_s
    if route.rtt_ns:
        leaf = ["netem", "delay", f"{route.rtt_ns // 1000}us", "limit", str(_DELAYED_PACKETS)]
        leaf += ["rate", f"{rate}bit"] if rate is not None else []
    else:
        bytes_per_s = (rate or 0) / 8
        packets_bytes = 2 * (interface.mtu_bytes + _FRAME_BYTES)
        burst = max(packets_bytes, round(bytes_per_s * _BURST_S))
        queue = max(10 * packets_bytes, round(bytes_per_s * _QUEUE_S))
        leaf = ["tbf", "rate", f"{rate}bit", "burst", f"{burst}b", "limit", f"{queue}b"]
    packets = ["match", "ip", "protocol", "6", "0xff", "match", "ip", "sport", str(port), "0xffff"]
    match_ipv4 = ["protocol", "ip", "prio", "1", "u32", *packets, "match", "ip", "dst"]
    to_clients = ["filter", "add", *device, "parent", _HANDLE, *match_ipv4]
    return [
        ["qdisc", "add", *device, "root", "handle", _HANDLE, "htb"],
        ["class", "add", *device, "parent", _HANDLE, "classid", _CLASS, "htb", *_UNLIMITED],
        ["qdisc", "add", *device, "parent", _CLASS, "handle", _LEAF, *leaf],
        *([*to_clients, f"{client}/32", "flowid", _CLASS] for client in clients),
    ]


def undo_command(interface: str) -> list[str]:
    """Return arguments of ``tc`` that remove our queues; the kernel then puts its own default there again."""
    return ["qdisc", "del", "dev", interface, "root", "handle", _HANDLE]


def configured_queues(shown: str) -> list[str]:
    r"""Return handles of queues that somebody has configured, of ``tc qdisc show``; the kernel's own have the handle 0.

    >>> configured_queues("qdisc mq 0: root \nqdisc fq_codel 0: parent :1 limit 10240p\nqdisc clsact ffff: parent x")
    []
    >>> configured_queues("qdisc htb 1: root refcnt 2 r2q 10 default 0x10")
    ['1:']
    """
    queues = re.findall(r"^qdisc (\S+) (\S+)", shown, re.MULTILINE)
    return [handle for kind, handle in queues if handle != "0:" and kind not in ("clsact", "ingress", "noqueue")]


def sudoers_line(user: str, program: str) -> str:
    """Return the line that lets a user change the queues of network interfaces without a password.

    >>> sudoers_line("bench", "/usr/sbin/tc")
    'bench ALL=(root) NOPASSWD: /usr/sbin/tc'
    """
    return f"{user} ALL=(root) NOPASSWD: {program}"


def shaping_obstacle(host: Host) -> tuple[str, str]:
    """Return why this user can't shape routes on a host, and what would help; empty where it can. Changes nothing.

    Whether the kernel has what a route needs is known when a study tries it.
    """
    try:
        tc = _find_program(host, "tc")
        if host.system().user_id == 0:
            return "", ""
        sudo = _find_program(host, "sudo")
    except HostError as error:
        return error.why, error.remedy
    result = host.run([sudo, "-n", tc, "-V"], timeout_s=_TIMEOUT_S, check=False)
    return (
        ("", "") if result.exit_code == 0 else (result.stderr.strip(), _sudo_remedy(sudoers_line(_user_name(host), tc)))
    )


@dataclass(frozen=True, slots=True)
class TrafficShaper:
    """Shapes what leaves a host by one interface.

    Parameters
    ----------
    tc : words that run it with the rights it needs
    sudoers : line that would give those rights to the agent's user
    """

    host: RemoteHost
    interface: Interface
    tc: tuple[str, ...]
    sudoers: str

    def apply(self, route: RouteChoice, port: int, clients: Sequence[str]) -> list[str]:
        """Shape what is sent from a port to the load's hosts until `undo`; the commands, for the record.

        Raises
        ------
        HostError : the kernel or sudo refuses; nothing is changed then
        """
        commands = [[*self.tc, *words] for words in shaping_commands(route, self.interface, port, clients)]
        self.host.run_at_end(_AT_END, [*self.tc, *undo_command(self.interface.name)])
        try:
            for words in commands:
                self._run_command(words, route)
        except BaseException:
            self.undo()
            raise
        return [" ".join(words) for words in commands]

    def undo(self) -> None:
        """Remove what was applied, if anything was.

        Raises
        ------
        HostError : it can't be removed
        """
        words = [*self.tc, *undo_command(self.interface.name)]
        result = self.host.run(words, timeout_s=_TIMEOUT_S, check=False)
        if result.exit_code != 0 and _HANDLE in configured_queues(_queues(self.host, self.interface.name)):
            raise HostError(
                f"{self.interface.name} of {self.host.link.destination} stays shaped",
                result.stderr.strip(),
                f"run there: {_undo_words(self.interface.name)}",
            )
        self.host.forget_at_end(_AT_END)

    def try_out(self, routes: Sequence[RouteChoice]) -> None:
        """Apply and undo each route for a port that nobody uses.

        Raises
        ------
        HostError : one can't be had here
        """
        for route in routes:
            self.apply(route, _TRIAL_PORT, [_TRIAL_CLIENT])
            self.undo()

    def _run_command(self, words: Sequence[str], route: RouteChoice) -> None:
        result = self.host.run(words, timeout_s=_TIMEOUT_S, check=False)
        if result.exit_code != 0:
            refusal = result.stderr.strip() or f"exit code {result.exit_code}"
            remedy = shaping_remedy(refusal, needs_netem="netem" in words, sudoers=self.sudoers)
            what = f"{self.host.link.destination} can't shape the route '{route.name}'"
            raise HostError(what, f"{' '.join(words)}\n{refusal}", remedy)


def shaping_remedy(said: str, *, needs_netem: bool, sudoers: str) -> str:
    """Return what helps when ``tc`` or ``sudo`` has refused.

    >>> shaping_remedy("sudo: a password is required", needs_netem=False, sudoers="LINE")
    'add this line to /etc/sudoers.d/dbdyno there: LINE'
    """
    if re.search(r"^sudo:|may not run sudo|not in the sudoers|not allowed to execute", said, re.MULTILINE):
        return _sudo_remedy(sudoers)
    if "kind is unknown" in said or "No such file or directory" in said:
        modules = "sch_netem, or give the route a rate and no rtt" if needs_netem else "sch_htb sch_tbf cls_u32"
        return f"run there: sudo modprobe -a {modules}"
    return "check that the user may change network interfaces there (CAP_NET_ADMIN)"


def find_shaper(host: RemoteHost, choice: HostChoice) -> TrafficShaper:
    """Find the interface of a host's address, and how it can be shaped.

    Raises
    ------
    HostError : there is no such interface, its queues are not the kernel's own, or sudo would be needed and is not
        listed in the study
    """
    tc, user = _find_program(host, "tc"), _user_name(host)
    sudoers = sudoers_line(user, tc)
    words: tuple[str, ...] = (tc,)
    if host.system().user_id != 0:
        if SUDO_SHAPE not in choice.sudo:
            what = f"{user} can't shape routes on {choice.name}"
            remedy = f'add sudo = ["{SUDO_SHAPE}"] to [hosts.{choice.name}], and {_sudo_remedy(sudoers)}'
            raise HostError(what, "only root may change network interfaces", remedy)
        words = (_find_program(host, "sudo"), "-n", tc)
    shaper = TrafficShaper(host, _interface(host, choice), words, sudoers)
    _check_unconfigured(shaper)
    return shaper


def undo_left_shape(host: RemoteHost, choice: HostChoice) -> None:
    """Undo what this session could not undo before, because its connection was lost.

    Raises
    ------
    HostError : it can't be removed
    """
    if host.will_run_at_end(_AT_END):
        find_shaper(host, choice)


def check_shaping(host: RemoteHost, choice: HostChoice, routes: Sequence[RouteChoice]) -> None:
    """Hold that a study's shaped routes can be had on a host.

    Raises
    ------
    HostError : see `find_shaper` and `TrafficShaper.try_out`
    """
    if routes:
        find_shaper(host, choice).try_out(routes)


def _interface(host: Host, choice: HostChoice) -> Interface:
    ip = _find_program(host, "ip")
    addresses = host.run([ip, "-o", "addr", "show", "to", f"{choice.address}/32"], timeout_s=_TIMEOUT_S, check=False)
    match = re.search(r"^\d+:\s+([^\s@]+)", addresses.stdout, re.MULTILINE)
    if match is None:
        what = f"no network interface of {choice.name} has the address {choice.address}"
        raise HostError(
            what, addresses.stderr.strip(), "give the address as the host has it, not as a gateway shows it"
        )
    link = host.run([ip, "-o", "link", "show", "dev", match[1]], timeout_s=_TIMEOUT_S).stdout
    mtu = re.search(r"\bmtu (\d+)", link)
    if mtu is None:
        raise ConfigureError(f"ip does not report the MTU of {match[1]}", link)
    return Interface(match[1], int(mtu[1]))


def _check_unconfigured(shaper: TrafficShaper) -> None:
    """Hold that the queues are the kernel's own; what was left there is undone, by us or by the next agent."""
    host, interface, deadline = shaper.host, shaper.interface.name, time.monotonic() + _LEFT_S
    if host.will_run_at_end(_AT_END):
        shaper.undo()
    while handles := configured_queues(queues_text := _queues(host, interface)):
        if _HANDLE not in handles:
            what = f"{interface} of {host.link.destination} has queues that somebody has configured"
            raise HostError(what, queues_text, f"remove them for the study: sudo tc qdisc del dev {interface} root")
        for agent in host.agents():
            if not agent.is_alive:
                host.end_agent(agent.session)
        if time.monotonic() > deadline:
            what = f"{interface} of {host.link.destination} is shaped by another study"
            raise HostError(
                what, queues_text, f"wait for its end; if there is none, run there: {_undo_words(interface)}"
            )
        time.sleep(0.1)


def _undo_words(interface: str) -> str:
    return f"sudo tc {' '.join(undo_command(interface))}"


def _queues(host: Host, interface: str) -> str:
    return host.run([_find_program(host, "tc"), "qdisc", "show", "dev", interface], timeout_s=_TIMEOUT_S).stdout.strip()


def _find_program(host: Host, name: str) -> str:
    """Return its path; administrators' folders are not in every user's search path."""
    find = 'PATH=$PATH:/usr/sbin:/sbin; command -v "$1"'
    path = host.run(["sh", "-c", find, "sh", name], timeout_s=_TIMEOUT_S, check=False).stdout.strip()
    if not path.startswith("/"):
        package = "sudo" if name == "sudo" else "iproute2"
        raise HostError("routes can't be shaped", f"{name} is not installed", f"install {package} there")
    return path


def _user_name(host: Host) -> str:
    return host.run(["id", "-un"], timeout_s=_TIMEOUT_S).stdout.strip()


def _sudo_remedy(line: str) -> str:
    return f"add this line to /etc/sudoers.d/dbdyno there: {line}"
