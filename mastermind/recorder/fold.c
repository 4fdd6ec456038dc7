/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.c: add invocations to a thread's aggregates: no lock, no system call, no
 * allocation except for a new key. Integers only, so the program's floating-point state
 * is unchanged. */
#include "mastermind/recorder/fold.h"
#include "mastermind/recorder/hot.h"
#include "mastermind/recorder/wide_row.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Keep stores in program order, so that a process killed at any time has made the first
 * stores and none of the others. */
#define IN_ORDER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

static inline struct mm_entry *entry_of(uint64_t context)
{
    return (struct mm_entry *)(context & ~(uint64_t)(MM_LINE - 1));
}

/* --- begin() */

/* Reserve rows of a method's budget for this thread. Returns 1, or 0 if no rows are
 * left. */
static __attribute__((noinline)) int lease_rows(struct mm_thread *t,
                                                struct mm_method *method)
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
    return lease_rows(t, method);
}

/* Find or create the context of a call of `method` by the invocation in the frame
 * `below`. It is cached for further calls. Returns 0, or -1: no space. */
static __attribute__((noinline)) int find_context(struct mm_thread *t,
                                                  struct mm_frame *below, uint32_t method)
{
    struct mm_node *node = mm_fold_context(t, below);
    struct mm_fold *f = t->fold;

    if (node)
        node = mm_fold_callee(t, node, method);
    if (!node)
        return -1;
    if (f->caller != below->invocation)
        f->caller_hash = mm_values_hash(below->values, below->count);
    f->caller = below->invocation;
    f->method = method;
    f->node = mm_fold_line(f, node);
    f->pair = UINT64_MAX;
    f->tag = mm_tag_begin(f->node, 0, f->caller_hash);
    return 0;
}

static inline void fold_frame(struct mm_thread *t, struct mm_frame *frame, int row)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    struct mm_fold *f = t->fold;
    struct mm_entry *e = NULL;
    int known = f && f->caller == below->invocation && f->method == frame->method &&
                below->context;

    if (unlikely(!known)) {
        if (find_context(t, below, frame->method)) {
            frame->context = MM_CONTEXT_LOST | MM_CONTEXT_FOLDED;
            return;
        }
        f = t->fold;
    }
    if (likely(frame->count == 2))
        e = mm_fold_probe(f, frame);
    if (unlikely(!e))
        e = mm_fold_entry(t, f->node, frame, f->caller_hash, 0);
    frame->context = e ? (uintptr_t)e | MM_CONTEXT_FOLDED | (row ? MM_CONTEXT_ROW : 0)
                       : MM_CONTEXT_LOST | MM_CONTEXT_FOLDED;
    if (likely(e && !e->flags && t->plain)) {
        frame->context |= MM_CONTEXT_USUAL;
        /* a method whose rows are used up never gets more */
        if (!row && t->mode != MM_STORE_SAMPLE)
            f->pair = mm_fold_pair_key(below, frame->method);
    }
}

void mm_fold_begin(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    struct mm_method *method = frame->process[MM_FRAME_METHOD];
    int row;

    if (likely(t->mode == MM_STORE_AGGREGATES)) {
        t->quota[method->id] = 0;
        fold_frame(t, frame, 0);
        return;
    }
    row = row_of_budget(t, method);
    frame->context = 0;
    if (row && !(below->context & MM_CONTEXT_FOLDED))
        return;
    if (t->mode == MM_STORE_SAMPLE && !t->spent)
        row = mm_sample_row(t, method);
    fold_frame(t, frame, row);
}

/* --- end() */

/* Amounts that one invocation adds to the aggregates. */
struct change {
    /* numbers of calls made (`callees` directly, `below` also through callees), and times
     * without the host's time */
    uint64_t callees, below, wall, excl;
    uint64_t mpi;
    /* time that the invocation lost off its core; NULL: none */
    const struct mm_off_core *losses;
};

/* Set the word words[at] of an entry, and update `*check`, the check sum of the part of
 * the entry that contains it. */
static inline void set_word(uint64_t *words, int at, uint64_t value, uint64_t *check)
{
    *check ^= mm_entry_turn(words[at] ^ value, at);
    words[at] = value;
}

