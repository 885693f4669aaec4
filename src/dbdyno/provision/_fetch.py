"""Fetches an engine's archive: from a path, over https in pieces that are resumed, or by Maven's and npm's clients."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import re
import shlex
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from dbdyno.core import Home, HostError, ProvisionError, StudyError, counted, format_bytes
from dbdyno.hosts import Host
from dbdyno.provision._installation import Progress

_TIMEOUT_S = 60
_BLOCK_BYTES = 1 << 20
_TELL_EVERY_BYTES = 32 << 20
_FREE_SHARE = 100
"""Of the file system, the part that stays free: one in so many bytes."""
_RANGE_NOT_SATISFIABLE = 416


def download(address: str, file: Path, progress: Progress) -> None:
    """Fetch `address` into `file`, going on with ``FILE.part`` of an earlier attempt.

    The file counts as complete when it has as many bytes as the server says; whether they are the right ones is for
    the caller to check. Where the server's file has changed since (its ETag or date says so), it begins anew.

    Raises
    ------
    ProvisionError : it can't be had, or the connection broke: then the next call goes on from there
    """
    part_file, mark_file = file.with_name(f"{file.name}.part"), file.with_name(f"{file.name}.mark")
    fetched_bytes = part_file.stat().st_size if part_file.exists() and mark_file.exists() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "dbdyno"})
    if fetched_bytes:
        request.add_header("Range", f"bytes={fetched_bytes}-")
        request.add_header("If-Range", mark_file.read_text())
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as reply:
            goes_on = reply.status == 206
            fetched_bytes = fetched_bytes if goes_on else 0
            total = fetched_bytes + int(reply.headers.get("Content-Length") or 0)
            _note_identity(reply.headers.get("ETag") or reply.headers.get("Last-Modified"), mark_file)
            progress(
                f"download {address}: {format_bytes(total)}"
                + (f", {format_bytes(fetched_bytes)} already fetched" if fetched_bytes else "")
            )
            _check_room(address, part_file, total - fetched_bytes)
            with part_file.open("ab" if goes_on else "wb") as target:
                for written_bytes in _copy_reply(reply, target, fetched_bytes, total, progress):
                    if written_bytes > total:  # more than the server announced, if anything: it may never end
                        _check_room(address, part_file, _TELL_EVERY_BYTES)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == _RANGE_NOT_SATISFIABLE:
            part_file.unlink()
            return download(address, file, progress)
        why = f"the server answers {error.code}"
        raise ProvisionError(f"{address} can't be fetched", why, "", code="not-fetched") from error
    except (OSError, http.client.HTTPException) as error:
        remedy = "check the network and run again: fetched parts are kept"
        raise ProvisionError(f"{address} can't be fetched", str(error), remedy, code="not-fetched") from error
    file_bytes = part_file.stat().st_size
    if total > fetched_bytes and file_bytes != total:
        raise ProvisionError(
            f"the download of {address} broke off",
            f"{file_bytes:,} of {total:,} bytes are fetched",
            "run again: the download resumes",
            code="download-incomplete",
        )
    part_file.rename(file)
    mark_file.unlink(missing_ok=True)


def forget(file: Path) -> None:
    """Remove a download and what is left of its attempts."""
    for path in (file, file.with_name(f"{file.name}.part"), file.with_name(f"{file.name}.mark")):
        path.unlink(missing_ok=True)


def _note_identity(identity: str | None, mark: Path) -> None:
    """Note an ETag or date. Without one nothing shows whether the rest fits the beginning, so no later call resumes."""
    if identity and not identity.startswith("W/"):
        mark.write_text(identity)
    else:
        mark.unlink(missing_ok=True)


def lacking_room(folder: Path, more_bytes: int) -> str:
    """Return how little is free if so many bytes would fill the disk, which others share; empty where they fit."""
    space = shutil.disk_usage(folder)
    fits = more_bytes <= space.free - space.total // _FREE_SHARE
    return "" if fits else f"{folder} has {format_bytes(space.free)} free"


def _check_room(address: str, part_file: Path, more_bytes: int) -> None:
    """Refuse a file that would fill the disk; what there is of it goes."""
    if words := lacking_room(part_file.parent, more_bytes):
        part_file.unlink(missing_ok=True)
        why = f"{format_bytes(more_bytes)} more are to come, and {words}"
        raise ProvisionError(f"{address} can't be fetched", why, "free space there", code="not-fetched")


def _copy_reply(
    reply: http.client.HTTPResponse, target: IO[bytes], start_bytes: int, total: int, progress: Progress
) -> Iterator[int]:
    """Write a reply into a file; now and then, how many bytes the file has."""
    fetched_bytes, reported_bytes = start_bytes, start_bytes
    with contextlib.suppress(http.client.IncompleteRead):  # noticed by the number of bytes, like a closed connection
        while block := reply.read(_BLOCK_BYTES):
            target.write(block)
            fetched_bytes += len(block)
            if fetched_bytes - reported_bytes >= _TELL_EVERY_BYTES:
                reported_bytes = fetched_bytes
                progress(f"download: {format_bytes(fetched_bytes)}" + (f" of {format_bytes(total)}" if total else ""))
                yield fetched_bytes


_CLIENT_TIMEOUT_S = 3600
_WORD = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_MAVEN_RE = re.compile(rf"{_WORD}(?::{_WORD}){{2,4}}")
_NPM_RE = re.compile(rf"(?:@{_WORD}/)?{_WORD}@{_WORD}")


def missing_path_remedy(path: Path) -> str:
    """Return what to correct in an engine whose path does not exist: often, the storage engine follows the path."""
    place, _, storage_engine = str(path).rpartition("+")
    if place and Path(place).exists():
        return f"write the storage engine before the source: FAMILY:VERSION+{storage_engine}@SOURCE:{place}"
    return "correct the path"


class ArchiveFetcher:
    """Fetches a file of this machine, or of an https address.

    An address needs a SHA-256: https proves which server answers, but not that this is the right file.
    """

    name = "archive"
    client = ""

    def __init__(self, *, without_digest: bool = False) -> None:
        self._without_digest = without_digest

    def location(self, place: str) -> str:
        """See `Fetcher`."""
        if re.match(r"[a-z]+://", place):
            if not place.startswith(("https://", "http://")):
                raise StudyError(f"{place} is not an address that dbdyno can fetch", "", "use https, or a file's path")
            return place
        return str(Path(place).expanduser().absolute())

    def is_fixed(self, location: str) -> bool:
        """See `Fetcher`: a path is looked at again, as the file may be another by now; an address is not."""
        return not Path(location).is_file()

    def check(self, location: str, sha256: str, host: Host) -> None:
        """See `Fetcher`."""
        if location.startswith("/"):
            if not Path(location).is_file():
                raise StudyError(f"the archive {location} is not a file", "", missing_path_remedy(Path(location)))
            return
        if location.startswith("http://") and not sha256:
            raise StudyError(
                f"{location} can't be trusted",
                "plain http does not prove where a file comes from",
                "use https or add its sha256",
                code="untrusted",
            )
        if not sha256 and not self._without_digest:
            raise StudyError(
                f"{location} has no sha256",
                "https proves which server answers, but not that this is the right file",
                "add #sha256=DIGEST from its vendor; or fetch it once by hand, which prints and records the "
                f"digest: dbdyno engines get --without-digest {shlex.quote(f'FAMILY:VERSION@archive:{location}')}",
                code="digest-missing",
            )

    def fetch(
        self, location: str, sha256: str, host: Host, home: Home, progress: Progress
    ) -> tuple[Path, Callable[[], None]]:
        """See `Fetcher`."""
        self.check(location, sha256, host)
        if location.startswith("/"):
            return Path(location), lambda: None
        name = location.rpartition("/")[2].partition("?")[0] or "archive"
        file = home.downloads / f"{hashlib.sha256(location.encode()).hexdigest()[:8]}-{name}"
        if not file.exists():
            download(location, file, progress)
        return file, lambda: forget(file)


class MavenFetcher:
    """Fetches a coordinate of a Maven repository through the host's own mvn: its mirrors, credentials and cache."""

    name = "maven"
    client = "mvn"

    def location(self, place: str) -> str:
        """See `Fetcher`."""
        if not _MAVEN_RE.fullmatch(place):
            raise StudyError(
                f"'{place}' is not a coordinate", "", "write GROUP:ARTIFACT:VERSION, with :zip:CLASSIFIER if needed"
            )
        return place

    def is_fixed(self, location: str) -> bool:
        """See `Fetcher`: a release never changes, a snapshot may."""
        return "-SNAPSHOT" not in location

    def check(self, location: str, sha256: str, host: Host) -> None:
        """See `Fetcher`."""
        _check_client("mvn", "Maven (mvn)", self.name, location, host)

    def fetch(
        self, location: str, sha256: str, host: Host, home: Home, progress: Progress
    ) -> tuple[Path, Callable[[], None]]:
        """See `Fetcher`. Maven checks what it downloads, and goes on where it broke off."""
        progress(f"mvn: {location}")
        self.check(location, sha256, host)
        folder = home.downloads / "maven"
        host.remove_tree(folder)
        argv = ["mvn", "-B", "-q", "-C", "dependency:copy", f"-Dartifact={location}", f"-DoutputDirectory={folder}"]
        _run_client(argv, "Maven (mvn)", location, host, home.downloads)
        return _only_file(folder, location), lambda: host.remove_tree(folder)


