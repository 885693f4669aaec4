"""Defines what provisioning returns: an engine that can be started, or a running one that can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from dbdyno.core import EngineName, Home
from dbdyno.hosts import Host
from dbdyno.provision._plugin_elf import declared_versions
from dbdyno.study import ServerAddress

_SHARED_FOLDERS = frozenset({"/", "/usr", "/usr/local", "."})
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Package:
    """Describes one file an installation is made of."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Describes where an engine comes from, well enough to get it again.

    Parameters
    ----------
    source : ``package``, ``image``, ``archive``, ``maven``, ``npm``, ``basedir``, ``server``
    location : suite of the distribution, reference of the image, path or address of the archive, coordinate, folder,
        name of the server
    packages : the files it is made of; of a base directory its server program
    lists_expired : day on which the lists that the packages were chosen by ceased to be valid; empty while they were
    """

    source: str
    location: str
    packages: tuple[Package, ...] = ()
    lists_expired: str = ""


@dataclass(frozen=True, slots=True)
class Installation:
    """Describes an engine at hand.

    Parameters
    ----------
    version : three numbers, as the server itself or its package says
    raw_version : the same in the words of the source
    storage_engines : that tables can be made of, lower case; plug-ins included
    server_argv : how the server's program is called, to be followed by options; empty for a running server
    plugin_files : storage engine -> file name in `plugin_directory` that holds it
    image : id of the container image it is in; empty for one whose files lie on the host
    mounted_files : of the host that its container gets -> path inside
    plugin_versions : storage engine -> version of its plug-in, where that is known before it is loaded
    plugin_maturity : the least ripe plug-in that the server is to load; empty: as it decides itself
    nearest_note : what was taken instead of what was asked, as a sentence; empty when it is what was asked
    address : of a server that runs already and is not ours to stop
    """

    family: str
    version: str
    raw_version: str
    storage_engines: tuple[str, ...]
    origin: Origin
    server_argv: tuple[str, ...] = ()
    base_directory: Path = Path()
    share_directory: Path = Path()
    plugin_directory: Path = Path()
    plugin_files: dict[str, str] = field(default_factory=dict)
    nearest_note: str = ""
    plugin_maturity: str = ""
    plugin_versions: dict[str, str] = field(default_factory=dict)
    image: str = ""
    mounted_files: dict[str, str] = field(default_factory=dict)
    address: ServerAddress | None = None

    def plugin_version(self, storage_engine: str) -> str:
        """Return the version of a storage engine's plug-in; empty if its file does not say, or is not seen."""
        if storage_engine not in self.plugin_versions and storage_engine in self.plugin_files and not self.image:
            file = self.plugin_directory / self.plugin_files[storage_engine]
            return declared_versions(file).get(storage_engine, "") if file.is_file() else ""
        return self.plugin_versions.get(storage_engine, "")

    @property
    def own_tree(self) -> Path | None:
        """The folder that holds the engine and nothing else; None for one among the files of the host."""
        if self.origin.source == "package":
            return self.base_directory.parent
        return None if self.image or str(self.base_directory) in _SHARED_FOLDERS else self.base_directory

    @property
    def charsets_directory(self) -> Path:
        """Return the folder of character sets, next to the messages."""
        return self.share_directory / "charsets"

    @property
    def title(self) -> str:
        """For people: ``mariadb 11.8.6``."""
        return f"{self.family} {self.version}"


@dataclass(frozen=True, slots=True)
class Offer:
    """Describes an engine that can be had here.

    Parameters
    ----------
    version : as far as it is known before it is fetched
    storage_engines : lower case
    installed : whether it is on this machine already
    download_bytes : None when not known or nothing is to be fetched
    """

    family: str
    version: str
    storage_engines: tuple[str, ...]
    source: str
    location: str
    installed: bool
    download_bytes: int | None = None


class EngineSource(Protocol):
    """Represents one way to come by an engine. One file a source."""

    @property
    def name(self) -> str:
        """Return the source as written after the ``@`` of an engine's name."""

    def offers(self, host: Host, home: Home) -> list[Offer]:
        """Return what can be had from here; empty when the source does not work on this host."""

    def check(self, name: EngineName, host: Host, home: Home, progress: Progress) -> None:
        """Check that an engine can be had, as far as that is known before its files are fetched.

        Raises
        ------
        StudyError, ProvisionError : as `obtain`
        """

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """Bring an engine to the machine, or find it there.

        Raises
        ------
        ProvisionError : it can't be had; the nearest that can is named
        """
