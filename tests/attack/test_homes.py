"""Homes with signs in their path that servers, apt or a linker would take for something else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from dbdyno.core import Home
from dbdyno.hosts import LocalHost
from dbdyno.lab._session import server_processes
from running_study import PROGRAM, STUDY

pytestmark = pytest.mark.attack


@pytest.mark.parametrize("sign", [";", "\\", "\n", '"', ":", "#", "$", "\x1b", "\udcff"])
def test_a_home_that_would_be_misread_is_refused_before_anything_is_done(sign: str, tmp_path: Path) -> None:
    study, home = tmp_path / "study.toml", tmp_path / f"a{sign}b"
    study.write_text(STUDY.format(window="2s", cells=[1]))
    command = [*PROGRAM, "run", str(study), "-o", str(tmp_path / "results")]
    environ = {**os.environ, "DBDYNO_HOME": str(home)}
    done = subprocess.run(command, capture_output=True, check=False, env=environ, timeout=60)
    assert done.returncode == 2, done.stderr
    assert b"DBDYNO_HOME can't be" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"\x1b" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.toml"]


def test_a_home_with_spaces_apostrophes_and_foreign_letters_is_fine_and_its_servers_are_found(tmp_path: Path) -> None:
    home = Home(tmp_path / "a b'c ü 数")
    home.check()
    option_file = home.run / "1-2-abcdefgh" / "s1" / "my.cnf"
    option_file.parent.mkdir(parents=True)
    option_file.write_text(f'[mysqld]\ndatadir = "{option_file.parent}/data"\n')
    server = subprocess.Popen(["/bin/sh", "-c", "sleep 60; true", f"--defaults-file={option_file}"])
    try:
        (found,) = [process for process in server_processes(LocalHost()) if process.pid == server.pid]
        assert found.option_file == option_file
        assert found.belongs_to(option_file.parent / "data")
    finally:
        server.kill()
        server.wait()
