"""A process held for a share of its time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from dbdyno.hosts import Throttle
from dbdyno.hosts._process import OwnProcess


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def test_a_process_is_held_for_its_share_and_runs_on_afterwards() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        hold = Throttle(OwnProcess(process), 0.3)
        hold.start()
        while hold.elapsed_s < 2.0:
            time.sleep(0.05)
        hold.end()
        assert 0.2 < hold.held_s / hold.elapsed_s < 0.45
        assert state_of(process.pid) in "RS"
        process.kill()


def test_a_process_that_has_gone_ends_it_quietly() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
        hold = Throttle(OwnProcess(process), 0.1)
        hold.start()
        hold.end()
    assert hold.held_s == 0.0
