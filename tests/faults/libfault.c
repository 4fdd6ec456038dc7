/* SPDX-License-Identifier: BSD-3-Clause */
/* libfault.c: for LD_PRELOAD: lets the N-th call of a kind fail, once or from then on.
 *
 *   FAULT_KIND    "memory": malloc and its family, anonymous mappings, thread-specific
 *                 data; "io": calls on files and directories
 *   FAULT_AT      N, from 1; 0: count only
 *   FAULT_MODE    "once"; "always"; only of reads and writes "short": it does half of
 *                 what it is asked to, and "interrupted": it does nothing and says EINTR;
 *                 "killed": it does half of what it is asked to, and the process dies
 *   FAULT_ERRNO   number that a failing I/O call sets; default EIO
 *   FAULT_CLOCK   nanoseconds by which CLOCK_MONOTONIC is ahead in every other 5 of its
 *                 readings
 *   FAULT_SKIP    parts of file names, ':' between them: calls that come from such an
 *                 object neither count nor fail
 *   FAULT_ONLY    the same, but only calls that come from such an object count and fail
 *   FAULT_ARMED   "0": nothing counts until the program calls fault_arm
 *   FAULT_REPORT  file of two uint64: calls counted, calls that failed
 *
 * Only calls that go through the PLT are seen; what the C library calls inside itself is
 * not, but for malloc and its family. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* headers shall not define what is defined here */
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/libfault.h"

#define SHOWN __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

enum kind { NONE, MEMORY, IO };

static struct {
    enum kind kind;
    uint64_t at;
    int always, partial, interrupted, killed;
    int error;
    uint64_t clock_jump_ns;
    const char *skip, *only;
    int armed; /* __atomic */
    struct fault_report *report;
} plan;
static struct fault_report nowhere;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static uint64_t number(const char *name)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : 0;
}

static int is(const char *name, const char *value)
{
    const char *text = getenv(name);

    return text && strcmp(text, value) == 0;
}

static __attribute__((constructor)) void prepare(void)
{
    const char *path = getenv("FAULT_REPORT");
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0666) : -1;
    void *map = MAP_FAILED;

    if (fd >= 0 && syscall(SYS_ftruncate, fd, (long)sizeof *plan.report) == 0)
        map = (void *)syscall(SYS_mmap, 0, sizeof *plan.report, PROT_READ | PROT_WRITE,
                              MAP_SHARED, fd,
                              0L); /* all of a word, where it is on the stack */
    if (fd >= 0)
        syscall(SYS_close, fd);
    plan.report = map == MAP_FAILED ? &nowhere : map;
    plan.at = number("FAULT_AT");
    plan.error = getenv("FAULT_ERRNO") ? (int)number("FAULT_ERRNO") : EIO;
    plan.always = is("FAULT_MODE", "always");
    plan.partial = is("FAULT_MODE", "short");
    plan.interrupted = is("FAULT_MODE", "interrupted");
    plan.killed = is("FAULT_MODE", "killed");
    plan.clock_jump_ns = number("FAULT_CLOCK");
    plan.skip = getenv("FAULT_SKIP");
    plan.only = getenv("FAULT_ONLY");
    plan.armed = !is("FAULT_ARMED", "0");
    plan.kind = is("FAULT_KIND", "memory") ? MEMORY : is("FAULT_KIND", "io") ? IO : NONE;
}

SHOWN void fault_arm(void)
{
    __atomic_store_n(&plan.armed, 1, __ATOMIC_RELEASE);
}

/* Whether one of the parts is in a file name. */
static int listed(const char *part, const char *name)
{
    const char *end;
    char word[128];

    for (;; part = end + 1) {
        end = part + strcspn(part, ":");
        snprintf(word, sizeof word, "%.*s", (int)(end - part), part);
        if (*word && strstr(name, word))
            return 1;
        if (!*end)
            return 0;
    }
}

static int skipped(const void *caller)
{
    Dl_info info;

    if (!plan.skip && !plan.only)
        return 0;
    if (!dladdr(caller, &info) || !info.dli_fname)
        return plan.only != NULL;
    return (plan.skip && listed(plan.skip, info.dli_fname)) ||
           (plan.only && !listed(plan.only, info.dli_fname));
}

/* Shall this call fail? */
static int strikes_any(enum kind kind, const void *caller)
{
    uint64_t n;

    if (kind != plan.kind || !__atomic_load_n(&plan.armed, __ATOMIC_ACQUIRE) ||
        skipped(caller))
        return 0;
    n = __atomic_add_fetch(&plan.report->calls, 1, __ATOMIC_RELAXED);
    if (!plan.at || (plan.always ? n < plan.at : n != plan.at))
        return 0;
    __atomic_add_fetch(&plan.report->failed, 1, __ATOMIC_RELAXED);
    errno = kind == MEMORY ? ENOMEM : plan.interrupted ? EINTR : plan.error;
    return 1;
}

static void die(void)
{
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

static int strikes(enum kind kind, const void *caller)
{
    int struck = !plan.partial && !plan.interrupted && strikes_any(kind, caller);

    if (struck && plan.killed)
        die();
    return struck;
}

/* --- Memory --------------------------------------------------------------- */

SHOWN void *malloc(size_t size)
{
    return strikes(MEMORY, CALLER) ? NULL : __libc_malloc(size);
}

SHOWN void *calloc(size_t count, size_t size)
{
    return strikes(MEMORY, CALLER) ? NULL : __libc_calloc(count, size);
}

SHOWN void *realloc(void *old, size_t size)
{
    return strikes(MEMORY, CALLER) ? NULL : __libc_realloc(old, size);
}

SHOWN void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;

    if (strikes(MEMORY, CALLER))
        return NULL;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, bytes);
}

