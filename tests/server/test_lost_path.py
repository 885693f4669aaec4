"""A path to the server that is lost: cable out, power off. It is told from a server that is slow or stopped.

Client and server are hosts of their own, see `network_host`. All scenes play at the same time, each on its own pair of
hosts: most of their time is waiting.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from error_codes import load_codes
from path_scenes import Played, Scene, play

pytestmark = pytest.mark.server
S = 1_000_000_000
NO_WARM_UP = ("--warm-up", "0s")


NO_RECONNECT = ("--ignore-errors", "1213")


def _script(
    arguments: Sequence[str], deeds: Sequence[tuple[float, str]], *, before: str = "", by_socket: bool = False
) -> Scene:
    """A scene under a sysbench script with four users."""
    return Scene(
        ["--threads", "4", *arguments],
        deeds,
        command="script",
        workload="oltp_point_select",
        before=before,
        by_socket=by_socket,
    )


SCENES: Mapping[str, Scene] = {
    "cut for 5 s": Scene(["--threads", "4", "--time", "11s", *NO_WARM_UP], [(2.0, "cut"), (7.0, "mend")]),
    "cut in the warm-up": Scene(["--threads", "4", "--warm-up", "8s", "--time", "4s"], [(1.0, "cut"), (6.0, "mend")]),
    "cut while all wait": Scene(
        ["--threads", "2", "--time", "11s", *NO_WARM_UP],
        [(1.5, "cut"), (6.5, "mend")],
        server=("--delay", "constant:1200ms"),
    ),
    "cut for good": Scene(["--threads", "4", "--time", "30s", *NO_WARM_UP, "--path-timeout", "3s"], [(2.0, "cut")]),
    "cut while all rest": Scene(
        ["--threads", "2", "--time", "30s", *NO_WARM_UP, "--path-timeout", "4s", "--think", "20s"], [(1.0, "cut")]
    ),
    "power off": Scene(["--threads", "4", "--time", "30s", *NO_WARM_UP, "--path-timeout", "3s"], [(2.0, "power_off")]),
    "power off shortly before the end": Scene(["--threads", "4", "--time", "5s", *NO_WARM_UP], [(2.5, "power_off")]),
    "cut and opened again": Scene(
        ["--threads", "4", "--time", "14s", *NO_WARM_UP, "--path-timeout", "2s", "--ignore-errors", "2006,2013"],
        [(2.0, "cut"), (6.0, "mend")],
    ),
    "cut in a search": Scene(
        ["--threads", "2", "--slo", "p99<50ms", "--first-rate", "50", "--window", "6s", "--settle", "1s"],
        [(3.0, "cut"), (8.0, "mend")],
        command="search",
    ),
    "cut before the first connection": Scene(["--threads", "2", "--time", "5s", *NO_WARM_UP], [], before="cut"),
    "frozen and thawed": Scene(["--threads", "4", "--time", "9s", *NO_WARM_UP], [(2.0, "freeze"), (6.0, "thaw")]),
    "frozen for good": Scene(
        ["--threads", "4", "--time", "30s", *NO_WARM_UP, "--answer-timeout", "3s"], [(2.0, "freeze")]
    ),
    "frozen for good, by socket": Scene(
        ["--threads", "4", "--time", "30s", *NO_WARM_UP, "--answer-timeout", "3s"], [(2.0, "freeze")], by_socket=True
    ),
    "script: power off": _script(["--time", "30s", "--path-timeout", "3s", *NO_RECONNECT], [(2.0, "power_off")]),
    "script: cut for 5 s": _script(["--time", "11s", *NO_RECONNECT], [(2.0, "cut"), (7.0, "mend")]),
    "script: cut for 5 s under Lua": _script(
        ["--time", "11s", "--option=--native=off", *NO_RECONNECT], [(2.0, "cut"), (7.0, "mend")]
    ),
    "script: cut and opened again": _script(["--time", "14s", "--path-timeout", "2s"], [(2.0, "cut"), (6.0, "mend")]),
    "script: cut before the first connection": _script(["--time", "5s"], [], before="cut"),
    "script: frozen and thawed": _script(["--time", "9s", *NO_RECONNECT], [(2.0, "freeze"), (6.0, "thaw")]),
    "script: frozen for good": _script(["--time", "30s", "--answer-timeout", "3s", *NO_RECONNECT], [(2.0, "freeze")]),
    "script: frozen for good, by socket": _script(
        ["--time", "30s", "--answer-timeout", "3s", "--option=--native=off", *NO_RECONNECT],
        [(2.0, "freeze")],
        by_socket=True,
    ),
    "slow statements": Scene(
        ["--threads", "2", "--time", "8s", *NO_WARM_UP, "--path-timeout", "2s"],
        [],
        server=("--delay", "constant:3500ms"),
    ),
}


@pytest.fixture(scope="module")
def scenes() -> Iterator[Callable[[str], Played]]:
    """What became of each scene; all of them are under way from the first question on."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, ThreadPoolExecutor(len(SCENES)) as pool:
        under_way: dict[str, Future[Played]] = {
            name: pool.submit(play, scene, Path(folder)) for name, scene in SCENES.items()
        }
        yield lambda name: under_way[name].result(90)


