"""One server over many results folders, each spoilt in one file: every request is answered, and the others are shown.

``DBDYNO_ATTACK_ROUNDS`` repeats it with further seeds. A failure names the spoilt file, which is kept.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import spoilable_results
from mutations import mutated
from rounds import ROUNDS

pytestmark = pytest.mark.attack
PROGRAM = [sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))", "serve"]
FOLDERS, MOST_BYTES, MOST_S = 10, 1 << 30, 300
"""Of a server: folders, its memory, and the time to read all folders or to send one reply, next to other tests."""


@contextlib.contextmanager
def serving(top: Path, errors: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve the folders behind their checksums, which would refuse nearly all that is spoilt."""
    with errors.open("w") as stream:
        process = subprocess.Popen(
            [*PROGRAM, str(top), "--port", "0", "--allow-altered"],
            stdout=subprocess.PIPE,
            stderr=stream,
            text=True,
            start_new_session=True,
        )
        try:
            assert process.stdout is not None
            place = urlsplit(process.stdout.readline().strip()).netloc
            with contextlib.suppress(PermissionError):  # next to other tests, the lowest priority takes minutes
                os.setpriority(os.PRIO_PGRP, process.pid, 0)
            yield process, place
        finally:
            process.kill()
            process.communicate()


def get(place: str, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(place, timeout=MOST_S)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    finally:
        connection.close()


def cards(place: str) -> dict[str, dict[str, str]]:
    """Return the list of studies by label, when all have been read."""
    until = time.monotonic() + MOST_S
    while True:
        status, body = get(place, "/studies.json")
        assert status == 200, body
        studies = json.loads(body)["studies"]
        unread = [study["label"] for study in studies if study["state"] == "reading"]
        if not unread:
            return {study["label"]: study for study in studies}
        assert time.monotonic() < until, f"never read: {unread}"
        time.sleep(0.5)


def peak_bytes(pid: int) -> int:
    words = Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()
    return int(words[0]) << 10


def spoil_copy(whole: Path, folder: Path, seed: int) -> Path:
    """Copy a folder, spoil one file of the copy by chance, and return that file."""
    shutil.copytree(whole, folder)
    chance = random.Random(seed)
    path = chance.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    path.write_bytes(mutated(chance, path.name, path.read_bytes()))
    return path


@pytest.mark.parametrize("number", range(ROUNDS))
def test_spoilt_folders_are_served_next_to_a_whole_one(number: int, tmp_path: Path) -> None:
    top = tmp_path / "top"
    spoilable_results.write(top / "whole")
    seed = 7_000_000 + number * FOLDERS
    spoilt = {
        name: spoil_copy(top / "whole", top / name, seed + n) for n in range(FOLDERS) if (name := f"spoilt-{n:02}")
    }
    problems = []
    with serving(top, tmp_path / "errors") as (process, place):
        found = cards(place)
        assert found["whole"]["state"] == "finished" and found["whole"]["headline"]
        for label, card in found.items():
            for path in (f"/studies/{card['key']}.json", f"/studies/{card['key']}/", f"/studies/{card['key']}/report"):
                status, body = get(place, path)
                is_report = path.endswith("report")
                allowed = (200, 500) if is_report and label != "whole" else (200,)
                if status not in allowed or body.startswith("dbdyno failed"):
                    problems.append(f"{spoilt.get(label)}: {path} {status} {body[:300]}")
        status, _ = get(place, "/metrics")
        assert status == 200
        assert peak_bytes(process.pid) < MOST_BYTES
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert not problems, "\n".join(problems)
    assert (tmp_path / "errors").read_text() == ""
