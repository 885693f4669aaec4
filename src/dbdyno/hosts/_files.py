"""Declares how the files of a machine are reached, whichever machine it is: each method is one request.

All raise OSError with the number that the system call gave there, so FileNotFoundError and PermissionError mean on a
remote machine what they mean here; HostError when the machine itself can't be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

FileKind = Literal["file", "directory", "link", "socket", "other"]
Reader: TypeAlias = Callable[[Path], bytes]
"""Reads a whole file; raises OSError. Who parses files of /proc, /sys or a log is given one, not a machine."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Holds what stat(2) or lstat(2) says of a path.

    Parameters
    ----------
    path : as it was asked for; of an entry, below the folder that was asked for
    disk_bytes : blocks that it takes, holes not counted
    mode : permission bits, those of set-user-id and the sticky bit included
    device : of the file system that it lies on, ``MAJOR:MINOR``
    """

    path: Path
    kind: FileKind
    size_bytes: int
    disk_bytes: int
    mode: int
    user_id: int
    device: str
    inode: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Space:
    """Size of a file system, and what this user may still write."""

    size_bytes: int
    free_bytes: int


class Files(Protocol):
    """Offers the files of one machine.

    Parameters
    ----------
    is_remote : that machine is another host
    """

    is_remote: bool = False

    def read_bytes(
        self, path: Path, *, offset: int = 0, limit_bytes: int | None = None, owners: Collection[int] | None = None
    ) -> bytes:
        """Return the content of a file.

        Parameters
        ----------
        offset : where to begin; negative: so many bytes before its end, or at its beginning where it is shorter
        limit_bytes : no more than this; None: up to its end
        owners : PermissionError unless it is a regular file of one of these users, and no link; never waits for a pipe
        """

    def read_text(self, path: Path, *, offset: int = 0, limit_bytes: int | None = None) -> str:
        """Return the content of a file as text; what is no UTF-8 is replaced."""
        return self.read_bytes(path, offset=offset, limit_bytes=limit_bytes).decode(errors="replace")

    def read_many(self, paths: Sequence[Path]) -> list[bytes | None]:
        """Return contents of many small files in one request; None for one that can't be read."""

    def write(self, path: Path, content: bytes, *, mode: int | None = None, for_server: bool = False) -> None:
        """Write a file.

        Parameters
        ----------
        mode : None: written in place, as the kernel's control files need it. Else a new file of these permission bits
            takes the path's place in one step: nobody sees half of it, or all of it before its mode is set
        for_server : it is given to the user that servers run as; only with `mode`
        """

    def stat(self, path: Path, *, follow: bool = True) -> FileFacts | None:
        """Return facts of a path, or of what a link leads to; None where there is nothing."""

    def entries(self, folder: Path, *, recursive: bool = False) -> list[FileFacts]:
        """Return what lies in a folder, by path, links not followed; `recursive`: below it, too.

        What vanishes meanwhile is left out.
        """

    def resolve(self, path: Path) -> Path:
        """Return the path without links; a missing part of it stays unchanged."""

    def digest(self, path: Path) -> str:
        """Return the SHA-256 of a file's content, in hexadecimal digits."""

    def can_write(self, path: Path) -> bool:
        """Return whether this user may write a file or into a folder, as access(2) says."""

    def space(self, path: Path) -> Space:
        """Return space where `path` lies, or its nearest parent that is there."""

    def make_directory(
        self, path: Path, *, mode: int | None = None, for_server: bool = False, is_new: bool = False
    ) -> None:
        """Make a folder and its parents.

        Parameters
        ----------
        mode : exact permission bits; None: as the umask has it
        for_server : it is given to the user that servers run as
        is_new : FileExistsError when it is there already
        """

    def rename(self, source: Path, destination: Path) -> None:
        """Move within a file system; a file takes the place of another in one step."""

    def remove(self, path: Path) -> None:
        """Remove a file, a link, or an empty folder such as a control group's; a missing one is fine."""


class FileWatch(Protocol):
    """Reads the same files at one instant after another; a remote machine reads them itself, before it is asked.

    Each path that was read once belongs to it from then on. One thread uses it.

    Attributes
    ----------
    keeps_instants : what was read at an instant that has passed can still be taken
    """

    keeps_instants: bool = False

    def at(self, instant_ns: int) -> int | None:
        """Turn to an instant of this process's monotonic clock, each later than the last.

        Returns
        -------
        When reading began there, on the same clock; None: every file is read just when `read` asks for it
        """

    def read(self, path: Path) -> bytes:
        """Return the content of a file at that instant; raises OSError as reading it did."""

    def close(self) -> None:
        """Read no more."""
