"""The kept chart library: made once, taken only where it is whole and this user's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dbdyno.report import _vega


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the converter, which takes seconds."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        again()
    (file,) = (folder / "dbdyno").iterdir()
    return file


@pytest.fixture
def kept(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return Path(shutil.copytree(made.parent, tmp_path / "dbdyno")) / made.name


def again() -> str:
    _vega.vega_script.cache_clear()
    return _vega.vega_script()


def test_the_library_is_made_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = again()
    monkeypatch.setattr(_vega.ChartConverter, "bundle", lambda _self: pytest.fail("made again"))
    assert again() == first
    assert len(first) > 500_000


@pytest.mark.parametrize("damage", ["cut", "changed", "binary", "directory"])
def test_a_damaged_library_is_made_again(kept: Path, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, remade = again(), list[str]()
    monkeypatch.setattr(_vega.ChartConverter, "bundle", lambda _self: remade.append(damage) or whole)
    content = kept.read_bytes()
    kept.unlink()
    if damage == "directory":
        kept.mkdir()
    else:
        kept.write_bytes(
            {"cut": content[:5000], "changed": content[:-9] + b"evil/*;*/", "binary": b"\xff" * 99}[damage]
        )
    assert again() == whole
    assert remade == [damage]


def test_a_page_is_made_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dbdyno").write_text("a file in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert len(again()) > 500_000
