"""Results are the same bytes in every locale; a sign that an encoding lacks is escaped, and JSON stays JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stored_study

pytestmark = pytest.mark.attack
NAME = "größe"
STUDY = stored_study.TWO.replace('name = "two"', f'name = "{NAME}"\nquestion = "Größer ± 3 %?"')
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LOCALES = {
    "German": {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
    "C": ASCII,
    "C without an encoding": {**ASCII, "LANG": "", "LANGUAGE": "de"},
}


def printed(arguments: list[str | Path], **environment: str) -> bytes:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    command = [sys.executable, "-c", "import sys; from dbdyno.cli import main; sys.exit(main(sys.argv[1:]))"]
    ended = subprocess.run([*command, *arguments], env={**kept, **environment}, capture_output=True)
    assert ended.returncode in (0, 1), ended.stderr.decode(errors="replace")
    assert b"Traceback" not in ended.stderr
    return ended.stdout


def test_results_are_the_same_bytes_in_every_locale(tmp_path: Path) -> None:
    results = stored_study.write_study(tmp_path / "größe", STUDY).path
    series = tmp_path / "s.csv"
    series.write_text(
        "run,second,tps\n" + "".join(f"größe,{i},{100.5 + i % 7}\n" for i in range(400)), encoding="utf-8"
    )
    commands: list[list[str | Path]] = [
        ["show", "--json", results],
        ["report", results, "--format", "md", "-o", "-"],
        ["judge", series, "--json"],
    ]
    for command in commands:
        told = {name: printed(command, **environment) for name, environment in LOCALES.items()}
        assert told["C"]
        assert set(told.values()) == {told["German"]}, command


def test_an_encoding_without_a_sign_gets_it_escaped_and_json_stays_json(tmp_path: Path) -> None:
    series = tmp_path / "s.csv"
    series.write_text("run,second,tps\n" + "".join(f"größe 😀,{i},100\n" for i in range(400)), encoding="utf-8")
    told = printed(["judge", series, "--json"], PYTHONIOENCODING="ascii", **ASCII)
    assert told.isascii()
    assert list(json.loads(told)["runs"]) == ["größe 😀"]
