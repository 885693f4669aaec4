"""A long or slow cable: carries frames between two TAP devices, each held back, and one behind another at a rate.

Kernels without netem can't delay packets, so a process does. Usage:
python long_cable.py NEAR_DEVICE FAR_DEVICE PID_OF_FAR_NETWORK ROUND_TRIP_MS RATE_MBIT (0: unlimited) LOST_SHARE
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import fcntl
import os
import random
import select
import struct
import sys
import time

_TUNSETIFF = 0x400454CA
_IFF_TAP, _IFF_NO_PI = 0x0002, 0x1000
_CLONE_NEWNET = 0x40000000
_PR_SET_TIMERSLACK = 29
_FRAME_BYTES = 2048
_LINE_BYTES = 24
"""Preamble, gap and checksum of a frame, which take time on a wire, too."""
_QUEUE_NS = 200_000_000
"""Frames that would wait for longer are dropped, as a switch drops them."""


class Direction:
    """Frames of one direction, with the time at which each leaves."""

    def __init__(self, source: int, sink: int, hold_ns: int, ns_per_byte: float, lost_share: float) -> None:
        self.source, self.sink, self.hold_ns, self.ns_per_byte = source, sink, hold_ns, ns_per_byte
        self.lost_share, self.chance = lost_share, random.Random(1)
        self.frames: collections.deque[tuple[int, bytes]] = collections.deque()
        self.free_ns = 0

    def take(self) -> None:
        """Take what has come."""
        with contextlib.suppress(BlockingIOError):
            while frame := os.read(self.source, _FRAME_BYTES):
                now_ns = time.monotonic_ns()
                begins_ns = max(now_ns, self.free_ns)
                if begins_ns - now_ns > _QUEUE_NS or self.chance.random() < self.lost_share:
                    continue
                self.free_ns = begins_ns + round((len(frame) + _LINE_BYTES) * self.ns_per_byte)
                self.frames.append((self.free_ns + self.hold_ns, frame))

    def give(self) -> float | None:
        """Let go what is due; the seconds until the next frame is, None without one."""
        while self.frames:
            left_ns = self.frames[0][0] - time.monotonic_ns()
            if left_ns > 0:
                return left_ns / 1e9
            with contextlib.suppress(OSError):  # a device that is down takes nothing, as a pulled cable
                os.write(self.sink, self.frames[0][1])
            self.frames.popleft()
        return None


def _tap(name: str) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(descriptor, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI))
    return descriptor


def main(near_name: str, far_name: str, far_pid: str, round_trip_ms: str, rate_mbit: str, lost_share: str) -> None:
    """Carry frames until killed; the devices go with the process."""
    libc = ctypes.CDLL(None, use_errno=True)
    near = _tap(near_name)
    network = os.open(f"/proc/{far_pid}/ns/net", os.O_RDONLY)
    if libc.setns(network, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")
    far = _tap(far_name)
    libc.prctl(_PR_SET_TIMERSLACK, 1)
    with contextlib.suppress(OSError):  # a cable is not slower where the processors are busy
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    hold_ns = round(float(round_trip_ms) * 1e6 / 2)
    ns_per_byte = 8e3 / float(rate_mbit) if float(rate_mbit) else 0.0
    ways = [Direction(*ends, hold_ns, ns_per_byte, float(lost_share)) for ends in ((near, far), (far, near))]
    print("ready", flush=True)
    while True:
        for way in ways:
            way.take()
        waits = [wait for way in ways if (wait := way.give()) is not None]
        select.select([near, far], [], [], min(waits, default=None))


if __name__ == "__main__":
    main(*sys.argv[1:])
