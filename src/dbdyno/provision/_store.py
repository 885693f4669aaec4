"""Keeps installations: one folder each, with checksums; lists them, checks them, removes those that nobody uses.

The list of checksums has the form that ``sha256sum --check`` reads. Reading a server's files takes a second or more, so
files that have kept sizes and times are not read again: their digest lies next to the list. Below it stands where each
link leads: a library's link may be set to another file, and all files stay as they were. Earlier versions of dbdyno
share these folders: links in the list, or a further file, would be a change to them; here they are not noticed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dbdyno.core import EngineName, Home, HostError, ProvisionError, StudyError, decode, json_value
from dbdyno.engines import matches, parse_version
from dbdyno.hosts import Host
from dbdyno.provision._identity import ask_version
from dbdyno.provision._installation import Installation, Origin

_SEAL = "files.sha256"
_TIMES = "files.times"
_MOST_NAMED = 5
_OURS = frozenset({_SEAL, _TIMES, "installation.json"})


def seal(folder: Path) -> None:
    """Write the list of a folder's files, and where its links lead."""
    (folder / _SEAL).write_text(_checksum_listing(folder))
    (folder / _TIMES).write_text(_times_text(folder))


def _checksum_listing(folder: Path) -> str:
    return "\n".join(f"{sha256_of(folder / name)}  {name}" for name in _files(folder)) + "\n"


def _times_text(folder: Path) -> str:
    return f"{_times_digest(folder)}\n{json.dumps(_links(folder))}\n"


def _listed_links(folder: Path) -> dict[str, str] | None:
    """Return where each link led; None where an earlier version of dbdyno was the last to check the folder."""
    try:
        _, links = (folder / _TIMES).read_text().splitlines()
        return decode(dict[str, str], json_value(links))
    except (OSError, ValueError):
        return None


def checksums(folder: Path) -> str:
    """Return the list of a folder's files; made now where none was kept."""
    return (folder / _SEAL).read_text() if has_checksums(folder) else _checksum_listing(folder)


def has_same_content(folder: Path, other: Path) -> bool:
    """Return whether two folders hold the same files and links."""
    return _links(folder) == _links(other) and _checksum_listing(folder) == _checksum_listing(other)


def kept_files(folder: Path) -> list[str]:
    """Return files, links and folders of an engine, by name, without the notes that dbdyno keeps with them."""
    paths = (path.relative_to(folder) for path in folder.rglob("*"))
    return sorted(str(path) for path in paths if str(path) not in _OURS)


def has_checksums(folder: Path) -> bool:
    """Return whether a list was made; installations of earlier versions of dbdyno have none."""
    return (folder / _SEAL).exists()


def differences(folder: Path) -> list[str]:
    """Return what is not as it was, one line each; empty when all is."""
    lines_read = (folder / _SEAL).read_text().splitlines()
    listed_digests = {name: digest for digest, _, name in (line.partition("  ") for line in lines_read)}
    present_names = set(_files(folder))
    lines = [f"{name} is missing" for name in listed_digests if name not in present_names]
    lines += [
        f"{name} has changed"
        for name in listed_digests
        if name in present_names and sha256_of(folder / name) != listed_digests[name]
    ]
    lines += [f"{name} was added" for name in sorted(present_names - listed_digests.keys())]
    listed_links = _listed_links(folder)
    return lines if listed_links is None else lines + _link_differences(listed_links, _links(folder))


def _link_differences(listed: dict[str, str], present: dict[str, str]) -> list[str]:
    lines = [f"the link {name} is missing" for name in listed if name not in present]
    lines += [
        f"the link {name} leads to {present[name]}, but led to {listed[name]}"
        for name in listed
        if name in present and present[name] != listed[name]
    ]
    return lines + [f"the link {name} was added" for name in sorted(present.keys() - listed.keys())]


def check_unchanged(folder: Path, title: str) -> None:
    """Refuse an installation whose files are not what they were; one without a list is not checked.

    Raises
    ------
    ProvisionError : they are not
    """
    if not has_checksums(folder):
        return
    times = _times_text(folder)
    with contextlib.suppress(OSError):
        if (folder / _TIMES).read_text() == times:
            return
    changed_lines = differences(folder)
    if changed_lines:
        rest_lines = [f"and {len(changed_lines) - _MOST_NAMED} more"] if len(changed_lines) > _MOST_NAMED else []
        raise ProvisionError(
            f"the files of {title} in {folder} have changed since they were fetched",
            "\n".join([*changed_lines[:_MOST_NAMED], *rest_lines]),
            "remove it with dbdyno engines remove and fetch it again; dbdyno engines check lists all changes",
            code="files-changed",
        )
    with contextlib.suppress(OSError):  # the home may be read-only: then they are read each time
        (folder / _TIMES).write_text(times)


