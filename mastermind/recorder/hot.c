/* SPDX-License-Identifier: BSD-3-Clause */
/* hot.c: begin() and end(): no lock, no system call, no allocation. */
#include "mastermind/recorder/hot.h"

#include "mastermind/recorder/fold.h"
#include "mastermind/recorder/parts.h"
#include "mastermind/recorder/wide_row.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ALWAYS inline __attribute__((always_inline))

/* Address of the calling function's stack frame. As an expression it is computed anew at
 * each use, so that it takes no register. */
#define MM_STACK_HERE() ((uintptr_t)__builtin_dwarf_cfa())

/* Keep an address that is used more than once in a register. */
static inline uintptr_t keep_in_register(uintptr_t stack)
{
    __asm__("" : "+r"(stack));
    return stack;
}

/* Make the compiler compute `a` and `b` here: to compute them later, it would need
 * registers that must be saved first, which costs more. */
#define IN_ORDER(a, b) __asm__("" : "+r"(a), "+r"(b))

/* Mark the thread busy. Only a signal handler of this thread reads the mark, so a
 * compiler barrier is enough. */
static inline void enter(struct mm_thread *t, uintptr_t stack)
{
    __atomic_store_n(&t->state, stack, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void leave(struct mm_thread *t, uintptr_t idle)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&t->state, idle, __ATOMIC_RELAXED);
}

/* Set bit 0 in the address of a frame that the fast end() cannot close. The address of
 * the innermost frame never has this bit, so that the fast end() need not load the frame
 * to see it. */
static inline struct monitor_frame *tag_frame(struct mm_frame *frame)
{
    return (struct monitor_frame *)((uintptr_t)frame | 1);
}

static inline struct mm_frame *frame_of(struct monitor_frame *opened)
{
    return (struct mm_frame *)((uintptr_t)opened & ~(uintptr_t)1);
}

static inline struct mm_recorder *recorder_of(struct monitor_port *port)
{
    return cca_container_of(port, struct mm_recorder, port);
}

/* Store the in-values of a method whose values are not a pair of integers. Returns their
 * sum for the frame's check. */
static __attribute__((noinline)) uint64_t take_values(struct mm_frame *frame,
                                                      const struct mm_method *method,
                                                      const union monitor_value *in,
                                                      uint64_t sum)
{
    uint32_t i;

    for (i = 0; i < method->in.count; i++) {
        frame->values[i] = (uint64_t)in[i].i;
        sum = mm_frame_value(sum, i, (uint64_t)in[i].i);
    }
    return sum;
}

/* True if the clocks must be read, because the thread has left its core or the last
 * reading is too old. If false, an ending frame without losses needs no slow path. */
static inline int must_read(const struct mm_thread *t, uint64_t now)
{
    return *t->core.word != t->core.armed || now >= t->core.due;
}

/* Set the fields that every frame has. Returns their sum for the frame's check. */
static inline uint64_t open_frame(struct mm_thread *t, struct mm_frame *frame,
                                  struct mm_method *method, uintptr_t stack)
{
    uint64_t invocation = ++t->invocations;

    memcpy(&frame->method, &method->id_count, 8);
    frame->invocation = invocation;
    frame->children = 0;
    frame->stack = stack;
    frame->process[MM_FRAME_METHOD] = method;
    return method->frame_sum ^ invocation;
}

