"""Execution reaches files, sockets and processes through a host alone: so a server may be on another machine."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src" / "dbdyno"
STAGES = ("hosts", "configure", "populate", "measure", "lab")
METHODS = frozenset(
    "open read_text read_bytes write_text write_bytes exists is_file is_dir is_symlink is_socket is_mount mkdir unlink "
    "rmdir iterdir glob rglob walk stat lstat rename symlink_to hardlink_to touch chmod resolve".split()
)
FUNCTIONS = frozenset({"open", "read_input", "read_input_text"})
MODULES = frozenset("ctypes fcntl platform pwd resource select shutil socket subprocess tempfile".split())
HARMLESS = frozenset({"fsdecode", "fsencode", "strerror"})
EXCEPTIONS = {
    "hosts/_local.py": "the host that is this machine",
    "hosts/_local_files.py": "its files",
    "hosts/_commands.py": "its commands",
    "hosts/_process.py": "its processes",
    "hosts/_system.py": "its system calls",
    "hosts/containers/_engine.py": "container engines are this machine's alone",
    "hosts/containers/_process.py": "container engines are this machine's alone",
    "hosts/machine/_containment.py": "asks the container engine, which is this machine's alone",
    "hosts/remote/_ssh.py": "runs the system's ssh here",
    "hosts/remote/_ssh_process.py": "runs ssh here, and reads and writes its pipes",
    "hosts/remote/_program.py": "reads the program that it pushes",
    "hosts/remote/_files.py": "reads the files that it pushes",
    "hosts/remote/_tunnel.py": "listens here for what is there",
    "hosts/remote/_agents.py": "names this machine to those who look at the host",
    "populate/_dataset.py": "a workload in a folder is the user's, who runs dbdyno here",
    "measure/client/_calibration.py": "the lab keeps it in its own home",
    "lab/_fleet.py": "it sends an interrupt to this process",
    "lab/_fleet_processes.py": "a process that drives a bench interrupts itself, in a session of its own",
    "lab/_generator.py": "the load generator lies beside this Python, or on the PATH",
    "lab/_passwords.py": "password files that a study names are the user's",
    "lab/_sinks.py": "it sends an interrupt to this process",
    "lab/_workload_folders.py": "a workload in a folder is the user's, who runs dbdyno here",
}


def direct_uses(text: str) -> Iterator[tuple[int, str]]:
    """Line and words of each access to this machine that goes past a host."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names if name.name.split(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield node.lineno, module
            case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
                yield node.lineno, name
            case ast.Attribute(value=ast.Name(id="Path"), attr=attribute) if attribute in METHODS:
                yield node.lineno, f"Path.{attribute}"
            case ast.Call(func=ast.Attribute(value=value, attr=attribute)):
                of = ast.unparse(value)
                is_path = attribute in METHODS and of != "self" and not of.endswith("files")
                if is_path or (of == "os" and attribute not in HARMLESS):
                    yield node.lineno, f"{of}.{attribute}"


def stage_modules() -> list[Path]:
    return sorted(path for stage in STAGES for path in (SOURCES / stage).rglob("*.py"))


def test_stages_reach_the_machine_through_a_host_alone() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}: {words}"
        for path in stage_modules()
        if str(path.relative_to(SOURCES)) not in EXCEPTIONS
        for line, words in direct_uses(path.read_text())
    ]
    assert found == []


def test_every_exception_is_still_needed() -> None:
    needed = {str(path.relative_to(SOURCES)) for path in stage_modules() if any(direct_uses(path.read_text()))}
    assert set(EXCEPTIONS) - needed == set()


@pytest.mark.parametrize(
    "line",
    [
        "open('x')",
        "path.read_text()",
        "(folder / 'x').exists()",
        "ProcessWatch(Path.read_bytes, pid)",
        "os.kill(pid, 9)",
        "os.walk(folder)",
        "import subprocess",
        "from shutil import rmtree",
    ],
)
def test_what_goes_past_a_host_is_found(line: str) -> None:
    assert list(direct_uses(line))


@pytest.mark.parametrize(
    "line", ["host.files.stat(path)", "files.resolve(path)", "os.environ.get('HOME')", "a.join(b)"]
)
def test_what_goes_through_a_host_is_not(line: str) -> None:
    assert not list(direct_uses(line))
