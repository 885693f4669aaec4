"""Says where engines, snapshots and running data directories lie."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dbdyno.core._errors import RequestError

# Ends or begins something: in option files (# ; \ "), apt's configuration (; " \), lists of folders (: ;), and $ORIGIN.
_ODD_SIGNS = frozenset('\\";:#$')


@dataclass(frozen=True, slots=True)
class Home:
    """Describes the folder that dbdyno keeps between runs. Everything in it can be made again, so all may be deleted.

    Examples
    --------
    >>> Home(Path("/var/cache/dbdyno")).engines
    PosixPath('/var/cache/dbdyno/engines')
    """

    root: Path

    @classmethod
    def of_user(cls, environ: Mapping[str, str] = os.environ, uid: int | None = None) -> Home:
        """Return ``$DBDYNO_HOME``, else ``/var/cache/dbdyno`` for root and ``~/.cache/dbdyno`` for others.

        Servers that root starts run as an unprivileged user, who can't look into ``/root``.

        >>> Home.of_user({"HOME": "/home/ada"}, uid=1000).root
        PosixPath('/home/ada/.cache/dbdyno')
        """
        if environ.get("DBDYNO_HOME"):
            return cls(Path(environ["DBDYNO_HOME"]).absolute())
        if (os.getuid() if uid is None else uid) == 0:
            return cls(Path("/var/cache/dbdyno"))
        cache = environ.get("XDG_CACHE_HOME") or str(Path(environ.get("HOME", "~")).expanduser() / ".cache")
        return cls(Path(cache) / "dbdyno")

    def check(self) -> None:
        r"""Refuse a path that option files, apt's configuration or the dynamic linker would read as something else.

        Spaces, apostrophes and letters of any script are fine.

        Raises
        ------
        RequestError : it holds a sign that one of them gives a meaning

        >>> Home(Path("/srv/my engines")).check()
        >>> Home(Path("/srv/a;b")).check()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        dbdyno.core._errors.RequestError: DBDYNO_HOME can't be '/srv/a;b': ...
        """
        path = str(self.root)
        odd_signs = sorted({sign for sign in path if sign in _ODD_SIGNS or not (sign.isprintable() or sign == " ")})
        if odd_signs:
            raise RequestError(
                f"DBDYNO_HOME can't be {path!r}",
                f"servers, apt and the dynamic linker treat {' '.join(map(repr, odd_signs))} in a path specially",
                "choose a folder without it in its path",
            )

    def make(self) -> None:
        """Make the folder where there is none.

        Raises
        ------
        RequestError : it can't be made, or nothing can be made in it
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            if not os.access(self.root, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            raise RequestError(
                f"DBDYNO_HOME {self.root} can't be written",
                error.strerror or str(error),
                "point DBDYNO_HOME at a folder that you can write",
                code="not-writable",
            ) from error

    @property
    def engines(self) -> Path:
        """Return the folder with one folder per installation."""
        return self.root / "engines"

    @property
    def packages(self) -> Path:
        """Return the folder of private package-manager state and interrupted downloads."""
        return self.root / "packages"

    @property
    def downloads(self) -> Path:
        """Return the folder of archives that are being downloaded, whole or interrupted."""
        return self.root / "downloads"

    @property
    def libraries(self) -> Path:
        """Return the folder of links to host libraries under the names that servers of foreign make ask for."""
        return self.root / "libraries"

    @property
    def tables(self) -> Path:
        """Return the folder of rows that the user adds to the tables of engines: files named ``*.toml``."""
        return self.root / "engines.d"

    @property
    def plugins(self) -> Path:
        """Return the folder of plug-ins given as files, each with links to those of the server it is loaded into."""
        return self.root / "plugins"

    @property
    def locks(self) -> Path:
        """Return the folder with one file per engine, held by those who use it and by those who remove it."""
        return self.root / "locks"

    @property
    def snapshots(self) -> Path:
        """Return the folder of filled, stopped data directories."""
        return self.root / "snapshots"

    @property
    def run(self) -> Path:
        """Return the folder of data directories of running servers."""
        return self.root / "run"