/* Open an invocation of any method. */
static __attribute__((noinline)) struct monitor_frame *
begin_any(struct monitor_port *port, struct monitor_method *head,
          const union monitor_value *in, uintptr_t stack)
{
    struct mm_recorder *r = recorder_of(port);
    struct mm_method *method = cca_container_of(head, struct mm_method, head);
    struct mm_thread *t = mm_here;
    struct mm_frame *frame, *below;
    uint64_t sum, start;

    if (unlikely(!monitor_method_on(head)))
        return NULL;
    if (unlikely(t->state != MM_IDLE(r))) {
        t = mm_thread_here(r, stack);
        if (!t)
            return NULL;
    }
    enter(t, stack);
    if (unlikely(t->open->stack <= stack))
        mm_bury(t, stack);
    if (unlikely(*t->core.word != t->core.armed))
        mm_core_at_begin(t);
    below = t->open;
    frame = t->above;
    if (unlikely(!frame)) {
        frame = mm_make_frame(t);
        if (!frame) {
            leave(t, MM_IDLE(r));
            return NULL;
        }
    }
    sum = take_values(frame, method, in, open_frame(t, frame, method, stack));
    mm_thread_open(t, frame, frame->process[MM_FRAME_ABOVE]);
    if (r->extra)
        mm_begin_extra(t, frame);
    if (unlikely(below->context) || unlikely(--t->quota[method->id] < 0))
        mm_fold_begin(t, frame);
    frame->mpi_ns = *t->mpi;
    start = mm_clock_ticks(r->tsc);
    frame->start = start;
    __atomic_store_n(&frame->check, mm_frame_check(sum, start), __ATOMIC_RELEASE);
    leave(t, MM_IDLE(r));
    return tag_frame(frame);
}

/* How an invocation of a pair (method with two integers) is stored: as a row, in the
 * aggregates, or as mm_fold_begin decides. */
enum way { ROW, SUM, ASK };

/* Open an invocation of a pair (method with two integers) in the free slot `frame`. The
 * caller has marked the thread busy. */
static inline struct monitor_frame *
begin_pair(struct mm_thread *t, struct mm_frame *frame, struct mm_method *method,
           const union monitor_value *in, uintptr_t stack, uintptr_t idle, enum way way)
{
    uint64_t sum, start;

    frame->mpi_ns = *t->mpi; /* read early, because the load must wait for another load */
    sum = open_frame(t, frame, method, stack);
    frame->values[0] = (uint64_t)in[0].i;
    frame->values[1] = (uint64_t)in[1].i;
    sum = mm_frame_value(sum, 0, (uint64_t)in[0].i);
    sum = mm_frame_value(sum, 1, (uint64_t)in[1].i);
    mm_thread_open(t, frame, frame->process[MM_FRAME_ABOVE]);
    /* first finish the frame: a signal handler that finds a context in it will close
     * it */
    if (way != ROW)
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (way == SUM)
        frame->context = MM_CONTEXT_FOLDED | MM_CONTEXT_PENDING;
    if (way == ASK)
        mm_fold_begin(t, frame);
    /* make the compiler finish the sum before the clock is read */
    __asm__ volatile("" : "+r"(sum));
    /* this code runs only with the TSC, or on a processor with only one clock */
    start = mm_clock_ticks(1);
    frame->start = start;
    __atomic_store_n(&frame->check, mm_frame_check(sum, start), __ATOMIC_RELEASE);
    leave(t, idle);
    return way == ROW ? (struct monitor_frame *)frame : tag_frame(frame);
}

static __attribute__((noinline)) struct monitor_frame *
begin_asking(struct mm_thread *t, struct mm_frame *frame, struct mm_method *method,
             const union monitor_value *in, uintptr_t stack)
{
    return begin_pair(t, frame, method, in, stack, MM_IDLE(t->recorder), ASK);
}

/* Open an invocation of a method whose rows are used up, or an invocation whose caller is
 * aggregated. */
static __attribute__((noinline)) struct monitor_frame *
begin_folded(struct mm_thread *t, struct mm_frame *frame, struct mm_method *method,
             const union monitor_value *in, uintptr_t stack)
{
    /* undo the decrement, because `quota` must not wrap around */
    if (unlikely(t->quota[method->id] < 0))
        t->quota[method->id] = 0;
    if (unlikely(!mm_fold_known(t, t->open, method->id)))
        return begin_asking(t, frame, method, in, stack);
    return begin_pair(t, frame, method, in, stack, MM_IDLE(t->recorder), SUM);
}

