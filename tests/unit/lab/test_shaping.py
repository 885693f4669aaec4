"""What is read of a shaped network, held against what the study asks."""

from __future__ import annotations

import pytest

from dbdyno.core import ConfigureError
from dbdyno.lab._shaping import PathReading, judge_path
from dbdyno.study import RouteChoice
from error_codes import raises_code

WAN = RouteChoice("wan", 10_000_000, 20_000_000)
PLAIN_NS = 200_000


@pytest.mark.parametrize(
    ("added_ns", "rate"), [(10_000_000, 19_100_000), (10_900_000, 21_900_000), (9_100_000, 17_100_000)]
)
def test_a_network_as_asked_is_good(added_ns: int, rate: int) -> None:
    assert judge_path(WAN, PathReading(PLAIN_NS, PLAIN_NS + added_ns, rate)) == ()


@pytest.mark.parametrize("added_ns", [0, 8_900_000, 11_100_000])
def test_another_delay_fails_the_run(added_ns: int) -> None:
    with raises_code(ConfigureError, "route-delay"):
        judge_path(WAN, PathReading(PLAIN_NS, PLAIN_NS + added_ns, 19_000_000))


def test_a_short_delay_may_be_off_by_a_quarter_of_a_millisecond() -> None:
    near = RouteChoice("near", 500_000)
    assert judge_path(near, PathReading(PLAIN_NS, PLAIN_NS + 740_000, 10**9)) == ()
    with pytest.raises(ConfigureError):
        judge_path(near, PathReading(PLAIN_NS, PLAIN_NS, 10**9))


def test_a_faster_network_fails_the_run_and_a_slower_one_is_a_caveat() -> None:
    slow = RouteChoice("slow", rate_bits_per_s=20_000_000)
    with raises_code(ConfigureError, "route-rate", " 20 Mbit/s"):
        judge_path(slow, PathReading(PLAIN_NS, PLAIN_NS, 22_100_000))
    (caveat,) = judge_path(slow, PathReading(PLAIN_NS, 900_000, 10_000_000))
    assert caveat.code == "shaped-rate" and "10 Mbit/s of the 20 Mbit/s" in caveat.text


def test_a_load_host_whose_replies_go_another_way_is_named() -> None:
    with raises_code(ConfigureError, "route-delay", "'wan' to c2") as caught:
        judge_path(WAN, PathReading(PLAIN_NS, PLAIN_NS, 19_000_000, "c2"))
    assert " c2 " in caught.value.remedy
    slow = RouteChoice("slow", rate_bits_per_s=20_000_000)
    (caveat,) = judge_path(slow, PathReading(PLAIN_NS, 900_000, 10_000_000, "c1"))
    assert " c1 " in caveat.text and " 10 Mbit/s" in caveat.text