Scenes = Callable[[str], Played]


def assert_silent(played: Played, deed: str, undoing: str) -> None:
    """Nothing is completed in any whole second between both deeds, of which there are some."""
    events = played.events_between(deed, undoing)
    assert len(events) >= 2
    assert set(events) == {0}


@pytest.mark.parametrize("name", ["cut for 5 s", "cut in the warm-up", "cut while all wait"])
def test_a_cable_that_was_out_for_five_seconds_fails_the_run(name: str, scenes: Scenes) -> None:
    """The connections live on, and yet the seconds without an event tell nothing of the server."""
    played = scenes(name)
    end, outage, done = played.run.end, played.outage, played.done_ns
    assert played.run.exit_code == 3, played.run.errors
    assert (end["status"], end["failure_kind"]) == ("failed", "network")
    assert "10.97.0.2:3306" in end["reason"]
    assert (outage["cause"], outage["connections_lost"]) == ("network", int(SCENES[name].arguments[1]))
    assert outage["all_lost"]
    slow_ns = 1.3 * S if name == "cut while all wait" else 0.1 * S
    assert played.begun_ns["cut"] - slow_ns <= outage["start_ns"] <= done["cut"] + 0.2 * S
    assert played.begun_ns["mend"] <= outage["restored_ns"] <= done["mend"] + 5 * S
    assert_silent(played, "cut", "mend")
    assert any("nothing is acknowledged" in text for text in played.run.messages)
    planned = sum(int(value[:-1]) for value in SCENES[name].arguments if value[0].isdigit() and value[-1] == "s")
    assert len(played.run.seconds) == planned, "it is driven to its end: a study decides itself what to do"


@pytest.mark.parametrize("name", ["cut for good", "power off"])
def test_a_path_that_stays_away_ends_the_run(name: str, scenes: Scenes) -> None:
    played = scenes(name)
    end, outage = played.run.end, played.outage
    assert played.run.exit_code == 3
    assert (end["status"], end["failure_kind"]) == ("failed", "network")
    assert played.lasted_s < 9, "two seconds, three more of silence, and the time to notice"
    (began_ns,) = played.done_ns.values()
    assert outage["start_ns"] <= began_ns + 0.2 * S
    assert (outage["cause"], outage["connections_lost"], outage["restored_ns"]) == ("network", 4, None)
    assert load_codes(played.run.errors) == ["path-lost"]


def test_connections_that_rest_notice_a_dead_path_too(scenes: Scenes) -> None:
    played = scenes("cut while all rest")
    assert (played.run.end["failure_kind"], played.run.exit_code) == ("network", 3)
    assert played.lasted_s < 12


def test_a_path_lost_within_the_last_seconds_is_not_missed(scenes: Scenes) -> None:
    """The kernel would have waited longer than the run lasted."""
    played = scenes("power off shortly before the end")
    assert (played.run.end["status"], played.run.end["failure_kind"]) == ("failed", "network")
    assert played.run.exit_code == 3
    assert played.outage["restored_ns"] is None


def test_who_has_lost_connections_opened_again_finds_the_outage_in_the_record(scenes: Scenes) -> None:
    played = scenes("cut and opened again")
    assert (played.run.end["status"], played.run.exit_code) == ("complete", 0)
    outage = played.outage
    assert (outage["cause"], outage["all_lost"]) == ("network", True)
    assert outage["start_ns"] <= played.done_ns["cut"] + 0.2 * S
    assert played.begun_ns["mend"] <= outage["first_success_ns"]
    assert outage["restored_ns"] is not None
    assert "network: path lost" in played.run.text


def test_a_search_gives_no_rate_when_the_path_was_lost(scenes: Scenes) -> None:
    played = scenes("cut in a search")
    assert (played.run.end["status"], played.run.end["failure_kind"]) == ("failed", "network")
    assert played.run.exit_code == 3
    assert not [record for record in played.run.records if record["record"] == "probe"]


def test_a_host_that_nobody_reaches_is_told_before_the_load_begins(scenes: Scenes) -> None:
    played = scenes("cut before the first connection")
    assert (played.run.end["status"], played.run.end["failure_kind"]) == ("failed", "network")
    assert played.run.exit_code == 3


