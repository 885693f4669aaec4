"""Commands that shape a network, and what helps where one is refused; as functions, without a host."""

from __future__ import annotations

import pytest

from dbdyno.configure import Interface, configured_queues, shaping_commands, shaping_remedy
from dbdyno.study import RouteChoice

CARD = Interface("eth0", 1500)
CLIENTS = ["10.1.0.3", "10.1.0.4"]


def test_a_delay_is_netem_s_with_the_rate_if_there_is_one() -> None:
    commands = [
        " ".join(words) for words in shaping_commands(RouteChoice("wan", 10_000_000, 10**9), CARD, 21000, CLIENTS)
    ]
    assert commands[0] == "qdisc add dev eth0 root handle dbd0: htb"
    assert commands[2].endswith("netem delay 10000us limit 100000 rate 1000000000bit")
    assert not any("tbf" in command for command in commands)
    (delay,) = [words for words in shaping_commands(RouteChoice("far", 500_000), CARD, 1, CLIENTS) if "netem" in words]
    assert delay[-4:] == ["delay", "500us", "limit", "100000"]


def test_only_packets_from_the_server_s_port_to_the_load_s_hosts_are_held_back_in_one_queue() -> None:
    commands = [" ".join(words) for words in shaping_commands(RouteChoice("slow", 0, 20_000_000), CARD, 21000, CLIENTS)]
    packets = "match ip protocol 6 0xff match ip sport 21000 0xffff match ip dst"
    choices = [command for command in commands if command.startswith("filter")]
    ends = [f"{packets} {address}/32 flowid dbd0:1" for address in CLIENTS]
    assert [command[-len(end) :] for command, end in zip(choices, ends, strict=True)] == ends
    assert sum(" tbf " in command for command in commands) == 1


@pytest.mark.parametrize(
    ("rate", "mtu", "burst", "queue"),
    [(20_000_000, 1500, 3036, 500_000), (10**9, 1500, 62_500, 25_000_000), (10**6, 9000, 18_036, 180_360)],
)
def test_a_burst_is_half_a_millisecond_or_two_packets(rate: int, mtu: int, burst: int, queue: int) -> None:
    leaf = shaping_commands(RouteChoice("slow", rate_bits_per_s=rate), Interface("eth0", mtu), 1, CLIENTS)[2]
    assert leaf[-4:] == ["burst", f"{burst}b", "limit", f"{queue}b"]


@pytest.mark.parametrize(
    ("shown", "handles"),
    [
        ("qdisc noqueue 0: root refcnt 2", []),
        ("qdisc pfifo_fast 0: root refcnt 2 bands 3", []),
        ("qdisc mq 0: root\nqdisc fq_codel 0: parent :2 limit 10240p\nqdisc fq_codel 0: parent :1", []),
        ("qdisc mq 0: root\nqdisc fq 8001: parent :1 limit 10000p", ["8001:"]),
        ("qdisc htb dbd0: root refcnt 3\nqdisc tbf dbd1: parent dbd0:1", ["dbd0:", "dbd1:"]),
        ("qdisc fq_codel 0: root refcnt 2\nqdisc ingress ffff: parent ffff:fff1", []),
    ],
)
def test_queues_that_somebody_configured_are_told_from_the_kernel_s(shown: str, handles: list[str]) -> None:
    assert configured_queues(shown) == handles


@pytest.mark.parametrize(
    ("said", "needs_netem", "words"),
    [
        ("sudo: a password is required", False, "/etc/sudoers.d/dbdyno there: LINE"),
        ("Sorry, user bench is not allowed to execute '/usr/sbin/tc' as root on db1.", True, "LINE"),
        ("Error: Specified qdisc kind is unknown.", True, "modprobe -a sch_netem"),
        ("RTNETLINK answers: No such file or directory", False, "sch_tbf"),
        ("RTNETLINK answers: Operation not permitted", False, "CAP_NET_ADMIN"),
    ],
)
def test_a_refusal_comes_with_what_helps(said: str, needs_netem: bool, words: str) -> None:
    assert words in shaping_remedy(said, needs_netem=needs_netem, sudoers="LINE")
