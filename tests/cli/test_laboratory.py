"""What killed test sessions have left is removed, whatever else removes it meanwhile."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from laboratory import remove_abandoned


def test_only_folders_of_ended_processes_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    gone, left, used, template = (
        tmp_path / f"dbdyno-test-{name}"
        for name in (f"{ended.pid}-gone", f"{ended.pid}-left", f"{os.getpid()}-used", f"{os.getpid()}-templates")
    )
    for folder in (left, used, template):
        (folder / "t1").mkdir(parents=True)
    remove_abandoned([gone, left, used, template])
    assert sorted(tmp_path.iterdir()) == sorted([used, template])
