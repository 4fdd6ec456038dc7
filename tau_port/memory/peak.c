/* SPDX-License-Identifier: BSD-3-Clause */
/* peak.c: peaks of the process's resident memory between resets.
 *
 * The kernel has one peak a process, since its exec or the last reset. Before each reset
 * the peak so far is noted for all stretches that are open, so stretches may overlap.
 * Files are opened each time: the program may close descriptors that it has not opened.
 * Bare system calls are no cancellation points. */
#include "tau_port/memory/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Errors of getrusage: the kernel counts pages on each core, and getrusage does not add
 * these counts up. */
enum { STRETCHES = 256, ERROR_BYTES = 4 << 20 };

static struct {
    pthread_mutex_t lock; /* taken with signals blocked */
    int64_t kept;         /* largest peak before a reset */
    int open, highest;    /* number of open stretches; number of used places */
    int64_t later;        /* growth of the recorder up to the first begin; 0: none yet */
    struct {
        int is_open;
        int64_t seen; /* largest peak before a reset since its begin */
        int64_t own;  /* the recorder's memory at its begin */
    } stretches[STRETCHES];
} peaks = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Return the kernel's peak of this process in bytes; 0: unknown. */
static int64_t peak_now(void)
{
    static const char word[] = "\nVmHWM:";
    char text[4096];
    const char *at;
    long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t size;

    if (file < 0)
        return 0;
    size = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[size > 0 ? size : 0] = '\0';
    at = strstr(text, word);
    return at ? 1024 * strtoll(at + strlen(word), NULL, 10) : 0;
}

static int reset(void)
{
    long file =
        syscall(SYS_openat, AT_FDCWD, "/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    ssize_t size;

    if (file < 0)
        return -1;
    size = syscall(SYS_write, file, "5", 1);
    syscall(SYS_close, file);
    return size == 1 ? 0 : -1;
}

/* Note the peak so far for all open stretches and the process. If no stretch is open and
 * the process is known to have had a higher one, it is not needed. */
static void note_peak(void)
{
    struct rusage usage = {.ru_maxrss = 0};
    int64_t peak;

    if (!peaks.open && getrusage(RUSAGE_SELF, &usage) == 0 &&
        1024LL * usage.ru_maxrss + ERROR_BYTES < peaks.kept)
        return;
    peak = peak_now();
    if (peaks.kept < peak)
        peaks.kept = peak;
    for (int i = 0; i < peaks.highest; i++)
        if (peaks.stretches[i].is_open && peaks.stretches[i].seen < peak)
            peaks.stretches[i].seen = peak;
}

int mem_peak_begin(void)
{
    int at = 0;

    pthread_mutex_lock(&peaks.lock);
    while (at < peaks.highest && peaks.stretches[at].is_open)
        at++;
    if (!peaks.later)
        peaks.later = mem_own_later();
    if (at < STRETCHES)
        note_peak();
    if (at == STRETCHES || reset()) {
        at = -1;
    } else {
        peaks.stretches[at].is_open = 1;
        peaks.stretches[at].seen = 0;
        peaks.stretches[at].own = mem_own_prepared() + peaks.later;
        peaks.open++;
        if (peaks.highest == at)
            peaks.highest++;
    }
    pthread_mutex_unlock(&peaks.lock);
    return at;
}

int64_t mem_peak_end(int stretch)
{
    int64_t peak;

    if (stretch < 0 || stretch >= STRETCHES)
        return -1;
    pthread_mutex_lock(&peaks.lock);
    peak = peak_now();
    if (peaks.kept < peak)
        peaks.kept = peak;
    if (peak && peak < peaks.stretches[stretch].seen)
        peak = peaks.stretches[stretch].seen;
    if (peak > peaks.stretches[stretch].own)
        peak -= peaks.stretches[stretch].own;
    peaks.stretches[stretch].is_open = 0;
    peaks.open--;
    while (peaks.highest && !peaks.stretches[peaks.highest - 1].is_open)
        peaks.highest--;
    pthread_mutex_unlock(&peaks.lock);
    return peak ? peak : -1;
}

void mem_peak_forget(void)
{
    pthread_mutex_lock(&peaks.lock);
    if (reset() == 0)
        peaks.kept = 0;
    pthread_mutex_unlock(&peaks.lock);
}

int64_t mem_peak_of_process(void)
{
    int64_t recorder = mem_own_prepared(), peak;

    pthread_mutex_lock(&peaks.lock);
    recorder += peaks.later;
    peak = peak_now();
    if (peak < peaks.kept)
        peak = peaks.kept;
    pthread_mutex_unlock(&peaks.lock);
    return peak > recorder ? peak - recorder : peak;
}
