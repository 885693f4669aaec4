"""Makes an installation of a base directory; one that was built elsewhere is used where it lies."""

from __future__ import annotations

from pathlib import Path

from dbdyno.core import EngineName, Home, ProvisionError, StudyError
from dbdyno.hosts import Host
from dbdyno.provision._base_directory import find_base, library_path
from dbdyno.provision._fetch import missing_path_remedy
from dbdyno.provision._identity import ask_version, check_is
from dbdyno.provision._installation import Installation, Offer, Origin, Package, Progress
from dbdyno.provision._plugin import check_storage_engine
from dbdyno.provision._store import sha256_of


def describe(name: EngineName, folder: Path, origin: Origin, host: Host, home: Home) -> Installation:
    """Return the engine whose base directory lies in `folder`.

    Raises
    ------
    ProvisionError : there is no server, or it can't run here
    StudyError : it is another than `name`, or has not its storage engine
    """
    base = find_base(folder)
    if base is None:
        raise ProvisionError(
            f"no server in {folder}",
            "looked for mysqld or mariadbd, english/errmsg.sys and charsets/Index.xml",
            "name the base directory of a server, or an archive of one",
        )
    plugin = base.plugin_files.get(name.storage_engine)
    programs = [base.server, *([base.plugin_directory / plugin] if plugin else [])]
    path = library_path(programs, folder, home.libraries, host)
    argv = (*(("env", f"LD_LIBRARY_PATH={path}") if path else ()), str(base.server))
    identity, raw_version = ask_version(argv, host)
    server_words = f"the server of {origin.location}"
    check_is(name, identity, raw_version, server_words)
    engines = ("innodb", *base.plugin_files)
    check_storage_engine(name, engines, server_words, looked_in=str(base.plugin_directory))
    return Installation(
        family=identity.family,
        version=identity.version,
        raw_version=raw_version,
        storage_engines=engines,
        origin=origin,
        server_argv=argv,
        base_directory=base.directory,
        share_directory=base.share_directory,
        plugin_directory=base.plugin_directory,
        plugin_files=base.plugin_files,
    )


class BasedirSource:
    """Base directories by their paths. A build that was never installed will do, too."""

    name = "basedir"

    def offers(self, host: Host, home: Home) -> list[Offer]:
        """See `Source`: none, as nobody knows where users build."""
        return []

    def check(self, name: EngineName, host: Host, home: Home, progress: Progress) -> None:
        """See `Source`."""
        self.obtain(name, host, home, progress)

    def obtain(self, name: EngineName, host: Host, home: Home, progress: Progress) -> Installation:
        """See `Source`. Programs are recorded by their SHA-256: two builds may say the same version."""
        if not name.source_place:
            raise StudyError(f"{name} names no folder", "", f"write {name.family}:VERSION@basedir:/PATH")
        folder = Path(name.source_place).expanduser().absolute()
        if not folder.is_dir():
            what, why = f"the base directory {folder} is not a folder", f"needed by {name}"
            raise StudyError(what, why, missing_path_remedy(folder), code="not-a-folder")
        host.ensure_reachable(folder / "any")
        base = find_base(folder)
        programs = [base.server] if base is not None else []
        if base is not None and (plugin := base.plugin_files.get(name.storage_engine)):
            programs.append(base.plugin_directory / plugin)
        packages = tuple(Package(p.name, "", sha256_of(p)) for p in programs)
        return describe(name, folder, Origin(self.name, str(folder), packages), host, home)
