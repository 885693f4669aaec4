"""Builds reports when they are asked for, and keeps each until its study has something new."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

from dbdyno.serve._studies import StudyFolder


class ReportCache:
    """Keeps reports in this process's own folder: no report is written into a results folder.

    One is made at a time: making one takes processor time, which a study on the same machine may miss.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def page(self, study: StudyFolder) -> bytes:
        """Return the current page of a study.

        Raises
        ------
        DbdynoError : the folder can't be read
        """
        with self._lock:
            stamp = hashlib.sha256(repr(study.report_stamp()).encode()).hexdigest()[:16]
            place = self._folder / f"{study.key}-{stamp}.html"
            if not place.exists():
                for older in self._folder.glob(f"{study.key}-*.html"):
                    older.unlink()
                from dbdyno.report import build_page  # late: the list of studies needs no chart library

                build_page(study.checked(), place)
            return place.read_bytes()
