/* Lets flushes and reads of a server take longer by a known time: DBDYNO_FLUSH_DELAY_NS, DBDYNO_READ_DELAY_NS.
 * Preloaded into servers that a study slows down on purpose. It waits by polling the file itself, so that who watches
 * the thread sees a wait for that file. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void delay(const char *name, int file) {
    const char *text = getenv(name);
    if (text != NULL) {
        long long ns = atoll(text);
        struct timespec limit = {ns / 1000000000, ns % 1000000000};
        struct pollfd polled = {file, 0, 0};
        ppoll(&polled, 1, &limit, NULL);
    }
}

int fdatasync(int file) {
    delay("DBDYNO_FLUSH_DELAY_NS", file);
    return (int)syscall(SYS_fdatasync, file);
}

int fsync(int file) {
    delay("DBDYNO_FLUSH_DELAY_NS", file);
    return (int)syscall(SYS_fsync, file);
}

ssize_t pread64(int file, void *bytes, size_t count, off_t offset) {
    delay("DBDYNO_READ_DELAY_NS", file);
    return syscall(SYS_pread64, file, bytes, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    delay("DBDYNO_READ_DELAY_NS", file);
    return syscall(SYS_pread64, file, bytes, count, offset);
}
