"""Engines on their way to a host: what a killed lab left is removed, what another machine's lab uses is not."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from dbdyno.provision._push import _is_left


@pytest.mark.parametrize(
    ("pid", "age_s", "is_left"),
    [(999_999_999, 2 * 86400, True), (999_999_999, 3600, False), (os.getpid(), 2 * 86400, False)],
    ids=["gone and old", "gone and new", "running and old"],
)
def test_a_folder_is_left_when_its_process_is_not_seen_and_nobody_changed_it_for_a_day(
    tmp_path: Path, pid: int, age_s: int, is_left: bool
) -> None:
    folder = tmp_path / f".push-{pid}-x"
    folder.mkdir()
    os.utime(folder, (time.time() - age_s,) * 2)
    assert _is_left(folder) is is_left


def test_a_folder_that_has_gone_is_not_left(tmp_path: Path) -> None:
    assert not _is_left(tmp_path / ".push-999999999-x")
