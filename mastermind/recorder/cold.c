/* SPDX-License-Identifier: BSD-3-Clause */
/* cold.c: the slow paths of begin() and end(): new threads, full windows, dead frames,
 * fork. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "mastermind/recorder/parts.h"
#include "mastermind/recorder/hot.h"

/* Chunks of frames before the first late one have 768 frames; bytes of the stack that
 * wrappers of 768 calls may take up whatever their frames. */
enum { LATE_CHUNK = 2, SHALLOW = 512 << 10 };

struct mm_thread mm_nobody;
__thread struct mm_thread *mm_here = &mm_nobody;
const struct mm_hot mm_hot = {MM_CHECK_K0, UINT64_MAX << 32};
/* recorder that failed to create a state for this thread; it is not tried again */
static __thread const struct mm_recorder *refused;
/* true while a caller of the current function creates or closes a state of this thread.
 * Calls of measured C library functions in this work are not recorded. */
static __thread int making;
static pthread_key_t exit_key;
static int exit_key_made;
/* list of recorders; they are never removed, because proxies may still call them */
static struct mm_recorder *recorders;

static void close_dead(struct mm_thread *t, uint64_t now)
{
    struct mm_frame *frame = t->open;

    /* the frame was interrupted before its clock was read: it has no start */
    if (!frame->check)
        frame->start = now;
    mm_close_frame(t, now, NULL, MM_STATUS_LONGJMP);
}

/* Handler of fork in the child, which has only the calling thread. It shares its parent's
 * mapped windows and must not touch them. */
static void child_of_fork(void)
{
    struct mm_recorder *r;
    struct mm_method *method;

    mm_here = &mm_nobody;
    pthread_setspecific(exit_key, NULL);
    for (r = __atomic_load_n(&recorders, __ATOMIC_ACQUIRE); r; r = r->next) {
        __atomic_store_n(&r->process, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&r->stopped, 1, __ATOMIC_RELAXED);
        method = __atomic_load_n(&r->methods, __ATOMIC_ACQUIRE);
        for (; method; method = method->next)
            mm_method_switch(r, method, 0);
        pthread_mutex_init(&r->lock, NULL);
        r->threads = NULL;
        r->helper.made = 0;
    }
}

/* Detect a fork that called no handlers (_Fork, or the bare system call), by the state of
 * the thread: the kernel zeroes it in the child (MADV_WIPEONFORK). */
static void look_for_fork(void)
{
    if (mm_here != &mm_nobody && !mm_here->recorder)
        child_of_fork();
}

/* The states of a thread, one for each recorder, form a ring. A single store brings a
 * state to the front, so that a signal handler may interrupt at any instruction.
 * join_here and part_from_here change the ring and must be called with signals
 * blocked. */
static void join_here(struct mm_thread *t)
{
    struct mm_thread *here = mm_here;

    if (here == &mm_nobody) {
        t->next_here = t;
    } else {
        t->next_here = here->next_here;
        here->next_here = t;
    }
    mm_here = t;
}

static void part_from_here(struct mm_thread *t)
{
    struct mm_thread *before = t;

    while (before->next_here != t)
        before = before->next_here;
    before->next_here = t->next_here;
    mm_here = before == t ? &mm_nobody : before;
}

/* Close the open frames and the files of a thread at its end. */
static void thread_exits(void *unused)
{
    struct mm_recorder *r = NULL;
    struct mm_thread *t;
    struct mm_quiet quiet;

    (void)unused;
    look_for_fork();
    mm_quiet_begin(&quiet);
    making = 1;
    while ((t = mm_here) != &mm_nobody) {
        t->state = MM_BUSY_FOR_EVER;
        while (t->open != &t->root)
            close_dead(t, mm_clock_ticks(t->recorder->tsc));
        part_from_here(t);
        r = t->recorder;
        mm_thread_finish(t);
    }
    making = 0;
    mm_quiet_end(&quiet, r);
}

static void make_exit_key(void)
{
    exit_key_made = !pthread_key_create(&exit_key, thread_exits) &&
                    !pthread_atfork(NULL, NULL, child_of_fork);
}

int mm_process_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_exit_key);
    /* check before a recorder is created: a later check would take it for the parent's */
    look_for_fork();
    return exit_key_made ? 0 : -EAGAIN;
}

