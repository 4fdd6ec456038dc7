/* SPDX-License-Identifier: BSD-3-Clause */
/* base.c: helpers that the recorder's files share: they block signals, store the first
 * error, name files and fill their heads, find the data kept beside frames, switch a
 * method on or off, and find the bounds of a stack. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "mastermind/recorder/thread.h"

void mm_quiet_begin(struct mm_quiet *q)
{
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                 SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all, pending;
    size_t i;

    q->saved_errno = errno;
    q->start_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    sigfillset(&all);
    for (i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &q->before);
    sigpending(&pending);
    q->xfsz_pending = sigismember(&pending, SIGXFSZ) == 1;
}

int64_t mm_quiet_end(struct mm_quiet *q, struct mm_recorder *r)
{
    int64_t spent_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - q->start_ns;
    struct timespec now = {0, 0};
    sigset_t xfsz, pending;

    sigpending(&pending);
    if (!q->xfsz_pending && sigismember(&pending, SIGXFSZ) == 1) {
        sigemptyset(&xfsz);
        sigaddset(&xfsz, SIGXFSZ);
        sigtimedwait(&xfsz, NULL, &now);
    }
    if (r)
        __atomic_fetch_add(&r->files_ns, spent_ns, __ATOMIC_RELAXED);
    pthread_sigmask(SIG_SETMASK, &q->before, NULL);
    errno = q->saved_errno;
    return spent_ns;
}

int mm_quietly(struct mm_thread *t, int (*function)(struct mm_thread *))
{
    struct mm_quiet quiet;
    int result;

    mm_quiet_begin(&quiet);
    result = function(t);
    mm_quiet_end(&quiet, t->recorder);
    return result;
}

void mm_recorder_fail(struct mm_recorder *r, int code, const char *what, const char *path)
{
    char words[128];

    pthread_mutex_lock(&r->lock);
    if (!r->error.code)
        cca_error_set(&r->error, code, "%s '%s': %s", what, path,
                      strerror_r(-code, words, sizeof words));
    pthread_mutex_unlock(&r->lock);
}

int mm_thread_path(const struct mm_thread *t, const char *suffix, char *path)
{
    int n = snprintf(path, PATH_MAX, "%s/thread-%03u.%s", t->recorder->directory,
                     t->number, suffix);

    return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

void mm_thread_head(const struct mm_thread *t, uint64_t magic, struct mm_file_head *head)
{
    const struct mm_recorder *r = t->recorder;

    memset(head, 0, sizeof *head);
    head->magic = magic;
    head->format = MM_FORMAT;
    head->thread = t->number;
    head->window_bytes = MM_WINDOW_BYTES;
    head->window_count = (uint32_t)t->window_count;
    head->frame_bytes = MM_FRAME_BYTES;
    head->frame_count = MM_FRAME_COUNT;
    head->flags = (r->tsc ? MM_HEAD_TSC : 0) | MM_HEAD_READINGS | MM_HEAD_LOSSES;
    head->counters = (uint32_t)r->counter_count;
    head->epoch_ticks = r->origin.ticks;
    head->epoch_ns = r->origin.real_ns;
    head->ns_per_tick = r->ns_per_tick;
    head->process = (uint64_t)r->process;
    head->thread_id = t->thread_id;
    head->check = mm_block_check(head, offsetof(struct mm_file_head, check), 0);
}

/* Find the chunk of memory that contains one of the thread's frames, and the frame's
 * index in it. Returns -1 for the thread's root frame. */
static int chunk_of(const struct mm_thread *t, const struct mm_frame *frame,
                    size_t *place)
{
    for (int i = 0; i < t->chunk_count; i++) {
        if (frame >= t->chunks[i] &&
            frame < t->chunks[i] + mm_chunk_bytes(i) / MM_FRAME_BYTES) {
            *place = (size_t)(frame - t->chunks[i]);
            return i;
        }
    }
    return -1;
}

struct mm_counts *mm_thread_counts(const struct mm_thread *t,
                                   const struct mm_frame *frame)
{
    size_t place;
    int chunk = chunk_of(t, frame, &place);

    return chunk < 0 ? (struct mm_counts *)&t->root_counts : &t->counts[chunk][place];
}

struct mm_off_core *mm_thread_losses(const struct mm_thread *t,
                                     const struct mm_frame *frame)
{
    size_t place;
    int chunk = chunk_of(t, frame, &place);

    return chunk < 0 ? (struct mm_off_core *)&t->root_losses : &t->losses[chunk][place];
}

