"""Puts the agent's program on a host by its content: pushed once, resumed where a push ended, verified before use.

Labs that reach a new host at once push one after the other, under a lock there; the later ones find it whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import HostError
from dbdyno.hosts._files import Files
from dbdyno.hosts.remote._ssh import run_script

_LOOK_S = 30.0
_PUSH_S = 900.0
_MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of an ELF header
_GLIBC_RE = re.compile(rb"GLIBC_2\.(\d+)\0")

_LOOK = r"""
set -eu
command -v sha256sum >/dev/null || { echo "sha256sum: not found" >&2; exit 1; }
home=$1; sha=$2
if [ -z "$home" ]; then
    if [ "$(id -u)" = 0 ]; then home=/var/cache/dbdyno; else home=${XDG_CACHE_HOME:-$HOME/.cache}/dbdyno; fi
fi
mkdir -p "$home"
program=$home/agent-$sha
have=0
if [ -x "$program" ] && echo "$sha  $program" | sha256sum -c >/dev/null 2>&1; then
    have=whole
    touch "$program"
elif [ -f "$program.part" ]; then have=$(wc -c <"$program.part"); fi
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo unknown)
printf "\ndbdyno|%s|%s|%s|%s\n" $have "$(uname -m)" "$libc" "$home"
"""
_PUSH = r"""
set -eu
program=$1/agent-$2
if command -v flock >/dev/null; then
    mkdir -p "$1/locks"
    exec 9>"$1/locks/agent-$2"
    flock 9
fi
if [ -x "$program" ] && echo "$2  $program" | sha256sum -c >/dev/null 2>&1; then
    cat >/dev/null
    exit 0
fi
if [ "$3" = 0 ]; then : >"$program.part"
elif [ ! -f "$program.part" ] || [ "$(wc -c <"$program.part")" -lt "$3" ]; then
    cat >/dev/null
    echo dbdyno-push-all
    exit 0
fi
truncate -s "$3" "$program.part"
cat >>"$program.part"
if ! echo "$2  $program.part" | sha256sum -c >/dev/null 2>&1; then
    rm -f "$program.part"
    if [ "$3" != 0 ]; then
        echo dbdyno-push-all
        exit 0
    fi
    echo "what arrived is not what was sent" >&2
    exit 1
fi
chmod 755 "$program.part"
mv -f "$program.part" "$program"
"""


_UNUSED_NS = 60 * 10**9
"""A program that was looked for more recently may be about to be started."""


@dataclass(frozen=True, slots=True)
class RemoteProgram:
    """Describes the program on a host.

    Parameters
    ----------
    architecture, libc : of the host, as it reports them
    needs_libc : least minor version of glibc 2 that the program asks for
    pushed_bytes : what had to be sent; 0 where it was there
    """

    path: str
    home: str
    architecture: str
    libc: str
    needs_libc: int
    pushed_bytes: int


@dataclass(frozen=True, slots=True)
class OldProgram:
    """Describes a program of another version of dbdyno on a host, or what of it an interrupted copy left.

    Parameters
    ----------
    unused_ns : since dbdyno last looked for it there
    """

    path: Path
    size_bytes: int
    unused_ns: int


def find_old_programs(files: Files, program: RemoteProgram, agent_pids: Iterable[int], now_ns: int) -> list[OldProgram]:
    """Return programs in the same folder that no agent runs.

    Parameters
    ----------
    agent_pids : processes of agents that live
    now_ns : the host's wall clock
    """
    used = {files.resolve(Path(f"/proc/{pid}/exe")) for pid in agent_pids} | {files.resolve(Path(program.path))}
    found = []
    for entry in files.entries(Path(program.home)):
        path, unused_ns = entry.path, now_ns - entry.modified_ns
        is_program = entry.kind == "file" and re.fullmatch(r"agent-[0-9a-f]{64}(\.part)?", path.name)
        if is_program and files.resolve(path) not in used and unused_ns > _UNUSED_NS:
            found.append(OldProgram(path, entry.size_bytes, unused_ns))
    return found


def place_program(destination: str, program: Path, home: str) -> RemoteProgram:
    """Have the program on a host; `home` empty: the user's default there.

    Raises
    ------
    HostError : the host can't be reached or can't run the program
    """
    content = program.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    answer = run_script(destination, _LOOK, [home, sha256], timeout_s=_LOOK_S)
    match = re.search(r"^dbdyno\|(\w+)\|([^|]*)\|([^|]*)\|(.*)$", answer, re.MULTILINE)
    if match is None:
        remedy = f"give that user a plain shell without a forced command, so that ssh {destination} uname prints Linux"
        raise HostError(f"{destination} does not answer as a Linux host", answer.strip()[-500:], remedy)
    push_state, architecture, libc, remote_home = match.groups()
    needs_libc = max((int(minor) for minor in _GLIBC_RE.findall(content)), default=0)
    _check_compatible(destination, content, architecture, libc, needs_libc)
    pushed_bytes = 0
    if push_state != "whole":
        offset = int(push_state) if int(push_state) < len(content) else 0
        pushed_bytes = _push(destination, remote_home, sha256, content, offset)
    return RemoteProgram(f"{remote_home}/agent-{sha256}", remote_home, architecture, libc, needs_libc, pushed_bytes)


def _push(destination: str, remote_home: str, sha256: str, content: bytes, offset: int) -> int:
    """Send the content from an offset on, or all of it where that is of no use; the bytes sent.

    So it is where another lab's push has failed since, and where what was there is not the beginning of the content.
    """
    words = [remote_home, sha256, str(offset)]
    answer = run_script(destination, _PUSH, words, stdin=content[offset:], timeout_s=_PUSH_S)
    if offset and "dbdyno-push-all" in answer:
        return _push(destination, remote_home, sha256, content, 0)
    return len(content) - offset


def _check_compatible(destination: str, content: bytes, architecture: str, libc: str, needs_libc: int) -> None:
    program_architecture = _MACHINES.get(int.from_bytes(content[18:20], "little"), "unknown")
    if program_architecture != architecture:
        raise HostError(
            f"the agent can't run on {destination}",
            f"it is built for {program_architecture}, but the host is {architecture}",
            "set DBDYNO_LOAD to a dbdyno-load built for the host",
            code="other-architecture",
        )
    minor = re.fullmatch(r"glibc 2\.(\d+).*", libc)
    if minor and int(minor[1]) < needs_libc:
        raise HostError(
            f"the agent can't run on {destination}",
            f"it needs glibc 2.{needs_libc}, but the host has {libc}",
            "set DBDYNO_LOAD to the released dbdyno-load, which is built against an older glibc",
            code="glibc-too-old",
        )
