"""Finds container images that are here, or that the container engine pulls. Nothing of them is unpacked.

An image is asked for its server's version through its own entry point, as it will be started: what begins with a dash
is the server's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from dbdyno.core import EngineName, Home, HostError, ProvisionError, StudyError
from dbdyno.engines import families, storage_engines
from dbdyno.hosts import ContainerOrder, Containers, Host, ImageFacts
from dbdyno.provision._identity import check_is, identify_server
from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress
from dbdyno.provision._plugin import check_storage_engine

_ASK_TIMEOUT_S = 120
_LATEST = "latest"


class ImageSource:
    """Images by their references; without one, the official image of the family with the version as its tag."""

    name = "image"

    def offers(self, host: Host, home: Home) -> list[Offer]:
        """See `Source`: official images that are here."""
        official = {family.image: family.name for family in families() if family.image}
        try:
            images = host.containers().images()
        except HostError:
            return []
        offers_here = []
        for reference, size in images:
            repository, _, tag = reference.rpartition(":")
            family = official.get(repository.removeprefix("docker.io/").removeprefix("library/"))
            if family is not None and re.match(r"\d", tag):
                offers_here.append(
                    Offer(family, tag, ("innodb",), self.name, reference, installed=True, download_bytes=size)
                )
        return offers_here

    def check(self, name: EngineName, host: Host, home: Home, progress: Progress) -> None:
        """See `Source`. Whether a registry has the image is known once it is pulled."""
        reference_of(name)
        try:
            host.containers()
        except HostError as error:
            raise ProvisionError(error.what, error.why, error.remedy) from error

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """See `Source`. An image that is here is used unchanged; its id and digest are recorded."""
        reference = reference_of(name)
        try:
            containers = host.containers()
            image = containers.image(reference) or containers.pull(reference, progress)
        except HostError as error:
            raise ProvisionError(error.what, error.why, error.remedy, code=error.code) from error
        identity, raw_version = identify_server(
            _server_output(containers, image, ("--no-defaults", "--version")), f"image {reference}"
        )
        check_is(name, identity, raw_version, f"the image {reference}")
        folder = _plugin_directory(containers, image)
        engines = ("innodb", *_plugins(containers, image, folder, [name.storage_engine, *storage_engines()]))
        check_storage_engine(name, engines, f"the image {reference}")
        return Installation(
            family=identity.family,
            version=identity.version,
            raw_version=raw_version,
            storage_engines=engines,
            origin=Origin(
                self.name, reference, (Package(reference, image.digest, image.image_id.removeprefix("sha256:")),)
            ),
            plugin_directory=Path(folder),
            plugin_files={engine: f"ha_{engine}.so" for engine in engines if engine != "innodb"},
            image=image.image_id,
        )


def reference_of(name: EngineName) -> str:
    """Return the image that a name means.

    Raises
    ------
    StudyError : it says neither which image nor which version, or the family has no official one

    >>> reference_of(EngineName("mysql", "8.4", source="image"))
    'mysql:8.4'
    >>> reference_of(EngineName("mysql", "8.4", source="image:registry.example:5000/mine"))
    'registry.example:5000/mine:8.4'
    >>> reference_of(EngineName("mysql", "", source="image:mine@sha256:0123"))
    'mine@sha256:0123'
    """
    official = next((family.image for family in families() if family.name == name.family), "")
    place = name.source_place or official
    if not place or not (name.source_place or name.version):
        raise StudyError(f"{name} does not say which image", "", f"write {name.family}:VERSION@image:REFERENCE")
    if "@" in place or ":" in place.rpartition("/")[2]:
        return place
    return f"{place}:{name.version or _LATEST}"


def _server_output(containers: Containers, image: ImageFacts, argv: tuple[str, ...]) -> str:
    """Return what the server of an image says; both streams, as the entry point may write its own notes."""
    try:
        result = containers.run(ContainerOrder(image.image_id, argv), _ASK_TIMEOUT_S)
    except HostError as error:
        raise ProvisionError(
            f"the image {image.reference} does not print its version",
            error.why,
            "the image must start the server if the first argument begins with a dash, as the official images do",
            code="version-unknown",
        ) from error
    return result.stdout + result.stderr


def _plugin_directory(containers: Containers, image: ImageFacts) -> str:
    """Return where an image's server looks for plug-ins, inside the image."""
    output = _server_output(containers, image, ("--no-defaults", "--verbose", "--help"))
    match = re.search(r"^plugin-dir\s+(\S+)", output, re.MULTILINE)
    return match[1].rstrip("/") if match else "/usr/lib/mysql/plugin"


def _plugins(containers: Containers, image: ImageFacts, folder: str, engine_names: Iterable[str]) -> list[str]:
    """Return those of these storage engines whose plug-ins the image holds."""
    names = [engine for engine in dict.fromkeys(engine_names) if engine != "innodb"]
    return [engine for engine in names if containers.has_file(image.image_id, f"{folder}/ha_{engine}.so")]
