"""Parses names of engines, and describes what is measured of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal

from dbdyno.core._errors import StudyError

_NAME_RE = re.compile(
    r"(?P<family>[a-z][a-z0-9_-]*)(?::(?P<version>\d+(?:\.\d+)*))?"
    r"(?:\+(?P<storage_engine>[a-z][a-z0-9_]*))?"
    r"(?:@(?P<source>[^@\s](?:.*?\S)?))?"
    r"(?P<notes>(?:#sha256=[0-9a-f]{64}|#plugin=[^#\s](?:[^#]*[^#\s])?|#plugin_version=\d+(?:\.\d+)*"
    r"|#plugin_maturity=[a-z]+)*)",
    re.IGNORECASE,
)
_PASSWORD_RE = re.compile(r"://(?:[^/\s]*@|(?:\[[^]/]*\]|[^][/?#:\s]*):(?!\d*(?:[/?#\s]|$)))")
"""An address with a user, or with something after its host that is no port, such as half of a password."""
IMPORTED_SOURCE = "imported"
"""Source of engines that others measured: their family may be unknown to dbdyno, their version unknown to anybody."""
_SOURCES_OF_ONE_BUILD = ("server", "image", "basedir", "archive", "maven", "npm", IMPORTED_SOURCE)
PLUGIN_MATURITIES = ("unknown", "experimental", "alpha", "beta", "gamma", "stable")
"""How ripe a plug-in says it is, least first, in MariaDB's words."""
Policy = Literal["aligned", "vendor", "tuned"]
"""How targets are configured: equal in effect; as the vendor leaves them; each by its own file."""
_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "mysql": "MySQL",
        "mariadb": "MariaDB",
        "percona": "Percona Server",
        "percona-server": "Percona Server",
        "rocksdb": "MyRocks",
        "tidesdb": "TidesDB",
    }
)
"""How vendors write the names of their products."""
STORAGE_ENGINE_ALIASES: Mapping[str, str] = MappingProxyType({"myrocks": "rocksdb"})


@dataclass(frozen=True, slots=True)
class EngineName:
    """Describes an engine as a user writes it: ``FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]``.

    `version` may be a prefix (``11.8`` stands for the newest 11.8 that can be had). It may be empty where the source
    names one build (``mariadb@server:NAME``, ``mysql@basedir:/opt/mysql``), which is asked for it, and for an imported
    one (``mariadb@imported``) whose logs don't say. `source` is empty for "what the host's distribution has". `sha256`
    is what a file of an archive must have; empty: any. `plugin` is the file that holds the storage engine, where the
    server has it not; `plugin_maturity` the least ripe plug-in that the server is to load; empty: as it decides itself.
    `plugin_version` is the version that the plug-in is said to be of; empty: read from its file.
    """

    family: str
    version: str
    storage_engine: str = "innodb"
    source: str = ""
    sha256: str = ""
    plugin: str = ""
    plugin_maturity: str = ""
    plugin_version: str = ""

    @property
    def source_kind(self) -> str:
        """Return the source's own name, without what it is to look for.

        >>> parse_engine_name("mysql:8.0@archive:/a/b.tar.gz").source_kind
        'archive'
        """
        return self.source.partition(":")[0]

    @property
    def source_place(self) -> str:
        """Return what the source is to look for: a path, a coordinate, a server's name.

        >>> parse_engine_name("mysql:5.6@npm:mysql-server@5.6.24").source_place
        'mysql-server@5.6.24'
        """
        return self.source.partition(":")[2]

    def __str__(self) -> str:
        """Return the shortest form that parses back to the same name.

        >>> str(parse_engine_name("MariaDB:11.8+myrocks"))
        'mariadb:11.8+rocksdb'
        """
        version = f":{self.version}" if self.version else ""
        storage = f"+{self.storage_engine}" if self.storage_engine != "innodb" else ""
        source = f"@{self.source}" if self.source else ""
        notes = ((key, str(getattr(self, key))) for key in ("sha256", "plugin", "plugin_version", "plugin_maturity"))
        return f"{self.family}{version}{storage}{source}" + "".join(f"#{key}={text}" for key, text in notes if text)


