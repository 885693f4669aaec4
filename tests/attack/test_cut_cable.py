"""A cable pulled at any moment is never taken for a stall, and a server that stands still never for a cable."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rounds import SEED, repeats

from path_scenes import Played, Scene, play

pytestmark = pytest.mark.attack
AT_ONCE = 5
S = 1_000_000_000
LASTS_S = 9


def _scene(draw: random.Random, deed: str, undo: str) -> Scene:
    """Whether in warm-up or window, by few or many connections, however they talk."""
    begins_s, lasts_s = draw.uniform(0.3, 4.0), draw.uniform(3.0, 5.0)
    warm_up_s = draw.choice([0, 2, 4])
    how = draw.choice([[], ["--protocol", "text"], ["--think", "20ms"], ["--rate", "200"], ["--workers", "2"]])
    arguments = ["--threads", draw.choice(["2", "4", "16"]), *how]
    arguments += ["--warm-up", f"{warm_up_s}s", "--time", f"{LASTS_S - warm_up_s}s"]
    return Scene(arguments, [(begins_s, deed), (begins_s + lasts_s, undo)])


def _trials(deed: str, undo: str, holds: Callable[[Played], None]) -> None:
    draw = random.Random(f"{deed} {SEED}")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in repeats(1):
            scenes = [_scene(draw, deed, undo) for _ in range(AT_ONCE)]
            for scene, played in zip(scenes, pool.map(lambda scene: play(scene, Path(folder)), scenes), strict=True):
                try:
                    holds(played)
                except AssertionError as error:
                    message = f"{scene}: {played.run.end}, {played.done_ns}"
                    raise AssertionError(message) from error


def _is_network(played: Played) -> None:
    assert played.run.exit_code == 3
    assert (played.run.end["status"], played.run.end["failure_kind"]) == ("failed", "network")
    outage = played.outage
    assert outage["cause"] == "network"
    # On a busy machine the command that cuts takes hundreds of milliseconds.
    assert played.begun_ns["cut"] - 0.3 * S < outage["start_ns"] < played.done_ns["cut"] + 0.3 * S
    assert outage["restored_ns"] is None or outage["restored_ns"] >= played.begun_ns["mend"]


def _is_stall(played: Played) -> None:
    assert (played.run.end["status"], played.run.exit_code) == ("complete", 0)
    assert played.run.end["outages"] == []
    assert played.run.end["longest_silence_ns"] > 2.5 * S


def test_a_cable_that_is_out_for_some_seconds_is_always_noticed() -> None:
    _trials("cut", "mend", _is_network)


def test_a_server_that_stands_still_is_never_taken_for_a_cable() -> None:
    _trials("freeze", "thaw", _is_stall)
