"""Copies files of workloads to the hosts that drive them, for the time of a study.

A folder's files, as far as the load generator reads them, and LinkBench's data files go below a private folder of the
session there, which the session's end, its lease and ``dbdyno clean --host`` remove. Names there have a digest.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dbdyno.core import HostError, StudyError, format_bytes, read_input, words_of
from dbdyno.hosts.remote import RemoteHost
from dbdyno.lab._passwords import remote_private_folder
from dbdyno.plan import ResolvedWorkloads
from dbdyno.study import DATA_FILE, SQL_FILES, Study, WorkloadFolders, directory_of

MOST_BYTES = 16 << 20
"""Of all files of a workload. Statements written by people have kilobytes, LinkBench's data file has 150 kB; the load
generator has the same limit."""
_READ_FILE = "crc32 of "
"""Begins the facts of a workload that name a file which the load generator has read."""


@dataclass(frozen=True, slots=True)
class WorkloadFiles:
    """Holds the files of a workload in a folder of this machine, or a data file in its folder.

    Parameters
    ----------
    name : of the workload; of a data file, its path as the study has it
    folder : where they are here
    files : name within the folder -> its content
    entry : the file within the folder that the load generator is given; empty: the folder
    """

    name: str
    folder: Path
    files: Mapping[str, bytes]
    entry: str = ""

    @property
    def digest(self) -> str:
        """Distinguishes contents: the same names with the same contents have the same."""
        listing = "".join(f"{_sha256(content)}  {name}\n" for name, content in sorted(self.files.items()))
        return _sha256(listing.encode())[:16]

    def path_below(self, folder: Path) -> str:
        """Return what the load generator is given where the files are in `folder`."""
        return str(folder / self.entry)


def read_workload_folders(study: Study, workloads: ResolvedWorkloads) -> tuple[WorkloadFiles, ...]:
    """Return the workloads of a study that lie in a folder, and its data files, as they are now.

    Raises
    ------
    StudyError : a folder or a file can't be copied to another host
    """
    choices = [study.workload_of(target.name, choice.label) for target in study.targets for choice in study.workloads]
    data_files = dict.fromkeys(str(path) for choice in choices if (path := choice.options.get(DATA_FILE)))
    names = dict.fromkeys(choice.name for choice in study.workloads if choice.name.startswith(SQL_FILES))
    options_by_name = {workload.name: workload.options for workload in workloads.values()}
    folders = [_read_folder(name, options_by_name.get(name, {})) for name in names]
    return (*folders, *map(_read_data_file, data_files))


def _read_data_file(name: str) -> WorkloadFiles:
    path = Path(name).absolute()
    remedy = "check that data_file names a distribution of LinkBench, which has some 150 kB"
    return WorkloadFiles(name, path.parent, _read_files(name, path.parent, [path.name], remedy), path.name)


def _read_folder(workload: str, options: Mapping[str, str]) -> WorkloadFiles:
    folder = directory_of(workload).absolute()
    names = [option.removeprefix(_READ_FILE) for option in options if option.startswith(_READ_FILE)]
    for name in names:
        _refuse_outside_name(workload, name)
    remedy = "keep data out of the SQL files: [tables] of workload.toml generates rows"
    return WorkloadFiles(workload, folder, _read_files(workload, folder, names, remedy))


def _read_files(workload: str, folder: Path, names: Sequence[str], remedy: str) -> dict[str, bytes]:
    """Return the files by name; `remedy` is that of too many bytes."""
    files, bytes_left = {}, MOST_BYTES
    for name in names:
        try:
            files[name] = read_input(folder / name)
        except OSError as error:
            what = f"{workload} can't be copied to another host: {name}"
            raise StudyError(what, words_of(error), code="unreadable") from error
        bytes_left -= len(files[name])
        if bytes_left < 0:
            raise StudyError(
                f"the files of {workload} can't be copied to another host",
                f"they have more than {format_bytes(MOST_BYTES)} together",
                remedy,
            )
    return files


def _refuse_outside_name(workload: str, name: str) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise StudyError(
            f"{workload} can't be copied to another host",
            f"its file {name} lies outside of its folder",
            f"move {path.name} into the folder, and correct its name in workload.toml",
            code="outside-folder",
        )


def folders_here(folders: tuple[WorkloadFiles, ...]) -> WorkloadFolders:
    """Return where the files are on this machine."""
    return {folder.name: folder.path_below(folder.folder) for folder in folders}


@contextlib.contextmanager
def pushed_folders(folders: tuple[WorkloadFiles, ...], host: RemoteHost) -> Iterator[WorkloadFolders]:
    """Have the files on a host while the block runs; where they are there, by workload.

    Raises
    ------
    HostError : the host can't take them, or what arrived is not what was sent
    """
    if not folders:
        yield {}
        return
    with remote_private_folder(host) as parent:
        yield {folder.name: folder.path_below(_push(folder, parent, host)) for folder in folders}


def _push(folder: WorkloadFiles, parent: Path, host: RemoteHost) -> Path:
    destination = parent / f"workload-{folder.digest}"
    try:
        host.files.make_directory(destination, mode=0o700)
        for name, content in folder.files.items():
            _write_verified(destination / name, content, host)
    except OSError as error:
        what = f"{folder.name} can't be copied to {host.link.destination}"
        why, remedy = f"{error.filename}: {error.strerror}", f"free space in {parent.parent} there"
        raise HostError(what, why, remedy, code="not-copied") from error
    return destination


def _write_verified(path: Path, content: bytes, host: RemoteHost) -> None:
    host.files.make_directory(path.parent, mode=0o700)
    host.files.write(path, content, mode=0o600)
    if host.files.digest(path) != _sha256(content):
        raise OSError(errno.EIO, "what arrived is not what was sent", str(path))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