/* Add to a sum that is kept in two words of an entry: words[low] and words[high]. */
static inline void add_wide(uint64_t *words, int low, int high, mm_wide_sum value,
                            uint64_t *check)
{
    mm_wide_sum sum = ((mm_wide_sum)words[high] << 64 | words[low]) + value;

    set_word(words, low, (uint64_t)sum, check);
    if ((uint64_t)(sum >> 64) != words[high])
        set_word(words, high, (uint64_t)(sum >> 64), check);
}

static inline mm_wide_sum square_of(uint64_t value)
{
    return (mm_wide_sum)value * value;
}

static inline void add_extremes(uint64_t *words, int least, int most, uint64_t value,
                                uint64_t *check)
{
    if (value < words[least])
        set_word(words, least, value, check);
    if (value > words[most])
        set_word(words, most, value, check);
}

static void save(struct mm_agg_journal *j, const uint64_t *w, int from, int to)
{
    int i;

    for (i = from; i < to; i++)
        j->words[i] = w[i];
}

static void save_words(struct mm_agg_journal *j, const uint64_t *w, uint32_t saved,
                       int end)
{
    save(j, w, MM_E_COUNT, MM_E_CHECK + 1);
    if (saved & MM_SAVED_LINE1)
        save(j, w, MM_E_CALLEES, MM_E_MPI_COUNT);
    if (saved & MM_SAVED_SAMPLE)
        save(j, w, MM_E_MPI_COUNT, MM_E_CPU);
    if (saved & MM_SAVED_EXTRA)
        save(j, w, MM_E_CPU, end);
}

/* Undo the last change, which a longjmp out of a signal handler left incomplete. */
static __attribute__((noinline)) void undo_change(struct mm_fold *f)
{
    struct mm_agg_journal *j = f->journal;

    mm_journal_undo(j, mm_entry_words(mm_fold_at(f, j->entry)), j->entry, f->end);
    j->pending = j->done;
}

/* Save the words that will be changed in the journal, unless it already has them. */
static inline void begin_journal(const struct mm_fold *f, const struct mm_entry *e,
                                 uint64_t count, uint32_t saved, uint64_t wall)
{
    struct mm_agg_journal *j = f->journal;

    j->entry = (uint32_t)((size_t)((const char *)e - f->base) / MM_LINE);
    j->saved = saved;
    j->count = count;
    j->wall = wall;
    IN_ORDER();
    __atomic_store_n(&j->pending, j->done + 1, __ATOMIC_RELEASE);
    IN_ORDER();
}

/* Let the journal count the callees of another caller: store the sums for the previous
 * caller in that caller's frame. */
static __attribute__((noinline)) void
change_caller(struct mm_fold *f, struct mm_frame *caller, struct mm_agg_sums *sums)
{
    struct mm_agg_journal *j = f->journal;
    const struct mm_agg_sums *before = &j->sums[j->done % 2];
    struct mm_frame *frame = f->caller_frame;
    int i;

    if (frame) {
        for (i = 0; i < 3; i++)
            frame->fold[i] = mm_fold_word(before->fold[i], frame->invocation);
        IN_ORDER();
        frame->context |= MM_CONTEXT_CALLEES;
    }
    for (i = 0; i < 3; i++)
        sums->fold[i] =
            caller->context & MM_CONTEXT_CALLEES ? caller->fold[i] & MM_FOLD_MASK : 0;
    f->caller_frame = caller;
}

/* Add to the caller's sums over its callees, and mark the change as complete in the
 * journal. */
static inline void end_journal(struct mm_thread *t, struct mm_fold *f,
                               const struct mm_frame *frame, uint64_t end, uint64_t below,
                               uint64_t wall)
{
    struct mm_frame *caller = frame->process[MM_FRAME_BELOW];
    struct mm_agg_journal *j = f->journal;
    uint64_t number = j->done + 1;
    const struct mm_agg_sums *from = &j->sums[j->done % 2];
    struct mm_agg_sums *sums = &j->sums[number % 2];

    if (unlikely(f->caller_frame != caller)) {
        change_caller(f, caller, sums);
        from = sums;
    }
    sums->invocation = frame->invocation;
    sums->end = end;
    sums->caller = caller->invocation;
    sums->fold[MM_FOLD_CALLEES] = from->fold[MM_FOLD_CALLEES] + 1;
    sums->fold[MM_FOLD_BELOW] = from->fold[MM_FOLD_BELOW] + below + 1;
    sums->fold[MM_FOLD_TICKS] = from->fold[MM_FOLD_TICKS] + wall;
    sums->check = mm_sums_check(sums, number);
    IN_ORDER();
    __atomic_store_n(&j->done, number, __ATOMIC_RELEASE);
    /* the number of calls in the ring must not exceed the number in the aggregates */
    IN_ORDER();
    __atomic_store_n(&t->live->folded, number, __ATOMIC_RELAXED);
}

