"""Runs the system's ``ssh`` with the user's configuration, and translates what it says into errors.

Nothing is accepted silently: a host key that is not known, or is another, ends the attempt.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence

from dbdyno.core import HostError, RequestError
from dbdyno.hosts._environment import command_environment

SSH_VARIABLE = "DBDYNO_SSH"
"""Environment variable: the command for ``ssh``, such as ``ssh -F FILE``."""
CONNECT_S = 5
_DEBUG_S = 15.0
_SSH_FAILED = 255  # its own exit code; any other is that of the command there
_NOT_EXECUTABLE = 126  # the shell's
_OPTIONS = {
    "BatchMode": "yes",
    "StrictHostKeyChecking": "yes",
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "ControlMaster": "no",
    "ControlPath": "none",
    "PermitLocalCommand": "no",
    "LogLevel": "ERROR",
    # Without a reply for 15 s ssh ends: that of a dbdyno which was killed would stay until TCP gives up, for 15 min.
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
}


def check_destination(destination: str) -> None:
    """Refuse what ssh would take for an option or the remote shell for more than a name.

    Raises
    ------
    RequestError : it is no name of a host

    >>> check_destination("bench@db1")
    """
    if port := re.fullmatch(r"(?P<place>(?:[\w.-]+@)?(?P<host>[A-Za-z0-9_][\w.-]*)):(?P<number>\d+)", destination):
        raise RequestError(
            f"'{destination}' ends in a port, which ssh reads as part of the name",
            "",
            f"write ssh://{destination}, or 'Port {port['number']}' under 'Host {port['host']}' in ~/.ssh/config and "
            f"{port['place']} here",
        )
    if not re.fullmatch(r"(ssh://)?[A-Za-z0-9_][\w.@:%\[\]-]*", destination):
        raise RequestError(
            f"'{destination}' is not a host",
            "a host name has the form of an ssh destination: db1, bench@db1",
            "write an ssh destination",
        )


def ssh_command(
    destination: str,
    *,
    connect_s: int = CONNECT_S,
    environ: Mapping[str, str] = os.environ,
    options: Sequence[str] = (),
) -> list[str]:
    """Return the command line by which ssh reaches a host; the command there follows.

    Raises
    ------
    RequestError : `SSH_VARIABLE` is not a command
    """
    option_words = [word for name, value in _OPTIONS.items() for word in ("-o", f"{name}={value}")]
    try:
        program = shlex.split(environ.get(SSH_VARIABLE, "")) or ["ssh"]
    except ValueError as error:
        raise RequestError(f"{SSH_VARIABLE} is not a command", str(error), "balance its quotes") from error
    return [*program, "-T", *options, "-o", f"ConnectTimeout={connect_s}", *option_words, "--", destination]


def ssh_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return variables that ssh gets: those that every command gets, and the socket of the user's key agent."""
    agent = {"SSH_AUTH_SOCK": environ["SSH_AUTH_SOCK"]} if environ.get("SSH_AUTH_SOCK") else {}
    return command_environment(agent, environ=environ)


