"""Creates an empty data directory with its two accounts, by the means of the family."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dbdyno.configure._container import initialise_in_container
from dbdyno.configure._endpoint import ADMIN_USER, LOAD_USER, Credentials, credentials_file
from dbdyno.configure._engine import Engine
from dbdyno.configure._options import launch_options, option_file
from dbdyno.core import ConfigureError, HostError, format_bytes
from dbdyno.engines import EngineFamily, SetPassword, families, family_of
from dbdyno.hosts import Host

_TIMEOUT_S = 300
_LITTLE_BYTES = 16 << 20
LOAD_HOSTS = ("localhost", "127.0.0.1")


def initialise(installation: Engine, data_directory: Path, host: Host) -> Credentials:
    """Make `data_directory`, which must not exist, and the file with its passwords next to it.

    The accounts are made by the initialisation itself: no server ever runs with an empty password.

    Raises
    ------
    ConfigureError : the family can't be initialised, or its server failed; its own words are given
    """
    family = family_of(installation.family, installation.version)
    if not installation.image and family.initialise not in _INITIALISERS:
        raise ConfigureError(
            f"{installation.title} is a version that dbdyno can't initialise",
            f"it can initialise: {', '.join(_known_series(family.name))}",
            "choose one of these, or name a running server: FAMILY@server:NAME",
        )
    credentials = Credentials.random()
    host.ensure_reachable(data_directory)
    private_folder = host.make_private_directory()
    temporary = private_folder / "t"
    host.make_directory(temporary, for_server=True)
    try:
        host.make_directory(data_directory.parent)
        host.make_directory(data_directory, for_server=True)
        if installation.image:
            accounts = account_statements(credentials, family.set_password, hosts=("localhost", "127.0.0.1", "%"))[1:]
            initialise_in_container(installation, data_directory, temporary, credentials, accounts, host)
        else:
            _INITIALISERS[family.initialise](installation, family, data_directory, temporary, credentials, host)
    except HostError as error:
        disk = _full_disk_words(data_directory.parent, host)
        host.remove_tree(data_directory)
        raise ConfigureError(
            f"{installation.title} could not create its data directory",
            f"{disk}{error.what}\n{_last_error_lines(error.why)}",
            "free some space, or point DBDYNO_HOME at a larger disk" if disk else "",
            code="not-initialised",
        ) from error
    finally:
        host.remove_tree(private_folder)
    credentials.save(credentials_file(data_directory), host)
    return credentials


def _full_disk_words(place: Path, host: Host) -> str:
    """Say that the disk is full, if it is: MariaDB does not end then, but waits for free space."""
    try:
        free_bytes = host.free_bytes(place)
    except (HostError, OSError):
        return ""
    return f"the disk is full: {place} has {format_bytes(free_bytes)} free\n" if free_bytes < _LITTLE_BYTES else ""


def copy_data_directory(source: Path, destination: Path, host: Host) -> str:
    """Copy a stopped server's data directory with its passwords; ``reflink`` or ``copy``.

    The copy gets a new identity: auto.cnf, which holds MySQL's server UUID, stays behind.
    """
    copy_method = host.copy_tree(source, destination)
    host.files.remove(destination / "auto.cnf")
    Credentials.load(credentials_file(source), host).save(credentials_file(destination), host)
    return copy_method


def account_statements(
    credentials: Credentials, set_password: SetPassword = "alter", hosts: Sequence[str] = LOAD_HOSTS
) -> list[str]:
    """Return SQL, one statement a line: the administrator's password, then the load's accounts."""
    admin, password = f"'{ADMIN_USER}'@'localhost'", credentials.admin_password
    statements = [
        f"ALTER USER {admin} IDENTIFIED BY '{password}';"
        if set_password == "alter"
        else f"SET PASSWORD FOR {admin} = PASSWORD('{password}');"
    ]
    for source in hosts:
        statements += [
            f"CREATE USER '{LOAD_USER}'@'{source}' IDENTIFIED BY '{credentials.load_password}';",
            f"GRANT ALL PRIVILEGES ON `dbdyno\\_%`.* TO '{LOAD_USER}'@'{source}';",
            f"GRANT PROCESS ON *.* TO '{LOAD_USER}'@'{source}';",  # to see what tables take on the disk
        ]
    return statements


def _initialise_insecure(
    installation: Engine,
    family: EngineFamily,
    data_directory: Path,
    temporary: Path,
    credentials: Credentials,
    host: Host,
) -> None:
    accounts = temporary / "accounts.sql"
    host.write_private(accounts, "\n".join(account_statements(credentials)) + "\n", for_server=True)
    launch = launch_options(installation, family, data_directory, temporary) | {"init_file": str(accounts)}
    options = temporary / "my.cnf"
    host.write_private(options, option_file(launch, []), for_server=True)
    argv = [*installation.server_argv, f"--defaults-file={options}", "--initialize-insecure"]
    host.run(argv, timeout_s=_TIMEOUT_S, as_server_user=True)


def _bootstrap(
    installation: Engine,
    family: EngineFamily,
    data_directory: Path,
    temporary: Path,
    credentials: Credentials,
    host: Host,
) -> None:
    options = temporary / "my.cnf"
    host.write_private(
        options, option_file(launch_options(installation, family, data_directory, temporary), []), for_server=True
    )
    sql = bootstrap_sql(_share_files(installation, family, host), family, credentials)
    argv = [*installation.server_argv, f"--defaults-file={options}", "--bootstrap"]
    result = host.run(argv, stdin=sql, timeout_s=_TIMEOUT_S, as_server_user=True)
    if "ERROR:" in result.stderr:  # bootstrap goes on after a failed statement and ends with 0 all the same
        raise HostError("the bootstrap of the system tables failed", result.stderr[-2000:])
    if family.fixed_redo:  # made anew at the first start; the clean end of the bootstrap left nothing in them
        for entry in host.files.entries(data_directory):
            if entry.path.name.startswith("ib_logfile"):
                host.files.remove(entry.path)


_INITIALISERS = {"insecure": _initialise_insecure, "bootstrap": _bootstrap}


def bootstrap_sql(files: list[str], family: EngineFamily, credentials: Credentials) -> str:
    """Return SQL for ``--bootstrap``: our own statements must stand on one line each."""
    schema_sql = [
        "CREATE DATABASE IF NOT EXISTS mysql;",
        "USE mysql;",
        "SET @auth_root_socket=NULL;",
        "SET @skip_auth_anonymous=1;",
        "SET @current_hostname='localhost';",
    ]
    account_sql = [
        "USE mysql;",
        # Accounts without a password for other addresses of this host come with the system tables, in older versions
        # also some without a name, and rights on databases called test for everyone.
        f"DELETE FROM {family.grant_table} WHERE Host <> 'localhost' OR User NOT IN ('root', 'mariadb.sys');",
        "DELETE FROM db WHERE User = '';",
        "DELETE FROM proxies_priv WHERE Host <> 'localhost';",
        "FLUSH PRIVILEGES;",
        *account_statements(credentials, family.set_password),
    ]
    return "\n".join([*schema_sql, *files, *account_sql]) + "\n"


def _share_files(installation: Engine, family: EngineFamily, host: Host) -> list[str]:
    texts = []
    for group in family.sql_files:
        path = next((p for name in group if host.files.stat(p := installation.share_directory / name)), None)
        if path is not None:
            texts.append(host.files.read_text(path))
    return texts


def _known_series(name: str) -> list[str]:
    known_families = [family for family in families() if family.name == name and family.initialise != "unsupported"]
    return [f"{family.title} {family.since}{'' if family.until else ' and later'}" for family in known_families]


def _last_error_lines(text: str) -> str:
    lines = text.strip().splitlines()
    errors = [line for line in lines if "ERROR" in line]
    return "\n".join((errors or lines)[-8:])