def _times_digest(folder: Path) -> str:
    """Digest names, sizes, modification and change times; nobody can set the last."""
    rows = []
    for name in _files(folder):
        facts = (folder / name).stat()
        rows.append(f"{name} {facts.st_size} {facts.st_mtime_ns} {facts.st_ctime_ns}")
    rows.append(sha256_of(folder / _SEAL))
    return hashlib.sha256("\n".join(rows).encode(errors="surrogateescape")).hexdigest()


def _files(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent) / name
            if path.is_file() and not path.is_symlink() and not (parent == str(folder) and name in _OURS):
                yield str(path.relative_to(folder))


def _links(folder: Path) -> dict[str, str]:
    """Return where each symbolic link of a tree leads, as it is written, by its name in order."""
    paths = (Path(parent) / name for parent, folders, names in os.walk(folder) for name in (*folders, *names))
    return {str(path.relative_to(folder)): str(path.readlink()) for path in sorted(paths) if path.is_symlink()}


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_MANIFEST = "installation.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class _Base:
    base_directory: str


@dataclass(frozen=True, slots=True)
class _Manifest:
    """Read what `save` writes; a manifest of another version may lack what has a default, and hold more."""

    format: int
    family: str
    version: str
    raw_version: str
    storage_engines: tuple[str, ...]
    origin: Origin
    server_argv: tuple[str, ...]
    base_directory: str
    share_directory: str
    plugin_directory: str
    plugin_files: dict[str, str] = field(default_factory=dict)
    nearest_note: str = ""
    plugin_maturity: str = ""
    plugin_versions: dict[str, str] = field(default_factory=dict)
    image: str = ""
    mounted_files: dict[str, str] = field(default_factory=dict)

    def installation(self) -> Installation:
        """Return what it describes."""
        return Installation(
            family=self.family,
            version=self.version,
            raw_version=self.raw_version,
            storage_engines=self.storage_engines,
            origin=self.origin,
            server_argv=self.server_argv,
            base_directory=Path(self.base_directory),
            share_directory=Path(self.share_directory),
            plugin_directory=Path(self.plugin_directory),
            plugin_files=self.plugin_files,
            nearest_note=self.nearest_note,
            plugin_maturity=self.plugin_maturity,
            plugin_versions=self.plugin_versions,
            image=self.image,
            mounted_files=self.mounted_files,
        )


def save(installation: Installation, folder: Path, host: Host) -> None:
    """Write the manifest: the last step, after which the folder counts as complete."""
    content = asdict(installation) | {"format": _FORMAT}
    del content["address"]  # a running server has no folder
    host.write_private(folder / _MANIFEST, json.dumps(content, indent=1, default=str) + "\n")


def is_complete(folder: Path, host: Host) -> bool:
    """Return whether a folder holds an installation whose last step was done."""
    return host.files.stat(folder / _MANIFEST) is not None


def forget(folder: Path, host: Host) -> None:
    """Make a folder count as incomplete."""
    host.run(["rm", "-f", str(folder / _MANIFEST)], timeout_s=30)


def installations(home: Home, host: Host) -> list[Installation]:
    """Return all complete installations, unreadable ones left out (they are fetched anew)."""
    return [installation for _, installation in entries(home, host)]


def entries(home: Home, host: Host) -> list[tuple[Path, Installation]]:
    """List installations, each with its folder."""
    # With -H the folder itself may be a link, such as to a larger disk.
    words = ["find", "-H", str(home.engines), "-mindepth", "2", "-maxdepth", "2", "-name", _MANIFEST]
    names = host.run(words, timeout_s=60, check=False).stdout.splitlines()
    installed = []
    for name in sorted(names):
        try:
            text = host.run(["cat", name], timeout_s=30).stdout
            manifest = decode(_Manifest, json_value(_relocated_manifest(text, home, Path(name).parent)))
        except ValueError:
            continue
        if manifest.format == _FORMAT:
            installed.append((Path(name).parent, manifest.installation()))
    return installed


def _relocated_manifest(manifest: str, home: Home, folder: Path) -> str:
    """Return the manifest of an installation whose home has since been moved or copied, with its present paths."""
    written_base = Path(decode(_Base, json_value(manifest)).base_directory)
    written_folder = next((path for path in (written_base, *written_base.parents) if path.name == folder.name), None)
    if written_folder is None or written_folder == folder or written_folder.parent.name != home.engines.name:
        return manifest  # a base directory lies where it lies
    return manifest.replace(_json_escaped(written_folder.parents[1]) + "/", _json_escaped(home.root) + "/")


def _json_escaped(path: Path) -> str:
    """Return escape a text as inside of a JSON text."""
    return json.dumps(str(path))[1:-1]