def parse_engine_name(text: str) -> EngineName:
    """Return the parts of an engine name. Whether such an engine exists is asked elsewhere.

    Raises
    ------
    StudyError : not of the form, or an address in it holds a user's name or a password

    >>> name = parse_engine_name("mysql:9.7@package")
    >>> name.family, name.version, name.source
    ('mysql', '9.7', 'package')
    >>> parse_engine_name("mariadb:11.8+tidesdb#plugin=/opt/ha_tidesdb.so").plugin
    '/opt/ha_tidesdb.so'
    """
    _check_addresses(text)
    match = _NAME_RE.fullmatch(text.strip())
    source = (match["source"] or "") if match else ""
    if match is None or (match["version"] is None and source.partition(":")[0] not in _SOURCES_OF_ONE_BUILD):
        raise StudyError(
            f"'{text}' is not an engine",
            "an engine is written FAMILY:VERSION[+STORAGE_ENGINE][@SOURCE]",
            _engine_remedy(text),
        )
    storage = (match["storage_engine"] or "innodb").lower()
    notes = dict(note.split("=", 1) for note in match["notes"].split("#")[1:])
    name = EngineName(
        match["family"].lower(),
        match["version"] or "",
        STORAGE_ENGINE_ALIASES.get(storage, storage),
        source,
        notes.get("sha256", "").lower(),
        notes.get("plugin", ""),
        notes.get("plugin_maturity", "").lower(),
        notes.get("plugin_version", ""),
    )
    check_plugin(name)
    return name


def _check_addresses(text: str) -> None:
    """Refuse an address with a user or a password, without showing it: names of engines are printed and stored."""
    if _PASSWORD_RE.search(text):
        scheme, _, rest = text.partition("://")
        shown = f"{scheme}://…" + (f"@{rest.rpartition('@')[2]}" if "@" in rest else "")
        raise StudyError(
            f"'{shown}' holds a user or a password",
            "results, reports and command lines show addresses",
            "fetch the file by hand and name its path: @archive:PATH; change a password that was given",
        )


_STORAGE_ENGINES = frozenset({"innodb", "rocksdb", "tidesdb", *STORAGE_ENGINE_ALIASES})
_EXAMPLES: Mapping[str, str] = MappingProxyType({"mysql": "9.7", "mariadb": "11.8", "percona": "8.0"})


def _engine_remedy(text: str) -> str:
    """Return the name that was probably meant, where a family and perhaps a version can be read."""
    if re.fullmatch(r"[a-z]+:\d+,\d+", text.strip().lower()):
        return f"did you mean {text.strip().lower().replace(',', '.')}?"
    if len(text.split()) > 1 and all(":" in word for word in text.split()):
        return f"leave the quotes out: {' '.join(text.split())}"
    if re.search(r"[^,\s]", text) and "," in text:
        return f"separate engines by a space: {' '.join(text.replace(',', ' ').split())}"
    if re.fullmatch(r"\d+(\.\d+)*", text.strip()):
        return f"add the family of that version: mariadb:{text.strip()} or mysql:{text.strip()}"
    if re.fullmatch("vs|versus|and|against|with|[,;&+|]", text.strip().lower()):
        return "separate engines by a space only: mariadb:11.8 mysql:9.7"
    if re.match(r"[./~]|https?://", text.strip()) or re.search(r"\.(tar|tgz|zip|jar)\b", text):
        source = "archive" if re.search(r"\.(tar|tgz|txz|zip|jar)\b", text) else "basedir"
        return f"put family and version before a path, such as mysql:9.7@{source}:{text.strip()}"
    match = re.fullmatch(
        r"([a-z]+)(?:[-_ @/:]?v?(\d+(?:\.\d+)*)[a-z\d]*(?:\.[a-z]\w*)?)?([-_:/].*)?", text.strip().lower()
    )
    if match is None:
        return "write for example mariadb:11.8, mariadb:11.8+rocksdb or mysql:9.7@package"
    family = match[1] if match[1] in _EXAMPLES else next(iter(get_close_matches(match[1], _EXAMPLES)), "mariadb")
    if match[2]:
        storage_engine = (match[3] or "")[1:]
        suffix = f"+{storage_engine}" if storage_engine in _STORAGE_ENGINES else ""
        return f"did you mean {family}:{match[2]}{suffix}?"
    return f"name family and version, such as {family}:{_EXAMPLES[family]}; `dbdyno engines` lists those available here"


