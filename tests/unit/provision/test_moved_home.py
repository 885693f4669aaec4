"""Engines are found again where their home has been moved to."""

from __future__ import annotations

from pathlib import Path

from dbdyno.hosts import Home, LocalHost
from dbdyno.provision import Installation, Origin
from dbdyno.provision._store import installations, save


def kept(home: Home, name: str, base: Path) -> Installation:
    folder = home.engines / name
    folder.mkdir(parents=True)
    loader = f"{base}/lib/ld.so"
    argv = (loader, "--library-path", f"{base}/lib:{home.root}/libraries/x", f"{base}/bin/mariadbd")
    installation = Installation(
        "mariadb",
        "11.8.6",
        "11.8.6",
        ("innodb",),
        Origin("package", "trixie"),
        server_argv=argv,
        base_directory=base / "usr",
        share_directory=base / "usr" / "share",
        plugin_directory=base / "usr" / "lib",
    )
    save(installation, folder, LocalHost())
    return installation


def test_paths_follow_a_home_that_was_moved(tmp_path: Path) -> None:
    old, new = Home(tmp_path / 'an "old" home'), Home(tmp_path / "new")
    kept(old, "package-mariadb", old.engines / "package-mariadb")
    old.root.rename(new.root)
    (found,) = installations(new, LocalHost())
    assert found.base_directory == new.engines / "package-mariadb" / "usr"
    assert found.server_argv[0] == f"{new.engines}/package-mariadb/lib/ld.so"
    assert str(old.root) not in " ".join(found.server_argv)
    assert f"{new.root}/libraries/x" in found.server_argv[2]


def test_a_base_directory_elsewhere_stays_where_it_is(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    own = kept(home, "basedir-mariadb", tmp_path / "build")
    assert installations(home, LocalHost()) == [own]
