"""Unpacks distribution packages as trees: installs nothing, and leaves the host's package state alone.

The suites are asked through a private package manager (`_apt_state`), the packages unpacked into a folder of
their own, and the engine started through its own loader (`_package_tree`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from dbdyno.core import EngineName, Home, HostError, ProvisionError, StudyError, format_bytes
from dbdyno.engines import (
    family_names,
    matches,
    parse_version,
)
from dbdyno.hosts import Host
from dbdyno.nearest import nearest
from dbdyno.provision import _package_tree, _store
from dbdyno.provision._apt_sources import Distribution, read_distribution
from dbdyno.provision._apt_state import AptState, RemoteFile
from dbdyno.provision._identity import ask_version
from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress
from dbdyno.provision._package_candidates import Candidate, is_match, nearest_candidate, offered_candidates

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


class PackageSource:
    """Engines from the packages of the host's own distribution; on Debian from any of its suites."""

    name = "package"

    def offers(
        self, host: Host, home: Home, *, refresh: bool = False, progress: Progress = lambda _: None
    ) -> list[Offer]:
        """See `Source`; `refresh` asks the mirror again though it was asked before."""
        distribution = read_distribution(host)
        packages = [i for i in _store.installations(home, host) if i.origin.source == self.name]
        installed_versions = {(i.family, i.version): i for i in packages}
        with self._lock(host, home):
            candidates = self._candidates(distribution, host, home, progress, refresh=refresh)
        candidate_offers = [
            Offer(
                c.family,
                c.version,
                ("innodb", *c.plugins),
                self.name,
                c.suite,
                installed=(c.family, c.version) in installed_versions,
            )
            for c in candidates
        ]
        offered_versions = {(offer.family, offer.version) for offer in candidate_offers}
        return candidate_offers + [
            Offer(i.family, i.version, i.storage_engines, self.name, i.origin.location, installed=True)
            for key, i in installed_versions.items()
            if key not in offered_versions
        ]

    def check(self, name: EngineName, host: Host, home: Home, progress: Progress) -> None:
        """See `Source`. Lists of packages are read where the engine is not here yet."""
        _check_family(name)
        distribution = read_distribution(host)
        if _store.find(name, home, host, distribution.suites) is None:
            with self._lock(host, home):
                self._choose_candidates(name, distribution, host, home, progress)

    def expects(self, name: EngineName, host: Host, home: Home) -> bool:
        """Return whether an engine is here or on offer, by the lists as they were last read; no mirror is asked.

        Raises
        ------
        StudyError : no suite has it; the nearest that one has is named
        """
        _check_family(name)
        distribution = read_distribution(host)
        suites = _suites_to_ask(name, distribution)
        is_hinted = name.storage_engine == "innodb" and bool(_hinted_suites(name, suites))
        if is_hinted or _store.find(name, home, host, distribution.suites) is not None:
            return True
        states = [AptState(suite, distribution, home.packages, host) for suite in suites]
        read_states = [state for state in states if state.has_lists()]
        candidates = [c for state in read_states for c in offered_candidates(state, state.suite)]
        if any(is_match(c, name) for c in candidates):
            return True
        if len(read_states) == len(states):
            nearest_candidate(name, candidates, [], distribution)
        return len(read_states) == len(states)

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """See `Source`. No network is needed when the engine is here already."""
        _check_family(name)
        distribution = read_distribution(host)
        installation = _store.find(name, home, host, distribution.suites)
        if installation is not None:
            return installation
        host.ensure_reachable(home.engines)
        with self._lock(host, home):
            # Another process may have brought it while this one waited.
            return _store.find(name, home, host, distribution.suites) or self._obtain_candidate(
                name, distribution, host, home, progress
            )

    def _obtain_candidate(
        self, name: EngineName, distribution: Distribution, host: Host, home: Home, progress: Progress
    ) -> Installation:
        candidates, note = self._choose_candidates(name, distribution, host, home, progress)
        failure: ProvisionError | None = None
        for candidate in candidates:
            try:
                installation = self._find_or_install(candidate, name, distribution, host, home, progress)
            except ProvisionError as error:  # mirrors do list files that they no longer have
                progress(f"{candidate.family} {candidate.version} ({candidate.suite}) can't be fetched: {error.what}")
                failure = failure or error
                continue
            if failure is not None:
                note = f"{note}; " if note else ""
                note += f"{candidates[0].version} is listed in {candidates[0].suite} but can't be fetched"
            return dataclasses.replace(installation, nearest_note=note)
        assert failure is not None
        raise failure

    def _find_or_install(
        self,
        candidate: Candidate,
        name: EngineName,
        distribution: Distribution,
        host: Host,
        home: Home,
        progress: Progress,
    ) -> Installation:
        exact = EngineName(candidate.family, candidate.version, name.storage_engine)
        state = AptState(candidate.suite, distribution, home.packages, host)
        return _store.find(exact, home, host, distribution.suites) or _install(candidate, state, host, home, progress)

    def _choose_candidates(
        self, name: EngineName, distribution: Distribution, host: Host, home: Home, progress: Progress
    ) -> tuple[list[Candidate], str]:
        """Return what to fetch for a name, best first, and a sentence when that is not what was asked."""
        all_candidates: list[Candidate] = []
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
                suite_candidates = offered_candidates(state, suite)
                matching_candidates = [c for c in suite_candidates if is_match(c, name)]
                if matching_candidates:
                    return sorted(matching_candidates, key=lambda c: parse_version(c.version), reverse=True), ""
            all_candidates += offered_candidates(state, suite) if state.has_lists() else []
        candidate, note = nearest_candidate(name, all_candidates, failures, distribution)
        return [candidate], note

    def _candidates(
        self, distribution: Distribution, host: Host, home: Home, progress: Progress, *, refresh: bool
    ) -> list[Candidate]:
        candidates = []
        for suite in distribution.suites:
            state = AptState(suite, distribution, home.packages, host)
            with contextlib.suppress(ProvisionError):  # a suite that is gone offers nothing
                if refresh or not state.has_lists():
                    state.update(progress)
            if state.has_lists():
                candidates += offered_candidates(state, suite)
        return candidates

    def _lock(self, host: Host, home: Home) -> contextlib.AbstractContextManager[None]:
        host.make_directory(home.packages)
        return host.lock(home.packages / "lock", _LOCK_TIMEOUT_S)


