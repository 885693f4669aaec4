"""A home whose engines are the user's, and whose snapshots and running servers are the tests' own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core import Home
from dbdyno.hosts import LocalHost


@dataclass(frozen=True)
class ApartHome(Home):
    """Engines of the user's own cache; snapshots and running servers of these tests in a place of their own."""

    apart: Path = Path()

    @property
    def snapshots(self) -> Path:
        return self.apart / "snapshots"

    @property
    def run(self) -> Path:
        return self.apart / "run"


def new_home() -> Iterator[Home]:
    """One that is removed when the fixture which yields from this ends."""
    folder = Path(tempfile.mkdtemp(prefix="dbdyno-home-", dir="/tmp"))
    folder.chmod(0o755)  # the server user passes through it
    yield ApartHome(Home.of_user().root, folder)
    LocalHost().remove_tree(folder)
