"""Every quirk id that code, help or documents name is in the load generator's table, and the table is used."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.study import named_quirks
from dbdyno.study._workloads import QUIRKS_FILE

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / ".venv" / "bin" / "dbdyno-load"
PAGE = ROOT / "docs" / "reference" / "quirks.md"
DATA = ROOT / "src" / "dbdyno" / "study" / QUIRKS_FILE
TABLE = ROOT / "crates" / "workload" / "src" / "quirks.rs"
LISTINGS = {TABLE, DATA, PAGE}
_ID_RE = re.compile(r"\bQ-[A-Z]{2}-\d+\b")
HEAD = """\
# Quirks of the imitated tools

A quirk is something that a tool does and that its authors probably did not mean. With `fidelity = "tool"` dbdyno
repeats it, so that results can be compared with the tool's; with `fidelity = "fixed"` it does not. A record lists the
ids that were active. *Recorded* means seen in what the tool sent; *read* means found in its source.

Written from `dbdyno-load quirks --json` by `DBDYNO_WRITE_REFERENCE=1 pytest tests/cli/test_quirks.py`.
"""


def printed(*arguments: str) -> str:
    done = subprocess.run([str(PROGRAM), "quirks", *arguments], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def quirks() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(printed("--json"))["quirks"]
    return rows


def page_of(rows: list[dict[str, object]]) -> str:
    families = dict.fromkeys(str(row["id"]).rsplit("-", 1)[0] for row in rows)
    parts = [HEAD]
    for family in families:
        own = [row for row in rows if str(row["id"]).startswith(f"{family}-")]
        dialects = ", ".join(f"`{name}`" for name in dict.fromkeys(name for row in own for name in row["dialects"]))
        parts.append(
            f"## {family}\n\nOf {dialects}.\n\n| id | what the tool does | imitated | source |\n|---|---|---|---|"
        )
        parts += [f"| {row['id']} | {row['effect']} | {_imitated(row)} | {row['source']} |" for row in own]
        parts.append("")
    return "\n".join(parts)


def _imitated(row: dict[str, object]) -> str:
    return str(row["when"]) if row["is_imitated"] else f"no: {row['when']}"


def sources() -> Iterator[Path]:
    for folder, endings in {"crates": ("rs",), "src": ("py", "json"), "docs": ("md",), "contract": ("json",)}.items():
        for ending in endings:
            yield from (path for path in ROOT.glob(f"{folder}/**/*.{ending}") if path not in LISTINGS)


def used_ids() -> set[str]:
    return {quirk_id for path in sources() for quirk_id in _ID_RE.findall(path.read_text())}


def test_the_page_and_the_data_of_the_report_are_what_the_program_prints(quirks: list[dict[str, object]]) -> None:
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        PAGE.write_text(page_of(quirks))
        DATA.write_text(printed("--json"))
    assert PAGE.read_text() == page_of(quirks)
    assert DATA.read_text() == printed("--json")


def test_every_id_that_is_named_anywhere_is_in_the_table(quirks: list[dict[str, object]]) -> None:
    assert used_ids() - {str(row["id"]) for row in quirks} - {"Q-XX-1"} == set()


def test_every_imitated_quirk_is_named_where_it_is_imitated(quirks: list[dict[str, object]]) -> None:
    numbered = (ROOT / "crates" / "workload" / "src" / "tpcc" / "quirks.rs").read_text()  # by prefix and number
    lost = {str(row["id"]) for row in quirks if row["is_imitated"]} - used_ids()
    assert {quirk_id for quirk_id in lost if quirk_id.rsplit("-", 1)[0] + "-" not in numbered} == set()


def test_one_quirk_is_explained_by_its_id() -> None:
    assert printed("q-hd-5").startswith("Q-HD-5 ")
    assert printed("q-hd-5").count("source:") == 1


def test_a_text_that_names_quirks_finds_what_they_do() -> None:
    named = named_quirks("3.3.2.3 (Q-HD-5, Q-HD-11), Q-XX-1 and Q-HD-5 again")
    assert [quirk_id for quirk_id, _ in named] == ["Q-HD-5", "Q-HD-11"]
    assert all(effect.endswith(".") for _, effect in named)
