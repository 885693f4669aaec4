"""Unpacks distribution packages as trees: installs nothing, and leaves the host's package state alone.

The suites are asked through a private package manager (`_apt_state`), the packages unpacked into a folder of
their own, and the engine started through its own loader (`_package_tree`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from dbdyno.core import EngineName, Home, HostError, ProvisionError, StudyError, format_bytes
from dbdyno.engines import (
    catalogued_by_source,
    families,
    family_names,
    family_of,
    identify,
    matches,
    parse_version,
    plugin_packages,
)
from dbdyno.hosts import Host
from dbdyno.nearest import nearest
from dbdyno.provision import _package_tree, _store
from dbdyno.provision._apt_sources import Distribution, read_distribution
from dbdyno.provision._apt_state import AptState, RemoteFile
from dbdyno.provision._identity import ask_version
from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress
from dbdyno.provision._plugin import plugin_hint

# Suites asked first for a series, so that the others need not be asked at all.
_HINTS = MappingProxyType(
    {
        ("mariadb", "10.5"): "bullseye",
        ("mariadb", "10.11"): "bookworm",
        ("mariadb", "11.8"): "trixie",
        ("mysql", "9.7"): "sid",
    }
)
_LOCK_TIMEOUT_S = 1800


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An engine that a suite offers."""

    family: str
    version: str
    suite: str
    core: str
    plugins: Mapping[str, str]

    @property
    def wanted(self) -> list[str]:
        """Packages to ask for, each ``NAME=VERSION``."""
        return [self.core, *self.plugins.values()]


class PackageSource:
    """Engines from the packages of the host's own distribution; on Debian from any of its suites."""

    name = "package"

    def offers(self, host: Host, home: Home, *, refresh: bool = False) -> list[Offer]:
        """See `Source`; `refresh` asks the mirror again though it was asked before."""
        distribution = read_distribution(host)
        packages = [i for i in _store.installations(home, host) if i.origin.source == self.name]
        here = {(i.family, i.version): i for i in packages}
        with self._lock(host, home):
            candidates = self._candidates(distribution, host, home, refresh=refresh)
        offered = [
            Offer(
                c.family,
                c.version,
                ("innodb", *c.plugins),
                self.name,
                c.suite,
                installed=(c.family, c.version) in here,
            )
            for c in candidates
        ]
        known = {(o.family, o.version) for o in offered}
        return offered + [
            Offer(i.family, i.version, i.storage_engines, self.name, i.origin.location, installed=True)
            for key, i in here.items()
            if key not in known
        ]

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """See `Source`. No network is needed when the engine is here already."""
        if name.family not in family_names():
            known = ", ".join(family_names())
            remedy = nearest(name.family, family_names())
            raise StudyError(f"'{name.family}' is not an engine that dbdyno knows", f"known: {known}", remedy)
        distribution = read_distribution(host)
        installation = _store.find(name, home, host, distribution.suites)
        if installation is not None:
            return installation
        host.ensure_reachable(home.engines)
        with self._lock(host, home):
            # Another process may have brought it while this one waited.
            return _store.find(name, home, host, distribution.suites) or self._bring(
                name, distribution, host, home, progress
            )

    def _bring(
        self, name: EngineName, distribution: Distribution, host: Host, home: Home, progress: Progress
    ) -> Installation:
        candidates, note = self._choose(name, distribution, host, home, progress)
        failure: ProvisionError | None = None
        for candidate in candidates:
            try:
                there = self._existing_or_new(candidate, name, distribution, host, home, progress)
            except ProvisionError as error:  # mirrors do list files that they no longer have
                progress(f"{candidate.family} {candidate.version} ({candidate.suite}) can't be fetched: {error.what}")
                failure = failure or error
                continue
            if failure is not None:
                note = f"{note}; " if note else ""
                note += f"{candidates[0].version} is listed in {candidates[0].suite} but can't be fetched"
            return dataclasses.replace(there, nearest_note=note)
        assert failure is not None
        raise failure

    def _existing_or_new(
        self,
        candidate: _Candidate,
        name: EngineName,
        distribution: Distribution,
        host: Host,
        home: Home,
        progress: Progress,
    ) -> Installation:
        exact = EngineName(candidate.family, candidate.version, name.storage_engine)
        state = AptState(candidate.suite, distribution, home.packages, host)
        return _store.find(exact, home, host, distribution.suites) or _install(candidate, state, host, home, progress)

    def _choose(
        self, name: EngineName, distribution: Distribution, host: Host, home: Home, progress: Progress
    ) -> tuple[list[_Candidate], str]:
        """Return what to fetch for a name, best first, and a sentence when that is not what was asked."""
        seen: list[_Candidate] = []
        failures: list[ProvisionError] = []
        for suite in _suites_to_ask(name, distribution):
            state = AptState(suite, distribution, home.packages, host)
            for ask_mirror in (False, True):
                if state.is_fresh() if ask_mirror else not state.has_lists():
                    continue
                if ask_mirror:
                    try:
                        state.update(progress)
                    except ProvisionError as error:
                        failures.append(error)
                        break
                offered = _offered(state, suite)
                fitting = [c for c in offered if _answers(c, name)]
                if fitting:
                    return sorted(fitting, key=lambda c: parse_version(c.version), reverse=True), ""
            seen += _offered(state, suite) if state.has_lists() else []
        nearest, note = _nearest(name, seen, failures, distribution)
        return [nearest], note

    def _candidates(self, distribution: Distribution, host: Host, home: Home, *, refresh: bool) -> list[_Candidate]:
        candidates = []
        for suite in distribution.suites:
            state = AptState(suite, distribution, home.packages, host)
            with contextlib.suppress(ProvisionError):  # a suite that is gone offers nothing
                if refresh or not state.has_lists():
                    state.update(lambda _: None)
            if state.has_lists():
                candidates += _offered(state, suite)
        return candidates

    def _lock(self, host: Host, home: Home) -> contextlib.AbstractContextManager[None]:
        host.make_directory(home.packages)
        return host.lock(home.packages / "lock", _LOCK_TIMEOUT_S)


