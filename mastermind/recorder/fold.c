/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.c: add invocations to a thread's aggregates: no lock, no system call, no allocation
 * but where a key is new. Integers only: the program's floating-point state is its own. */
#include "mastermind/recorder/fold.h"
#include "mastermind/recorder/hot.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* What is stored before is stored before: a killed process leaves a prefix. */
#define IN_ORDER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

static inline struct mm_entry *entry_of(uint64_t context)
{
    return (struct mm_entry *)(context & ~(uint64_t)(MM_LINE - 1));
}

/* --- begin */

/* Rows of a method's budget for this thread. Returns whether there was one. */
static __attribute__((noinline)) int lease(struct mm_thread *t, struct mm_method *method)
{
    int64_t left, take;

    if (t->spent)
        return 0;
    if (t->mode == MM_STORE_ROWS) {
        t->quota[method->id] = INT32_MAX;
        return 1;
    }
    left = __atomic_load_n(&method->left, __ATOMIC_RELAXED);
    do {
        take = left < 4096 ? (left + 15) / 16 : 256;
        if (take <= 0)
            return 0;
    } while (!__atomic_compare_exchange_n(&method->left, &left, left - take, 1,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    t->quota[method->id] = (int32_t)(take - 1);
    return 1;
}

static inline int row_of_budget(struct mm_thread *t, struct mm_method *method)
{
    int32_t *quota = &t->quota[method->id];

    if (*quota > 0) {
        --*quota;
        return 1;
    }
    *quota = 0;
    if (t->mode > MM_STORE_AUTO)
        return 0;
    return lease(t, method);
}

/* Hash of the caller's in-values; a caller seldom calls once. */
static inline uint64_t caller_hash(struct mm_fold *f, const struct mm_frame *caller)
{
    if (unlikely(f->caller != caller->invocation)) {
        f->caller_hash = mm_values_hash(caller->values, caller->count);
        f->caller = caller->invocation;
    }
    return f->caller_hash;
}

void mm_fold_begin(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    struct mm_method *method = frame->process[MM_FRAME_METHOD];
    uint64_t context = below->context;
    struct mm_entry *e = NULL;
    struct mm_node *node;
    int row = row_of_budget(t, method);

    frame->context = 0;
    if (row && !(context & MM_CONTEXT_FOLDED))
        return;
    if (t->mode == MM_STORE_SAMPLE && !t->spent)
        row = mm_sample_row(t, method);
    if (likely(context & MM_CONTEXT_FOLDED && !(context & MM_CONTEXT_LOST)))
        node = mm_fold_at(t->fold, entry_of(context)->node);
    else if (context && !(context & MM_CONTEXT_LOST))
        node = (struct mm_node *)(context & ~(uint64_t)(MM_LINE - 1));
    else
        node = mm_fold_context(t, below);
    if (likely(node))
        node = mm_fold_callee(t, node, method->id);
    if (likely(node))
        e = mm_fold_entry(t, node, frame, caller_hash(t->fold, below), 0);
    if (unlikely(!e)) {
        frame->context = MM_CONTEXT_LOST | MM_CONTEXT_FOLDED;
        return;
    }
    __builtin_prefetch((char *)mm_entry_words(e), 1);
    __builtin_prefetch((char *)mm_entry_words(e) + MM_LINE, 1);
    frame->context = (uintptr_t)e | MM_CONTEXT_FOLDED | (row ? MM_CONTEXT_ROW : 0);
}

/* --- end */

/* What an invocation adds. */
struct change {
    uint64_t callees, below, wall, excl;
    uint64_t mpi, cpu;
};

/* words[at] = value, and the check of its part with it. */
static inline void set(uint64_t *words, int at, uint64_t value, uint64_t *check)
{
    *check ^= words[at] ^ value;
    words[at] = value;
}

/* Add the square of `value` to the words of a sum, low and high. */
static inline void add_square(uint64_t *words, int low, int high, uint64_t value,
                              uint64_t *check)
{
    mm_wide_sum sum = (mm_wide_sum)words[high] << 64 | words[low];

    sum += (mm_wide_sum)value * value;
    set(words, low, (uint64_t)sum, check);
    if ((uint64_t)(sum >> 64) != words[high])
        set(words, high, (uint64_t)(sum >> 64), check);
}

static inline void add_extremes(uint64_t *words, int least, int most, uint64_t value,
                                uint64_t *check)
{
    if (value < words[least])
        set(words, least, value, check);
    if (value > words[most])
        set(words, most, value, check);
}

static inline uint64_t square_low(uint64_t value)
{
    return value * value;
}

/* Does line 1 change? Squares may run over, extremes may be new, the sample may be due. */
static inline int line1_changes(const uint64_t *w, const struct change *c)
{
    return (c->wall | c->excl) >> 32 || w[MM_E_WALL_SQ] + square_low(c->wall) < w[MM_E_WALL_SQ] ||
           w[MM_E_EXCL_SQ] + square_low(c->excl) < w[MM_E_EXCL_SQ] ||
           c->wall < w[MM_E_WALL_MIN] || c->wall > w[MM_E_WALL_MAX] ||
           c->excl < w[MM_E_EXCL_MIN] || c->excl > w[MM_E_EXCL_MAX] ||
           w[MM_E_COUNT] + 1 == w[MM_E_NEXT];
}

static void save(struct mm_agg_journal *j, const uint64_t *w, int from, int to)
{
    int i;

    for (i = from; i < to; i++)
        j->words[i] = w[i];
}

/* A signal handler has left the last change for good, by longjmp: put back what was. */
static __attribute__((noinline)) void undo(struct mm_fold *f)
{
    struct mm_agg_journal *j = f->journal;
    uint64_t *w = mm_entry_words(mm_fold_at(f, j->entry));
    int i;

    for (i = MM_E_COUNT; i <= MM_E_CHECK; i++)
        w[i] = j->words[i];
    for (; i < MM_E_WORDS; i++)
        if (j->saved & (i < MM_E_MPI_COUNT ? MM_SAVED_LINE1
                        : i < MM_E_CPU     ? MM_SAVED_SAMPLE
                                           : MM_SAVED_CPU))
            w[i] = j->words[i];
    if (j->histogram)
        ((uint64_t *)mm_fold_at(f, j->histogram))[j->bin] = j->bin_count;
}

/* Write down what is about to change, as it is now. */
static inline void begin_journal(struct mm_thread *t, const struct mm_frame *frame,
                                 const uint64_t *w, uint32_t saved, uint64_t *bin)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    struct mm_entry *e = entry_of(frame->context);
    struct mm_agg_journal *j = t->fold->journal;
    int counts = (below->context & MM_CONTEXT_CALLEES) != 0;

    if (unlikely(j->pending != j->done))
        undo(t->fold);
    j->entry = mm_fold_line(t->fold, e);
    j->saved = saved;
    j->histogram = bin ? e->histogram : 0;
    j->bin = bin ? (uint32_t)(bin - (uint64_t *)mm_fold_at(t->fold, e->histogram)) : 0;
    j->bin_count = bin ? *bin : 0;
    j->caller = below->invocation;
    j->caller_fold[0] = counts ? below->fold[0] : 0;
    j->caller_fold[1] = counts ? below->fold[1] : 0;
    j->caller_fold[2] = counts ? below->fold[2] : 0;
    save(j, w, MM_E_COUNT, MM_E_CHECK + 1);
    if (unlikely(saved)) {
        if (saved & MM_SAVED_LINE1)
            save(j, w, MM_E_WALL_MIN, MM_E_MPI_COUNT);
        if (saved & MM_SAVED_SAMPLE)
            save(j, w, MM_E_MPI_COUNT, MM_E_CPU);
        if (saved & MM_SAVED_CPU)
            save(j, w, MM_E_CPU, MM_E_WORDS);
    }
    IN_ORDER();
    __atomic_store_n(&j->pending, frame->invocation, __ATOMIC_RELEASE);
    IN_ORDER();
}

/* The value is one of a fair sample. */
static __attribute__((noinline)) void take_sample(struct mm_thread *t, uint64_t *w,
                                                  uint64_t excl, uint64_t *check)
{
    struct mm_fold_method *any = &t->fold->methods[0]; /* whose random numbers are as good */
    uint64_t count = w[MM_E_COUNT], at = count - 1, word;
    double weight;

    memcpy(&weight, &w[MM_E_WEIGHT], sizeof weight);
    if (!any->random)
        any->random = mm_check_k[3] * (t->number + 1) | 1;
    if (at >= MM_SAMPLE)
        at = mm_random_below(&any->random, MM_SAMPLE);
    set(w, MM_E_NEXT, count < MM_SAMPLE ? count + 1
                                        : mm_sample_next(&any->random, &weight, count, MM_SAMPLE),
        check);
    memcpy(&word, &weight, sizeof word);
    set(w, MM_E_WEIGHT, word, &w[MM_E_CHECK2]);
    word = w[MM_E_SAMPLE + at / 2];
    word = at % 2 ? (word & UINT32_MAX) | (uint64_t)mm_sample_code(excl) << 32
                  : word >> 32 << 32 | mm_sample_code(excl);
    set(w, MM_E_SAMPLE + (int)(at / 2), word, &w[MM_E_CHECK2]);
}

static __attribute__((noinline)) void add_extra(uint64_t *w, const struct change *c, int cpu)
{
    uint64_t *check = &w[MM_E_CHECK2];

    if (c->mpi) {
        set(w, MM_E_MPI_COUNT, w[MM_E_MPI_COUNT] + 1, check);
        set(w, MM_E_MPI, w[MM_E_MPI] + c->mpi, check);
        add_square(w, MM_E_MPI_SQ, MM_E_MPI_SQ_HIGH, c->mpi, check);
        add_extremes(w, MM_E_MPI_MIN, MM_E_MPI_MAX, c->mpi, check);
    }
    if (!cpu)
        return;
    check = &w[MM_E_CHECK3];
    set(w, MM_E_CPU, w[MM_E_CPU] + c->cpu, check);
    add_square(w, MM_E_CPU_SQ, MM_E_CPU_SQ_HIGH, c->cpu, check);
    add_extremes(w, MM_E_CPU_MIN, MM_E_CPU_MAX, c->cpu, check);
}

static inline void add_words(struct mm_thread *t, uint64_t *w, const struct change *c,
                             uint32_t saved)
{
    uint64_t check = w[MM_E_CHECK];

    set(w, MM_E_COUNT, w[MM_E_COUNT] + 1, &check);
    set(w, MM_E_WALL, w[MM_E_WALL] + c->wall, &check);
    set(w, MM_E_EXCL, w[MM_E_EXCL] + c->excl, &check);
    if (c->callees) {
        set(w, MM_E_CALLEES, w[MM_E_CALLEES] + c->callees, &check);
        set(w, MM_E_BELOW, w[MM_E_BELOW] + c->below, &check);
    }
    if (likely(!(saved & MM_SAVED_LINE1))) {
        set(w, MM_E_WALL_SQ, w[MM_E_WALL_SQ] + square_low(c->wall), &check);
        set(w, MM_E_EXCL_SQ, w[MM_E_EXCL_SQ] + square_low(c->excl), &check);
    } else {
        add_square(w, MM_E_WALL_SQ, MM_E_WALL_SQ_HIGH, c->wall, &check);
        add_square(w, MM_E_EXCL_SQ, MM_E_EXCL_SQ_HIGH, c->excl, &check);
        add_extremes(w, MM_E_WALL_MIN, MM_E_WALL_MAX, c->wall, &check);
        add_extremes(w, MM_E_EXCL_MIN, MM_E_EXCL_MAX, c->excl, &check);
        if (w[MM_E_COUNT] == w[MM_E_NEXT])
            take_sample(t, w, c->excl, &check);
    }
    w[MM_E_CHECK] = check;
    if (unlikely(saved & (MM_SAVED_SAMPLE | MM_SAVED_CPU)))
        add_extra(w, c, (saved & MM_SAVED_CPU) != 0);
}

/* Tell the caller of a callee that is in the aggregates. */
static inline void add_callee(struct mm_frame *caller, const struct change *c)
{
    uint64_t n = 0, below = 0, ticks = 0, number = caller->invocation;

    if (caller->context & MM_CONTEXT_CALLEES) {
        n = caller->fold[MM_FOLD_CALLEES];
        below = caller->fold[MM_FOLD_BELOW];
        ticks = caller->fold[MM_FOLD_TICKS];
    }
    caller->fold[MM_FOLD_CALLEES] = mm_fold_word(n + 1, number);
    caller->fold[MM_FOLD_BELOW] = mm_fold_word(below + c->below + 1, number);
    caller->fold[MM_FOLD_TICKS] = mm_fold_word(ticks + c->wall, number);
    IN_ORDER();
    caller->context |= MM_CONTEXT_CALLEES;
}

static inline void add(struct mm_thread *t, struct mm_frame *frame, const struct change *c,
                       uint64_t end)
{
    struct mm_entry *e = entry_of(frame->context);
    struct mm_agg_journal *j = t->fold->journal;
    uint64_t *w = mm_entry_words(e), *bin = NULL;
    uint32_t saved = line1_changes(w, c) ? MM_SAVED_LINE1 : 0;

    if (unlikely(saved && w[MM_E_COUNT] + 1 == w[MM_E_NEXT]) || unlikely(c->mpi))
        saved |= MM_SAVED_SAMPLE;
    if (unlikely(t->fold->cpu))
        saved |= MM_SAVED_CPU;
    if (likely(e->histogram)) {
        struct mm_histogram *h = mm_fold_at(t->fold, e->histogram);

        bin = (uint64_t *)h + 8 * (size_t)mm_histogram_head_lines(h->count) + mm_bin(c->wall);
    }
    begin_journal(t, frame, w, saved, bin);
    add_words(t, w, c, saved);
    if (likely(bin != NULL))
        ++*bin;
    add_callee(frame->process[MM_FRAME_BELOW], c);
    j->end = end;
    IN_ORDER();
    __atomic_store_n(&j->done, frame->invocation, __ATOMIC_RELEASE);
    IN_ORDER(); /* there are never fewer than `folded` */
    mm_bump(&t->live->folded);
    if (unlikely(e->flags & MM_ENTRY_OTHER))
        mm_bump(&t->live->other);
}

/* It did not end in order: another entry. Returns whether there is one. */
static int move_to_unfinished(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_entry *e = entry_of(frame->context);
    uint64_t bits = frame->context & (MM_LINE - 1);

    e = mm_fold_entry(t, mm_fold_at(t->fold, e->node), frame, e->caller, MM_ENTRY_UNFINISHED);
    if (e)
        frame->context = (uintptr_t)e | bits;
    return e != NULL;
}

int mm_fold_end(struct mm_thread *t, struct mm_frame *frame, uint64_t end, uint64_t wall,
                int64_t mpi_ns, int64_t cpu_ns, unsigned flags, const uint64_t *out)
{
    uint64_t children = frame->children;
    struct change c = { .wall = wall,
                        .excl = children < wall ? wall - children : 0,
                        .mpi = mpi_ns > 0 ? (uint64_t)mpi_ns : 0,
                        .cpu = cpu_ns > 0 ? (uint64_t)cpu_ns : 0 };
    int row;

    if (!(frame->context & MM_CONTEXT_FOLDED))
        return frame->context & MM_CONTEXT_CALLEES ? MM_ROW_CALLEES : 0;
    if (unlikely(frame->context & MM_CONTEXT_LOST) ||
        (unlikely(flags >> MM_ROW_STATUS_SHIFT & 3) && !move_to_unfinished(t, frame))) {
        mm_bump(&t->live->dropped);
        return -1;
    }
    if (frame->context & MM_CONTEXT_CALLEES) {
        c.callees = frame->fold[MM_FOLD_CALLEES] & MM_FOLD_MASK;
        c.below = frame->fold[MM_FOLD_BELOW] & MM_FOLD_MASK;
    }
    add(t, frame, &c, end);
    row = frame->context & MM_CONTEXT_ROW ? MM_ROW_COUNTED : -1;
    if (unlikely(t->mode == MM_STORE_RESERVOIR) && !t->spent &&
        mm_reservoir_row(t, frame, end, wall, mpi_ns, cpu_ns, flags, out))
        mm_bump(&t->live->counted);
    return row;
}
