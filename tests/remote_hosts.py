"""Remote hosts on this machine: each has its own network, processes, clock, boot id, files in /home, and an sshd.

All hosts hang on one switch in a network namespace; ``ssh`` runs in that namespace, so nothing of it is seen outside.
What the client has in /tmp, /root, /run, /var/cache and its checkout is hidden on the hosts: a program that mixes the
machines up fails.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field
from pathlib import Path

import pytest

from network_host import held_namespace, inside, processes_in, run

USER = "bench"
_USER_ID = 4242
_SSHD = "/usr/sbin/sshd"
_CHECKOUT = Path(__file__).parents[1]
_SSHD_CONFIG = """\
Port 22
HostKey /run/host/host_key
AuthorizedKeysFile /run/host/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 100
UseDNS no
PrintMotd no
SetEnv PATH=/run/host/bin:/usr/local/bin:/usr/bin:/bin
"""
_SUDO = """\
#!/bin/sh
[ "$1" = -n ] && [ "$2" = /usr/sbin/tc ] || exit 1
shift 2
exec /run/host/tc "$@"
"""
_SUDO_WITH_PASSWORD = """\
#!/bin/sh
echo "sudo: a password is required" >&2
exit 1
"""
# The first process of a host: lays out its files, then serves and collects what has ended.
_INIT = r"""
set -eu
state=$1 name=$2 hidden=$3
mount -t tmpfs -o mode=755 run /run
mkdir -p /run/host /run/sshd
cp "$state"/host_key "$state"/authorized_keys "$state"/sshd_config "$state"/passwd "$state"/boot_id /run/host/
chmod 600 /run/host/host_key
mount -t tmpfs -o mode=755 home /home
mkdir /home/bench
mount --bind "$state/disk" /home/bench
mount --bind /run/host/passwd /etc/passwd
mount -t proc proc /proc
mount --bind /run/host/boot_id /proc/sys/kernel/random/boot_id
for folder in /var/cache /root /tmp "$hidden"; do mkdir -p "$folder"; mount -t tmpfs -o mode=1777 hidden "$folder"; done
hostname "$name"
cd /
env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin /usr/sbin/sshd -D -e -f /run/host/sshd_config &
while :; do wait -n || sleep 0.1; done
"""


@dataclass(frozen=True)
class Cable:
    """What holds back all that goes to a host and comes from it.

    Attributes
    ----------
    round_trip_ms : added to each round trip
    rate_mbit : most that each direction carries; 0: all
    lost_share : of the frames
    """

    round_trip_ms: float
    rate_mbit: float = 0.0
    lost_share: float = 0.0


@dataclass
class RemoteMachine:
    """A host that can be cut off, frozen and switched off."""

    name: str
    address: str
    state: Path
    switch: subprocess.Popen[bytes]
    number: int
    cable: Cable | None = None
    carrier: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    init: int = 0
    holder: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def destination(self) -> str:
        """As ssh takes it."""
        return f"{USER}@{self.name}"

    @property
    def home(self) -> Path:
        """Its user's home, as this machine sees it."""
        return self.state / "disk"

    def cut(self) -> None:
        """Pull the cable."""
        run(*inside(self.switch), "ip", "link", "set", f"port{self.number}", "nomaster")

    def mend(self) -> None:
        """Plug the cable in again."""
        run(*inside(self.switch), "ip", "link", "set", f"port{self.number}", "master", "switch")

    def freeze(self) -> None:
        """Stop all its processes."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._signal(signal.SIGCONT)

    def power_off(self) -> None:
        """Everything ends at once, and nothing of it reaches the cable."""
        with contextlib.suppress(subprocess.CalledProcessError):  # it may be off already
            self.cut()
        if self.holder is not None:
            self.holder.kill()  # its namespace goes with it, the end of its cable some time after
            self.holder.wait()
        if self.carrier is not None:
            self.carrier.kill()
            self.carrier.communicate()
        port = ["ip", "link", "del", f"port{self.number}"]
        subprocess.run([*inside(self.switch), *port], capture_output=True, timeout=20, check=False)

    def processes(self) -> dict[int, str]:
        """Command lines of the user's processes, by their pids on this machine; sshd's left out."""
        found = {}
        for pid in processes_in(self.init):
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                if Path(f"/proc/{pid}").stat().st_uid == _USER_ID and words and not words.startswith("sshd:"):
                    found[pid] = words
        return found

    def allow_sudo(self, *, asks_for_password: bool = False) -> None:
        """Have a `sudo` there that runs `tc` as root, or one that asks for a password."""
        folder = Path(f"/proc/{self.init}/root/run/host")
        (folder / "bin").mkdir(exist_ok=True)
        shutil.copy("/usr/sbin/tc", folder / "tc")
        (folder / "tc").chmod(0o4755)
        (folder / "bin/sudo").write_text(_SUDO_WITH_PASSWORD if asks_for_password else _SUDO)
        (folder / "bin/sudo").chmod(0o755)

    def tc(self, *words: str) -> str:
        """What `tc` prints there, as root."""
        command = ["nsenter", f"--net=/proc/{self.init}/ns/net", "--", "tc", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout

    def _signal(self, number: signal.Signals) -> None:
        for pid in processes_in(self.init):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def boot(self) -> None:
        """Switch it on: the same disk and key, another boot id, a clock that began at another time."""
        (self.state / "boot_id").write_text(f"{uuid.uuid4()}\n")
        offset = str(100_000 * (self.number + 1))
        words = ["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--time", "--monotonic", offset]
        words += ["--boottime", offset, "--fork", "--kill-child", "--propagation", "private", "--"]
        words += ["bash", "-c", _INIT, "init", str(self.state), self.name, str(_CHECKOUT)]
        with (self.state / "console").open("wb") as console:
            self.holder = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        self.init = self._first_process()
        self._plug_in()

    def exchange_cable(self, cable: Cable) -> None:
        """Have another one from now on. The host notices nothing but a network that was away for a moment."""
        assert self.carrier is not None
        self.carrier.kill()  # both ends go with it
        self.carrier.communicate()
        self.cable = cable
        self._plug_in()

    def _plug_in(self) -> None:
        port = f"port{self.number}"
        self._lay_cable(port)
        run(*inside(self.switch), "ip", "link", "set", port, "master", "switch", "up")
        there = ["nsenter", f"--net=/proc/{self.init}/ns/net", "--"]
        run(*there, "ip", "link", "set", "lo", "up")
        # The card stays in the machine: neighbours that know its hardware address need not learn another one.
        run(*there, "ip", "link", "set", "eth0", "address", f"02:00:00:00:01:{self.number:02x}")
        run(*there, "ip", "addr", "add", f"{self.address}/24", "dev", "eth0")
        run(*there, "ip", "link", "set", "eth0", "up")

    def _lay_cable(self, port: str) -> None:
        """Make both ends: of a pair of devices, or of two devices with a process between them."""
        if self.cable is None:
            peer = ("peer", "name", "eth0", "netns", str(self.init))
            run(*inside(self.switch), "ip", "link", "add", port, "type", "veth", *peer)
            return
        program = [sys.executable, str(Path(__file__).with_name("long_cable.py")), port, "eth0", str(self.init)]
        words = [*inside(self.switch), *program, *map(str, astuple(self.cable))]
        self.carrier = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.carrier.stdout is not None and self.carrier.stderr is not None
        if self.carrier.stdout.readline() != b"ready\n":
            raise OSError(self.carrier.stderr.read().decode(errors="replace"))

    def _first_process(self) -> int:
        assert self.holder is not None
        children = Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children")
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and self.holder.poll() is None:
            for pid in children.read_text().split():
                with contextlib.suppress(OSError):
                    status = Path(f"/proc/{pid}/status").read_text()
                    if any(line.startswith("NSpid:") and line.split()[-1] == "1" for line in status.splitlines()):
                        return int(pid)
            time.sleep(0.01)
        message = (self.state / "console").read_text() or "unshare was refused"
        raise OSError(message)


@contextlib.contextmanager
def remote_machines(folder: Path, *names: str, cable: Cable | None = None) -> Iterator[list[RemoteMachine]]:
    """Hosts that are on, and ``DBDYNO_SSH`` set to reach them. Skips the test where they can't be made.

    Parameters
    ----------
    cable : to each of them; None: as quick as memory
    """
    if os.geteuid() != 0:
        pytest.skip("namespaces of hosts need root")
    if not Path(_SSHD).exists() or shutil.which("unshare") is None:
        pytest.skip("sshd is not installed (package openssh-server)")
    with contextlib.ExitStack() as stack:
        try:
            switch = stack.enter_context(held_namespace(1800))
            # A bridge takes the lowest address of its ports: one that was pulled out would still hear what is sent.
            own = ("address", "02:00:00:00:00:01")
            run(*inside(switch), "ip", "link", "add", "switch", *own, "type", "bridge")
            run(*inside(switch), "ip", "addr", "add", "10.98.0.1/24", "dev", "switch")
            run(*inside(switch), "ip", "link", "set", "switch", "up")
            run(*inside(switch), "ip", "link", "set", "lo", "up")  # a lab there listens for its own tunnels
            _make_key(folder / "client_key")
            machines = [_make(folder, name, number, switch, cable) for number, name in enumerate(names, start=2)]
            for machine in machines:
                stack.callback(machine.power_off)
                machine.boot()
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no namespaces of hosts can be made here: {error}")
        config = _write_config(folder, machines)
        patch = pytest.MonkeyPatch()
        stack.callback(patch.undo)
        patch.setenv("DBDYNO_SSH", shlex.join([*inside(switch), "ssh", "-F", str(config)]))
        for machine in machines:
            wait_for_sshd(machine)
        yield machines


def _make(folder: Path, name: str, number: int, switch: subprocess.Popen[bytes], cable: Cable | None) -> RemoteMachine:
    state = folder / name
    (state / "disk").mkdir(parents=True)
    os.chown(state / "disk", _USER_ID, _USER_ID)
    _make_key(state / "host_key")
    (state / "sshd_config").write_text(_SSHD_CONFIG)
    shutil.copy(folder / "client_key.pub", state / "authorized_keys")
    user = f"{USER}:x:{_USER_ID}:{_USER_ID}::/home/{USER}:/bin/sh\n"
    (state / "passwd").write_text(Path("/etc/passwd").read_text() + user)
    return RemoteMachine(name, f"10.98.0.{number}", state, switch, number, cable)


def _make_key(path: Path) -> None:
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", path.parent.name, "-f", str(path))


def _write_config(folder: Path, machines: list[RemoteMachine]) -> Path:
    lines, keys = [], []
    for machine in machines:
        lines += [f"Host {machine.name}", f"  HostName {machine.address}", f"  HostKeyAlias {machine.name}"]
        kind, key, *_ = (machine.state / "host_key.pub").read_text().split()
        keys.append(f"{machine.name} {kind} {key}\n")
    lines += ["Host *", f"  IdentityFile {folder}/client_key", "  IdentitiesOnly yes"]
    lines += [f"  UserKnownHostsFile {folder}/known_hosts", "  GlobalKnownHostsFile /dev/null"]
    (folder / "known_hosts").write_text("".join(keys))
    config = folder / "ssh_config"
    config.write_text("\n".join(lines) + "\n")
    return config


def wait_for_sshd(machine: RemoteMachine) -> None:
    """Wait until it can be reached; skips the test if it can't."""
    options = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=2"]
    words = [*shlex.split(os.environ["DBDYNO_SSH"]), *options, machine.destination, "true"]

    def answers() -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return subprocess.run(words, capture_output=True, timeout=5, check=False).returncode == 0
        return False

    if not comes_true(answers, 40):
        console = (machine.state / "console").read_text()
        pytest.skip(f"sshd does not answer in its namespace: {console[-500:]}")


def load_is_driven(machine: RemoteMachine, route: str) -> bool:
    """Whether the load generator of a run is at work, where the route has it."""
    pids = machine.processes() if route == "loopback" else processes_in(machine.switch.pid)
    for pid in pids:
        with contextlib.suppress(OSError):
            if b"\0run\0--order\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return True
    return False


def comes_true(is_so: Callable[[], bool], seconds: float) -> bool:
    """Look again and again for some seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.05)
    return False


if (
    __name__ == "__main__"
):  # pragma: no cover - hosts to try things on by hand: python tests/remote_hosts.py FOLDER NAME...
    with remote_machines(Path(sys.argv[1]), *sys.argv[2:]) as made:
        print(f"export DBDYNO_SSH={shlex.quote(os.environ['DBDYNO_SSH'])}")
        print(*(machine.destination for machine in made), flush=True)
        sys.stdin.read()
