"""Whatever options a command is given, it ends with 0 to 3, in words, in time and in bounded memory.

Only commands that read are attacked: one that would start servers is never called with options drawn by chance.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import spoilable_results
from command_forks import CommandForks
from rounds import repeats
from test_mutated_inputs import check

from command_reference import written_options

pytestmark = pytest.mark.attack
SEED = int(os.environ.get("DBDYNO_ATTACK_SEED", "16"))
TRIALS = 60
STUDIES = Path(__file__).parents[2] / "studies"
FOLDERS = {"show": 1, "report": 1, "explain": 1, "audit": 1, "claims": 1, "diff": 2, "history": 2}
"""Commands that take so many results folders."""
NEVER = frozenset({"--prove", "--deep", "--live", "-o", "--output", "--format", "--socket", "--host", "--server"})
"""Start servers, reach for some, or write where it would be lost among the tests' files."""
VALUES = (
    *("", "-1", "0", "1", "1e400", "nan", "-inf", "99999999999999999999", "0x10", "1,2", ",", "=", "a=b", "%s", "{}"),
    *("slower:3%", "p99:1e9%", "slower:-5%", "64MB,4", "512MB", "mysql:9.7", "mariadb:11.8=x", "2026-11-01", "24h"),
    *(
        "percona-2026",
        "../..",
        "/dev/null",
        "/nowhere",
        ".",
        "-",
        "--",
        "\udcff",
        "é" * 40,
        "x" * 5_000,
        "\x1b[31m",
        "\n",
    ),
)


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandForks]:
    folder = tmp_path_factory.mktemp("forks")
    with CommandForks(folder, {"DBDYNO_HOME": str(folder / "home"), "COLUMNS": "120"}) as forks:
        yield forks


def drawn(chance: random.Random, command: str, folders: list[Path]) -> list[str]:
    """A command line with up to four options, each with a value or without."""
    options = sorted(written_options()[f"dbdyno {command}"] - NEVER)
    words = [command, *map(str, folders[: FOLDERS.get(command, 0)])]
    words += [str(STUDIES / "first.toml")] if command == "plan" else []
    for option in chance.sample(options, min(chance.randint(1, 4), len(options))):
        words.append(option)
        words += [chance.choice(VALUES)] if chance.random() < 0.7 else []
    return words


def test_options_by_chance(forks: CommandForks, tmp_path: Path) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        spoilable_results.write(folder)
    problems = []
    for number in repeats(TRIALS):
        chance = random.Random(f"{SEED} {number}")
        words = drawn(chance, chance.choice([*FOLDERS, "plan", "settings"]), folders)
        ended = forks.run(words, 80)
        try:
            check(ended)
        except AssertionError as problem:
            problems.append(f"{str(problem).splitlines()[0]}\n  {words}\n{ended.err[-800:]}")
    assert not problems, f"{len(problems)} of {number + 1}:\n" + "\n\n".join(problems[:25])