def test_a_server_that_stands_still_is_a_stall_and_not_a_lost_path(scenes: Scenes) -> None:
    """Its kernel acknowledges all the while: the seconds are the server's own."""
    played = scenes("frozen and thawed")
    assert (played.run.end["status"], played.run.exit_code) == ("complete", 0), played.run.end["reason"]
    assert played.run.end["outages"] == []
    assert_silent(played, "freeze", "thaw")


@pytest.mark.parametrize("name", ["frozen for good", "frozen for good, by socket"])
def test_a_server_that_never_answers_ends_the_run_by_its_own_deadline(name: str, scenes: Scenes) -> None:
    played = scenes(name)
    end = played.run.end
    assert (end["status"], end["failure_kind"], end["error_code"]) == ("failed", "no-answer", 2013)
    assert re.search(r"within 3( s|000 ms)", end["reason"]), end["reason"]
    assert played.run.exit_code == 3
    assert played.lasted_s < 11
    assert {outage["cause"] for outage in end["outages"]} == {"no-answer"}


def test_a_script_ends_as_sysbench_ends_a_lost_connection_only_sooner_and_says_that_the_path_was_lost(
    scenes: Scenes,
) -> None:
    played = scenes("script: power off")
    end, outage = played.run.end, played.outage
    assert (played.run.exit_code, end["exit_code"], end["failure_kind"]) == (3, 3, "network")
    assert "2013" in played.run.text + played.run.errors
    assert load_codes(played.run.errors) == ["path-lost"]
    assert played.lasted_s < 10
    assert outage["start_ns"] <= played.done_ns["power_off"] + 0.3 * S
    assert (outage["cause"], outage["connections_lost"], outage["restored_ns"]) == ("network", 4, None)


@pytest.mark.parametrize("name", ["script: cut for 5 s", "script: cut for 5 s under Lua"])
def test_a_script_fails_by_a_cable_that_was_out_for_five_seconds(name: str, scenes: Scenes) -> None:
    """Its connections live on, and what the run says of the server is wrong all the same."""
    played = scenes(name)
    end, outage, done = played.run.end, played.outage, played.done_ns
    assert (played.run.exit_code, end["failure_kind"]) == (3, "network")
    assert "10.97.0.2:3306" in end["reason"]
    assert (outage["cause"], outage["connections_lost"], outage["all_lost"]) == ("network", 4, True)
    assert played.begun_ns["cut"] - 0.1 * S <= outage["start_ns"] <= done["cut"] + 0.3 * S
    assert played.begun_ns["mend"] <= outage["restored_ns"] <= done["mend"] + 5 * S
    assert "nothing is acknowledged" in played.run.text
    assert_silent(played, "cut", "mend")
    assert played.lasted_s >= 10.5, "it is driven to its end"


def test_a_script_that_has_lost_connections_opened_again_tells_the_outage(scenes: Scenes) -> None:
    played = scenes("script: cut and opened again")
    assert (played.run.exit_code, played.run.end["failure_kind"]) == (0, None), played.run.text
    outage = played.outage
    assert outage["cause"] == "network"
    assert played.begun_ns["mend"] <= outage["first_success_ns"]
    assert outage["restored_ns"] is not None
    assert "network: path lost" in played.run.text


def test_a_script_that_reaches_nobody_says_so(scenes: Scenes) -> None:
    played = scenes("script: cut before the first connection")
    assert (played.run.exit_code, played.run.end["failure_kind"]) == (3, "network")


def test_a_server_that_stands_still_under_a_script_is_a_stall(scenes: Scenes) -> None:
    played = scenes("script: frozen and thawed")
    assert (played.run.exit_code, played.run.end["failure_kind"]) == (0, None), played.run.text
    assert played.run.end["outages"] == []
    assert_silent(played, "freeze", "thaw")


@pytest.mark.parametrize("name", ["script: frozen for good", "script: frozen for good, by socket"])
def test_a_script_is_not_held_by_a_server_that_never_answers(name: str, scenes: Scenes) -> None:
    played = scenes(name)
    end = played.run.end
    assert (played.run.exit_code, end["failure_kind"]) == (3, "no-answer"), played.run.text
    assert re.search(r"within 3( s|000 ms)", end["reason"]), end["reason"]
    assert {outage["cause"] for outage in end["outages"]} == {"no-answer"}
    assert played.lasted_s < 11


def test_statements_that_take_longer_than_the_path_may_be_silent_are_answered(scenes: Scenes) -> None:
    """Nothing is under way for seconds, and the other kernel is there: it answers when it is asked."""
    played = scenes("slow statements")
    assert (played.run.end["status"], played.run.end["outages"]) == ("complete", [])
    assert played.run.end["completed"] >= 4
