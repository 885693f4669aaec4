"""What every kind of host promises of its files and sockets; errors bear the numbers of the system calls."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from pathlib import Path

import pytest

from dbdyno.hosts import Host

OWN = frozenset({os.geteuid()})


def test_a_part_of_a_file_is_read_from_either_end(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"0123456789")
    assert host.files.read_bytes(path) == b"0123456789"
    assert host.files.read_bytes(path, limit_bytes=4) == b"0123"
    assert host.files.read_bytes(path, offset=8) == b"89"
    assert host.files.read_bytes(path, offset=-3, limit_bytes=2) == b"78"
    assert host.files.read_bytes(path, offset=-30) == b"0123456789"
    assert int(host.files.read_bytes(Path("/proc/self/stat")).split()[0]) > 0  # files of /proc have no size


def test_errors_are_those_of_the_system_call(host: Host, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        host.files.read_bytes(tmp_path / "missing")
    assert (missing.value.errno, missing.value.filename) == (errno.ENOENT, str(tmp_path / "missing"))
    with pytest.raises(IsADirectoryError):
        host.files.read_bytes(tmp_path)
    with pytest.raises(NotADirectoryError):
        host.files.entries(Path("/proc/self/stat"))
    assert host.files.read_many([tmp_path, Path("/proc/version")])[0] is None


def test_only_plain_files_of_the_owners_are_read(host: Host, tmp_path: Path) -> None:
    (tmp_path / "own").write_text("1")
    (tmp_path / "link").symlink_to("own")
    os.mkfifo(tmp_path / "pipe")
    assert host.files.read_bytes(tmp_path / "own", owners=OWN) == b"1"
    for path, owners in ((tmp_path / "link", OWN), (tmp_path / "pipe", OWN), (tmp_path / "own", frozenset({4711}))):
        with pytest.raises(OSError, match=path.name):
            host.files.read_bytes(path, owners=owners)


def test_a_file_of_a_given_mode_takes_the_place_of_another(host: Host, tmp_path: Path) -> None:
    path, target = tmp_path / "password", tmp_path / "target"
    target.write_text("kept")
    path.symlink_to(target)
    host.files.write(path, b"new", mode=0o600)
    facts = host.files.stat(path, follow=False)
    assert facts is not None
    assert (facts.kind, facts.mode, facts.size_bytes, facts.user_id) == ("file", 0o600, 3, os.geteuid())
    assert target.read_text() == "kept"
    host.files.write(path, b"in place")
    after = host.files.stat(path)
    assert after is not None
    assert (after.inode, after.mode) == (facts.inode, 0o600)
    with pytest.raises(FileNotFoundError):
        host.files.write(tmp_path / "missing" / "file", b"", mode=0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["password", "target"]


def test_entries_are_told_by_path_with_their_facts_and_links_not_followed(host: Host, tmp_path: Path) -> None:
    (tmp_path / "folder" / "below").mkdir(parents=True)
    (tmp_path / "folder" / "below" / "file").write_bytes(b"x" * 5000)
    (tmp_path / "link").symlink_to("folder")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "a.sock"))
    kinds = [(entry.path.name, entry.kind) for entry in host.files.entries(tmp_path)]
    assert kinds == [("a.sock", "socket"), ("folder", "directory"), ("link", "link")]
    every = {entry.path: entry for entry in host.files.entries(tmp_path, recursive=True)}
    assert every[tmp_path / "folder/below/file"].size_bytes == 5000
    assert every[tmp_path / "folder/below/file"].disk_bytes >= 4096
    assert len(every) == 5
    assert host.files.stat(tmp_path / "link/below/file") is not None
    assert host.files.stat(tmp_path / "link/missing") is None
    assert host.files.resolve(tmp_path / "link/missing") == tmp_path.resolve() / "folder/missing"


def test_folders_are_made_exactly_and_removed_when_empty(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    host.files.make_directory(path, mode=0o711)
    host.files.make_directory(path)
    facts = host.files.stat(path)
    assert facts is not None
    assert (facts.kind, facts.mode) == ("directory", 0o711)
    with pytest.raises(FileExistsError):
        host.files.make_directory(path, is_new=True)
    with pytest.raises(OSError) as refused:
        host.files.remove(path.parent)
    assert refused.value.errno == errno.ENOTEMPTY
    host.files.rename(path, tmp_path / "c")
    for gone in (tmp_path / "c", tmp_path / "c", path.parent):
        host.files.remove(gone)
    assert list(tmp_path.iterdir()) == []


def test_digest_space_and_rights_are_told(host: Host, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    assert host.files.digest(tmp_path / "file") == hashlib.sha256(b"content").hexdigest()
    space = host.files.space(tmp_path / "not" / "there")
    assert space.size_bytes >= space.free_bytes > 0
    assert host.files.can_write(tmp_path)
    assert not host.files.can_write(tmp_path / "missing")


def test_who_listens_on_a_socket_is_told_by_its_pid(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "s.sock"
    assert host.listener(path) is None
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        assert host.listener(path) is None
        server.listen()
        assert host.listener(path) == os.getpid()
    assert host.listener(path) is None


def test_a_watch_reads_files_as_they_are_at_each_instant(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "counter"
    watch = host.watch(10**9)
    try:
        for count in (b"1", b"2"):
            path.write_bytes(count)
            watch.at(host.clock().monotonic_ns)
            assert watch.read(path) == count
        with pytest.raises(FileNotFoundError):
            watch.read(tmp_path / "missing")
    finally:
        watch.close()
