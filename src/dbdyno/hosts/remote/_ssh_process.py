"""Runs ssh with pipes to the remote command: reads its output, writes whole frames, and ends it with its helpers."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence

from dbdyno.core import HostError
from dbdyno.hosts.remote._ssh import ssh_environment

_BLOCK_BYTES = 1 << 18
_STDERR_KEPT_BYTES = 64 * 1024
_EXIT_S = 0.5
_KILL_WAIT_S = 2.0
_STDERR_WAIT_S = 1.0
_SSH_FAILED = 255  # its own exit code, as when it can't connect


class SshProcess:
    """Represents a running ssh. One thread reads from it; any thread may write while it holds `writing`.

    Parameters
    ----------
    note_activity : called whenever output arrives

    Raises
    ------
    HostError : it can't be started
    """

    def __init__(self, argv: Sequence[str], note_activity: Callable[[], None]) -> None:
        self.writing = threading.Lock()
        self._note_activity = note_activity
        self._held, self._stderr = bytearray(), bytearray()
        try:
            self._popen = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=ssh_environment(),
                start_new_session=True,  # a Ctrl-C at the terminal is for the lab, which ends its session in order
            )
        except OSError as error:
            remedy = "check that the OpenSSH client is installed, and that this user may start processes (ulimit -u)"
            raise HostError("ssh can't be started", str(error), remedy, fault="network") from error
        # Read all the time: a full pipe would block an ssh that prints much, and so the connection.
        self._stderr_reader = threading.Thread(target=self._collect_stderr, daemon=True, name="dbdyno-ssh-stderr")
        self._stderr_reader.start()

    def read(self, count: int, timeout_s: float | None = None) -> bytes:
        """Return as many bytes as asked for; fewer at the end, or if nothing arrives for `timeout_s`."""
        pipe = self._popen.stdout
        while pipe is not None and len(self._held) < count:
            if timeout_s is not None and not _is_readable(pipe.fileno(), timeout_s):
                break
            piece = os.read(pipe.fileno(), _BLOCK_BYTES)
            if not piece:
                break
            self._note_activity()
            self._held += piece
        content = bytes(self._held[:count])
        del self._held[:count]
        return content

    def write(self, frame: bytes) -> None:
        """Write a whole frame, or nothing if ssh has ended. The caller holds `writing`.

        If Ctrl-C interrupts it, ssh is ended: the agent would read the next frame as the rest of this one.
        """
        unsent, pipe = memoryview(frame), self._popen.stdin
        try:
            while unsent and pipe is not None:
                unsent = unsent[os.write(pipe.fileno(), unsent) :]
        except (OSError, ValueError):
            return  # the reading thread sees the end
        except BaseException:
            self.kill()
            raise

    def exit_code(self) -> int:
        """Return the exit code after the output has ended; end an ssh that is stuck, as on a lost path."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._popen.wait(_EXIT_S)
        self.kill()
        return _SSH_FAILED

    def stderr_text(self) -> str:
        """Return the end of its standard error. A helper that lives on, and may print more, is not waited for."""
        self._stderr_reader.join(_STDERR_WAIT_S)
        return self._stderr.decode(errors="replace")

    def kill(self) -> None:
        """End it with its child processes: the ssh that a wrapper started would hold the pipes open."""
        if self._popen.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._popen.pid, signal.SIGKILL)  # its own session: group id = pid

    def end(self) -> None:
        """End it, and wait until it has ended, but not long: the kernel may be unable to end it now."""
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(_KILL_WAIT_S)

    def close(self) -> None:
        """End it and close its pipes. The reading thread calls this, or the caller if there is none."""
        self.end()
        with self.writing:
            for pipe in (self._popen.stdin, self._popen.stdout):
                if pipe is not None:
                    pipe.close()

    def _collect_stderr(self) -> None:
        pipe = self._popen.stderr
        if pipe is not None:
            with pipe:
                while piece := pipe.read(_BLOCK_BYTES):
                    self._stderr += piece
                    del self._stderr[:-_STDERR_KEPT_BYTES]


def _is_readable(descriptor: int, timeout_s: float) -> bool:
    poll = select.poll()  # select.select can't take descriptors above 1,023
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))