void mm_recorder_enlist(struct mm_recorder *r)
{
    r->next = __atomic_load_n(&recorders, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&recorders, &r->next, r, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        continue;
}

static struct mm_thread *make_here(struct mm_recorder *r)
{
    struct mm_thread *t = NULL;
    struct mm_quiet quiet;

    mm_quiet_begin(&quiet);
    making = 1;
    if (!pthread_setspecific(exit_key, &exit_key))
        t = mm_thread_new(r, 1);
    if (t) {
        pthread_mutex_lock(&r->lock);
        t->next = r->threads;
        r->threads = t;
        __atomic_add_fetch(&r->live_threads, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&r->lock);
        join_here(t);
    } else {
        refused = r;
    }
    making = 0;
    mm_quiet_end(&quiet, r);
    return t;
}

static struct mm_thread *find_here(struct mm_recorder *r)
{
    struct mm_thread *first, *t;

    look_for_fork();
    for (t = first = mm_here; t->recorder != r; t = t->next_here)
        if (t == &mm_nobody || t->next_here == first)
            return NULL;
    mm_here = t; /* move the state to the front of the list for the next call */
    return t;
}

/* Find the bounds of the thread's stack; if they are unknown, store the empty range [1,
 * 1). */
static void find_stack(struct mm_thread *t)
{
    if (!t->stack_high && mm_stack_bounds(&t->stack_low, &t->stack_high))
        t->stack_low = t->stack_high = 1;
}

void mm_thread_to_front(struct mm_recorder *r)
{
    find_here(r);
}

/* True if the address `stack` is on the thread's own stack, not on a coroutine's or a
 * signal handler's. Only then does it prove that frames at lower addresses are dead. */
static int on_own_stack(struct mm_thread *t, uintptr_t stack)
{
    if (mm_stack_is_alternate(stack))
        return 0;
    find_stack(t);
    return stack >= t->stack_low && stack < t->stack_high;
}

/* True if begin() or end() is still running further out in this thread, because a signal
 * handler has interrupted it. A call from a higher stack address (an older frame) proves
 * that longjmp has left it; then the state is repaired. */
static int still_busy(struct mm_thread *t, uintptr_t stack)
{
    uintptr_t busy = __atomic_load_n(&t->state, __ATOMIC_RELAXED);

    if (busy == MM_IDLE(t->recorder))
        return 0;
    /* functions that the frame of a stretch (apart.c) calls begin at its address */
    if (busy == MM_BUSY_FOR_EVER || stack < busy + (uintptr_t)t->apart ||
        !on_own_stack(t, stack))
        return 1;
    mm_mend(t);
    t->apart = 0;
    __atomic_store_n(&t->state, MM_IDLE(t->recorder), __ATOMIC_RELAXED);
    return 0;
}

struct mm_thread *mm_thread_here(struct mm_recorder *r, uintptr_t stack)
{
    struct mm_thread *t = find_here(r);

    if (t && still_busy(t, stack)) {
        if (!t->apart)
            mm_count_add(&t->live->nested, 1);
        return NULL;
    }
    if (t || making || __atomic_load_n(&r->stopped, __ATOMIC_RELAXED))
        return t;
    /* this is a forked child in which no fork handler was called */
    if (getpid() != r->process)
        return NULL;
    if (refused != r)
        t = make_here(r);
    if (!t)
        __atomic_fetch_add(&r->lost, 1, __ATOMIC_RELAXED);
    return t;
}

void mm_bury(struct mm_thread *t, uintptr_t stack)
{
    uint64_t now = 0;

    if (!on_own_stack(t, stack))
        return;
    while (t->open->stack <= stack && t->open->stack >= t->stack_low) {
        if (!now)
            now = mm_clock_ticks(t->recorder->tsc);
        close_dead(t, now);
    }
}

/* Exclude the time in which the recorder worked on the window from the own time of the
 * ending call's caller. The ending call is not affected, because its end was read from
 * the clock before. */
static void leave_out(struct mm_thread *t, int64_t ns)
{
    struct mm_frame *caller = t->open->process[MM_FRAME_BELOW];

    mm_core_work(t, caller, (ns * (t->recorder->ticks_per_ns >> 16)) >> 16);
}

int mm_make_room(struct mm_thread *t)
{
    struct mm_quiet quiet;
    int status = -1;

    if (!__atomic_load_n(&t->failed, __ATOMIC_RELAXED)) {
        mm_quiet_begin(&quiet);
        status = mm_thread_roll(t, sigisemptyset(&quiet.before));
        leave_out(t, mm_quiet_end(&quiet, t->recorder));
    }
    if (status)
        mm_count_add(&t->live->dropped, 1);
    return status;
}

struct mm_frame *mm_make_frame(struct mm_thread *t)
{
    struct mm_quiet quiet;
    int status;

    mm_quiet_begin(&quiet);
    status = mm_thread_grow(t);
    mm_quiet_end(&quiet, t->recorder);
    if (status)
        mm_count_add(&t->live->dropped, 1);
    return status ? NULL : t->above;
}

struct mm_thread *mm_find_frame(struct mm_recorder *r, struct mm_frame *frame,
                                uint64_t now, uintptr_t stack)
{
    struct mm_thread *t = find_here(r);
    struct mm_frame *at;

    if (!t || still_busy(t, stack))
        return NULL;
    for (at = t->open; at != frame; at = at->process[MM_FRAME_BELOW])
        if (at == &t->root) /* the frame is already closed: a later call proved it dead */
            return NULL;
    __atomic_store_n(&t->state, stack, __ATOMIC_RELAXED);
    while (t->open != frame)
        close_dead(t, now);
    __atomic_store_n(&t->state, MM_IDLE(t->recorder), __ATOMIC_RELAXED);
    return t;
}

void mm_leave_here(struct mm_recorder *r)
{
    struct mm_thread *t;
    struct mm_quiet quiet;

    mm_quiet_begin(&quiet);
    t = find_here(r);
    if (t && t->open == &t->root) {
        making = 1;
        part_from_here(t);
        mm_thread_finish(t);
        making = 0;
    }
    mm_quiet_end(&quiet, r);
}

void mm_join_here(struct mm_thread *t)
{
    struct mm_quiet quiet;

    mm_quiet_begin(&quiet);
    join_here(t);
    mm_quiet_end(&quiet, t->recorder);
}

void mm_recorder_hold(struct monitor_port *port)
{
    const struct mm_recorder *r = cca_container_of(port, struct mm_recorder, port);
    struct mm_thread *first = mm_here, *t = first;

    while (t && t->recorder != r)
        t = t->next_here == first ? NULL : t->next_here;
    if (t && t->open != &t->root) {
        const struct mm_frame *below = t->open->process[MM_FRAME_BELOW];

        t->open->stack = below->stack - 1;
    }
}

/* Time that the thread lost off its core during this work is excluded as well: the next
 * reading in core.c must not count it again. */
void mm_recorder_spent(struct mm_recorder *r, int64_t wall_ns, int64_t cpu_ns)
{
    struct mm_thread *first = mm_here, *t = first;

    while (t && t->recorder != r)
        t = t->next_here == first ? NULL : t->next_here;
    if (!t || wall_ns <= 0)
        return;
    t->open->children += (uint64_t)((double)wall_ns / r->ns_per_tick);
    if (wall_ns > cpu_ns)
        t->core.ticks += (uint64_t)((double)(wall_ns - cpu_ns) / r->ns_per_tick);
}

/* Return the innermost open frame of the calling thread that began above the address
 * `stack`, or NULL. */
static const struct mm_frame *innermost(const struct mm_recorder *r, uintptr_t stack,
                                        const struct mm_thread **thread)
{
    const struct mm_thread *first = mm_here, *t = first;
    const struct mm_frame *frame;

    /* mm_nobody has no recorder; a state zeroed by fork has no next state */
    while (t && t->recorder != r)
        t = t->next_here == first ? NULL : t->next_here;
    for (frame = t ? t->open : NULL; frame && frame != &t->root && frame->stack <= stack;)
        frame = frame->process[MM_FRAME_BELOW];
    *thread = t;
    return frame && frame != &t->root ? frame : NULL;
}

const char *mm_recorder_innermost(const struct mm_recorder *r, uintptr_t stack)
{
    const struct mm_thread *thread;
    const struct mm_frame *frame = innermost(r, stack, &thread);

    return frame ? ((const struct mm_method *)frame->process[MM_FRAME_METHOD])->name
                 : NULL;
}

int mm_recorder_caller(const struct mm_recorder *r, uintptr_t stack, int32_t *method,
                       int32_t *number, uint64_t *invocation)
{
    const struct mm_thread *thread;
    const struct mm_frame *frame = innermost(r, stack, &thread);

    if (!frame)
        return -1;
    *method = (int32_t)frame->method;
    *number = (int32_t)thread->number;
    *invocation = frame->invocation;
    return 0;
}

/* True if the innermost open frame is in a late chunk of frames. */
static int is_in_late_chunk(const struct mm_thread *t)
{
    const char *frame = (const char *)t->open;

    for (int chunk = t->chunk_count; chunk-- > LATE_CHUNK;)
        if (frame >= (const char *)t->chunks[chunk] &&
            frame < (const char *)t->chunks[chunk] + mm_chunk_bytes(chunk))
            return 1;
    return 0;
}

int mm_recorder_is_deep(const struct mm_recorder *r)
{
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    struct mm_thread *t = mm_here;

    if (t->recorder != r || t->chunk_count <= LATE_CHUNK || t->state != MM_IDLE(r) ||
        !is_in_late_chunk(t))
        return 0;
    if (on_own_stack(t, stack) && t->stack_high - stack < SHALLOW)
        return 0;
    __atomic_store_n(&t->state, stack, __ATOMIC_RELAXED);
    mm_bury(t, stack);
    __atomic_store_n(&t->state, MM_IDLE(r), __ATOMIC_RELAXED);
    return is_in_late_chunk(t);
}