def find(name: EngineName, home: Home, host: Host, suites: tuple[str, ...]) -> Installation | None:
    """Return packages that answer to a name; of several those from the most stable suite, then the newest."""
    candidates = [
        i
        for i in installations(home, host)
        if i.origin.source == "package"
        and i.family == name.family
        and matches(i.version, name.version)
        and name.storage_engine in i.storage_engines
    ]
    return min(
        candidates, key=lambda i: (_suite_rank(i.origin.location, suites), _newest_first(i.version)), default=None
    )


def _suite_rank(suite: str, suites: tuple[str, ...]) -> int:
    return suites.index(suite) if suite in suites else len(suites)


def _newest_first(version: str) -> tuple[int, ...]:
    return tuple(-part for part in parse_version(version))


_BUSY_WAIT_S = 1


@dataclass(frozen=True, slots=True)
class InstalledEngine:
    """Describes an engine in a folder of dbdyno.

    Parameters
    ----------
    disk_bytes : what its files take
    has_checksums : whether the digest of every file was kept; not so for what earlier versions of dbdyno fetched
    """

    folder: Path
    installation: Installation
    disk_bytes: int
    has_checksums: bool

    def answers_to(self, name: EngineName) -> bool:
        """Return whether a name means it; a source without its place means all of that kind."""
        i = self.installation
        return (
            i.family == name.family
            and (not name.version or matches(i.version, name.version))
            and name.source_kind in ("", i.origin.source)
            and name.source_place in ("", i.origin.location)
        )


def installed_engines(home: Home, host: Host) -> list[InstalledEngine]:
    """Return all complete installations, by family and version."""
    engines = []
    for folder, installation in entries(home, host):
        words = host.run(["du", "-s", "-B1", str(folder)], timeout_s=120, check=False).stdout.split()
        engines.append(InstalledEngine(folder, installation, int(words[0]) if words else 0, has_checksums(folder)))
    return sorted(engines, key=lambda kept: (kept.installation.family, kept.folder.name))


def select_installed(names: list[EngineName], engines: list[InstalledEngine]) -> list[InstalledEngine]:
    """Return those that the names mean, each once; all when there are no names.

    Raises
    ------
    StudyError : a name means none of them
    """
    for name in names:
        if not any(engine.answers_to(name) for engine in engines):
            installed_titles = ", ".join(f"{e.installation.title} ({e.installation.origin.source})" for e in engines)
            what, why = f"{name} is not on this machine", f"here: {installed_titles or 'nothing'}"
            raise StudyError(what, why, "see: dbdyno engines list", code="engine-missing")
    return [engine for engine in engines if not names or any(engine.answers_to(name) for name in names)]


def check_installed(engine: InstalledEngine, host: Host) -> list[str]:
    """Return what is wrong with it, one line each: files that changed, a server that does not run or is another."""
    lines = differences(engine.folder) if engine.has_checksums else []
    try:
        _, raw_version = ask_version(engine.installation.server_argv, host)
    except (ProvisionError, HostError) as error:
        return [*lines, f"{error.what}: {error.why}"]
    if raw_version != engine.installation.raw_version:
        lines.append(f"its server reports {raw_version}, but it was {engine.installation.raw_version}")
    return lines


def remove_installed(engine: InstalledEngine, home: Home, host: Host) -> None:
    """Remove it, its manifest first, so that what an interruption leaves does not count as an engine.

    Raises
    ------
    ProvisionError : a study of another process uses it
    """
    try:
        with host.lock(_lock_file(engine.folder, home), _BUSY_WAIT_S):
            forget(engine.folder, host)
            host.remove_tree(engine.folder)
    except HostError as error:
        if error.code != "in-use":
            raise
        what, why = f"{engine.installation.title} is in use", f"a study uses {engine.folder}"
        raise ProvisionError(what, why, "wait for it to end", code="in-use") from error


@contextlib.contextmanager
def in_use(installation: Installation, home: Home, host: Host) -> Iterator[None]:
    """Keep an engine from being removed while the block runs; what is not in a folder of dbdyno is never removed.

    Raises
    ------
    ProvisionError : it was removed a moment ago
    """
    folder = folder_of(installation, home)
    if folder is None:
        yield
        return
    with host.lock(_lock_file(folder, home), _BUSY_WAIT_S * 60, shared=True):
        if not is_complete(folder, host):
            what = f"{installation.title} was removed in the meantime"
            raise ProvisionError(what, str(folder), "run again to fetch it", code="engine-removed")
        yield


def folder_of(installation: Installation, home: Home) -> Path | None:
    """Return the folder of the home that an engine lies in; None for one that lies elsewhere."""
    if not installation.base_directory.is_relative_to(home.engines) or installation.origin.source == "basedir":
        return None
    return home.engines / installation.base_directory.relative_to(home.engines).parts[0]


def _lock_file(folder: Path, home: Home) -> Path:
    return home.locks / f"{folder.name}.lock"
