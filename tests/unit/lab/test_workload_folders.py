"""Workloads in a folder on their way to other hosts: which files go, where to, and what is refused."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dbdyno.core import HostError, StudyError
from dbdyno.hosts.remote import RemoteHost
from dbdyno.lab import _workload_folders
from dbdyno.lab._workload_folders import MOST_BYTES, folders_here, pushed_folders, read_workload_folders
from dbdyno.plan import ResolvedWorkloads
from dbdyno.study import ResolvedWorkload, Study, parse_study
from error_codes import raises_code

HEAD = 'targets = ["mysql:9.7"]\naxes = {tier = "64MB", concurrency = 4}\n'
FILES = {"workload.toml": "a", "queries/buy.sql": "b", "setup.sql": "c"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with a file more than its workload reads."""
    folder = tmp_path / "shop"
    (folder / "queries").mkdir(parents=True)
    for name, text in {**FILES, "dump.sql": "d"}.items():
        (folder / name).write_text(text)
    return folder


def study_of(folder: Path) -> Study:
    """Two labels of the folder's workload, and one without files."""
    labels = "".join(f'[[workload]]\nlabel = "{label}"\nname = "sql:{folder}"\n' for label in ("one", "two"))
    return parse_study(HEAD + labels + '[[workload]]\nname = "oltp_read_only"\n', "x.toml")


def resolved(folder: Path, *names: str) -> ResolvedWorkloads:
    """What the load generator says of the folder."""
    options = {"description": "", **{f"crc32 of {name}": "0" for name in names}}
    return {("mysql:9.7", "one"): ResolvedWorkload(f"sql:{folder}", "files of SQL", options, (), ("buy",), 0, 0)}


def test_the_files_that_are_read_go_and_no_others(shop: Path) -> None:
    (folder,) = read_workload_folders(study_of(shop), resolved(shop, *FILES))
    assert folder.files == {name: text.encode() for name, text in FILES.items()}
    assert folders_here((folder,)) == {f"sql:{shop}": str(shop)}
    digest = folder.digest
    (shop / "dump.sql").write_text("e")
    assert read_workload_folders(study_of(shop), resolved(shop, *FILES))[0].digest == digest
    (shop / "queries/buy.sql").write_text("e")
    assert read_workload_folders(study_of(shop), resolved(shop, *FILES))[0].digest != digest


def test_data_files_of_workloads_and_targets_go_each_once(tmp_path: Path) -> None:
    first, second = tmp_path / "D.dat", tmp_path / "E.dat"
    first.write_text("d")
    second.write_text("e")
    text = f"""
axes = {{tier = "64MB", concurrency = 4}}
workload = {{name = "linkbench", data_file = "{first}"}}
[[target]]
name = "one"
engine = "mysql:9.7"
[[target]]
name = "two"
engine = "mysql:9.7"
workload = {{data_file = "{second}"}}
"""
    files = read_workload_folders(parse_study(text, "x.toml"), {})
    assert folders_here(files) == {str(first): str(first), str(second): str(second)}
    assert [file.files for file in files] == [{"D.dat": b"d"}, {"E.dat": b"e"}]
    assert [file.path_below(Path("/there")) for file in files] == ["/there/D.dat", "/there/E.dat"]
    os.truncate(second, MOST_BYTES + 1)
    with pytest.raises(StudyError) as too_large:
        read_workload_folders(parse_study(text, "x.toml"), {})
    assert "data_file" in too_large.value.remedy
    second.unlink()
    with raises_code(StudyError, "unreadable", "E.dat"):
        read_workload_folders(parse_study(text, "x.toml"), {})


@pytest.mark.parametrize("name", ["../other.sql", "/etc/hostname", "queries/../../other.sql"])
def test_a_file_outside_of_the_folder_is_refused_by_name(name: str, shop: Path) -> None:
    (shop.parent / "other.sql").write_text("x")
    with raises_code(StudyError, "outside-folder", name):
        read_workload_folders(study_of(shop), resolved(shop, "workload.toml", name))


def test_files_that_are_too_large_together_are_refused(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_BYTES == 16 << 20
    monkeypatch.setattr(_workload_folders, "MOST_BYTES", 2)
    with pytest.raises(StudyError, match=" 2 B "):
        read_workload_folders(study_of(shop), resolved(shop, *FILES))


def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(shop: Path) -> None:
    os.mkfifo(shop / "finish.sql")
    with raises_code(StudyError, "unreadable", "finish.sql", "named pipe"):
        read_workload_folders(study_of(shop), resolved(shop, *FILES, "finish.sql"))


@dataclass
class PaperHost:
    """Notes what is written, made and removed.

    `damage`: added to each file on the way.
    """

    damage: bytes = b""
    notes: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def files(self) -> PaperHost:
        return self

    @property
    def link(self) -> SimpleNamespace:
        return SimpleNamespace(destination="db1")

    def make_private_directory(self) -> Path:
        return Path("/tmp/dbdyno-1-ab")

    def write_private(self, path: Path, _text: str) -> None:
        self.notes.append(("owner", path))

    def boot_id(self) -> str:
        return "boot"

    def make_directory(self, path: Path, *, mode: int) -> None:
        self.notes.append(("make", path, mode))

    def write(self, path: Path, content: bytes, *, mode: int) -> None:
        self.notes.append(("write", path, content, mode))

    def digest(self, path: Path) -> str:
        (content,) = [note[2] for note in self.notes if note[:2] == ("write", path)]
        return hashlib.sha256(content + self.damage).hexdigest()

    def remove_tree(self, path: Path) -> None:
        self.notes.append(("remove", path))


def test_files_lie_in_a_folder_of_their_content_that_only_their_owner_enters(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dbdyno.lab._passwords.own_name", lambda _: "lab")
    host = PaperHost()
    folders = read_workload_folders(study_of(shop), resolved(shop, *FILES))
    parent = Path("/tmp/dbdyno-1-ab")
    place = parent / f"workload-{folders[0].digest}"
    with pushed_folders(folders, cast("RemoteHost", host)) as places:
        assert places == {f"sql:{shop}": str(place)}
    notes = host.notes[1:]
    assert [note for note in notes if note[0] == "write"] == [
        ("write", place / name, content, 0o600) for name, content in folders[0].files.items()
    ]
    made = [note for note in notes if note[0] == "make"]
    assert made[0] == ("make", place, 0o700) and ("make", place / "queries", 0o700) in made
    assert notes[-1] == ("remove", parent)


def test_a_file_that_arrives_damaged_is_refused_and_removed(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dbdyno.lab._passwords.own_name", lambda _: "lab")
    host = PaperHost(b"x")
    folders = read_workload_folders(study_of(shop), resolved(shop, *FILES))
    with (
        raises_code(HostError, "not-copied", "db1", "workload.toml"),
        pushed_folders(folders, cast("RemoteHost", host)),
    ):
        pass
    assert host.notes[-1] == ("remove", Path("/tmp/dbdyno-1-ab"))


def test_a_study_without_folders_makes_none() -> None:
    host = PaperHost()
    study = parse_study(HEAD + '[workload]\nname = "oltp_read_only"\n', "x.toml")
    assert read_workload_folders(study, {}) == ()
    with pushed_folders((), cast("RemoteHost", host)) as places:
        assert places == {}
    assert host.notes == []
