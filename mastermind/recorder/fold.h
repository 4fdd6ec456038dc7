/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.h: aggregates of a thread: sums over invocations in place of single rows. */
#ifndef MASTERMIND_RECORDER_FOLD_H
#define MASTERMIND_RECORDER_FOLD_H

#include "mastermind/format/aggregate.h"
#include "mastermind/recorder/thread.h"

enum {
    MM_FOLD_MAX_KEYS = 65536,
    MM_FOLD_MAX_NODES = 16384,
    MM_FOLD_REGION = 256 << 20, /* size of the reserved address range of a thread's
                                   aggregates */
    MM_FOLD_FIRST_BYTES = 128 << 10,
    MM_FOLD_MORE_BYTES = 1 << 20,
    MM_RESERVOIR_BLOCKS = 12,
    MM_RESERVOIR_FIRST = 64 /* number of slots for rows in the first block of a reservoir;
                               each further block has twice as many */
};

struct mm_facts;

/* State of one method in one thread. */
struct mm_fold_method {
    uint64_t random;     /* state of the random numbers; 0: not used yet */
    uint64_t left, pick; /* sample mode: remaining calls of the current N calls, and
                            the call to keep */
    uint64_t seen, next; /* reservoir mode: number of calls so far, and the next call
                            to keep */
    double weight;
    uint32_t blocks[MM_RESERVOIR_BLOCKS]; /* first lines of the reservoir's blocks */
    uint32_t block_count;
};

/* The cached context of a callee, found by the context of its caller. */
struct mm_fold_step {
    uint32_t parent, method, node, unused;
};

struct mm_fold {
    char *base; /* start of the mapped file */
    size_t mapped;
    uint32_t used, wanted, last; /* numbers of lines of the file; `last` is the line of
                                    the latest record */
    int end;                     /* number of words of an entry, mm_entry_end */
    int failed;                  /* 1: the file cannot grow */
    struct mm_agg_journal *journal;
    uint64_t *index; /* hash table of entries: hash << 32 | line of the entry, 0: free */
    uint32_t index_mask, index_shift, index_count;
    uint32_t steps_mask, step_count, node_count;
    struct mm_fold_step *steps;
    struct mm_fold_method *methods; /* state of each method, by id */
    struct mm_frame *caller_frame;  /* frame that gets the latest sums of callees;
                                       NULL: the caller has ended */
    /* The latest begun callee: its caller and method, and the context found for them. */
    uint64_t caller, caller_hash;
    uint32_t method, node;
    uint64_t pair; /* mm_fold_pair_key of caller and method, if mm_fold_known may use
                      it */
    uint64_t tag;
};

/* --- fold.c: on the hot path */

/* Called by begin(): choose row or aggregate for the invocation in the slot `frame` above
 * the innermost one. */
void mm_fold_begin(struct mm_thread *thread, struct mm_frame *frame);
/* Called by end(): add the invocation to the aggregates, unless only its row is kept.
 * Returns flags of its row, or -1: no row. */
int mm_fold_end(struct mm_thread *thread, struct mm_frame *frame,
                const struct mm_facts *facts, const uint64_t *out);

/* Called by end() for an innermost frame with a context; marks the thread as idle. */
void mm_fold_close(struct mm_thread *thread, struct mm_frame *frame, uint64_t now,
                   const union monitor_value *out);

/* --- fold_tables.c */

/* Find or create the entry (sums) of a key; NULL: no space. */
struct mm_entry *mm_fold_entry(struct mm_thread *thread, uint32_t node,
                               const struct mm_frame *frame, uint64_t caller,
                               uint32_t flags);
/* Find the entry of a frame with a pending context. To be called before the frame ends or
 * calls another method, while its context is the latest found. */
static inline void mm_fold_settle(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_fold *f = t->fold;
    struct mm_entry *e = mm_fold_entry(t, f->node, frame, f->caller_hash, 0);

    frame->context = MM_CONTEXT_FOLDED | (e ? (uintptr_t)e : MM_CONTEXT_LOST);
}
/* Find or create the context of a call of `method` from context `parent`; NULL: no
 * space. */
struct mm_node *mm_fold_callee(struct mm_thread *thread, struct mm_node *parent,
                               uint32_t method);
/* Find or create the context of a frame; it is stored in a frame outside the aggregates.
 * NULL: no space. */
struct mm_node *mm_fold_context(struct mm_thread *thread, struct mm_frame *frame);

/* --- fold_file.c */

/* The thread's aggregates, created if needed; NULL: no space. */
struct mm_fold *mm_fold_of(struct mm_thread *thread);
/* Reserve zeroed lines for a record; NULL: no space. Store its word0 last. */
void *mm_fold_place(struct mm_thread *thread, uint32_t lines, uint32_t *line);
/* True if `lines` more lines stay within the size limit; else marks the limit as reached.
 */
