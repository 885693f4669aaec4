"""Package lists: those beyond the date they are signed with, and those without the settings they were read by."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from dbdyno.core import ProvisionError
from dbdyno.hosts import Completed, LocalHost
from dbdyno.provision._apt_sources import AptEntry, Distribution
from dbdyno.provision._apt_state import AptState
from error_codes import raises_code


class MirrorHost(LocalHost):
    """A host whose apt fetches a release file of some age."""

    def __init__(self, folder: Path, valid_until: datetime | None) -> None:
        super().__init__()
        self._folder, self._valid_until = folder, valid_until

    def run(self, argv: object, **_options: object) -> Completed:  # type: ignore[override]
        lists = self._folder / "sid" / "lists"
        line = f"Valid-Until: {format_datetime(self._valid_until)}\n" if self._valid_until else ""
        (lists / "mirror_debian_dists_sid_InRelease").write_text(f"Suite: unstable\n{line}SHA256:\n")
        return Completed((), 0, "", "")


def state(folder: Path, valid_until: datetime | None, *settings: str) -> AptState:
    archive = AptEntry("http://mirror.example/debian", ("sid",), ("main",), "")
    distribution = Distribution("debian", "sid", archive, None, settings)
    return AptState("sid", distribution, folder, MirrorHost(folder, valid_until))


def now(days: float) -> datetime:
    return datetime.now(UTC) + timedelta(days=days)


@pytest.mark.parametrize("until", [None, now(3)])
def test_lists_that_are_valid_are_not_spoken_of(tmp_path: Path, until: datetime | None) -> None:
    told: list[str] = []
    lists = state(tmp_path, until)
    lists.update(told.append)
    assert not [text for text in told if re.search(r"\d{4}-\d\d-\d\d", text)]
    assert lists.expired() is None


def test_lists_that_ceased_to_be_valid_are_told_of_with_the_day(tmp_path: Path) -> None:
    told: list[str] = []
    until = now(-17)
    lists = state(tmp_path, until)
    lists.update(told.append)
    assert f" {until:%Y-%m-%d}" in told[-1]
    assert lists.expired() == until.replace(microsecond=0)
    assert lists.has_lists()


def test_lists_that_ceased_long_ago_are_refused_unless_the_host_allows_them(tmp_path: Path) -> None:
    old = state(tmp_path, now(-90))
    with raises_code(ProvisionError, "lists-expired") as caught:
        old.update(lambda _: None)
    assert "Acquire::Check-Valid-Until" in caught.value.remedy
    assert not old.has_lists()
    state(tmp_path, now(-90), 'Acquire::Check-Valid-Until "false";').update(lambda _: None)


def test_lists_without_the_settings_they_were_read_by_are_asked_for_again(tmp_path: Path) -> None:
    lists = state(tmp_path, None)
    lists.update(lambda _: None)
    assert lists.has_lists() and lists.is_fresh()
    (tmp_path / "sid/etc/own.sources").unlink()
    assert not lists.has_lists() and not lists.is_fresh(), "apt would offer nothing, and say nothing"
    lists.update(lambda _: None)
    assert lists.is_fresh()
    assert not state(tmp_path, None, 'Acquire::http::Proxy "http://proxy.example";').has_lists()
