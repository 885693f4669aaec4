"""Package lists beyond the date that they are signed with, read by apt itself from a mirror on this machine.

The mirror is a folder served by HTTP, with one package, whose release file a key of this test has signed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dbdyno.core import ProvisionError
from dbdyno.hosts import LocalHost
from dbdyno.provision._apt_sources import AptEntry, Distribution
from dbdyno.provision._apt_state import AptState
from error_codes import raises_code

HAS_PROGRAMS = all(shutil.which(name) for name in ("apt-get", "dpkg", "gpg"))
pytestmark = [pytest.mark.server, pytest.mark.skipif(not HAS_PROGRAMS, reason="needs apt, dpkg and gpg")]
UNCHECKED = 'Acquire::Check-Valid-Until "false";'


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class Mirror:
    """One suite of one package."""

    def __init__(self, folder: Path, key_folder: Path) -> None:
        self.folder, self._key_folder = folder, key_folder
        self.keyring = folder / "key.gpg"
        self._gpg("--quick-gen-key", "mirror@example.org", "ed25519", "sign", "never")
        self._gpg("--output", str(self.keyring), "--export")
        handler = functools.partial(QuietHandler, directory=str(folder))
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def publish(self, suite: str, valid_until: datetime) -> None:
        """Sign a release that was made a week before the end of its validity."""
        dpkg = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
        architecture = dpkg.stdout.strip()
        index = (
            f"Package: mariadb-server\nVersion: 1:11.8.9-1\nArchitecture: {architecture}\n"
            f"Filename: pool/none.deb\nSize: 1\nSHA256: {'0' * 64}\nDescription: a server\n\n"
        ).encode()
        name = f"main/binary-{architecture}/Packages"
        path = self.folder / "dists" / suite / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(index)
        release = path.parents[2] / "Release"
        release.write_text(
            f"Origin: Debian\nSuite: {suite}\nCodename: {suite}\n"
            f"Date: {format_datetime(valid_until - timedelta(days=7), usegmt=True)}\n"
            f"Valid-Until: {format_datetime(valid_until, usegmt=True)}\n"
            f"Architectures: {architecture}\nComponents: main\n"
            f"SHA256:\n {hashlib.sha256(index).hexdigest()} {len(index)} {name}\n"
        )
        self._gpg("--yes", "--output", str(release.with_name("InRelease")), "--clearsign", str(release))

    def lists(self, suite: str, folder: Path, *settings: str) -> AptState:
        """The suite as a host has it whose only source is this mirror."""
        address = f"http://127.0.0.1:{self.server.server_address[1]}"
        archive = AptEntry(address, (suite,), ("main",), str(self.keyring))
        return AptState(suite, Distribution("debian", suite, archive, None, settings), folder, LocalHost())

    def _gpg(self, *words: str) -> None:
        argv = ["gpg", "--homedir", str(self._key_folder), "--batch", "--passphrase", "", "--pinentry-mode", "loopback"]
        subprocess.run([*argv, *words], check=True, capture_output=True)


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    folder, key_folder = tmp_path / "mirror", tmp_path / "keys"
    folder.mkdir()
    key_folder.mkdir(mode=0o700)
    made = Mirror(folder, key_folder)
    yield made
    made.server.shutdown()
    made.server.server_close()
    with contextlib.suppress(OSError, subprocess.SubprocessError):  # its agent would stay
        subprocess.run(
            ["gpgconf", "--kill", "all"], env={**os.environ, "GNUPGHOME": str(key_folder)}, check=False, timeout=10
        )


def days_from_now(days: float) -> datetime:
    return (datetime.now(UTC) + timedelta(days=days)).replace(microsecond=0)


def test_sids_lists_of_a_mirror_that_lags_behind_are_read_and_told_of_with_the_day(
    mirror: Mirror, tmp_path: Path
) -> None:
    told: list[str] = []
    valid_until = days_from_now(-17)
    mirror.publish("sid", valid_until)
    lists = mirror.lists("sid", tmp_path / "apt")
    lists.update(told.append)
    assert f" {valid_until:%Y-%m-%d}" in told[-1]
    assert lists.expired() == valid_until
    assert lists.versions("mariadb") == [("mariadb-server", "1:11.8.9-1")]


def test_sids_lists_that_are_valid_are_read_without_a_word(mirror: Mirror, tmp_path: Path) -> None:
    told: list[str] = []
    mirror.publish("sid", days_from_now(3))
    lists = mirror.lists("sid", tmp_path / "apt")
    lists.update(told.append)
    assert told == ["package lists of sid"] and lists.expired() is None
    assert lists.versions("mariadb") == [("mariadb-server", "1:11.8.9-1")]


def test_sids_lists_that_ceased_long_ago_are_refused_unless_the_host_allows_them(
    mirror: Mirror, tmp_path: Path
) -> None:
    """Whoever answers in a mirror's place can serve old lists for ever: their signature is good."""
    mirror.publish("sid", days_from_now(-90))
    lists = mirror.lists("sid", tmp_path / "apt")
    with raises_code(ProvisionError, "lists-expired", "sid") as caught:
        lists.update(lambda _: None)
    assert "Acquire::Check-Valid-Until" in caught.value.remedy
    assert not lists.has_lists()
    told: list[str] = []
    allowed = mirror.lists("sid", tmp_path / "apt", UNCHECKED)
    allowed.update(told.append)
    assert allowed.has_lists() and "out of date since" in told[-1]


def test_lists_of_another_suite_are_refused_by_apt_once_they_cease_to_be_valid(mirror: Mirror, tmp_path: Path) -> None:
    """Only sid's validity is judged by dbdyno instead."""
    mirror.publish("trixie", days_from_now(-1))
    lists = mirror.lists("trixie", tmp_path / "apt")
    with raises_code(ProvisionError, "not-fetched", "trixie") as caught:
        lists.update(lambda _: None)
    assert "expired" in caught.value.why
    assert not lists.has_lists()
