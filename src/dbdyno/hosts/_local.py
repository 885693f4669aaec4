"""The machine dbdyno runs on."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pwd
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TypedDict

from dbdyno.core import HostError
from dbdyno.hosts._containers import Containers, open_containers
from dbdyno.hosts._facts import HostFacts, meminfo, read_facts
from dbdyno.hosts._home import Home
from dbdyno.hosts._memory_group import MemoryGroup, find_groups, make_memory_group, remove_group
from dbdyno.hosts._oom import OomWatch
from dbdyno.hosts._process import ForeignProcess, OwnPipedProcess, OwnProcess, find_process
from dbdyno.hosts._protocol import Completed

_FICLONE = 0x40049409  # linux/fs.h: share the blocks of another file
_TAIL_CHARACTERS = 2000
_REMOVE_ATTEMPTS = 20
_REMOVE_PAUSE_S = 0.1
# Waits for a line before it becomes the program: time to put it into its group. A maker that dies lets it end.
_HELD_BACK = ("sh", "-c", 'read -r _ && exec "$@" </dev/null', "sh")


class _Identity(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


class LocalHost:
    """Commands, files and facts of this machine.

    When root, servers run as the user ``dbdyno`` if there is one, else as ``nobody``: database servers refuse
    to run as root, and rightly so. Any other user runs them as itself.
    """

    def __init__(self) -> None:
        self._server_user = _server_user() if os.geteuid() == 0 else None

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: str | bytes | Path | None = None,
        timeout_s: float,
        as_server_user: bool = False,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        check: bool = True,
    ) -> Completed:
        """See `Host`. The whole process group ends with a timeout or an interrupt, helpers included."""
        fed = stdin.encode() if isinstance(stdin, str) else stdin if isinstance(stdin, bytes) else None
        with contextlib.ExitStack() as stack:
            source = stack.enter_context(stdin.open("rb")) if isinstance(stdin, Path) else None
            popen = stack.enter_context(
                _popen(
                    argv,
                    stdin=source or (subprocess.PIPE if fed is not None else subprocess.DEVNULL),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=_environment(env),
                    cwd=cwd,
                    identity=self._identity(as_server_user),
                )
            )
            try:
                out, err = popen.communicate(fed, timeout=timeout_s)
            except subprocess.TimeoutExpired as error:
                _kill_group(popen)
                raise HostError(f"'{argv[0]}' took longer than {timeout_s:g} s", _words(argv)) from error
            except BaseException:
                _kill_group(popen)
                raise
        done = Completed(tuple(argv), popen.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
        if check and done.exit_code != 0:
            tail = done.stderr.strip()[-_TAIL_CHARACTERS:] or done.stdout.strip()[-_TAIL_CHARACTERS:]
            raise HostError(f"'{argv[0]}' ended with exit code {done.exit_code}", f"{_words(argv)}\n{tail}".strip())
        return done

    def spawn(
        self,
        argv: Sequence[str],
        *,
        stdout: Path | None,
        stderr: Path | None,
        as_server_user: bool = False,
        cpus: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        limit_open_files: int | None = None,
        memory_group: MemoryGroup | None = None,
    ) -> OwnProcess:
        """See `Host`. `limit_open_files` is lowered to the hard limit of this process."""
        command = [*_limited(limit_open_files), *_pinned(cpus), *argv]
        if memory_group is not None:
            command = [*_HELD_BACK, *command]
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(stdout.open("ab")) if stdout else subprocess.DEVNULL
            err = stack.enter_context(stderr.open("ab")) if stderr else subprocess.DEVNULL
            popen = _popen(
                command,
                stdin=subprocess.DEVNULL if memory_group is None else subprocess.PIPE,
                stdout=out,
                stderr=err,
                env=_environment(env),
                cwd=cwd,
                identity=self._identity(as_server_user),
            )
        process = OwnProcess(popen)
        if memory_group is not None:
            _let_go_in(memory_group, popen)
        return process

    def spawn_piped(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes,
        cpus: Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> OwnPipedProcess:
        """See `Host`."""
        popen = _popen(
            [*_pinned(cpus), *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(env),
            cwd=None,
            identity=_Identity(),
        )
        return OwnPipedProcess(popen, stdin)

    def is_listening(self, path: Path) -> bool:
        """See `Host`."""
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(path))
            except OSError:
                return False
        return True

    def find_process(self, pid: int, start_ticks: int) -> ForeignProcess | None:
        """See `Host`."""
        return find_process(pid, start_ticks)

    def watch_oom(self, pid: int) -> OomWatch:
        """See `Host`."""
        return OomWatch.begin(pid)

    def make_memory_group(self, name: str, limit_bytes: int) -> MemoryGroup:
        """See `Host`."""
        return make_memory_group(name, limit_bytes)

    def memory_groups(self) -> list[Path]:
        """See `Host`."""
        return find_groups()

    def remove_memory_group(self, folder: Path) -> None:
        """See `Host`."""
        remove_group(folder)

    def copy_tree(self, source: Path, destination: Path) -> str:
        """See `Host`. The destination must not exist; a failed copy leaves nothing behind."""
        if destination.exists():
            raise HostError(f"can't copy to {destination}", "it is there already")
        self.make_directory(destination.parent)
        how = "reflink" if _can_reflink(source, destination.parent) else "copy"
        option = "--reflink=always" if how == "reflink" else "--reflink=auto"
        try:
            self.run(["cp", "-a", option, "--", str(source), str(destination)], timeout_s=24 * 3600)
        except BaseException:
            self.remove_tree(destination)
            raise
        return how

    def write_back(self, directory: Path) -> None:
        """See `Host`. Otherwise the kernel writes a fresh copy out during the window and disturbs it."""
        for path in directory.rglob("*"):
            if path.is_file() and not path.is_symlink():
                handle = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(handle)
                    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
                finally:
                    os.close(handle)

    def remove_tree(self, directory: Path) -> None:
        """See `Host`. A copy or a server that was killed a moment ago may still add a file: then once more."""
        for attempt in range(_REMOVE_ATTEMPTS):
            try:
                shutil.rmtree(directory)
            except FileNotFoundError:
                return
            except OSError as error:
                if error.errno != errno.ENOTEMPTY or attempt == _REMOVE_ATTEMPTS - 1:
                    raise HostError(f"can't remove {directory}", str(error)) from error
                time.sleep(_REMOVE_PAUSE_S)

    def make_directory(self, path: Path, *, for_server: bool = False) -> None:
        """See `Host`."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            if for_server:
                path.chmod(0o700)
                self._give_to_server_user(path)
        except OSError as error:
            raise HostError(
                f"can't make the folder {path}", str(error), "choose another place with DBDYNO_HOME"
            ) from error

    def make_private_directory(self) -> Path:
        """See `Host`."""
        path = Path(tempfile.mkdtemp(prefix=f"dbdyno-{os.geteuid()}-", dir="/tmp"))
        path.chmod(0o711 if self._server_user else 0o700)
        return path

    def write_private(self, path: Path, text: str, *, for_server: bool = False) -> None:
        """See `Host`. The mode is set at creation, so there is no moment at which others could read."""
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(text)
        if for_server:
            self._give_to_server_user(path)

    def read_private(self, path: Path) -> str:
        """See `Host`."""
        try:
            return path.expanduser().read_text()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise HostError(f"the file {path} can't be read", str(why), "correct its path or its rights") from None

    @contextlib.contextmanager
    def lock(self, path: Path, timeout_s: float, *, shared: bool = False) -> Iterator[None]:
        """See `Host`. The kernel lets go when the process ends, however it ends."""
        self.make_directory(path.parent)
        deadline = time.monotonic() + timeout_s
        with path.open("a") as file:
            while True:
                try:
                    fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
                    break
                except BlockingIOError as error:
                    if time.monotonic() >= deadline:
                        raise HostError(
                            f"another process holds {path}", f"waited {timeout_s:g} s", "wait for it to end"
                        ) from error
                    time.sleep(0.1)
            yield

    def ensure_reachable(self, path: Path) -> None:
        """See `Host`."""
        if self._server_user is None:
            return
        for parent in reversed(path.absolute().parents):
            if (
                parent.exists()
                and not parent.stat().st_mode & 0o001
                and parent.stat().st_uid != self._server_user.pw_uid
            ):
                raise HostError(
                    f"the user {self._server_user.pw_name}, who runs the servers, can't pass through {parent}",
                    f"{path} lies below it",
                    "set DBDYNO_HOME to a folder that all may pass through, such as /var/cache/dbdyno",
                )

    def containers(self) -> Containers:
        """See `Host`."""
        user = self._server_user
        return open_containers((user.pw_uid, user.pw_gid) if user is not None else (os.getuid(), os.getgid()))

    def facts(self, data_path: Path | None = None) -> HostFacts:
        """See `Host`."""
        return read_facts(_existing(data_path or Home.of_user().root))

    def memory_available_bytes(self) -> int:
        """See `Host`."""
        return meminfo().get("MemAvailable", 0)

    def free_bytes(self, path: Path) -> int:
        """See `Host`."""
        return shutil.disk_usage(_existing(path)).free

    def _identity(self, as_server_user: bool) -> _Identity:
        if not as_server_user or self._server_user is None:
            return _Identity()
        return _Identity(user=self._server_user.pw_uid, group=self._server_user.pw_gid, extra_groups=[])

    def _give_to_server_user(self, path: Path) -> None:
        if self._server_user is not None:
            os.chown(path, self._server_user.pw_uid, self._server_user.pw_gid)


