"""Processes of this machine that were started with an option file of dbdyno's making."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_OPTION_FILE_RE = re.compile(r"--defaults-file=(\S+)")
_OPTION_RE = re.compile(r"^(datadir|socket|tmpdir)\s*=\s*\"?([^\"\n]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A process that was given an option file.

    Parameters
    ----------
    paths : that the option file names
    """

    pid: int
    start_ticks: int
    option_file: Path
    paths: tuple[str, ...]

    def belongs_to(self, folder: Path) -> bool:
        """Whether its option file lies in a folder, or names something there."""
        return any(Path(path).is_relative_to(folder) for path in (str(self.option_file), *self.paths))


def server_processes() -> Iterator[ServerProcess]:
    """Processes that were given an option file, with the paths it names."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        match = _OPTION_FILE_RE.search(words)
        if match:
            start_ticks = int(stat[stat.rindex(")") + 2 :].split()[19])
            option_file = Path(match[1])
            yield ServerProcess(int(entry.name), start_ticks, option_file, paths_in(option_file))


def paths_in(option_file: Path) -> tuple[str, ...]:
    """Folders and sockets that an option file names."""
    try:
        return tuple(path.strip() for _, path in _OPTION_RE.findall(option_file.read_text(errors="replace")))
    except OSError:
        return ()