/* The slow path of begin(). */
static __attribute__((noinline)) struct monitor_frame *
begin_anew(struct monitor_port *port, struct monitor_method *head,
           const union monitor_value *in, uintptr_t stack, struct mm_thread *t)
{
    leave(t, MM_IDLE(recorder_of(port))); /* mm_here may belong to another recorder by
                                             now */
    return begin_any(port, head, in, stack);
}

/* Fast path of begin(), without function calls: an invocation of a pair (method with two
 * integers) that gets a row. A signal handler may make recorded calls; so fields that
 * these change are read only after the thread is marked
 * busy. */
static ALWAYS struct monitor_frame *begin_usual(struct monitor_port *port,
                                                struct monitor_method *head,
                                                const union monitor_value *in,
                                                uintptr_t stack, int always_row)
{
    struct mm_method *method = cca_container_of(head, struct mm_method, head);
    struct mm_thread *t = mm_here;
    struct mm_frame *frame, *below;

    if (unlikely(t->state != __atomic_load_n(&method->usual, __ATOMIC_RELAXED)))
        return begin_any(port, head, in, stack);
    enter(t, stack);
    below = t->open;
    frame = t->above;
    if (unlikely(below->stack <= stack || !frame || *t->core.word != t->core.armed))
        return begin_anew(port, head, in, stack, t);
    if (!always_row && unlikely(below->context || --t->quota[method->id] < 0))
        return begin_folded(t, frame, method, in, stack);
    return begin_pair(t, frame, method, in, stack, MM_IDLE(recorder_of(port)), ROW);
}

static struct monitor_frame *begin_call(struct monitor_port *port,
                                        struct monitor_method *head,
                                        const union monitor_value *in)
{
    return begin_usual(port, head, in, keep_in_register(MM_STACK_HERE()), 0);
}

static struct monitor_frame *begin_call_row(struct monitor_port *port,
                                            struct monitor_method *head,
                                            const union monitor_value *in)
{
    return begin_usual(port, head, in, keep_in_register(MM_STACK_HERE()), 1);
}

static inline const struct mm_method *method_of(const struct mm_frame *frame)
{
    return frame->process[MM_FRAME_METHOD];
}

/* Pack the in-values or out-values into words of a row; `*misfit` becomes non-zero if an
 * integer needs more than 32 bits. Returns the address after the last word. */
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

/* Store the first word of the row at the cursor, which makes the row valid, then move the
 * cursor. A signal handler may leave this function by longjmp at any instruction; mm_mend
 * repairs the state then. */
