"""The first signal ends a study within five seconds in each phase, whether its server runs, is stopped, or is silent.

One study is interrupted in one phase after the other: the same command goes on to the next, and at last to the end. In
CI the server is stopped in every second phase; `DBDYNO_ATTACK_ROUNDS` plays both kinds.
"""

from __future__ import annotations

import itertools
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import moments
import pytest
from driven_study import DrivenStudy, driven, left_servers
from fault_trial import Trial, await_moment
from moments import Moment
from rounds import ROUNDS, SEED

from apart_home import new_home
from dbdyno.core import Home
from remote_hosts import comes_true
from rogue_server import Behaviour, RogueServer

pytestmark = pytest.mark.attack
END_S = 5.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
BEGUN = Moment("begun", "StudyStarted")
OF_ONE_SERVER = (
    BEGUN,
    moments.INITIALISE,
    moments.FIRST_START,
    moments.FILL,
    moments.RESTORE,
    moments.START,
    moments.SETTLE,
    moments.LOAD,
    moments.WARM_UP,
    moments.WINDOW,
    moments.VERIFY,
    moments.RECOVER,
    Moment("discard", "RunPhaseEntered", "stop"),
)
OF_TWO_SERVERS = (
    moments.INSPECTION,
    replace(moments.INSPECTION, later_s=0.3),
    moments.EQUIVALENCE,
    replace(moments.EQUIVALENCE, later_s=0.3),
    moments.STOP,
)
PARITIES = (0, 1) if ROUNDS > 1 else (SEED % 2,)


@pytest.fixture
def empty_home() -> Iterator[Home]:
    """Nothing is filled here, so that there is something to fill."""
    yield from new_home()


@pytest.mark.parametrize("parity", PARITIES)
@pytest.mark.parametrize("phases", [OF_ONE_SERVER, OF_TWO_SERVERS], ids=["one-server", "two-servers"])
def test_the_first_signal_ends_every_phase_whether_the_server_runs_or_is_stopped(
    phases: Sequence[Moment], parity: int, tmp_path: Path, empty_home: Home
) -> None:
    home = empty_home
    # The last moment chooses the workload, whose tables can be asked for `verify`, or the way in which servers end.
    file = moments.write_study(tmp_path, moments.VERIFY if phases is OF_ONE_SERVER else moments.INSPECTION)
    if phases is OF_TWO_SERVERS:
        file.write_text(file.read_text().replace('"recover"', '"stop"'))
    numbers = itertools.cycle(SIGNALS)
    took_s = {}
    for place, moment in enumerate(phases):
        took_s[str(moment)] = interrupt(
            Trial(file, tmp_path / "r", home, moment), next(numbers), stops_server=place % 2 == parity
        )
    print({name: f"{seconds:.1f} s" for name, seconds in took_s.items()})
    late = {name: seconds for name, seconds in took_s.items() if seconds >= END_S}
    assert not late, took_s
    Trial(file, tmp_path / "r", home, BEGUN).resume()


def interrupt(trial: Trial, number: signal.Signals, *, stops_server: bool) -> float:
    """Interrupt a study at a moment by a signal; return after how many seconds it has ended."""
    moment = trial.moment
    with driven(trial.study, trial.results, trial.home, hold=moment.hold) as study:
        assert study.until(moment.event, moment.phase), f"the study ended before {moment}: {study.end}"
        server = await_moment(study, moment)
        if stops_server and server is not None:
            assert server.strike(signal.SIGSTOP)
        study.release()
        time.sleep(0.3 if stops_server else 0.0)  # by then somebody waits for its answer
        took_s = seconds_to_end(study, number)
    assert left_servers(trial.home) == [], moment
    return took_s


def seconds_to_end(study: DrivenStudy, number: signal.Signals) -> float:
    began = time.monotonic()
    study.process.send_signal(number)
    assert comes_true(lambda: study.process.poll() is not None, 60), "it does not end"
    took_s = time.monotonic() - began
    assert study.to_its_end().get("interrupted"), study.end
    return took_s


@pytest.mark.parametrize("silent_at", ["greeting", "login", "SELECT VERSION"])
def test_the_first_signal_ends_a_study_whose_running_server_accepts_and_never_answers(
    silent_at: str, tmp_path: Path, home: Home
) -> None:
    with RogueServer(Behaviour(silent_at=silent_at, freezes=True)) as server:
        (tmp_path / "password").touch(mode=0o600)
        more = (
            f'[servers.rogue]\nhost = "127.0.0.1"\nport = {server.port}\nuser = "load"\n'
            f'password_file = "{tmp_path / "password"}"\ntls = "off"\n'
        )
        file = moments.write_study(tmp_path, moments.WINDOW, ("mysql@server:rogue",), more)
        file.write_text(file.read_text().replace(', after_run = "recover"', ""))
        with driven(file, tmp_path / "r", home) as study:
            assert server.is_silent.wait(30), server.statements
            took_s = seconds_to_end(study, signal.SIGTERM)
    assert took_s < END_S, took_s
