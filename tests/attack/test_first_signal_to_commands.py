"""The first signal ends a command outside of a study within five seconds: fetching, calibrating, writing a report."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rounds import ROUNDS

from archive_shop import open_shop
from dbdyno.hosts._process import start_ticks_of
from remote_hosts import comes_true
from running_study import PROGRAM
from stored_study import TWO, write_study

pytestmark = pytest.mark.attack
END_S = 5.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
INTERRUPTED = 3
CHOSEN = SIGNALS if ROUNDS > 1 else SIGNALS[:2]


class Command:
    """A command under way, in a process group of its own."""

    def __init__(self, folder: Path, *words: str, environ: Mapping[str, str] = os.environ) -> None:
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*PROGRAM, *words], stdout=log, stderr=log, env=dict(environ), start_new_session=True
            )

    def interrupt(self, number: signal.Signals) -> float:
        """Send the signal, and return after how many seconds the command has ended, and all that it had started."""
        children = self._children()
        began = time.monotonic()
        self.process.send_signal(number)
        assert comes_true(lambda: self.process.poll() is not None, 60), "it does not end"
        assert comes_true(lambda: not any(map(is_alive, children)), END_S), children
        return time.monotonic() - began

    def _children(self) -> list[tuple[int, int]]:
        """Pids and start times of what it has started."""
        pid = self.process.pid
        try:
            words = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except OSError:
            return []
        return [(int(word), start_ticks_of(int(word)) or 0) for word in words]


def is_alive(process: tuple[int, int]) -> bool:
    pid, ticks = process
    return start_ticks_of(pid) == ticks


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_download_that_stalls_is_ended_and_goes_on_where_it_was(laboratory: Any) -> None:
    folder = Path(laboratory.folder())
    with open_shop(folder, os.urandom(3 << 20)) as shop:
        environ = shop.environment(folder / "home")
        words = ("engines", "get", f"{shop.engine}#sha256={shop.digest}")
        for place, number in enumerate(CHOSEN):
            # Later each time: the next command asks for what comes after all that was sent.
            shop.stalls_at = (2 << 20) + place * (100 << 10)
            shop.is_stalled.clear()
            command = Command(folder, *words, environ=environ)
            assert shop.is_stalled.wait(30), command.log.read_text()
            assert comes_true(lambda: any(part.stat().st_size for part in folder.rglob("*.part")), 30), (
                "nothing is kept"
            )
            took_s = command.interrupt(number)
            assert took_s < END_S, (number, took_s)
            assert command.process.returncode == INTERRUPTED, command.log.read_text()
            assert "Traceback" not in command.log.read_text()
        assert any(part.stat().st_size for part in folder.rglob("*.part"))
        shop.goes_on.set()
        assert Command(folder, *words, environ=environ).process.wait(60) == 0


@pytest.mark.parametrize("sent", CHOSEN)
def test_a_calibration_is_ended(sent: signal.Signals, tmp_path: Path) -> None:
    command = Command(tmp_path, "calibrate", "--redo", environ={**os.environ, "DBDYNO_HOME": str(tmp_path)})
    assert comes_true(lambda: "1/" in command.log.read_text(), 60), command.log.read_text()
    took_s = command.interrupt(sent)
    assert took_s < END_S, took_s
    assert command.process.returncode == INTERRUPTED, command.log.read_text()
    assert "Traceback" not in command.log.read_text()


def test_the_writing_of_a_report_is_ended_at_any_moment_and_leaves_a_whole_page_or_none(tmp_path: Path) -> None:
    """A little later each time, until the page is written before the signal comes."""
    write_study(tmp_path / "results", TWO)
    page = tmp_path / "page.html"
    growth, after_s = (1.2, 0.3) if ROUNDS > 1 else (1.7, 1.0)
    for place, number in zip(itertools.count(1), itertools.cycle(SIGNALS), strict=False):
        command = Command(tmp_path, "report", str(tmp_path / "results"), "-o", str(page))
        time.sleep(after_s)
        after_s *= growth
        if command.process.poll() is not None:
            break
        took_s = command.interrupt(number)
        assert took_s < END_S, (place, took_s)
        assert list(tmp_path.glob("page*")) == [] or page.read_text().rstrip().endswith("</html>"), number
    assert place > 1
    assert command.process.returncode == 0, command.log.read_text()
    assert page.read_text().rstrip().endswith("</html>")