static inline void commit_word(struct mm_thread *t, uint64_t *at, uint64_t word0,
                               uint64_t rows, size_t words)
{
    __atomic_store_n(at, word0, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->cursor = at + words;
    t->rows = rows + 1;
    __atomic_store_n(&t->live->rows, rows + 1, __ATOMIC_RELEASE);
}

/* Compute the check sum of the row at the cursor, and make the row valid. */
static inline void commit(struct mm_thread *t, uint32_t word0, size_t words)
{
    uint64_t rows = t->rows, sum = mm_row_sum_with(word0, t->cursor, words, rows);

    commit_word(t, t->cursor, word0 | (sum >> 32 << 32), rows, words);
}

static void put_wide(struct mm_thread *t, const struct mm_frame *frame,
                     const struct mm_method *method, const struct mm_facts *facts,
                     const uint64_t *out)
{
    uint32_t word0 = mm_fill_wide_row(t, frame, method, facts, out, t->cursor);

    t->last_end = facts->end;
    commit(t, word0, mm_row_words(word0));
}

/* Store the words of a row from word 4 on. Returns the number of words of the row. */
static inline size_t put_rest(struct mm_thread *t, const struct mm_frame *frame,
                              const struct mm_method *method,
                              const struct mm_facts *facts, const uint64_t *out,
                              uint64_t *misfit)
{
    uint64_t *row = t->cursor, *at = row + 4;

    if (unlikely(t->recorder->extra))
        at = mm_put_extra(t, frame, at);
    if (method->in.count)
        at = put_group(&method->in, frame->values, at, misfit);
    if (method->out.count && mm_facts_status(facts) == MM_STATUS_DONE)
        at = put_group(&method->out, out, at, misfit);
    return (size_t)(at - row);
}

/* Encode an invocation number for a compact row: number - base of the window + 2^31. */
static inline uint64_t biased(const struct mm_thread *t, uint64_t invocation)
{
    return invocation - t->base_biased;
}

/* Encode a caller's invocation number for a compact row; the smallest code means no
 * caller. */
static inline uint64_t biased_caller(const struct mm_thread *t, uint64_t caller,
                                     uint64_t *misfit)
{
    uint64_t b = 0;

    if (caller) {
        b = biased(t, caller);
        *misfit |= b | (b - 1);
    }
    return b;
}

static void put_row(struct mm_thread *t, const struct mm_frame *frame,
                    const struct mm_method *method, const struct mm_facts *facts,
                    const uint64_t *out)
{
    uint64_t *at = t->cursor, misfit;
    uint64_t invocation = biased(t, facts->invocation), caller;
    uint64_t since = facts->end - t->last_end;
    size_t words;

    misfit = since | facts->wall | facts->children | (uint64_t)facts->mpi_ns | invocation;
    caller = biased_caller(t, facts->caller, &misfit);
    misfit >>= 32;
    at[1] = ((uint32_t)invocation | caller << 32) ^ MM_BIAS;
    at[2] = since | facts->wall << 32;
    at[3] = facts->children | (uint64_t)facts->mpi_ns << 32;
    words = put_rest(t, frame, method, facts, out, &misfit);
    if (misfit) {
        put_wide(t, frame, method, facts, out);
        return;
    }
    t->last_end = facts->end;
    commit(t, method->id | facts->flags | (uint32_t)words << MM_ROW_WORDS_SHIFT, words);
}

/* Close the frame of an invocation after its row was stored or lost. */
static inline void take_off(struct mm_thread *t, struct mm_frame *frame,
                            struct mm_frame *below)
{
    __atomic_store_n(&frame->check, 0, __ATOMIC_RELEASE);
    mm_thread_open(t, below, frame);
}

static inline void keep_row(struct mm_thread *t, const struct mm_frame *frame,
                            const struct mm_facts *facts, const uint64_t *out)
{
    const struct mm_method *method = frame->process[MM_FRAME_METHOD];

    if (unlikely(mm_closes_gap(t, facts->end)))
        mm_reading_at_row(t);
    if (unlikely(t->cursor >= t->limit) && mm_make_room(t))
        return;
    if (unlikely(facts->flags & (MM_ROW_CALLEES | MM_ROW_LOSSES)))
        put_wide(t, frame, method, facts, out);
    else
        put_row(t, frame, method, facts, out);
    if (unlikely(facts->flags & MM_ROW_COUNTED))
        mm_bump(&t->live->counted);
}

/* Add the frame's invocation to the aggregates if it is to be aggregated. Returns 1 if it
 * gets a row. */
static inline int fold(struct mm_thread *t, struct mm_frame *frame,
                       struct mm_facts *facts, const uint64_t *out)
{
    int row = mm_fold_end(t, frame, facts, out);

    if (row > 0)
        facts->flags |= (unsigned)row;
    return row >= 0;
}

void mm_close_frame(struct mm_thread *t, uint64_t now, const union monitor_value *out,
                    unsigned status)
{
    struct mm_frame *frame = t->open, *below = frame->process[MM_FRAME_BELOW];
    struct mm_facts facts = {.invocation = frame->invocation,
                             .caller = below->invocation,
                             .end = now,
                             .wall = now - frame->start,
                             .children = frame->children,
                             .flags = status << MM_ROW_STATUS_SHIFT};

    if (unlikely(must_read(t, now)))
        mm_core_at_end(t, frame, now);
    if (unlikely(now < frame->start)) {
        facts.wall = 0;
        facts.end = frame->start;
        facts.flags |= MM_ROW_CLOCK;
    }
    facts.mpi_ns = *t->mpi - frame->mpi_ns;
    if (t->recorder->extra)
        mm_end_extra(t, frame, &facts);
    if (unlikely(frame->lost)) {
        mm_core_close(t, frame, facts.wall, &facts.losses);
        facts.flags |= MM_ROW_LOSSES;
    }
    below->children += facts.wall;
    if (!frame->context || fold(t, frame, &facts, (const uint64_t *)out))
        keep_row(t, frame, &facts, (const uint64_t *)out);
    take_off(t, frame, below);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* an open frame must keep its context */
    frame->context = 0;
}

/* The memory of the ring is prefetched this number of words ahead: the ring is larger
 * than the L1 cache, and the helper on another core may have read its cache lines. */
enum { AHEAD = 256 };

static inline void expect_store(const void *at)
{
#if defined(__x86_64__)
    /* prefetching never faults */
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
#else
    __builtin_prefetch(at, 1);
#endif
}

/* Make the compiler load values from memory again: to keep them, it would need registers
 * that must be saved first, which costs more. */
#define FORGET() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Compute the code of the ending invocation's caller for compact rows, and keep it for
 * the next rows. Returns 0 if the caller's number does not fit into a compact row. */
static ALWAYS int change_caller(struct mm_thread *t, uint64_t caller)
{
    uint64_t misfit = 0, word = biased_caller(t, caller, &misfit);

    if (unlikely(misfit >> 32))
        return 0;
    t->caller = MM_NO_CALLER; /* a signal handler may leave by longjmp before the new
                                 caller is stored */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->caller_word = word << 32 ^ MM_BIAS;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->caller = caller;
    return 1;
}

/* Fast path of end(): write the row of 40 bytes for a finished invocation of a pair
 * (method with two integers) without time in MPI. Words are stored before all tests have
 * passed; they form no row until the first word is stored. Returns 0 if the values do not
 * fit into such a row. */
static ALWAYS int close_pair(struct mm_thread *t, struct mm_frame *frame, uint64_t now)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    uint64_t *at = t->cursor, misfit, joined, rows, ticks, a, b;
    int32_t low;

    if (unlikely(at >= t->limit || *t->mpi != frame->mpi_ns || must_read(t, now) ||
                 frame->lost))
        return 0;
    a = below->invocation;
    if (unlikely(t->caller != a) && unlikely(!change_caller(t, a)))
        return 0;
    misfit = a = biased(t, frame->invocation);
    at[1] = a ^= t->caller_word;
    joined = method_of(frame)->row_sum ^ a;
    IN_ORDER(joined, misfit);
    FORGET();
    b = now - frame->start;
    ticks = now - t->last_end;
    misfit |= ticks | b;
    at[2] = ticks |= b << 32;
    IN_ORDER(ticks, misfit);
    FORGET();
    at[3] = a = frame->children;
    misfit |= a;
    if (unlikely(misfit >> 32))
        return 0;
    joined ^= a;
    IN_ORDER(joined, ticks);
    FORGET();
    low = (int32_t)frame->values[0];
    b = frame->values[1];
    if (unlikely((uint64_t)low != frame->values[0] || (uint64_t)(int32_t)b != b))
        return 0;
    at[4] = a = (uint32_t)low | b << 32;
    joined ^= mm_row_turn(a, 4);
    IN_ORDER(joined, ticks);
    FORGET();
    t->last_end = now;
    below = frame->process[MM_FRAME_BELOW];
    below->children += now - frame->start;
    rows = t->rows;
    a = (joined ^ rows ^ ticks) * mm_hot.factor;
    commit_word(t, at, method_of(frame)->row_word | (a & mm_hot.upper), rows, 5);
    expect_store(at + AHEAD);
    take_off(t, frame, below);
    return 1;
}