def _suites_to_ask(name: EngineName, distribution: Distribution) -> list[str]:
    """Return all suites, the one that has the series (as far as is known) first."""
    hinted = [s for (family, series), s in _HINTS.items() if family == name.family and matches(name.version, series)]
    if not hinted and re.fullmatch(r"\d+", name.version):
        hinted = [
            s for (family, series), s in _HINTS.items() if family == name.family and matches(series, name.version)
        ]
    return list(dict.fromkeys(s for s in (*hinted, *distribution.suites) if s in distribution.suites))


def _offered(state: AptState, suite: str) -> list[_Candidate]:
    """The engines a suite offers, by its lists as they are."""
    candidates: dict[tuple[str, str], _Candidate] = {}
    for family, prefix in {f.name: f.package for f in families() if f.package}.items():
        plugins = {engine: state.versions(package) for engine, package in plugin_packages(family).items()}
        for package, raw in state.versions(prefix):
            version = identify(raw.partition(":")[2] or raw).version
            with_it = {
                engine: f"{plugin}={plugin_raw}"
                for engine, rows in plugins.items()
                for plugin, plugin_raw in rows
                if plugin_raw == raw
            }
            candidates.setdefault((family, version), _Candidate(family, version, suite, f"{package}={raw}", with_it))
    return list(candidates.values())


def _answers(candidate: _Candidate, name: EngineName) -> bool:
    return (
        candidate.family == name.family
        and matches(candidate.version, name.version)
        and name.storage_engine in ("innodb", *candidate.plugins)
    )


def _nearest(
    name: EngineName, seen: Iterable[_Candidate], failures: list[ProvisionError], distribution: Distribution
) -> tuple[_Candidate, str]:
    """The nearest version where the distribution has only one to give; else an error that names it."""
    same = [c for c in seen if c.family == name.family and name.storage_engine in ("innodb", *c.plugins)]
    if not same and failures:
        raise failures[0]
    if not same:
        if any(c.family == name.family for c in seen) and name.storage_engine != "innodb":
            raise _lacks_storage_engine(name, seen)
        raise StudyError(
            f"{name} is not in the suites {', '.join(distribution.suites)} of this host's distribution",
            _offered_words(seen),
            _elsewhere(name) or "choose one of these, or name a running server: FAMILY@server:NAME",
        )
    nearest = min(same, key=lambda c: _distance(c.version, name.version))
    if distribution.identity == "debian" or _is_unheard_of(name):
        listed = ", ".join(f"{c.version} ({c.suite})" for c in sorted(same, key=lambda c: parse_version(c.version)))
        unasked = f"; not read: {'; '.join(map(str, failures))}" if failures else ""
        raise StudyError(
            f"{name} is not available from this host's distribution",
            f"it offers {name.family} {listed}{unasked}",
            "; ".join(filter(None, (f"the nearest version is {name.family}:{nearest.version}", _elsewhere(name)))),
        )
    return nearest, (
        f"{name.family} {nearest.version} replaces {name.family} {name.version}: {distribution.identity} "
        f"{distribution.codename} has no other"
    )