class NpmFetcher:
    """Fetches a package of an npm registry, through the host's own npm."""

    name = "npm"
    client = "npm"

    def location(self, place: str) -> str:
        """See `Fetcher`."""
        if not _NPM_RE.fullmatch(place):
            raise StudyError(f"'{place}' is not an npm package with its version", "", "write NAME@VERSION")
        return place

    def is_fixed(self, location: str) -> bool:
        """See `Fetcher`: a version that was published is never published again; a tag such as ``latest`` moves."""
        return location.rpartition("@")[2][:1].isdigit()

    def check(self, location: str, sha256: str, host: Host) -> None:
        """See `Fetcher`."""
        _check_client("npm", "npm", self.name, location, host)

    def fetch(
        self, location: str, sha256: str, host: Host, home: Home, progress: Progress
    ) -> tuple[Path, Callable[[], None]]:
        """See `Fetcher`. npm checks the registry's digest; no script of the package is run."""
        progress(f"npm: {location}")
        self.check(location, sha256, host)
        folder = home.downloads / "npm"
        host.remove_tree(folder)
        host.make_directory(folder)
        argv = ["npm", "pack", location, "--silent", "--ignore-scripts", "--pack-destination", str(folder)]
        _run_client(argv, "npm", location, host, folder)
        return _only_file(folder, location), lambda: host.remove_tree(folder)


def _check_client(client: str, title: str, kind: str, location: str, host: Host) -> None:
    try:
        host.run([client, "--version"], timeout_s=60, is_download=True)
    except HostError as error:
        raise ProvisionError(
            f"{kind}:{location} needs {title}, which this host lacks",
            str(error),
            f"install {client}, or fetch the file elsewhere and name it: @archive:PATH",
            code=error.code,
        ) from error


def _run_client(argv: list[str], title: str, location: str, host: Host, cwd: Path) -> None:
    try:
        host.run(argv, timeout_s=_CLIENT_TIMEOUT_S, cwd=cwd, is_download=True)
    except HostError as error:
        errors = [line for line in error.why.splitlines() if "ERR" in line.upper()]
        raise ProvisionError(
            f"{title} can't fetch {location}",
            "\n".join(errors[:4]) or error.why[-600:],
            "check the package's name and version",
        ) from error


def _only_file(folder: Path, location: str) -> Path:
    files = [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
    if len(files) != 1:
        raise ProvisionError(f"{location} is not exactly one file", f"{counted(len(files), 'file')} in {folder}", "")
    return files[0]
