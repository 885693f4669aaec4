"""Passwords of private servers: random, in files only their owner reads, never shown."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.core import ConfigureError, decode, json_value, read_input_text
from dbdyno.hosts import Host

LOAD_USER = "dbdyno"
ADMIN_USER = "root"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Passwords of one data directory; hidden in its repr.

    Parameters
    ----------
    admin_password : of ``root``, over the socket
    load_password : of ``dbdyno``, who may do everything in schemas named ``dbdyno_…`` and nothing else
    """

    admin_password: str = field(repr=False)
    load_password: str = field(repr=False)

    @classmethod
    def random(cls) -> Credentials:
        """New ones, 144 bits each, of characters that need no quoting in SQL or a file."""
        return cls(secrets.token_urlsafe(18), secrets.token_urlsafe(18))

    def save(self, path: Path, host: Host) -> None:
        """Write to a file that only this user reads."""
        host.write_private(path, json.dumps({"admin": self.admin_password, "load": self.load_password}) + "\n")

    @classmethod
    def load(cls, path: Path) -> Credentials:
        """Read what `save` wrote.

        Raises
        ------
        ConfigureError : missing or damaged
        """
        try:
            content = decode(dict[str, str], json_value(read_input_text(path)))
            return cls(content["admin"], content["load"])
        except (OSError, ValueError, KeyError) as error:
            raise ConfigureError(
                f"the passwords of the data directory beside {path} can't be read",
                type(error).__name__,
                "remove the data directory: it is filled anew",
            ) from error


def credentials_file(data_directory: Path) -> Path:
    """Where the passwords of a data directory lie: beside it, so that they follow it into snapshots.

    >>> credentials_file(Path("/var/cache/dbdyno/snapshots/ab12/data"))
    PosixPath('/var/cache/dbdyno/snapshots/ab12/data.credentials')
    """
    return data_directory.with_name(f"{data_directory.name}.credentials")
