/* Lets flushes and reads of a server take longer by a known time: SLOW_FLUSH_US, SLOW_READ_US. Preloaded by seeds.py.
 * It waits by polling the file itself, so that who watches the thread sees a wait for that file. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_us(const char *name, int file) {
    const char *text = getenv(name);
    if (text != NULL) {
        long us = atol(text);
        struct timespec limit = {us / 1000000, us % 1000000 * 1000};
        struct pollfd polled = {file, 0, 0};
        ppoll(&polled, 1, &limit, NULL);
    }
}

int fdatasync(int file) {
    wait_us("SLOW_FLUSH_US", file);
    return (int)syscall(SYS_fdatasync, file);
}

int fsync(int file) {
    wait_us("SLOW_FLUSH_US", file);
    return (int)syscall(SYS_fsync, file);
}

ssize_t pread64(int file, void *bytes, size_t count, off_t offset) {
    wait_us("SLOW_READ_US", file);
    return syscall(SYS_pread64, file, bytes, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    wait_us("SLOW_READ_US", file);
    return syscall(SYS_pread64, file, bytes, count, offset);
}
