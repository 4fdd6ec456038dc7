/* SPDX-License-Identifier: BSD-3-Clause */
/* base.c: helpers shared by the recorder's files: blocked signals, the first error, names
 * and heads of files, data kept beside frames, the switch of a method. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

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

/* Find the chunk and index of one of the thread's frames; -1: its root. */
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
