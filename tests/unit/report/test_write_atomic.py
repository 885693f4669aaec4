"""Where a report can't be written: what is said, and what stands there afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.core import StoreError
from dbdyno.report._write_atomic import write_atomic


def test_a_folder_is_answered_by_a_file_in_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as refused:
        write_atomic(tmp_path, b"page")
    assert refused.value.code == "not-writable"
    assert str(tmp_path / "report.html") in refused.value.remedy
    assert not list(tmp_path.iterdir())


def test_what_stood_there_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    page = tmp_path / "deep" / "page.html"
    for content in (b"first page", b"2"):
        assert write_atomic(page, content) == page
        assert [path.read_bytes() for path in page.parent.iterdir()] == [content]
