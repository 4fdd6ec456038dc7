/* SPDX-License-Identifier: BSD-3-Clause */
/* open_calls.c: read the frames of all threads from another thread. */
#include "mastermind/recorder/open_calls.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "mastermind/recorder/thread.h"

/* The frame's own thread may change it at any time with plain stores. A copy is valid if
 * the check, which is stored last and cleared first, is equal before and after copying.
 */
#if defined(__clang__) || __GNUC__ >= 8
#define UNWATCHED __attribute__((no_sanitize("thread"), noinline))
#else
#define UNWATCHED __attribute__((no_sanitize_thread, noinline))
#endif

static UNWATCHED int read_frame(const struct mm_frame *frame, uint32_t *method,
                                uint64_t *start)
{
    uint64_t check = __atomic_load_n(&frame->check, __ATOMIC_ACQUIRE);

    *method = *(const volatile uint32_t *)&frame->method;
    *start = *(const volatile uint64_t *)&frame->start;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return check && check == __atomic_load_n(&frame->check, __ATOMIC_RELAXED);
}

/* Return the frame slot with index `depth` of a thread, or NULL if the thread has never
 * had so many open calls. */
static UNWATCHED const struct mm_frame *frame_slot(const struct mm_thread *t,
                                                   uint32_t depth)
{
    uint32_t size = MM_FRAME_COUNT;
    int chunk;

    for (chunk = 0; chunk < MM_FRAME_CHUNKS; chunk++, size *= 2) {
        const struct mm_frame *frames =
            *(struct mm_frame *const volatile *)&t->chunks[chunk];

        if (!frames)
            return NULL;
        if (depth < size)
            return &frames[depth];
        depth -= size;
    }
    return NULL;
}

int mm_recorder_open_calls(struct mm_recorder *r,
                           void (*visit)(void *context, const struct mm_open_call *call),
                           void *context)
{
    const struct mm_thread *t;
    const struct mm_frame *frame;
    struct mm_open_call call;
    struct timespec patience;
    uint64_t start, now;

    /* A thread that hangs in a file system may hold the lock, so wait at most a second.
     */
    clock_gettime(CLOCK_REALTIME, &patience);
    patience.tv_sec++;
    if (pthread_mutex_timedlock(&r->lock, &patience))
        return -EBUSY;
    for (t = r->threads; t; t = t->next) {
        now = mm_clock_ticks(r->tsc);
        call.thread = t->number;
        for (call.depth = 0; (frame = frame_slot(t, call.depth)) != NULL; call.depth++) {
            if (!read_frame(frame, &call.method, &start))
                break;
            call.for_s = now > start ? (double)(now - start) * r->ns_per_tick * 1e-9 : 0;
            visit(context, &call);
        }
    }
    pthread_mutex_unlock(&r->lock);
    return 0;
}

void mm_recorder_ends(struct mm_recorder *r)
{
    uint64_t ticks = mm_clock_ticks(r->tsc);

    /* A forked child has its parent's rings mapped and must not use them. */
    if (__atomic_load_n(&r->process, __ATOMIC_RELAXED) != getpid() ||
        ticks <= r->origin.ticks || pthread_mutex_trylock(&r->lock))
        return;
    for (const struct mm_thread *t = r->threads; t; t = t->next)
        __atomic_store_n(&t->live->ended, mm_count_word(ticks - r->origin.ticks),
                         __ATOMIC_RELAXED);
    pthread_mutex_unlock(&r->lock);
}
