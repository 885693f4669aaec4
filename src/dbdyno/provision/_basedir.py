"""A server that is built already, started where it lies: nothing is copied or changed there."""

from __future__ import annotations

import hashlib
from pathlib import Path

from dbdyno.core import EngineName, StudyError
from dbdyno.hosts import Home, Host
from dbdyno.provision._base import find_base
from dbdyno.provision._built import describe
from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress


class BasedirSource:
    """Base directories by their paths. A build that was never installed will do, too."""

    name = "basedir"

    def offers(self, host: Host, home: Home) -> list[Offer]:
        """See `Source`: none, as nobody knows where users build."""
        return []

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """See `Source`. The server's program is recorded by its SHA-256: two builds may say the same version."""
        if not name.source_place:
            raise StudyError(f"{name} names no folder", "", f"write {name.family}:VERSION@basedir:/PATH")
        folder = Path(name.source_place).expanduser().absolute()
        if not folder.is_dir():
            raise StudyError(f"the base directory {folder} is not a folder", f"asked for by {name}", "correct the path")
        host.ensure_reachable(folder / "any")
        base = find_base(folder)
        programs = (base.server,) if base is not None else ()
        packages = tuple(Package(p.name, "", _sha256(p)) for p in programs)
        return describe(name, folder, Origin(self.name, str(folder), packages), host, home)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
