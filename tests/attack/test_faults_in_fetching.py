"""Faults while an engine is fetched: the disk full, the program killed, the server gone. The same command goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_disk import small_disk

from archive_shop import Shop, open_shop
from remote_hosts import comes_true
from running_study import PROGRAM

pytestmark = [pytest.mark.attack, pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")]
STALLS_AT = 2 << 20
DISK_BYTES = 64 << 20


@pytest.fixture
def home(laboratory: Any) -> Path:
    """A folder into which the user of servers can look."""
    return Path(laboratory.folder())


@pytest.fixture
def shop(laboratory: Any) -> Iterator[Shop]:
    with open_shop(Path(laboratory.folder()), os.urandom(3 << 20)) as shop:
        shop.stalls_at = STALLS_AT
        yield shop


def fetch(shop: Shop, home: Path, disturb: Callable[[subprocess.Popen[str]], None]) -> tuple[int, str]:
    """Fetch the archive, disturb that in the middle, and return exit code and error output."""
    argv = [*PROGRAM, "engines", "get", f"{shop.engine}#sha256={shop.digest}"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, env=dict(shop.environment(home))) as process:
        assert shop.goes_on.is_set() or shop.is_stalled.wait(30)
        disturb(process)
        _, errors = process.communicate(timeout=120)
    return process.returncode, errors


def test_a_full_disk_is_named_and_the_same_command_fetches_the_engine(shop: Shop) -> None:
    with small_disk(DISK_BYTES) as disk:

        def fill(process: subprocess.Popen[str]) -> None:
            disk.fill()
            shop.goes_on.set()

        code, errors = fetch(shop, disk.place / "home", fill)
        assert code == 3, errors
        assert "No space left on device" in errors, errors
        disk.free()
        assert fetch(shop, disk.place / "home", lambda process: None)[0] == 0


def test_a_program_that_is_killed_goes_on_where_it_was(shop: Shop, home: Path) -> None:
    def kill(process: subprocess.Popen[str]) -> None:
        assert comes_true(lambda: any(part.stat().st_size for part in home.rglob("*.part")), 30), "nothing is kept"
        process.send_signal(signal.SIGKILL)

    assert fetch(shop, home, kill)[0] == -signal.SIGKILL
    shop.goes_on.set()
    assert fetch(shop, home, lambda process: None)[0] == 0
    assert shop.begins[-1] > 0, "it began anew"


def test_a_connection_that_breaks_off_is_named_and_the_rest_is_fetched(shop: Shop, home: Path) -> None:
    code, errors = fetch(shop, home, lambda process: shop.break_off())
    assert code == 3, errors
    assert "broke off" in errors or "can't be fetched" in errors, errors
    assert fetch(shop, home, lambda process: None)[0] == 0
    assert shop.begins[-1] > 0, "it began anew"
