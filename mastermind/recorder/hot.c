/* SPDX-License-Identifier: BSD-3-Clause */
/* hot.c: begin and end: no lock, no system call, no allocation. */
#include "mastermind/recorder/hot.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A signal handler of this thread may look at any moment: order for the compiler only. */
static inline void enter(struct mm_thread *t, uintptr_t stack)
{
    __atomic_store_n(&t->busy, stack, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void leave(struct mm_thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&t->busy, 0, __ATOMIC_RELAXED);
}

static inline struct mm_recorder *recorder_of(struct monitor_port *port)
{
    return cca_container_of(port, struct mm_recorder, port);
}

struct monitor_frame *mm_begin(struct monitor_port *port, struct monitor_method *head,
                               const union monitor_value *in)
{
    struct mm_recorder *r = recorder_of(port);
    struct mm_method *method = cca_container_of(head, struct mm_method, head);
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    struct mm_thread *t = mm_here;
    struct mm_frame *frame;
    uint64_t sum, start, invocation;
    uint32_t i, n;

    if (unlikely(!monitor_method_on(head)))
        return NULL;
    if (unlikely(!t || t->recorder != r || t->busy)) {
        t = mm_thread_here(r, stack);
        if (!t)
            return NULL;
    }
    enter(t, stack);
    if (unlikely(t->open->stack <= stack))
        mm_bury(t, stack);
    frame = t->open->process[MM_FRAME_ABOVE];
    if (unlikely(!frame)) {
        frame = mm_make_frame(t);
        if (!frame) {
            leave(t);
            return NULL;
        }
    }
    n = method->in.count;
    invocation = ++t->invocations;
    frame->method = method->id;
    frame->count = n;
    frame->invocation = invocation;
    frame->children = 0;
    frame->stack = stack;
    frame->process[MM_FRAME_METHOD] = method;
    sum = mm_frame_sum(method->id, n, invocation);
    for (i = 0; i < n; i++) {
        frame->values[i] = (uint64_t)in[i].i;
        sum += (uint64_t)in[i].i * mm_check_k[3 + i];
    }
    t->open = frame;
    frame->cpu_ns = unlikely(r->cpu_time) ? mm_clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
    frame->mpi_ns = t->mpi ? *t->mpi : 0;
    start = mm_clock_ticks(r->tsc);
    frame->start = start;
    __atomic_store_n(&frame->check, mm_frame_check(sum, start), __ATOMIC_RELEASE);
    leave(t);
    return (struct monitor_frame *)frame;
}

/* What a row says, before it is known how wide it must be. */
struct facts {
    uint64_t invocation, caller, end, wall, children;
    int64_t mpi_ns, cpu_ns;
    unsigned flags;
};

/* Pack a group of values into words; `*misfit` becomes non-zero where an integer has more
 * than 32 bits. Returns the next word. */
static inline uint64_t *put_group(const struct mm_group *group, const uint64_t *values,
                                  uint64_t *at, uint64_t *misfit)
{
    uint32_t i, n = group->int_count;
    uint64_t a, b, bad = 0;

    for (i = 0; i + 1 < n; i += 2) {
        a = values[group->ints[i]];
        b = values[group->ints[i + 1]];
        bad |= (a + 0x80000000u) >> 32 | (b + 0x80000000u) >> 32;
        *at++ = (uint32_t)a | b << 32;
    }
    if (i < n) {
        a = values[group->ints[i]];
        bad |= (a + 0x80000000u) >> 32;
        *at++ = (uint32_t)a;
    }
    for (i = 0; i < group->count - n; i++)
        *at++ = values[group->doubles[i]];
    *misfit |= bad;
    return at;
}

/* Store the word that makes a row valid. `sum` is that of the words behind it. */
static inline void commit(struct mm_thread *t, uint64_t word0, uint64_t sum, size_t words)
{
    uint64_t *at = t->cursor, rows = t->rows;

    sum += MM_CHECK_START + rows * MM_CHECK_NUMBER + word0 * mm_check_k[0];
    t->cursor = at + words;
    t->rows = rows + 1;
    __atomic_store_n(at, word0 | (sum >> 32 << 32), __ATOMIC_RELEASE);
    __atomic_store_n(&t->live->rows, rows + 1, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) void put_wide(struct mm_thread *t, const struct mm_frame *frame,
                                               const struct mm_method *method,
                                               const struct facts *facts, const uint64_t *out)
{
    uint64_t *at = t->cursor + 1, sum = 0;
    size_t words;
    uint32_t i;

    *at++ = facts->invocation;
    *at++ = facts->caller;
    *at++ = facts->end;
    *at++ = facts->wall;
    *at++ = facts->children;
    *at++ = (uint64_t)facts->mpi_ns;
    if (t->recorder->cpu_time)
        *at++ = (uint64_t)facts->cpu_ns;
    for (i = 0; i < method->in.count; i++)
        *at++ = frame->values[i];
    if (facts->flags >> MM_ROW_STATUS_SHIFT == MM_STATUS_DONE)
        for (i = 0; i < method->out.count; i++)
            *at++ = out[i];
    words = (size_t)(at - t->cursor);
    for (i = 1; i < words; i++)
        sum += t->cursor[i] * mm_check_k[i];
    commit(t, method->id | facts->flags | MM_ROW_WIDE | (uint64_t)words << MM_ROW_WORDS_SHIFT,
           sum, words);
}

/* What follows word 3. Returns the number of words. */
static inline size_t put_rest(struct mm_thread *t, const struct mm_frame *frame,
                              const struct mm_method *method, const struct facts *facts,
                              const uint64_t *out, uint64_t *misfit, uint64_t *sum)
{
    uint64_t *row = t->cursor, *at = row + 4, more = 0;
    size_t i, words;

    if (unlikely(t->recorder->cpu_time))
        *at++ = (uint64_t)facts->cpu_ns;
    if (method->in.count)
        at = put_group(&method->in, frame->values, at, misfit);
    if (method->out.count && facts->flags >> MM_ROW_STATUS_SHIFT == MM_STATUS_DONE)
        at = put_group(&method->out, out, at, misfit);
    words = (size_t)(at - row);
    for (i = 4; i < words; i++)
        more += row[i] * mm_check_k[i];
    *sum += more;
    return words;
}

static inline void put_row(struct mm_thread *t, const struct mm_frame *frame,
                           const struct mm_method *method, const struct facts *facts,
                           const uint64_t *out)
{
    uint64_t *at = t->cursor, misfit, word1, word2, word3, word4, sum, base = t->base_invocation;
    uint64_t invocation = facts->invocation - base, caller = facts->caller - base;
    uint64_t since = facts->end - t->last_end;
    size_t words = 5;

    misfit = (since | facts->wall | facts->children | (uint64_t)facts->mpi_ns |
              (uint64_t)facts->cpu_ns) >> 32;
    misfit |= (invocation + 0x80000000u) >> 32;
    if (facts->caller) /* MM_CALLER_NONE is no caller */
        misfit |= (caller + 0x80000000u) >> 32 | (caller + 0x7fffffffu) >> 32;
    else
        caller = (uint32_t)MM_CALLER_NONE;
    at[1] = word1 = (uint32_t)invocation | caller << 32;
    at[2] = word2 = since | facts->wall << 32;
    at[3] = word3 = facts->children | (uint64_t)facts->mpi_ns << 32;
    sum = word1 * mm_check_k[1] + word2 * mm_check_k[2] + word3 * mm_check_k[3];
    if (likely(method->pair)) {
        misfit |= (frame->values[0] + 0x80000000u) >> 32 |
                  (frame->values[1] + 0x80000000u) >> 32;
        at[4] = word4 = (uint32_t)frame->values[0] | frame->values[1] << 32;
        sum += word4 * mm_check_k[4];
    } else {
        words = put_rest(t, frame, method, facts, out, &misfit, &sum);
    }
    t->last_end = facts->end;
    if (unlikely(misfit))
        put_wide(t, frame, method, facts, out);
    else
        commit(t, method->id | facts->flags | (uint64_t)words << MM_ROW_WORDS_SHIFT, sum, words);
}

static inline void close_frame(struct mm_thread *t, uint64_t now, const uint64_t *out,
                               unsigned status)
{
    struct mm_frame *frame = t->open, *below = frame->process[MM_FRAME_BELOW];
    struct facts facts = { .invocation = frame->invocation,
                           .caller = below->invocation,
                           .end = now,
                           .wall = now - frame->start,
                           .children = frame->children,
                           .flags = status << MM_ROW_STATUS_SHIFT };

    if (unlikely(now < frame->start)) {
        facts.wall = 0;
        facts.end = frame->start;
        facts.flags |= MM_ROW_CLOCK;
    }
    facts.mpi_ns = (t->mpi ? *t->mpi : 0) - frame->mpi_ns;
    if (unlikely(t->recorder->cpu_time))
        facts.cpu_ns = mm_clock_ns(CLOCK_THREAD_CPUTIME_ID) - frame->cpu_ns;
    below->children += facts.wall;
    if (likely(t->cursor < t->limit) || !mm_make_room(t))
        put_row(t, frame, frame->process[MM_FRAME_METHOD], &facts, out);
    __atomic_store_n(&frame->check, 0, __ATOMIC_RELEASE);
    t->open = below;
}

void mm_close_frame(struct mm_thread *t, uint64_t now, const union monitor_value *out,
                    unsigned status)
{
    close_frame(t, now, (const uint64_t *)out, status);
}

static inline void finish(struct monitor_port *port, struct mm_frame *frame,
                          const union monitor_value *out, unsigned status, uintptr_t stack)
{
    struct mm_recorder *r = recorder_of(port);
    uint64_t now = mm_clock_ticks(r->tsc);
    struct mm_thread *t = mm_here;

    if (unlikely(!frame))
        return;
    if (unlikely(!t || t->recorder != r || t->busy || t->open != frame)) {
        t = mm_find_frame(r, frame, now, stack);
        if (!t)
            return;
    }
    enter(t, stack);
    close_frame(t, now, (const uint64_t *)out, status);
    leave(t);
}

void mm_end(struct monitor_port *port, struct monitor_frame *frame,
            const union monitor_value *out)
{
    finish(port, (struct mm_frame *)frame, out, MM_STATUS_DONE,
           (uintptr_t)__builtin_frame_address(0));
}

void mm_unwind(struct monitor_port *port, struct monitor_frame *frame)
{
    finish(port, (struct mm_frame *)frame, NULL, MM_STATUS_UNWOUND,
           (uintptr_t)__builtin_frame_address(0));
}