/* Store integers in a row, two per word. Returns the address after the last word;
 * `*misfit` becomes non-zero if an integer needs more than 32 bits. */
static ALWAYS uint64_t *put_integers(uint64_t *at, const uint64_t *values, uint32_t count,
                                     uint64_t *misfit)
{
    const uint64_t *end = values + count;

    while (end - values > 1) {
        uint64_t low = values[0], high = values[1];

        *misfit |= ((uint64_t)(int32_t)low ^ low) | ((uint64_t)(int32_t)high ^ high);
        *at = (uint32_t)low | high << 32;
        values += 2;
        at++;
        __asm__(""
                : "+r"(values), "+r"(at)); /* keep the compiler from computing
                                              addresses in advance */
    }
    if (values < end) {
        *misfit |= (uint64_t)(int32_t)*values ^ *values;
        *at++ = (uint32_t)*values;
    }
    return at;
}

/* Return the contribution of a row's words from word 4 on to its check sum: each word is
 * rotated by 13 bits more than the previous one, see mm_row_turn. */
static ALWAYS uint64_t turn_words(const uint64_t *from, const uint64_t *end)
{
    uint64_t joined = 0;

    while (end > from) {
        joined ^= *--end;
        joined = joined << 13 | joined >> 51;
    }
    return joined;
}

