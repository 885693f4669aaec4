"""A clock that is set while a program runs: a library, preloaded, that moves the time of day of Python programs.

Nobody but the whole machine can set its clock, and no namespace has a time of day of its own. The library asks the
kernel, and adds what is in a file at that moment. Servers keep the kernel's time: the deadlines of their waits are
times of day, too, and the kernel would take each for one that has passed.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

HAS_COMPILER = shutil.which("cc") is not None
_SOURCE = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved_s;

__attribute__((constructor)) static void map_file(void) {
    if (strncmp(program_invocation_short_name, "python", 6) != 0) return;
    int file = open(MOVED_FILE, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *map = mmap(NULL, sizeof *moved_s, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (map != MAP_FAILED) moved_s = map;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int code = (int)syscall(SYS_clock_gettime, clock, now);
    if (code == 0 && clock == CLOCK_REALTIME && moved_s) now->tv_sec += *moved_s;
    return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
    if (now) *now = precise.tv_sec;
    return precise.tv_sec;
}
"""


@dataclass(frozen=True)
class SetClock:
    """A clock that runs as the machine's until it is set."""

    library: Path
    moved_file: Path

    @classmethod
    def make(cls, folder: Path) -> SetClock:
        """Compile the library in a folder that all may read."""
        source, library, moved_file = folder / "clock.c", folder / "libclock.so", folder / "moved"
        source.write_text(_SOURCE)
        moved_file.write_bytes(struct.pack("q", 0))
        define = f'-DMOVED_FILE="{moved_file}"'
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", define, "-o", library, source], check=True)
        return cls(library, moved_file)

    def environ(self) -> dict[str, str]:
        """Environment of a program that has this clock."""
        return {**os.environ, "LD_PRELOAD": str(self.library)}

    def move(self, seconds: int) -> None:
        """Set the clock by so many seconds, at once for every program that has it."""
        with self.moved_file.open("r+b") as file:
            file.write(struct.pack("q", seconds))