int mm_fold_allows(struct mm_thread *thread, uint32_t lines);
/* Create the file, or extend it to `wanted` lines; off the hot path, with signals
 * blocked. 0 or -1. */
int mm_fold_make(struct mm_thread *thread);
/* Close the aggregates of a thread at its end. */
void mm_fold_finish(struct mm_thread *thread);
/* Zeroed memory of the process; NULL: none. Uses no lock and no heap. */
void *mm_fold_memory(size_t bytes);

/* --- reservoir.c */

/* Sample mode: returns 1 if this invocation's row is kept. */
int mm_sample_row(struct mm_thread *thread, const struct mm_method *method);
/* Reservoir mode: keep the row of an ended invocation if it was selected. 1: kept in a
 * new slot. */
int mm_reservoir_row(struct mm_thread *thread, const struct mm_frame *frame,
                     const struct mm_facts *facts, const uint64_t *out);
/* The number of the next value that a random sample of `room` values takes after value
 * `number`. `weight` is the sample's weight, 0 for its first value. Leaves the
 * floating-point state unchanged. */
uint64_t mm_sample_next(uint64_t *random, double *weight, uint64_t number, uint32_t room);
/* A random number below `limit`. */
uint64_t mm_random_below(uint64_t *random, uint64_t limit);

/* Increment a counter of this thread that other threads may read at any time. */
static inline void mm_bump(uint64_t *counter)
{
    __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1,
                     __ATOMIC_RELAXED);
}

static inline uint32_t mm_fold_line(const struct mm_fold *fold, const void *record)
{
    return (uint32_t)((size_t)((const char *)record - fold->base) / MM_LINE);
}

static inline void *mm_fold_at(const struct mm_fold *fold, uint32_t line)
{
    return fold->base + (size_t)line * MM_LINE;
}

/* The contribution of node, flags and caller to a key's tag; add the values, then call
 * mm_tag_end. */
static inline uint64_t mm_tag_begin(uint32_t node, uint32_t flags, uint64_t caller)
{
    return ((uint64_t)flags << 32 | node) * mm_check_k[20] + caller * mm_check_k[21];
}

static inline uint32_t mm_tag_end(uint64_t sum)
{
    return (uint32_t)(sum >> 32);
}

static inline uint64_t *mm_entry_words(struct mm_entry *entry)
{
    return (uint64_t *)entry + 8 * (size_t)mm_entry_key_lines(entry->count);
}

/* The first index slot of a tag, from the upper bits of a product, which depend on all
 * bits of the tag. */
static inline uint32_t mm_fold_first(const struct mm_fold *f, uint32_t tag)
{
    return tag >> f->index_shift;
}

/* Find the entry of the frame in the latest context, if the frame has two values and the
 * entry is in one of the first three slots. NULL: search on. */
static inline struct mm_entry *mm_fold_probe(const struct mm_fold *f,
                                             const struct mm_frame *frame)
{
    uint64_t a = frame->values[0], b = frame->values[1], slot, key;
    uint32_t tag = mm_tag_end(f->tag + a * mm_check_k[22] + b * mm_check_k[23]);
    uint32_t at = mm_fold_first(f, tag);
    struct mm_entry *e;

    slot = f->index[at];
    if (slot >> 32 != tag) /* another key's slot, or a free one */
        slot = f->index[(at + 1) & f->index_mask];
    if (slot >> 32 != tag)
        slot = f->index[(at + 2) & f->index_mask];
    if (slot >> 32 != tag || !slot)
        return NULL;
    e = mm_fold_at(f, (uint32_t)slot);
    __builtin_prefetch((char *)e + MM_LINE, 1);
    memcpy(&key, &e->node, 8);
    if ((key ^ (f->node | UINT64_C(2) << 48)) | (e->caller ^ f->caller_hash) |
        (e->values[0] ^ a) | (e->values[1] ^ b) | (mm_agg_kind(e->word0) ^ MM_AGG_ENTRY))
        return NULL;
    return e;
}

/* A caller and a method in one word: less than 2^48 invocations, less than 2^16 methods.
 */
static inline uint64_t mm_fold_pair_key(const struct mm_frame *caller, uint32_t method)
{
    return caller->invocation << 16 | method;
}

/* True if all calls of the method go into the aggregates, and `caller` called it last.
 * Then the pair's context stays pending until the end, because a search for its entry at
 * the start would delay the clock reading. Otherwise mm_fold_begin decides. */
static inline int mm_fold_known(const struct mm_thread *t, const struct mm_frame *caller,
                                uint32_t method)
{
    return t->fold && t->fold->pair == mm_fold_pair_key(caller, method);
}

#endif