def _server_user() -> pwd.struct_passwd:
    for name in ("dbdyno", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise HostError("no user to run servers as", "neither dbdyno nor nobody exists", "useradd --system dbdyno")


def _popen(
    argv: Sequence[str],
    *,
    stdin: int | IO[bytes],
    stdout: int | IO[bytes],
    stderr: int | IO[bytes],
    env: Mapping[str, str],
    cwd: Path | None,
    identity: _Identity,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(argv),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=env,
            cwd=cwd,
            start_new_session=True,
            **identity,
        )
    except FileNotFoundError as error:
        raise HostError(f"the command '{argv[0]}' is not on this host", str(error)) from error
    except OSError as error:
        raise HostError(f"can't start '{argv[0]}'", str(error)) from error


def _let_go_in(group: MemoryGroup, popen: subprocess.Popen[bytes]) -> None:
    try:
        group.add(popen.pid)
        if popen.stdin is not None:
            with popen.stdin as pipe:
                pipe.write(b"go\n")
    except (HostError, OSError) as error:
        popen.kill()
        popen.wait()
        if isinstance(error, HostError):
            raise
        raise HostError("a process ended before it could be put into its memory group", str(error)) from error


def _kill_group(popen: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(popen.pid, signal.SIGKILL)  # its own session: group id = pid
    popen.communicate()


def _pinned(cpus: Sequence[int] | None) -> list[str]:
    # Before exec, by a program: setting it afterwards would miss threads already made, and a preexec function is
    # not safe in a process with threads.
    return ["taskset", "--cpu-list", ",".join(map(str, cpus))] if cpus else []


def _limited(open_files: int | None) -> list[str]:
    if open_files is None:
        return []
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    allowed = open_files if hard == resource.RLIM_INFINITY else min(open_files, hard)
    return ["prlimit", f"--nofile={allowed}:{'unlimited' if hard == resource.RLIM_INFINITY else hard}"]


def _environment(env: Mapping[str, str] | None) -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", **(env or {})}


def _existing(path: Path) -> Path:
    return next(p for p in (path.absolute(), *path.absolute().parents) if p.exists())


def _can_reflink(source: Path, destination: Path) -> bool:
    """Whether blocks of a file below `source` can be shared with one in `destination`."""
    file = next((p for p in source.rglob("*") if p.is_file() and p.stat().st_size), None)
    if file is None:
        return False
    with tempfile.TemporaryFile(dir=destination) as probe, file.open("rb") as original:
        try:
            fcntl.ioctl(probe, _FICLONE, original.fileno())
        except OSError:
            return False
    return True


def _words(argv: Sequence[str]) -> str:
    text = " ".join(argv)
    return text if len(text) <= 300 else f"{text[:300]} …"
