"""Declares what configuring needs of an engine; `provision` brings one that fits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from dbdyno.study import ServerAddress


class Engine(Protocol):
    """Represents an engine at hand: one that can be started, or the address of one that runs."""

    @property
    def family(self) -> str:
        """Such as ``mariadb``."""

    @property
    def version(self) -> str:
        """Three numbers."""

    @property
    def title(self) -> str:
        """For people: ``mariadb 11.8.6``."""

    @property
    def server_argv(self) -> tuple[str, ...]:
        """Return how the server's program is called, to be followed by options."""

    @property
    def base_directory(self) -> Path:
        """For ``basedir``."""

    @property
    def share_directory(self) -> Path:
        """Error messages by language, and the SQL that makes the system tables."""

    @property
    def charsets_directory(self) -> Path:
        """Character sets."""

    @property
    def plugin_directory(self) -> Path:
        """Plug-ins."""

    @property
    def plugin_files(self) -> Mapping[str, str]:
        """Storage engine -> file in `plugin_directory` that holds it."""

    @property
    def own_tree(self) -> Path | None:
        """The folder that holds the engine and nothing else; None for one among the files of the host."""

    @property
    def plugin_maturity(self) -> str:
        """The least ripe plug-in that the server is to load; empty: as it decides itself."""

    @property
    def image(self) -> str:
        """Id of the container image it is in; empty for one whose files lie on the host."""

    @property
    def mounted_files(self) -> Mapping[str, str]:
        """Files of the host that its container gets -> path inside."""

    @property
    def address(self) -> ServerAddress | None:
        """Return the address of a server that runs already and is not ours to stop."""
