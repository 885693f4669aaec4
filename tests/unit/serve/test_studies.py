"""What looking on costs: a study that runs is asked each second, and its manifest may be megabytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import history_studies
from dbdyno.core import StoreError
from dbdyno.serve import StudyFolder


def test_a_manifest_is_read_again_only_when_it_was_written_again(tmp_path: Path) -> None:
    results = history_studies.write_night(tmp_path / "night", 0, lambda run: 100.0)
    folder = StudyFolder(results.path, "night")
    first, state = folder.results(), folder.state()
    manifest = results.path / "manifest.json"
    facts = manifest.stat()
    manifest.write_bytes(b" " * facts.st_size)
    os.utime(manifest, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert folder.results() is first
    assert folder.state() == state == "finished"
    os.utime(manifest, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))
    with pytest.raises(StoreError):
        folder.results()
