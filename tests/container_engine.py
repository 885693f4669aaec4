"""A container engine of the tests' own, and images for it that are made of unpacked packages: no registry is asked.

Docker's daemon is started privately (own data, socket and bridge, no change to the host's network rules) where the
host allows that; tests that need it skip with the daemon's own words otherwise. The images hold a server's packages, a
static shell, and an entry point that does what those of official images do.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dbdyno.provision import Installation

_START_S = 60
_BRIDGE = f"dbdyno{os.getpid() % 10_000}"
_BRIDGE_ADDRESS = f"172.31.{1 + os.getpid() % 250}.1/24"
_APPLETS = ("sh", "cat", "chown", "id", "kill", "mkdir", "rm", "sleep", "su", "chmod", "grep", "head", "basename")
ENTRY_POINT = """\
#!/bin/sh
# The conventions of official images: passwords from files, SQL of the user, a temporary server without network while
# the data directory is made, arguments that begin with a dash are the server's, root gives up its rights.
set -eu
SERVER=@SERVER@
case "${1:--}" in -*) set -- "$SERVER" "$@" ;; esac
for word; do
    case "$word" in --version|--help) exec "$@" ;; esac
done
[ "$(basename "$1")" = "$(basename "$SERVER")" ] || exec "$@"
if [ "$(id -u)" = 0 ]; then
    chown -R mysql /var/lib/mysql
    exec su mysql -s /bin/sh -c 'exec /entry-point "$@"' -- "$@"