SHOWN int posix_memalign(void **out, size_t alignment, size_t size)
{
    int saved = errno;
    void *memory = strikes(MEMORY, CALLER) ? NULL : __libc_memalign(alignment, size);

    errno = saved;
    if (!memory)
        return ENOMEM;
    *out = memory;
    return 0;
}

SHOWN void *aligned_alloc(size_t alignment, size_t size)
{
    return strikes(MEMORY, CALLER) ? NULL : __libc_memalign(alignment, size);
}

SHOWN int pthread_setspecific(pthread_key_t key, const void *value)
{
    static int (*real)(pthread_key_t, const void *);
    int saved = errno, struck = value && strikes(MEMORY, CALLER);

    errno = saved;
    if (struck)
        return ENOMEM;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_setspecific");
    return real(key, value);
}

SHOWN void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (strikes(fd < 0 ? MEMORY : IO, CALLER))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

/* --- Files: the functions of the library below this one ------------------- */

#define NEXT(result, name, parameters)                                                   \
    static result(*real) parameters;                                                     \
    if (!real)                                                                           \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

#define HOOK(result, name, parameters, arguments, failure)                               \
    SHOWN result name parameters                                                         \
    {                                                                                    \
        NEXT(result, name, parameters);                                                  \
        if (strikes(IO, CALLER))                                                         \
            return failure;                                                              \
        return real arguments;                                                           \
    }

/* Reading and writing may also come short. */
#define HOOK_TRANSFER(name, parameters, all, half)                                       \
    SHOWN ssize_t name parameters                                                        \
    {                                                                                    \
        NEXT(ssize_t, name, parameters);                                                 \
        if (!strikes_any(IO, CALLER))                                                    \
            return real all;                                                             \
        if (plan.killed) {                                                               \
            (void)(size > 1 ? real half : 0);                                            \
            die();                                                                       \
        }                                                                                \
        if (plan.partial && size > 1)                                                    \
            return real half;                                                            \
        return plan.partial ? real all : -1;                                             \
    }

#define HOOK_OPEN(name)                                                                  \
    SHOWN int name(const char *path, int flags, ...)                                     \
    {                                                                                    \
        NEXT(int, name, (const char *, int, ...));                                       \
        va_list rest;                                                                    \
        mode_t mode;                                                                     \
                                                                                         \
        if (strikes(IO, CALLER))                                                         \
            return -1;                                                                   \
        va_start(rest, flags);                                                           \
        mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                 \
        va_end(rest);                                                                    \
        return real(path, flags, mode);                                                  \
    }

HOOK_OPEN(open)
HOOK_OPEN(open64)
HOOK(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
HOOK(FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL)
HOOK(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
HOOK(DIR *, opendir, (const char *path), (path), NULL)
HOOK_TRANSFER(read, (int fd, void *to, size_t size), (fd, to, size), (fd, to, size / 2))
HOOK_TRANSFER(pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at),
              (fd, to, size / 2, at))
HOOK_TRANSFER(write, (int fd, const void *from, size_t size), (fd, from, size),
              (fd, from, size / 2))
HOOK_TRANSFER(pwrite, (int fd, const void *from, size_t size, off_t at),
              (fd, from, size, at), (fd, from, size / 2, at))
HOOK(ssize_t, getline, (char **line, size_t *size, FILE *file), (line, size, file), -1)
HOOK(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *file),
     (line, size, end, file), -1)
HOOK(size_t, fread, (void *to, size_t size, size_t count, FILE *file),
     (to, size, count, file), 0)
HOOK(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size), plan.error)
HOOK(int, fsync, (int fd), (fd), -1)
HOOK(int, ftruncate, (int fd, off_t size), (fd, size), -1)
HOOK(int, rename, (const char *from, const char *to), (from, to), -1)
HOOK(int, unlink, (const char *path), (path), -1)
HOOK(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
HOOK(int, rmdir, (const char *path), (path), -1)
HOOK(int, stat, (const char *path, struct stat *found), (path, found), -1)
HOOK(int, lstat, (const char *path, struct stat *found), (path, found), -1)
HOOK(int, fstat, (int fd, struct stat *found), (fd, found), -1)
HOOK(int, access, (const char *path, int how), (path, how), -1)
HOOK(char *, realpath, (const char *path, char *out), (path, out), NULL)
HOOK(ssize_t, readlink, (const char *path, char *out, size_t size), (path, out, size), -1)

/* A clock that is put forward and back again. */
SHOWN int clock_gettime(clockid_t id, struct timespec *now)
{
    static uint64_t readings;
    int status = (int)syscall(SYS_clock_gettime, id, now);

    if (plan.clock_jump_ns && id == CLOCK_MONOTONIC &&
        __atomic_fetch_add(&readings, 1, __ATOMIC_RELAXED) / 5 % 2) {
        now->tv_nsec += (long)(plan.clock_jump_ns % 1000000000);
        now->tv_sec +=
            (time_t)(plan.clock_jump_ns / 1000000000 + now->tv_nsec / 1000000000);
        now->tv_nsec %= 1000000000;
    }
    return status;
}

/* A close that fails has closed, as on Linux. */
SHOWN int close(int fd)
{
    int result = (int)syscall(SYS_close, fd);

    return strikes(IO, CALLER) ? -1 : result;
}