def _check_family(name: EngineName) -> None:
    if name.family not in family_names():
        known_families = ", ".join(family_names())
        remedy = nearest(name.family, family_names())
        raise StudyError(f"'{name.family}' is not an engine that dbdyno knows", f"known: {known_families}", remedy)


def _suites_to_ask(name: EngineName, distribution: Distribution) -> list[str]:
    """Return all suites, the one that has the series (as far as is known) first."""
    hinted_suites = _hinted_suites(name, distribution.suites)
    return list(dict.fromkeys((*hinted_suites, *distribution.suites)))


def _hinted_suites(name: EngineName, suites: Sequence[str]) -> list[str]:
    """Return which of the suites are known to have the series of an engine."""
    series_suites = [(series, suite) for (family, series), suite in _HINTS.items() if family == name.family]
    hinted_suites = [suite for series, suite in series_suites if matches(name.version, series)]
    if not hinted_suites and re.fullmatch(r"\d+", name.version):
        hinted_suites = [suite for series, suite in series_suites if matches(series, name.version)]
    return [suite for suite in hinted_suites if suite in suites]


def _install(candidate: Candidate, state: AptState, host: Host, home: Home, progress: Progress) -> Installation:
    """Fetch and unpack next to the place, then move there in one step."""
    folder = home.engines / f"package-{candidate.family}-{candidate.version}-{candidate.suite}"
    unfinished = home.engines / f".unfinished-{folder.name}"
    title = f"{candidate.family} {candidate.version}"
    missing_names: list[str] = []
    for choose in (state.libraries, state.closure):  # the second, larger, only where the first lacks something
        try:
            files = choose(candidate.wanted)
        except HostError as error:
            raise ProvisionError(f"the packages of {title} conflict with each other", str(error)[-600:]) from error
        _unpack(files, state, unfinished, host, progress, title)
        missing_names = _package_tree.missing_libraries(_package_tree.survey(unfinished, host), host)
        if not missing_names:
            break
    else:
        raise ProvisionError(
            f"{title} lacks libraries", ", ".join(missing_names), "try another version", code="libraries-missing"
        )
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
            code="not-fetched",
        ) from error
    progress(f"unpack {title}")
    host.remove_tree(root)
    host.make_directory(root)
    for path in paths:
        host.run(["dpkg-deb", "-x", str(path), str(root)], timeout_s=600)


def _describe(
    candidate: Candidate, folder: Path, files: list[RemoteFile], host: Host, expired: datetime | None
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
