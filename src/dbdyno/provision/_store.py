"""Installations on this machine: one folder each, complete as soon as its manifest is there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dbdyno.core import EngineName, decode, json_value
from dbdyno.engines import matches, parse_version
from dbdyno.hosts import Home, Host
from dbdyno.provision._installation import Installation, Origin

_MANIFEST = "installation.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class _Base:
    base_directory: str


@dataclass(frozen=True, slots=True)
class _Manifest:
    """As `save` writes it; a manifest of another version may lack what has a default, and hold more."""

    format: int
    family: str
    version: str
    raw_version: str
    storage_engines: tuple[str, ...]
    origin: Origin
    server_argv: tuple[str, ...]
    base_directory: str
    share_directory: str
    plugin_directory: str
    plugin_files: dict[str, str] = field(default_factory=dict)
    nearest_note: str = ""
    plugin_maturity: str = ""
    plugin_versions: dict[str, str] = field(default_factory=dict)
    image: str = ""
    mounted_files: dict[str, str] = field(default_factory=dict)

    def installation(self) -> Installation:
        """What it describes."""
        return Installation(
            family=self.family,
            version=self.version,
            raw_version=self.raw_version,
            storage_engines=self.storage_engines,
            origin=self.origin,
            server_argv=self.server_argv,
            base_directory=Path(self.base_directory),
            share_directory=Path(self.share_directory),
            plugin_directory=Path(self.plugin_directory),
            plugin_files=self.plugin_files,
            nearest_note=self.nearest_note,
            plugin_maturity=self.plugin_maturity,
            plugin_versions=self.plugin_versions,
            image=self.image,
            mounted_files=self.mounted_files,
        )


def save(installation: Installation, folder: Path, host: Host) -> None:
    """Write the manifest: the last step, after which the folder counts as complete."""
    content = asdict(installation) | {"format": _FORMAT}
    del content["address"]  # a running server has no folder
    host.write_private(folder / _MANIFEST, json.dumps(content, indent=1, default=str) + "\n")


def is_complete(folder: Path) -> bool:
    """Whether a folder holds an installation whose last step was done."""
    return (folder / _MANIFEST).exists()


def forget(folder: Path, host: Host) -> None:
    """Make a folder count as incomplete."""
    host.run(["rm", "-f", str(folder / _MANIFEST)], timeout_s=30)


def installations(home: Home, host: Host) -> list[Installation]:
    """All complete installations, unreadable ones left out (they are fetched anew)."""
    return [installation for _, installation in entries(home, host)]


def entries(home: Home, host: Host) -> list[tuple[Path, Installation]]:
    """The same, each with its folder."""
    names = host.run(
        ["find", str(home.engines), "-mindepth", "2", "-maxdepth", "2", "-name", _MANIFEST], timeout_s=60, check=False
    ).stdout.splitlines()
    found = []
    for name in sorted(names):
        try:
            text = host.run(["cat", name], timeout_s=30).stdout
            manifest = decode(_Manifest, json_value(_here(text, home, Path(name).parent)))
        except ValueError:
            continue
        if manifest.format == _FORMAT:
            found.append((Path(name).parent, manifest.installation()))
    return found


def _here(manifest: str, home: Home, folder: Path) -> str:
    """The manifest of an installation whose home has since been moved or copied: with the paths that it has now."""
    written = Path(decode(_Base, json_value(manifest)).base_directory)
    lay = next((path for path in (written, *written.parents) if path.name == folder.name), None)
    if lay is None or lay == folder or lay.parent.name != home.engines.name:
        return manifest  # a base directory lies where it lies
    return manifest.replace(_quoted(lay.parents[1]) + "/", _quoted(home.root) + "/")


def _quoted(path: Path) -> str:
    """As it stands inside of a JSON text."""
    return json.dumps(str(path))[1:-1]


def find(name: EngineName, home: Home, host: Host, suites: tuple[str, ...]) -> Installation | None:
    """Packages that answer to a name; of several those from the most stable suite, then the newest."""
    candidates = [
        i
        for i in installations(home, host)
        if i.origin.source == "package"
        and i.family == name.family
        and matches(i.version, name.version)
        and name.storage_engine in i.storage_engines
    ]
    return min(candidates, key=lambda i: (_rank(i.origin.location, suites), _newest_first(i.version)), default=None)


def _rank(suite: str, suites: tuple[str, ...]) -> int:
    return suites.index(suite) if suite in suites else len(suites)


def _newest_first(version: str) -> tuple[int, ...]:
    return tuple(-part for part in parse_version(version))