/* Store the value in the random sample of the entry. */
static __attribute__((noinline)) void take_sample(struct mm_thread *t, uint64_t *w,
                                                  uint64_t excl, uint64_t *check)
{
    struct mm_fold_method *any =
        &t->fold->methods[0]; /* the random numbers of any method can be used */
    uint64_t count = w[MM_E_COUNT], at = count - 1, word;
    double weight;

    memcpy(&weight, &w[MM_E_WEIGHT], sizeof weight);
    if (!any->random)
        any->random = mm_check_k[3] * (t->number + 1) | 1;
    if (at >= MM_SAMPLE)
        at = mm_random_below(&any->random, MM_SAMPLE);
    set_word(w, MM_E_NEXT,
             count < MM_SAMPLE ? count + 1
                               : mm_sample_next(&any->random, &weight, count, MM_SAMPLE),
             check);
    memcpy(&word, &weight, sizeof word);
    set_word(w, MM_E_WEIGHT, word, &w[MM_E_CHECK2]);
    word = w[MM_E_SAMPLE + at / 2];
    word = at % 2 ? (word & UINT32_MAX) | (uint64_t)mm_sample_code(excl) << 32
                  : word >> 32 << 32 | mm_sample_code(excl);
    set_word(w, MM_E_SAMPLE + (int)(at / 2), word, &w[MM_E_CHECK2]);
}

static void add_losses(uint64_t *w, const struct mm_off_core *losses)
{
    uint64_t words[MM_LOSS_WORDS];

    mm_put_losses(losses, words);
    for (int i = 0; i < MM_LOSS_WORDS; i++)
        set_word(w, MM_E_LOSSES + i, w[MM_E_LOSSES + i] + words[i], &w[MM_E_CHECK3]);
}

static __attribute__((noinline)) void add_extra(uint64_t *w, const struct change *c)
{
    uint64_t *check = &w[MM_E_CHECK2];

    if (c->mpi) {
        set_word(w, MM_E_MPI_COUNT, w[MM_E_MPI_COUNT] + 1, check);
        set_word(w, MM_E_MPI, w[MM_E_MPI] + c->mpi, check);
        add_wide(w, MM_E_MPI_SQ, MM_E_MPI_SQ_HIGH, square_of(c->mpi), check);
        add_extremes(w, MM_E_MPI_MIN, MM_E_MPI_MAX, c->mpi, check);
    }
    if (c->losses)
        add_losses(w, c->losses);
}

/* Add a count to the sum of a counter; if one count is missing, the sum is missing,
 * too. */
static void add_count(uint64_t *w, int at, int64_t value, uint64_t *check)
{
    int64_t sum = (int64_t)w[at];

    if (sum != MM_COUNT_MISSING)
        set_word(w, at,
                 value == MM_COUNT_MISSING ? (uint64_t)value
                                           : (uint64_t)sum + (uint64_t)value,
                 check);
}

static __attribute__((noinline)) void add_counts(struct mm_thread *t, uint64_t *w,
                                                 const struct mm_frame *frame)
{
    const struct mm_counts *counts = mm_thread_counts(t, frame);
    int i, n = t->recorder->counter_count;

    for (i = 0; i < n; i++) {
        add_count(w, MM_E_COUNTS + i, counts->own[i], &w[MM_E_COUNTS + 2 * n]);
        add_count(w, MM_E_COUNTS + n + i, counts->callees[i], &w[MM_E_COUNTS + 2 * n]);
    }
}