def target_title(name: str) -> str:
    """Return the name of a target as its vendor writes it; a name that a user chose stays unchanged.

    >>> target_title("mariadb:11.8+rocksdb"), target_title("mysql:9.7"), target_title("mysql:9.7 tuned")
    ('MariaDB 11.8 + MyRocks', 'MySQL 9.7', 'MySQL 9.7 tuned')
    >>> target_title("percona-server 8.4.7-7"), target_title("mariadb 10.11.16-MariaDB-ubu2204")
    ('Percona Server 8.4.7-7', 'MariaDB 10.11.16')
    >>> target_title("mysql:5.6@npm"), target_title("big pool")
    ('MySQL 5.6 (npm)', 'big pool')
    """
    match = re.match(r"([\w-]+)[: ](\d[\d.]*(?:-\d+)?)(?:-MariaDB\S*)?(?:\+(\w+))?(?:@(\w+))?(?=\s|$)", name)
    if match is None or match[1] not in _TITLES:
        return name
    storage = f" + {_TITLES.get(match[3], match[3])}" if match[3] else ""
    source = f" ({match[4]})" if match[4] else ""
    return f"{_TITLES[match[1]]} {match[2]}{storage}{source}{name[match.end() :]}"


def check_plugin(name: EngineName) -> None:
    """Check that what a name says of a plug-in is consistent.

    Raises
    ------
    StudyError : it does not

    >>> check_plugin(EngineName("mariadb", "11.8", "tidesdb", plugin="/opt/ha_tidesdb.so", plugin_maturity="beta"))
    """
    if name.plugin and name.storage_engine == "innodb":
        raise StudyError(
            f"{name} does not name the storage engine of its plug-in",
            name.plugin,
            f"write {name.family}:{name.version or 'VERSION'}+STORAGE_ENGINE",
        )
    if name.plugin_version and name.storage_engine == "innodb":
        raise StudyError(
            f"{name} has a plug-in version, but no storage engine from a plug-in",
            "InnoDB is part of the server",
            f"write {name.family}:{name.version or 'VERSION'}+STORAGE_ENGINE, or remove plugin_version",
        )
    if name.plugin_maturity and name.plugin_maturity not in PLUGIN_MATURITIES:
        known_words = f"known, lowest first: {', '.join(PLUGIN_MATURITIES)}"
        raise StudyError(f"'{name.plugin_maturity}' is not a plug-in maturity", known_words, "choose one of these")
    if name.plugin_maturity and name.family != "mariadb":
        why = "only MariaDB checks the maturity of plug-ins"
        raise StudyError(f"{name.family} has no plug-in maturity", why, "remove plugin_maturity")


@dataclass(frozen=True, slots=True)
class ContainerChoice:
    """Describes how the container of a target's server is held; for engines out of images.

    Parameters
    ----------
    network : ``host``: the host's own; ``bridge``: its own address, which the loopback route then goes to
    memory_bytes : limit of its processes and of the page cache that they fill; None: no limit
    """

    network: Literal["host", "bridge"] = "host"
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class CallDelays:
    """States by how much some calls of a server's process take longer than usual; 0: no longer.

    Parameters
    ----------
    flush_ns : fsync and fdatasync
    read_ns : pread
    """

    flush_ns: int = 0
    read_ns: int = 0


NO_DELAYS = CallDelays()


@dataclass(frozen=True, slots=True)
class Target:
    """Describes what a cell measures: engine + storage engine + settings.

    Parameters
    ----------
    name : unique in the study, shown everywhere
    settings : neutral parameters that are others for this target, id -> value in the parameter's unit
    options : raw server options added by the study, option -> value; audited like the rest
    options_file : of a tuned target, as the study names it; empty: none
    options_sha256 : of that file
    file_options : what it asks of the server; None for an option of which it has the mere name
    container : of an engine out of an image
    workload_options : options of the workload that are others for this target, such as how its tables are compressed
    throttled_share : of the time for which its process is held while it runs, to check that a known slowness is found
    delays : of its calls, for the same, and to prove what such calls cost
    """

    name: str
    engine: EngineName
    settings: Mapping[str, float | str] = field(default_factory=dict)
    workload_options: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    throttled_share: float = 0.0
    container: ContainerChoice = ContainerChoice()
    options: Mapping[str, str] = field(default_factory=dict)
    options_file: str = ""
    options_sha256: str = ""
    file_options: Mapping[str, str | None] = field(default_factory=dict)
    delays: CallDelays = NO_DELAYS