def _offered_words(seen: Iterable[_Candidate]) -> str:
    return "; ".join(sorted({f"{c.family} {c.version} ({c.suite})" for c in seen})) or "they have no engine at all"


def _lacks_storage_engine(name: EngineName, seen: Iterable[_Candidate]) -> StudyError:
    """The error for a server that can be had, with a storage engine that no package of it brings."""
    engines = sorted({engine for c in seen if c.family == name.family for engine in ("innodb", *c.plugins)})
    return StudyError(
        f"no package of this host's distribution has the storage engine {name.storage_engine} for {name.family}",
        f"packages have: {', '.join(engines)}",
        plugin_hint(name),
    )


def _elsewhere(name: EngineName) -> str:
    """Return what the catalogue of public registries has of that version, as a remedy."""
    entries = catalogued_by_source(name.family, name.version) if name.storage_engine == "innodb" else {}
    return ", ".join(f"{entry.version} is available as {entry.engine}" for entry in entries.values())


def _is_unheard_of(name: EngineName) -> bool:
    """Return whether no release of that version was ever made, as far as the tables know."""
    with contextlib.suppress(Exception):
        return parse_version(name.version)[0] > 99 or not family_of(name.family, name.version)
    return True


def _distance(version: str, asked: str) -> tuple[int, ...]:
    have, want = ((*parse_version(text), 0, 0, 0) for text in (version, asked))
    return tuple(abs(a - b) for a, b in zip(have[:3], want[:3], strict=True))


def _install(candidate: _Candidate, state: AptState, host: Host, home: Home, progress: Progress) -> Installation:
    """Fetch and unpack beside the place, then move there in one step."""
    folder = home.engines / f"package-{candidate.family}-{candidate.version}-{candidate.suite}"
    unfinished = home.engines / f".unfinished-{folder.name}"
    title = f"{candidate.family} {candidate.version}"
    missing: list[str] = []
    for choose in (state.libraries, state.closure):  # the second, larger, only where the first lacks something
        try:
            files = choose(candidate.wanted)
        except HostError as error:
            raise ProvisionError(f"the packages of {title} conflict with each other", str(error)[-600:]) from error
        _unpack(files, state, unfinished, host, progress, title)
        missing = _package_tree.missing_libraries(_package_tree.survey(unfinished, host), host)
        if not missing:
            break
    else:
        raise ProvisionError(f"{title} lacks libraries", ", ".join(missing), "try another version")
    host.remove_tree(folder)
    host.run(["mv", "-T", str(unfinished), str(folder)], timeout_s=60)
    installation = _describe(candidate, folder, files, host, state.expired())
    _store.seal(folder)
    _store.save(installation, folder, host)
    host.remove_tree(state.archives)
    return installation


def _unpack(files: list[RemoteFile], state: AptState, root: Path, host: Host, progress: Progress, title: str) -> None:
    size = format_bytes(sum(file.size_bytes for file in files))
    progress(f"download {title}: {len(files)} packages of {state.suite}, {size}")
    try:
        paths = state.download(files)
    except HostError as error:
        raise ProvisionError(
            f"the packages of {title} can't be fetched",
            str(error)[-600:],
            "check the network and run again: complete packages are kept",
        ) from error
    progress(f"unpack {title}")
    host.remove_tree(root)
    host.make_directory(root)
    for path in paths:
        host.run(["dpkg-deb", "-x", str(path), str(root)], timeout_s=600)


def _describe(
    candidate: _Candidate, folder: Path, files: list[RemoteFile], host: Host, expired: datetime | None
) -> Installation:
    tree = _package_tree.survey(folder, host)
    identity, raw_version = ask_version(tree.server_argv, host)
    return Installation(
        family=candidate.family,
        version=identity.version,
        raw_version=raw_version,
        storage_engines=("innodb", *(e for e in candidate.plugins if e in tree.plugin_files)),
        origin=Origin(
            "package",
            candidate.suite,
            tuple(Package(f.name, f.version, f.sha256) for f in files),
            f"{expired:%Y-%m-%d}" if expired else "",
        ),
        server_argv=tree.server_argv,
        base_directory=tree.base_directory,
        share_directory=tree.share_directory,
        plugin_directory=tree.plugin_directory,
        plugin_files={e: f for e, f in tree.plugin_files.items() if e in candidate.plugins},
    )