static void add_words(struct mm_thread *t, uint64_t *w, const struct change *c,
                      uint32_t saved)
{
    uint64_t check = w[MM_E_CHECK];

    set_word(w, MM_E_COUNT, w[MM_E_COUNT] + 1, &check);
    set_word(w, MM_E_CALLEES, w[MM_E_CALLEES] + c->callees, &check);
    set_word(w, MM_E_BELOW, w[MM_E_BELOW] + c->below, &check);
    set_word(w, MM_E_WALL, w[MM_E_WALL] + c->wall, &check);
    if (c->excl != c->wall && !w[MM_E_MIXED]) {
        set_word(w, MM_E_MIXED, 1, &check);
        set_word(w, MM_E_EXCL_MIN, w[MM_E_WALL_MIN], &check);
        set_word(w, MM_E_EXCL_MAX, w[MM_E_WALL_MAX], &check);
    }
    set_word(w, MM_E_REST, w[MM_E_REST] + c->wall - c->excl, &check);
    add_wide(w, MM_E_WALL_SQ, MM_E_WALL_SQ_HIGH, square_of(c->wall), &check);
    add_wide(w, MM_E_REST_SQ, MM_E_REST_SQ_HIGH, square_of(c->wall) - square_of(c->excl),
             &check);
    add_extremes(w, MM_E_WALL_MIN, MM_E_WALL_MAX, c->wall, &check);
    if (w[MM_E_MIXED])
        add_extremes(w, MM_E_EXCL_MIN, MM_E_EXCL_MAX, c->excl, &check);
    if (w[MM_E_COUNT] == w[MM_E_NEXT])
        take_sample(t, w, c->excl, &check);
    w[MM_E_CHECK] = check;
    if (saved & (MM_SAVED_SAMPLE | MM_SAVED_EXTRA))
        add_extra(w, c);
}

static void add_invocation(struct mm_thread *t, struct mm_frame *frame,
                           const struct change *c, const struct mm_facts *facts)
{
    struct mm_entry *e = entry_of(frame->context);
    uint64_t *w = mm_entry_words(e);
    uint32_t saved = MM_SAVED_LINE0 | MM_SAVED_LINE1;

    if (w[MM_E_COUNT] + 1 == w[MM_E_NEXT] || c->mpi)
        saved |= MM_SAVED_SAMPLE;
    if (c->losses || t->fold->end > MM_E_COUNTS)
        saved |= MM_SAVED_EXTRA;
    if (t->fold->journal->pending != t->fold->journal->done)
        undo_change(t->fold);
    save_words(t->fold->journal, w, saved, t->fold->end);
    begin_journal(t->fold, e, w[MM_E_COUNT], saved, c->wall);
    add_words(t, w, c, saved);
    if (t->fold->end > MM_E_COUNTS)
        add_counts(t, w, frame);
    end_journal(t, t->fold, frame, facts->end, c->below, c->wall);
    if (e->flags & MM_ENTRY_OTHER)
        mm_bump(&t->live->other);
}

/* Store one word of an entry after all earlier stores. */
static inline void store_in_order(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
    IN_ORDER();
}

static inline int close_usual(struct mm_thread *t, struct mm_frame *frame, uint64_t now)
{
    struct mm_frame *below = frame->process[MM_FRAME_BELOW];
    struct mm_entry *e;
    struct mm_fold *f = t->fold;
    uint64_t *w, wall = now - frame->start, square = wall * wall;
    uint64_t count, old_sum, old_sq, check;

    if (likely(frame->context == (MM_CONTEXT_FOLDED | MM_CONTEXT_PENDING))) {
        e = mm_fold_probe(f, frame);
        if (unlikely(!e))
            return 0;
        /* an entry with two values has its sums at a constant offset */
        w = (uint64_t *)((char *)e + MM_LINE);
    } else if ((frame->context & (MM_LINE - 1)) ==
               (MM_CONTEXT_FOLDED | MM_CONTEXT_USUAL)) {
        e = entry_of(frame->context);
        w = mm_entry_words(e);
    } else {
        return 0;
    }
    if (unlikely(*t->core.word != t->core.armed || now >= t->core.due || frame->lost ||
                 frame->children | wall >> 32 | (uint64_t)(*t->mpi - frame->mpi_ns) ||
                 f->caller_frame == frame || f->journal->pending != f->journal->done))
        return 0;
    count = w[MM_E_COUNT];
    old_sum = w[MM_E_WALL];
    old_sq = w[MM_E_WALL_SQ];
    if (unlikely(old_sq + square < square || wall < w[MM_E_WALL_MIN] ||
                 wall > w[MM_E_WALL_MAX] || w[MM_E_MIXED] || count + 1 == w[MM_E_NEXT]))
        return 0;
    begin_journal(f, e, count, 0, wall);
    check = w[MM_E_CHECK] ^ mm_entry_turn(count ^ (count + 1), MM_E_COUNT) ^
            mm_entry_turn(old_sum ^ (old_sum + wall), MM_E_WALL) ^
            mm_entry_turn(old_sq ^ (old_sq + square), MM_E_WALL_SQ);
    store_in_order(&w[MM_E_COUNT], count + 1);
    store_in_order(&w[MM_E_WALL], old_sum + wall);
    store_in_order(&w[MM_E_WALL_SQ], old_sq + square);
    store_in_order(&w[MM_E_CHECK], check);
    below->children += wall;
    end_journal(t, f, frame, now, 0, wall);
    __atomic_store_n(&frame->check, 0, __ATOMIC_RELEASE);
    mm_thread_open(t, below, frame);
    IN_ORDER(); /* an open frame must keep its context */
    frame->context = 0;
    return 1;
}