/* Like close_pair, for a method with any number of integers in and out. */
static ALWAYS int close_integers(struct mm_thread *t, struct mm_frame *frame,
                                 uint64_t now, const uint64_t *out)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    const struct mm_method *method = method_of(frame);
    uint64_t *at = t->cursor, rows = t->rows;
    uint64_t ticks = now - t->last_end, wall = now - frame->start, number;
    uint64_t misfit, joined, *end;

    if (unlikely(at >= t->limit || *t->mpi != frame->mpi_ns || must_read(t, now) ||
                 frame->lost))
        return 0;
    if (unlikely(t->caller != below->invocation) &&
        unlikely(!change_caller(t, below->invocation)))
        return 0;
    number = biased(t, frame->invocation);
    misfit = (number | ticks | wall | frame->children) >> 32;
    at[1] = number ^= t->caller_word;
    at[2] = ticks |= wall << 32;
    at[3] = frame->children;
    joined = number ^ ticks ^ frame->children ^ method->row_sum ^ rows;
    end = put_integers(at + 4, frame->values, method->in.count, &misfit);
    if (method->out.count)
        end = put_integers(end, out, method->out.count, &misfit);
    if (unlikely(misfit))
        return 0;
    joined ^= turn_words(at + 4, end);
    t->last_end = now;
    below->children += wall;
    commit_word(t, at, method->row_word | (joined * mm_hot.factor & mm_hot.upper), rows,
                (size_t)(end - at));
    expect_store(at + AHEAD);
    take_off(t, frame, below);
    return 1;
}

/* Close an invocation that is not the innermost of the calling thread. */
static __attribute__((noinline)) void
end_any(struct monitor_port *port, struct mm_frame *frame, uint64_t now, uintptr_t stack,
        const union monitor_value *out, unsigned status)
{
    struct mm_thread *t = NULL;

    if (frame)
        t = mm_find_frame(recorder_of(port), frame, now, stack);
    if (!t)
        return;
    enter(t, stack);
    mm_close_frame(t, now, out, status);
    leave(t, MM_IDLE(recorder_of(port)));
}

