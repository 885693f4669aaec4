"""Real packages from the host's own mirror."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dbdyno.configure import LOAD_USER, Server, attach_server
from dbdyno.core import Home, HostError, ProvisionError, StudyError, parse_engine_name
from dbdyno.engines import matches
from dbdyno.hosts import Completed, LocalHost
from dbdyno.provision import list_offers, provision
from dbdyno.study import ServerAddress
from error_codes import raises_code

pytestmark = pytest.mark.server


class CutOff(LocalHost):
    """A host whose commands of some kinds fail."""

    def __init__(self, *forbidden: str) -> None:
        super().__init__()
        self.forbidden = forbidden

    def run(self, argv: Sequence[str], **more: Any) -> Completed:
        if any(word in self.forbidden for word in argv[:2]):
            raise HostError("cut off", " ".join(argv[:2]))
        return super().run(argv, **more)


@pytest.mark.parametrize("engine", ["mariadb:11.8+rocksdb", "mysql:9.7"])
def test_an_engine_is_fetched_once_whole_and_says_who_it_is(engine: str, laboratory: Any) -> None:
    found = laboratory.installation(engine)
    said = laboratory.host.run([*found.server_argv, "--no-defaults", "--version"], timeout_s=60).stdout
    assert found.version in said
    assert found.origin.packages
    assert all(len(package.sha256) == 64 and package.version for package in found.origin.packages)
    assert (found.share_directory / "english" / "errmsg.sys").exists()
    assert (found.charsets_directory / "Index.xml").exists()
    assert not found.nearest_note
    offline = CutOff("update", "download", "madison")
    assert provision(parse_engine_name(engine), offline, laboratory.home) == found


def test_the_plug_in_and_the_plain_engine_share_one_installation(laboratory: Any) -> None:
    plain, with_it = (laboratory.installation(e) for e in ("mariadb:11.8", "mariadb:11.8+rocksdb"))
    assert plain == with_it
    assert (plain.plugin_directory / plain.plugin_files["rocksdb"]).exists()


def test_an_interrupted_download_goes_on_and_nothing_half_counts_as_an_installation(laboratory: Any) -> None:
    """Interrupted twice: while unpacking, then with a package cut short; the third attempt fetches that one only."""
    home = Home(laboratory.folder() / "home")
    name = parse_engine_name("mariadb:11.8")
    with pytest.raises(HostError, match="cut off"):
        provision(name, CutOff("-x"), home)
    kept = sorted(home.packages.glob("*/archives/*.deb"))
    assert len(kept) > 10
    victim = max(kept, key=lambda path: path.stat().st_size)
    victim.write_bytes(victim.read_bytes()[: 1 << 20])
    with pytest.raises(ProvisionError):
        provision(name, CutOff("download", "update"), home)
    victim.unlink(missing_ok=True)
    untouched = {path: path.stat().st_mtime_ns for path in kept if path != victim}
    fetched: list[dict[Path, int]] = []

    def note(_: str) -> None:
        fetched.append({path: path.stat().st_mtime_ns for path in untouched if path.exists()})

    made = provision(name, laboratory.host, home, progress=note)
    assert matches(made.version, name.version)  # the mirror may have got a newer one since the laboratory asked
    assert fetched[-1] == untouched  # seen as "unpack" begins
    assert not list(home.packages.glob("*/archives/*.deb"))
    assert [path.name for path in home.engines.iterdir()] == [made.base_directory.parent.name]


def test_a_version_that_is_not_offered_is_an_error_that_names_the_nearest(laboratory: Any) -> None:
    with pytest.raises(StudyError) as caught:
        laboratory.installation("mysql:9.5")
    assert "mysql:9.7" in caught.value.remedy


def test_offers_list_what_is_here(laboratory: Any) -> None:
    here = laboratory.installation("mariadb:11.8")
    offers = [o for o in list_offers(laboratory.host, laboratory.home) if o.installed]
    assert here.version in {offer.version for offer in offers if offer.family == "mariadb"}


def test_a_running_server_is_asked_who_it_is_and_left_alone(start: Callable[..., Server], laboratory: Any) -> None:
    ours = start("mariadb:11.8+rocksdb", route="loopback")
    file = ours.endpoint.password_file
    address = ServerAddress(
        "mine", LOAD_USER, host="127.0.0.1", port=ours.endpoint.port, password_file=str(file), tls="off"
    )
    name = parse_engine_name("mariadb+rocksdb@server:mine")
    found = provision(name, laboratory.host, laboratory.home, servers={"mine": address})
    assert (found.family, found.version) == ("mariadb", ours.installation.version)
    attached = attach_server(found, laboratory.host)
    assert attached.pid is None and attached.settings == () and attached.is_alive()
    assert attached.variables()["innodb_buffer_pool_size"]
    attached.kill()
    assert attached.stop() == 0.0
    assert ours.is_alive()
    with raises_code(StudyError, "other-server", "mysql"):
        provision(parse_engine_name("mysql@server:mine"), laboratory.host, laboratory.home, servers={"mine": address})


def test_a_wrong_password_is_an_error_that_does_not_repeat_it(start: Callable[..., Server], laboratory: Any) -> None:
    ours = start("mariadb:11.8")
    wrong = laboratory.folder() / "password"
    laboratory.host.write_private(wrong, "not-the-password-9f2c\n")
    address = ServerAddress("mine", LOAD_USER, socket=ours.endpoint.socket, password_file=str(wrong))
    with pytest.raises(ProvisionError, match="mine") as caught:
        provision(parse_engine_name("mariadb@server:mine"), laboratory.host, laboratory.home, servers={"mine": address})
    assert "Access denied" in caught.value.why
    assert "9f2c" not in f"{caught.value} {caught.value.__cause__!r}"