fi
options() { "$@" --verbose --help 2>/dev/null | grep -E "^$1 " | head -n 1; }
config() { key=$1; shift; "$@" --verbose --help 2>/dev/null | grep -E "^$key " | { read -r _ value; echo "$value"; }; }
DATA=$(config datadir "$@"); DATA=${DATA%/}
if [ ! -d "$DATA/mysql" ]; then
    file=${MARIADB_ROOT_PASSWORD_FILE:-${MYSQL_ROOT_PASSWORD_FILE:-}}
    password=${MARIADB_ROOT_PASSWORD:-${MYSQL_ROOT_PASSWORD:-}}
    [ -n "$file" ] && password=$(cat "$file")
    if [ -z "$password" ]; then
        echo "[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified" >&2
        exit 1
    fi
    @INITIALISE@
    sql=$(config tmpdir "$@")/first.sql
    echo "ALTER USER 'root'@'localhost' IDENTIFIED BY '$password';" > "$sql"
    @SECURE@
    for script in /docker-entrypoint-initdb.d/*.sql; do
        if [ -f "$script" ]; then cat "$script" >> "$sql"; fi
    done
    echo "[Note] [Entrypoint]: Starting temporary server"
    "$@" --skip-networking --init-file="$sql" &
    temporary=$!
    socket=$(config socket "$@")
    until [ -S "$socket" ]; do
        kill -0 $temporary
        sleep 0.1
    done
    sleep 1
    kill $temporary
    wait $temporary || true
    rm -f "$sql"
    echo "[Note] [Entrypoint]: init process done. Ready for start up."
fi
exec "$@"
"""
_BOOTSTRAP = """{ for line in "CREATE DATABASE mysql;" "USE mysql;" "SET @auth_root_socket=NULL;" \\
        "SET @skip_auth_anonymous=1;" "SET @current_hostname='localhost';"; do echo "$line"; done
      cd /usr/share/mariadb
      cat mariadb_system_tables.sql mariadb_performance_tables.sql mariadb_system_tables_data.sql \\
        maria_add_gis_sp_bootstrap.sql mariadb_sys_schema.sql; } | "$@" --bootstrap"""
_SECURE = (
    """{ echo "DELETE FROM mysql.global_priv WHERE Host <> 'localhost';"; echo "FLUSH PRIVILEGES;"; } >> "$sql\""""
)
_INSECURE = '"$@" --initialize-insecure'


@contextmanager
def private_docker() -> Iterator[str]:
    """Address of a daemon that is stopped at the end; the test is skipped where none can be started."""
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        pytest.skip("a Docker daemon of the tests' own needs root and the program dockerd (Debian: docker.io)")
    folder = Path(tempfile.mkdtemp(prefix="dbdyno-docker-", dir="/var/tmp"))
    (folder / "empty.json").write_text("{}")
    address = f"unix://{folder}/docker.sock"
    log = folder / "log"
    words = ["dockerd", "--config-file", folder / "empty.json", "--data-root", folder / "data", "--exec-root"]
    words += [folder / "exec", "--pidfile", folder / "pid", "--host", address, "--iptables=false", "--ip6tables=false"]
    words += [f"--bridge={_bridge()}", "--userland-proxy=false"]
    with log.open("wb") as output:
        daemon = subprocess.Popen(list(map(str, words)), stdout=output, stderr=output, start_new_session=True)
    try:
        _await_daemon(daemon, folder / "docker.sock", log)
        yield address
    finally:
        daemon.send_signal(signal.SIGTERM)
        try:
            daemon.wait(30)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait(30)
        for place in _mounted_below(folder):  # the daemon leaves a network namespace mounted
            subprocess.run(["umount", "--lazy", place], capture_output=True, check=False)
        shutil.rmtree(folder)
        subprocess.run(["ip", "link", "delete", _BRIDGE], capture_output=True, check=False)


def _mounted_below(folder: Path) -> list[str]:
    places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return [place for place in reversed(places) if place.startswith(f"{folder}/")]


def _bridge() -> str:
    """A bridge of the tests' own; ``none`` where none can be made."""
    for words in (
        ["link", "add", _BRIDGE, "type", "bridge"],
        ["addr", "add", _BRIDGE_ADDRESS, "dev", _BRIDGE],
        ["link", "set", _BRIDGE, "up"],
    ):
        if shutil.which("ip") is None or subprocess.run(["ip", *words], capture_output=True, check=False).returncode:
            return "none"
    return _BRIDGE


def _await_daemon(daemon: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while not socket.exists():
        if daemon.poll() is not None or time.monotonic() > deadline:
            last = [line for line in log.read_text(errors="replace").splitlines() if line][-1:]
            pytest.skip(f"no Docker daemon can be started here: {''.join(last)}")
        time.sleep(0.1)


def make_image(address: str, reference: str, installation: Installation, change: Callable[[str], str] = str) -> str:
    """An image of an unpacked engine with the conventions of official ones; its id."""
    import docker

    busybox = shutil.which("busybox")
    if busybox is None or b"ld-linux" in Path(busybox).read_bytes()[:4096]:
        pytest.skip("a static shell is needed to make images (Debian: busybox-static)")
    root = next(p for p in installation.base_directory.parents if (p / "installation.json").exists())
    client = docker.DockerClient(base_url=address, version="auto")
    with tempfile.TemporaryFile() as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            _fill(tar, root, Path(busybox), change(_entry_point(installation)))
        file.seek(0)
        client.api.import_image_from_data(
            file, *reference.rsplit(":", 1), changes=['ENTRYPOINT ["/entry-point"]', 'VOLUME ["/var/lib/mysql"]']
        )
    image_id = client.images.get(reference).id
    client.close()
    return str(image_id)


def _entry_point(installation: Installation) -> str:
    server = "/usr/sbin/" + Path(installation.server_argv[-1]).name
    initialise = _BOOTSTRAP if installation.family == "mariadb" else _INSECURE
    secure = _SECURE if installation.family == "mariadb" else ""
    text = ENTRY_POINT.replace("@SERVER@", server).replace("@INITIALISE@", initialise)
    return text.replace("@SECURE@", secure)


def _fill(tar: tarfile.TarFile, root: Path, busybox: Path, entry_point: str) -> None:
    for top in ("usr", "etc"):
        tar.add(root / top, top)
    for name in ("bin", "sbin", "lib", "lib64"):
        if not (root / name).exists():
            _link(tar, name, f"usr/{name}")
    tar.add(busybox, "usr/bin/busybox")
    for applet in _APPLETS:
        _link(tar, f"usr/bin/{applet}", "busybox")
    for folder, mode in {
        "tmp": 0o1777,
        "var/lib/mysql": 0o777,
        "docker-entrypoint-initdb.d": 0o755,
        "run": 0o755,
    }.items():
        entry = tarfile.TarInfo(folder)
        entry.type, entry.mode = tarfile.DIRTYPE, mode
        tar.addfile(entry)
    _file(tar, "entry-point", entry_point, 0o755)
    _file(
        tar, "etc/passwd", "root:x:0:0::/:/bin/sh\nmysql:x:999:999::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n", 0o644
    )
    _file(tar, "etc/group", "root:x:0:\nmysql:x:999:\nnogroup:x:65534:\n", 0o644)


def _link(tar: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    tar.addfile(entry)


def _file(tar: tarfile.TarFile, name: str, text: str, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(text.encode()), mode
    tar.addfile(entry, io.BytesIO(text.encode()))


def containers_of(address: str) -> list[Any]:
    """Every container there is, running or not."""
    import docker

    client = docker.DockerClient(base_url=address, version="auto")
    found = client.containers.list(all=True)
    client.close()
    return list(found)