def ssh_variables(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return variables that a program needs to run ssh as this process does: the command, and the user's key agent."""
    return {name: environ[name] for name in (SSH_VARIABLE, "SSH_AUTH_SOCK") if environ.get(name)}


def run_script(destination: str, script: str, words: Sequence[str], *, stdin: bytes = b"", timeout_s: float) -> str:
    """Run a script of the plain shell on a host, under any login shell of the user; it holds no apostrophe.

    Raises
    ------
    HostError : the host can't be reached, or the script failed
    """
    command = " ".join(["exec", "sh", "-c", f"'{script}'", "dbdyno", *map(shlex.quote, words)])
    try:
        result = subprocess.run(
            [*ssh_command(destination), command],
            input=stdin,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            env=ssh_environment(),
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise HostError(
            f"{destination} took longer than {timeout_s:g} s", script[:80], fault="network", code="timed-out"
        ) from error
    except OSError as error:
        raise HostError("ssh can't be started", str(error), "install the OpenSSH client") from error
    if result.returncode != 0:
        # A login shell that runs no commands says so on its standard output.
        output = result.stderr.strip() or result.stdout
        raise failure(destination, result.returncode, output.decode(errors="replace"))
    return result.stdout.decode(errors="replace")


def failure(destination: str, exit_code: int, stderr: str) -> HostError:
    """Return the error that an exit code and the last words of ssh, or of the command there, amount to."""
    words = stderr.strip()[-2000:]
    if exit_code == _NOT_EXECUTABLE:
        return HostError(
            f"{destination} does not execute programs in dbdyno's folder",
            words,
            "name a folder with --home on a file system mounted without noexec",
            code="not-executable",
        )
    if exit_code != _SSH_FAILED:
        return _command_failure(destination, exit_code, words)
    if "IDENTIFICATION HAS CHANGED" in stderr:
        return HostError(
            f"{destination} has a different host key than before",
            f"{_key_fingerprint(destination)}\n{words}".strip(),
            f"if the host was reinstalled, remove the old key: ssh-keygen -R {_host_name(destination)}",
        )
    if "host key is known" in stderr or "Host key verification failed" in stderr:
        return HostError(
            f"the host key of {destination} is not known",
            _key_fingerprint(destination),
            "compare it with the one on the host (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub), then accept it: "
            f"ssh -o StrictHostKeyChecking=ask {destination} true",
        )
    if "Permission denied" in stderr:
        return HostError(
            f"{destination} accepts none of your keys", words, f"ssh-copy-id {destination}, or add the key to ssh-agent"
        )
    return HostError(
        f"{destination} can't be reached",
        words,
        f"{_reach_remedy(stderr)}; to try it by hand: ssh {destination} true",
        fault="network",
        code="unreachable",
    )


def _reach_remedy(stderr: str) -> str:
    if "resolve hostname" in stderr:
        return "check the name, in --host, `ssh` of [hosts.NAME] or HostName of ~/.ssh/config"
    if "Cannot execute command-line and remote command" in stderr:
        return "~/.ssh/config has RemoteCommand for this host; name the host in a Host entry without it"
    if "Connection refused" in stderr:
        return "check that its SSH server runs, and on which port"
    return "check that it is on, its cable and route, and firewalls between"


_OTHER_FOLDER = "name another folder: --home, or `home` of [hosts.NAME]"
_COMMAND_FAILURES = (
    (
        ("No space left on device", "quota exceeded"),
        "the disk of {host} is full",
        f"free some space there, or {_OTHER_FOLDER}",
        "disk-full",
    ),
    (
        ("Permission denied", "Read-only file system"),
        "the user on {host} can't write to dbdyno's folder",
        f"create the folder there for that user, or {_OTHER_FOLDER}",
        "not-writable",
    ),
    (
        ("File exists", "Not a directory"),
        "dbdyno's folder on {host} can't be created",
        f"remove the file that has its name there, or {_OTHER_FOLDER}",
        "not-a-folder",
    ),
    (
        ("restricted",),
        "the login shell on {host} is restricted",
        "give that user a plain shell there: chsh -s /bin/sh USER, as root",
        "restricted-shell",
    ),
)
"""What a shell or command says of a failure -> what failed, what helps, and the error's code."""


def _command_failure(destination: str, exit_code: int, words: str) -> HostError:
    """Return the error of a command there that ssh has run."""
    for causes, what, remedy, code in _COMMAND_FAILURES:
        if any(cause in words for cause in causes):
            return HostError(what.format(host=destination), words, remedy, code=code)
    if "command not found" in words or words.endswith("not found"):
        return HostError(
            f"{destination} lacks a command that dbdyno needs", words, "install it there (package coreutils)"
        )
    return HostError(
        f"a command failed on {destination} with exit code {exit_code}",
        words,
        f"try it by hand: ssh {destination}",
        code="command-failed",
    )


def _key_fingerprint(destination: str) -> str:
    """Return the key that the host shows; by ssh itself, so that jumps and ports are as configured."""
    try:
        result = subprocess.run(
            [*ssh_command(destination, options=["-v"]), "true"],
            capture_output=True,
            text=True,
            timeout=_DEBUG_S,
            check=False,
            env=ssh_environment(),
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "its fingerprint could not be read"
    match = re.search(r"Server host key: (\S+) (\S+)", result.stderr)
    return f"it shows the key {match[1]} {match[2]}" if match else "its fingerprint could not be read"


def _host_name(destination: str) -> str:
    return destination.removeprefix("ssh://").rpartition("@")[2]
