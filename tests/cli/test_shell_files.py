"""Manual pages and completions say what the program takes, and shells take them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shell_files import BASH, FISH, FOLDER, ZSH, shell_files

ROOT = Path(__file__).parents[2]
LOAD_FOLDER = ROOT / "crates" / "load" / "wheel-data" / "data" / "share"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse lays help out differently in other versions")
def test_the_files_say_what_the_program_says() -> None:
    files = shell_files()
    if os.environ.get("DBDYNO_WRITE_REFERENCE"):
        shutil.rmtree(FOLDER, ignore_errors=True)
        for name, text in files.items():
            (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(text)
    assert {str(file.relative_to(FOLDER)): file.read_text() for file in FOLDER.rglob("*") if file.is_file()} == files


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("dbdyno com", ["compare"]),
        ("dbdyno diff --fa", ["--fail-on"]),
        ("dbdyno diff a b --fa", ["--fail-on"]),
        ("dbdyno self-check --fre", ["--fresh"]),
        ("dbdyno import sys", ["sysbench"]),
        ("dbdyno import --col", ["--color"]),
        ("dbdyno import sysbench --pat", ["--pattern"]),
        ("dbdyno import sysbench logs --pat", ["--pattern"]),
        ("dbdyno engines get --js", ["--json"]),
        ("dbdyno engines list --ref", ["--refresh"]),
    ],
)
def test_bash_offers_what_can_follow(words: str, offered: list[str]) -> None:
    script = f'source "{FOLDER / BASH}"; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _dbdyno; '
    done = subprocess.run(
        ["bash", "-c", script + 'printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == offered


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("dbdyno com", ["compare"]),
        ("dbdyno diff --fa", ["--fail-on"]),
        ("dbdyno import sys", ["sysbench"]),
        ("dbdyno import --pat", []),
        ("dbdyno import sysbench --pat", ["--pattern"]),
        ("dbdyno engines list --ref", ["--refresh"]),
    ],
)
def test_fish_offers_what_can_follow(words: str, offered: list[str], tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not here")
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    argv = ["fish", "--no-config", "-c", f"source {FOLDER / FISH}; complete --do-complete '{words}'"]
    done = subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == offered


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("diff -", "*--fail-on"),
        ("import -", "--color"),
        ("import sysbench -", "*--pattern"),
        ("engines list -", "--refresh"),
    ],
)
def test_zsh_offers_what_can_follow_and_again_what_may_be_repeated(words: str, offered: str) -> None:
    """What the file hands to `_arguments` stands for what zsh offers, which it does on a terminal only."""
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not here")
    caught = '_arguments() { print -rl -- "$words[1]" "$@" }'
    script = f"words=(dbdyno {words}); CURRENT=$#words; {caught}; source {FOLDER / ZSH}"
    done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, check=True)
    command, *specifications = done.stdout.splitlines()
    assert command == words.split()[-2]
    options = [specification.partition("[")[0] for specification in specifications]
    assert offered in options
    assert ("--pattern" in done.stdout) == (words == "import sysbench -")


@pytest.mark.parametrize(("shell", "file"), [("zsh", ZSH), ("fish", FISH)])
def test_other_shells_read_theirs(shell: str, file: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    done = subprocess.run([shell, "-n", str(FOLDER / file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_offer_what_the_load_generator_takes(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    # Of one crate alone cargo would choose other features and build it and what it needs once more.
    argv = ["cargo", "test", "--locked", "--workspace", "--lib", "--", "--ignored", f"{shell}_offers"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "1 passed; 0 failed; 0 ignored" in done.stdout, done.stdout + done.stderr[-2000:]


def test_pages_are_set_without_a_warning() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not here")
    pages = [page for folder in (FOLDER, LOAD_FOLDER) for page in sorted((folder / "man").rglob("*.[17]"))]
    assert {page.suffix for page in pages} == {".1", ".7"}
    for page in pages:
        command = ["groff", "-man", "-Tutf8", "-ww", str(page)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr == "", page.name
        assert len(done.stdout) > 500
