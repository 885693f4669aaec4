"""`dbdyno serve` from outside: its address, its warning, its end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import each_moment
import history_studies

PROGRAM = [sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))", "serve"]


@contextmanager
def _served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def _end(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def test_the_address_is_printed_and_ctrl_c_ends_it_without_a_word(tmp_path: Path) -> None:
    history_studies.write_night(tmp_path / "one", 0, lambda run: 100.0)
    with _served(str(tmp_path), "--port", "0") as (process, address):
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}studies.json", timeout=60) as reply:
            assert [study["label"] for study in json.load(reply)["studies"]] == ["one"]
        assert _end(process, signal.SIGINT) == (0, "")


def test_who_lets_others_in_is_told_what_they_see(tmp_path: Path) -> None:
    with _served(str(tmp_path), "--port", "0", "--host", "0.0.0.0") as (process, address):
        assert address.startswith("http://0.0.0.0:")
        code, errors = _end(process, signal.SIGTERM)
    assert code == 0
    assert re.match(r"warning: .* 0\.0\.0\.0:\d+ ", errors)
    assert "no password" in errors


# The nth trial sends SIGTERM at the nth moment of the wait; the last, two seconds after its last moment.
EACH_MOMENT = """
import signal
from dbdyno.cli._serve import _stop_signals
from each_moment import acted_at

def send():
    signal.raise_signal(signal.SIGTERM)

signal.signal(signal.SIGALRM, lambda *_: send())
moment, is_within = 0, True
while is_within:
    moment += 1
    with _stop_signals() as wait_for_stop:
        signal.setitimer(signal.ITIMER_REAL, 2)
        is_within = acted_at(moment, send, wait_for_stop)
"""


def test_a_signal_at_any_moment_ends_the_wait() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EACH_MOMENT],
        env=os.environ | {"PYTHONPATH": str(Path(each_moment.__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_that_is_not_there_is_a_wrong_request(tmp_path: Path) -> None:
    done = subprocess.run([*PROGRAM, str(tmp_path / "absent")], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and "hint: " in done.stderr