void mm_fold_close(struct mm_thread *t, struct mm_frame *frame, uint64_t now,
                   const union monitor_value *out)
{
    if (unlikely(!close_usual(t, frame, now)))
        mm_close_frame(t, now, out, MM_STATUS_DONE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&t->state, MM_IDLE(t->recorder), __ATOMIC_RELAXED);
}

/* Copy the journal's sums over the callees of an ending frame into that frame. */
static void take_callees(struct mm_fold *f, struct mm_frame *frame)
{
    const struct mm_agg_sums *sums;
    int i;

    if (!f || f->caller_frame != frame)
        return;
    sums = &f->journal->sums[f->journal->done % 2];
    for (i = 0; i < 3; i++)
        frame->fold[i] = mm_fold_word(sums->fold[i], frame->invocation);
    IN_ORDER();
    frame->context |= MM_CONTEXT_CALLEES;
    f->caller_frame = NULL;
}

/* Move the frame to the entry for unfinished calls. Returns 1, or 0: no space. */
static int move_to_unfinished(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_entry *e = entry_of(frame->context);
    uint64_t bits = frame->context & (MM_LINE - 1);

    e = mm_fold_entry(t, e->node, frame, e->caller, MM_ENTRY_UNFINISHED);
    if (e)
        frame->context = (uintptr_t)e | bits;
    return e != NULL;
}

/* Subtract `host`, the time of the host and of the recorder's work, from the time of an
 * invocation; the result is never negative. */
static uint64_t less(uint64_t time, int64_t host)
{
    return host < 0 ? time : (uint64_t)host < time ? time - (uint64_t)host : 0;
}

static struct change change_of(const struct mm_frame *frame, const struct mm_facts *facts)
{
    const struct mm_off_core *losses =
        facts->flags & MM_ROW_LOSSES ? &facts->losses : NULL;
    uint64_t wall = facts->wall, children = frame->children;
    struct change c = {.wall = wall,
                       .excl = children < wall ? wall - children : 0,
                       .mpi = facts->mpi_ns > 0 ? (uint64_t)facts->mpi_ns : 0,
                       .losses = losses};

    if (losses) {
        c.wall = less(c.wall, losses->host_own + losses->host_below + losses->work_own +
                                  losses->work_below);
        c.excl = less(c.excl, losses->host_own + losses->work_own);
        if (c.excl > c.wall)
            c.excl = c.wall;
    }
    return c;
}

int mm_fold_end(struct mm_thread *t, struct mm_frame *frame, const struct mm_facts *facts,
                const uint64_t *out)
{
    struct change c = change_of(frame, facts);
    int row;

    if (frame->context & MM_CONTEXT_PENDING)
        mm_fold_settle(t, frame);
    take_callees(t->fold, frame);
    if (!(frame->context & MM_CONTEXT_FOLDED))
        return frame->context & MM_CONTEXT_CALLEES ? MM_ROW_CALLEES : 0;
    if (unlikely(frame->context & MM_CONTEXT_LOST) ||
        (unlikely(mm_facts_status(facts)) && !move_to_unfinished(t, frame))) {
        mm_count_add(&t->live->dropped, 1);
        return -1;
    }
    if (frame->context & MM_CONTEXT_CALLEES) {
        c.callees = frame->fold[MM_FOLD_CALLEES] & MM_FOLD_MASK;
        c.below = frame->fold[MM_FOLD_BELOW] & MM_FOLD_MASK;
    }
    add_invocation(t, frame, &c, facts);
    row = frame->context & MM_CONTEXT_ROW ? MM_ROW_COUNTED : -1;
    if (unlikely(t->mode == MM_STORE_RESERVOIR) && !t->spent &&
        mm_reservoir_row(t, frame, facts, out))
        mm_bump(&t->live->counted);
    return row;
}
