"""A study whose reader goes away, or that is told to quit, ends in order: nothing runs on, and the folder is whole."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from dbdyno.store import Results
from running_study import PROGRAM, RunningStudy, children_of, name_of

pytestmark = [pytest.mark.server, pytest.mark.attack, pytest.mark.usefixtures("load_generator")]


def _check_ended_in_order(study: RunningStudy, own: list[int]) -> None:
    assert study.journal()[-1] == "study-interrupted"
    assert not study.servers()
    assert not [name for pid in own if (name := name_of(pid))]
    assert Results.open(study.folder).verify() == ()
    assert not (study.folder / "live.jsonl").exists()


def test_a_pipe_without_reader_interrupts_the_study(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    study = RunningStudy.start(tmp_path, cells=3, window="2s", stderr=writer)
    os.close(writer)
    study.wait_for(lambda: "run-finished" in study.journal())
    own = study.servers() + study.generators()
    os.close(reader)
    assert study.end() == 1
    assert "output-lost" in study.journal()
    _check_ended_in_order(study, own)
    assert len(Results.open(study.folder).run_ids()) < 3


def test_sigquit_leaves_neither_server_nor_generator(tmp_path: Path) -> None:
    study = RunningStudy.start(tmp_path, window="60s")
    study.wait_for_second()
    own = study.servers() + study.generators() + study.watchers()
    assert len(own) == 3
    study.popen.send_signal(signal.SIGQUIT)
    assert study.end() == 1
    _check_ended_in_order(study, own)


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGTERM])
def test_a_command_that_is_told_to_end_leaves_no_process(number: signal.Signals, tmp_path: Path) -> None:
    environ = {**os.environ, "DBDYNO_HOME": str(tmp_path)}
    with (tmp_path / "said").open("wb") as said:
        command = [*PROGRAM, "calibrate", "--quick"]
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env=environ)
    until = time.monotonic() + 60
    while not (own := [pid for pid in children_of(program.pid) if name_of(pid).startswith("dbdyno-load")]):
        assert program.poll() is None, (tmp_path / "said").read_text()
        assert time.monotonic() < until
        time.sleep(0.05)
    program.send_signal(number)
    assert program.wait(20) == 3
    until = time.monotonic() + 5
    while names := [name for pid in own if (name := name_of(pid))]:  # killed by now, and perhaps not yet gone
        assert time.monotonic() < until, names
        time.sleep(0.05)