/* Close the innermost frame on the slow path; the thread is marked busy. */
static __attribute__((noinline)) void end_here(struct mm_thread *t, uint64_t now,
                                               const union monitor_value *out)
{
    mm_close_frame(t, now, out, MM_STATUS_DONE);
    leave(t, MM_IDLE(t->recorder));
}

static void end_call_without_tsc(struct monitor_port *port, struct monitor_frame *frame,
                                 const union monitor_value *out)
{
    end_any(port, frame_of(frame), mm_clock_ticks(0), MM_STACK_HERE(), out,
            MM_STATUS_DONE);
}

/* Close a frame on the slow path, or a frame that is not innermost. */
static __attribute__((noinline)) void end_other(struct monitor_port *port,
                                                struct monitor_frame *opened,
                                                uint64_t now, uintptr_t stack,
                                                const union monitor_value *out)
{
    struct mm_frame *frame = frame_of(opened);
    struct mm_thread *t = mm_here;

    if (unlikely(t->open != frame || t->state != MM_IDLE(recorder_of(port)))) {
        end_any(port, frame, now, stack, out, MM_STATUS_DONE);
        return;
    }
    enter(t, stack);
    if (frame->context)
        mm_fold_close(t, frame, now, out);
    else if (method_of(frame)->integers &&
             close_integers(t, frame, now, (const uint64_t *)out))
        leave(t, MM_IDLE(t->recorder));
    else
        end_here(t, now, out);
}

/* Fast path of end(). A NULL frame fails the first test, because no recorded thread has
 * NULL as its innermost frame. */
static ALWAYS void end_usual(struct monitor_port *port, struct monitor_frame *opened,
                             uint64_t now, const union monitor_value *out,
                             uintptr_t stack, int always_row)
{
    struct mm_frame *frame = (struct mm_frame *)opened;
    struct mm_thread *t = mm_here;

    if (unlikely(t->open != frame || t->state != MM_IDLE(recorder_of(port)))) {
        end_other(port, opened, now, stack, out);
        return;
    }
    enter(t, stack);
    if (!always_row && unlikely(frame->context))
        mm_fold_close(t, frame, now, NULL);
    else if (likely(close_pair(t, frame, now)))
        leave(t, MM_IDLE(t->recorder));
    else
        end_here(t, now, NULL);
}

static void end_call(struct monitor_port *port, struct monitor_frame *frame,
                     const union monitor_value *out)
{
    end_usual(port, frame, mm_clock_ticks(1), out, MM_STACK_HERE(), 0);
}

static void end_call_row(struct monitor_port *port, struct monitor_frame *frame,
                         const union monitor_value *out)
{
    end_usual(port, frame, mm_clock_ticks(1), out, MM_STACK_HERE(), 1);
}

void mm_unwind(struct monitor_port *port, struct monitor_frame *frame)
{
    end_any(port, frame_of(frame), mm_clock_ticks(recorder_of(port)->tsc),
            MM_STACK_HERE(), NULL, MM_STATUS_UNWOUND);
}

uint64_t mm_now(struct monitor_port *port)
{
    return mm_clock_ticks(recorder_of(port)->tsc);
}

void mm_end_at(struct monitor_port *port, struct monitor_frame *frame,
               const union monitor_value *out, uint64_t when)
{
    end_any(port, frame_of(frame), when, MM_STACK_HERE(), out, MM_STATUS_DONE);
}

void mm_hot_choose(const struct mm_recorder *r, enum mm_storage_mode mode,
                   struct monitor_port *port)
{
    int rows = r->tsc && mode == MM_STORE_ROWS && !r->storage.size_limit;

    port->begin = rows ? begin_call_row : begin_call;
    port->end = rows ? end_call_row : r->tsc ? end_call : end_call_without_tsc;
}

struct monitor_frame *mm_recorder_begin_at(struct monitor_port *port,
                                           struct monitor_method *head,
                                           const union monitor_value *in, uintptr_t stack)
{
    return begin_usual(port, head, in, stack, 0);
}
