"""Asks a server program what it is, and checks that it is what was requested."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from dbdyno.core import EngineName, ProvisionError, StudyError
from dbdyno.engines import ServerIdentity, identify, matches
from dbdyno.hosts import Host


def ask_version(server_argv: Sequence[str], host: Host) -> tuple[ServerIdentity, str]:
    """Return the family and version of a server program, and the version in its own words; nothing is started.

    Raises
    ------
    ProvisionError : the program does not run here, or does not say
    """
    argv = [*server_argv, "--no-defaults", "--version"]
    result = host.run(argv, timeout_s=60, as_server_user=True, check=False)
    return identify_server(
        result.stdout or result.stderr or f"exit code {result.exit_code}", f"server {server_argv[-1]}"
    )


def identify_server(words: str, which: str) -> tuple[ServerIdentity, str]:
    """Return the family and version out of what a server answers to ``--version``, and the version in its own words.

    Raises
    ------
    ProvisionError : there is no version in it
    """
    match = re.search(r"Ver (\d\S+)(.*)", words)
    if match is None:
        raise ProvisionError(
            f"the {which} does not say its version",
            words.strip()[-300:],
            "check that it belongs to a server",
            code="version-unknown",
        )
    return identify(match[1], match[2].strip()), match[1]


def check_is(name: EngineName, identity: ServerIdentity, raw_version: str, where: str) -> None:
    """Refuse a server that is another than the one asked for.

    Raises
    ------
    StudyError : another family or version; what to write instead is said
    """
    if identity.family != name.family or (name.version and not matches(identity.version, name.version)):
        raise StudyError(
            f"{where} is not {name.family} {name.version}".rstrip(),
            f"it reports: {raw_version} ({identity.family})",
            f"write {replace(name, family=identity.family, version=identity.version)}",
            code="other-server",
        )