void mm_method_prepare(const struct mm_recorder *r, struct mm_method *m)
{
    uint64_t words = 4 + (m->in.count + 1) / 2 + (m->out.count + 1) / 2;

    m->integers = m->in.int_count == m->in.count && m->out.int_count == m->out.count &&
                  !r->extra && r->tsc;
    m->pair = m->integers && m->in.count == 2 && !m->out.count;
    m->id_count = (uint64_t)m->in.count << 32 | m->id;
    m->frame_sum = mm_frame_sum(m->id, m->in.count, 0);
    m->row_word = m->id | words << MM_ROW_WORDS_SHIFT;
    m->row_sum = MM_CHECK_START ^ m->row_word;
    m->admitted = 1;
}

void mm_method_switch(struct mm_recorder *r, struct mm_method *m, int on)
{
    on = on && m->admitted;
    __atomic_store_n(&m->head.on, on, __ATOMIC_RELAXED);
    __atomic_store_n(&m->usual, on && m->pair ? MM_IDLE(r) : MM_NEVER, __ATOMIC_RELAXED);
}

/* --- Stacks ---------------------------------------------------------------
 *
 * pthread_getattr_np would allocate, and a signal handler that makes a recorded call may
 * have interrupted the allocator. */

/* /proc/self/maps, read in pieces. */
struct maps {
    long fd;
    size_t at, end;
    char text[1024];
};

/* A mapping of memory, as in the line "55d0-55d1 rw-p 0000 00:00 0   [stack]". */
struct mapping {
    uintptr_t low, high;
    int is_stack, is_guard;
};

static int next_char(struct maps *maps)
{
    if (maps->at == maps->end) {
        long n = syscall(SYS_read, maps->fd, maps->text, sizeof maps->text);

        if (n <= 0)
            return -1;
        maps->at = 0;
        maps->end = (size_t)n;
    }
    return (unsigned char)maps->text[maps->at++];
}

static uintptr_t next_number(struct maps *maps)
{
    uintptr_t number = 0;
    int c;

    for (;;) {
        c = next_char(maps);
        if (c >= '0' && c <= '9')
            number = number << 4 | (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number << 4 | (uintptr_t)(c - 'a' + 10);
        else
            return number;
    }
}

/* Read the next line of /proc/self/maps. Returns 0, or -ENOENT at its end. */
static int next_mapping(struct maps *maps, struct mapping *mapping)
{
    static const char stack[] = "[stack]";
    size_t same = 0, column = 0;
    int c;

    mapping->low = next_number(maps);
    mapping->high = next_number(maps);
    mapping->is_stack = 0;
    mapping->is_guard = 1;
    while ((c = next_char(maps)) >= 0 && c != '\n') {
        if (column++ < 3 && c != '-')
            mapping->is_guard = 0;
        same = c == stack[same] ? same + 1 : c == stack[0];
        mapping->is_stack |= same == sizeof stack - 1;
    }
    return c < 0 ? -ENOENT : 0;
}

static uintptr_t largest_stack(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY
               ? UINTPTR_MAX
               : (uintptr_t)limit.rlim_cur;
}

/* Find the bounds of the calling thread's stack. The main thread's stack may grow down to
 * the next mapping at lower addresses. The stack of another thread ends with the thread's
 * descriptor, and begins after a guard page; without a guard page, the mapping may
 * contain other stacks, too. */
static int find_stack(struct maps *maps, int is_main, uintptr_t *low, uintptr_t *high)
{
    uintptr_t descriptor = (uintptr_t)pthread_self(), most = largest_stack();
    struct mapping mapping, below = {0, 0, 0, 0};

    for (; next_mapping(maps, &mapping) == 0; below = mapping) {
        if (is_main && mapping.is_stack) {
            *low = mapping.high - below.high > most ? mapping.high - most : below.high;
            *high = mapping.high;
            return 0;
        }
        if (!is_main && descriptor >= mapping.low && descriptor < mapping.high) {
            if (!below.is_guard || below.high != mapping.low)
                return -ENOENT;
            *low = mapping.low;
            *high = descriptor;
            return 0;
        }
    }
    return -ENOENT;
}

int mm_stack_bounds(uintptr_t *low, uintptr_t *high)
{
    struct maps maps = {.at = 0};
    int saved = errno, status = -ENOENT;

    maps.fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps.fd >= 0) {
        status = find_stack(&maps, syscall(SYS_gettid) == getpid(), low, high);
        syscall(SYS_close, maps.fd);
    }
    errno = saved;
    return status;
}

int mm_stack_is_alternate(uintptr_t address)
{
    stack_t alternate;
    int saved = errno, is = !sigaltstack(NULL, &alternate) &&
                            !(alternate.ss_flags & SS_DISABLE) &&
                            address - (uintptr_t)alternate.ss_sp < alternate.ss_size;

    errno = saved;
    return is;
}
