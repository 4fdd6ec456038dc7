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
    uint64_t random;     /* state of the random number generator; 0: not used yet */
    uint64_t left, pick; /* sample mode: number of calls left of the current group of N
                            calls, and the number of the call whose row is kept */
    uint64_t seen, next; /* reservoir mode: number of calls so far, and the number of the
                            next call whose row is kept */
    double weight;
    uint32_t blocks[MM_RESERVOIR_BLOCKS]; /* number of the first line of each block of the
                                             reservoir */
    uint32_t block_count;
};

/* Hash table entry: the context `node` of calls of `method` from the context `parent`. */
struct mm_fold_step {
    uint32_t parent, method, node, unused;
};

struct mm_fold {
    char *base; /* start of the mapped file */
    size_t mapped;
    uint32_t used, wanted, last; /* lines of the file: number used, number wanted, and the
                                    index of the latest record's first line */
    int end;                     /* number of words of an entry, mm_entry_end */
    int failed;                  /* true if the file could not grow */
    struct mm_agg_journal *journal;
    uint64_t *index; /* hash table of the file's entries; each word is hash << 32 | line
                        of the entry, or 0 if free */
    uint32_t index_mask, index_shift, index_count;
    uint32_t steps_mask, step_count, node_count;
    struct mm_fold_step *steps;
    struct mm_fold_method *methods; /* state of each method, by id */
    struct mm_frame *caller_frame;  /* frame of the caller whose sums over callees are in
                                       the journal; NULL: it has ended */
    /* The latest aggregated call: the invocation that made it, its method, and the
     * context that was found for the two. */
    uint64_t caller, caller_hash;
    uint32_t method, node;
    uint64_t pair; /* mm_fold_pair_key of that caller and method, or UINT64_MAX if
                      mm_fold_known must return 0 */
    uint64_t tag;
};

/* --- fold.c: on the hot path */

/* Called by begin(): decide whether the invocation in `frame`, the slot above the
 * innermost frame, gets a row or is aggregated. */
void mm_fold_begin(struct mm_thread *thread, struct mm_frame *frame);
/* Called by end(): add the invocation to the aggregates, unless it is kept as a row only.
 * Returns the flags of its row, or -1 if it has no row. */
int mm_fold_end(struct mm_thread *thread, struct mm_frame *frame,
                const struct mm_facts *facts, const uint64_t *out);

/* Called by end() to close the innermost frame if it has a context in the aggregates;
 * marks the thread as idle. */
void mm_fold_close(struct mm_thread *thread, struct mm_frame *frame, uint64_t now,
                   const union monitor_value *out);

/* --- fold_tables.c */

/* Find or create the entry, which holds the sums of all invocations with one key: context
 * `node`, the frame's in-values, hash `caller` of the caller's values, and `flags`. NULL:
 * no space. */
struct mm_entry *mm_fold_entry(struct mm_thread *thread, uint32_t node,
                               const struct mm_frame *frame, uint64_t caller,
                               uint32_t flags);
/* Find the entry of a frame whose context is "pending": its entry has not been looked up
 * yet. To be called before the frame ends or calls another method, because until then the
 * thread's cached context is the one of this frame. */
static inline void mm_fold_settle(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_fold *f = t->fold;
    struct mm_entry *e = mm_fold_entry(t, f->node, frame, f->caller_hash, 0);

    frame->context = MM_CONTEXT_FOLDED | (e ? (uintptr_t)e : MM_CONTEXT_LOST);
}
/* Find or create the context of calls of `method` from the context `parent`; NULL: no
 * space. */
struct mm_node *mm_fold_callee(struct mm_thread *thread, struct mm_node *parent,
                               uint32_t method);
/* Find or create the context of a frame. If the frame's call is not aggregated, the
 * context is stored in the frame. NULL: no space. */
struct mm_node *mm_fold_context(struct mm_thread *thread, struct mm_frame *frame);

/* Reserve `lines` zeroed lines of the file for a record; NULL: no space. `*line`: index
 * of the first. The caller stores the record's word0 last, which makes it valid. */
void *mm_fold_place(struct mm_thread *thread, uint32_t lines, uint32_t *line);

/* --- fold_file.c */

/* Return the thread's aggregates, which are created if needed; NULL: no space. */
struct mm_fold *mm_fold_of(struct mm_thread *thread);
/* True if the file stays within the size limit with `lines` more lines; else the limit is
 * marked as
 * reached. */
int mm_fold_allows(struct mm_thread *thread, uint32_t lines);
/* Create the file, or extend it to `wanted` lines. Called off the hot path, with signals
 * blocked. Returns 0 or -1. */
int mm_fold_make(struct mm_thread *thread);
/* Close the aggregates of a thread at its end. */
void mm_fold_finish(struct mm_thread *thread);
/* Allocate zeroed memory from the kernel, without a lock and the heap. NULL: there is
 * none. */
void *mm_fold_memory(size_t bytes);

/* --- reservoir.c */

/* Sample mode: returns 1 if this invocation's row is kept. */
int mm_sample_row(struct mm_thread *thread, const struct mm_method *method);
/* Reservoir mode: keep the row of an ended invocation if it was selected. Returns 1 if
 * the row takes a new slot of the reservoir. */
int mm_reservoir_row(struct mm_thread *thread, const struct mm_frame *frame,
                     const struct mm_facts *facts, const uint64_t *out);
/* Return the index of the next value that a random sample of `room` values takes after
 * the value with index `number`. `*weight` is the state of the algorithm, 0 at first. The
 * floating-point state (rounding, exceptions) remains unchanged. */
uint64_t mm_sample_next(uint64_t *random, double *weight, uint64_t number, uint32_t room);
/* Return a random number in [0, limit). */
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

/* Begin the tag (32-bit hash) of a key: returns the contribution of `node`, `flags` and
 * `caller`. Add the contributions of the values, then call mm_tag_end. */
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

/* Return the slot of the hash table where the search for a tag begins. It is taken from
 * the upper bits of the tag, which is itself the upper half of a product and so depends
 * on all bits of the key. */
static inline uint32_t mm_fold_first(const struct mm_fold *f, uint32_t tag)
{
    return tag >> f->index_shift;
}

/* Find the aggregate's entry for a frame that has two in-values, in the context that `f`
 * caches; only the first three slots of the hash table that may hold it are searched.
 * NULL: not found there; use mm_fold_entry. */
static inline struct mm_entry *mm_fold_probe(const struct mm_fold *f,
                                             const struct mm_frame *frame)
{
    uint64_t a = frame->values[0], b = frame->values[1], slot, key;
    uint32_t tag = mm_tag_end(f->tag + a * mm_check_k[22] + b * mm_check_k[23]);
    uint32_t at = mm_fold_first(f, tag);
    struct mm_entry *e;

    slot = f->index[at];
    if (slot >> 32 != tag) /* a slot of another key, or a free slot */
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

/* Combine a caller's invocation number (less than 2^48) and the id of a method (less than
 * 2^16) in one
 * word. */
static inline uint64_t mm_fold_pair_key(const struct mm_frame *caller, uint32_t method)
{
    return caller->invocation << 16 | method;
}

/* True if all calls of the method are aggregated, and the thread's latest aggregated call
 * was also one of this method by this caller. Then the entry is looked up only when the
 * call ends (the context is "pending"), because a search at the start would delay the
 * clock reading. If false, mm_fold_begin decides whether the call is aggregated. */
static inline int mm_fold_known(const struct mm_thread *t, const struct mm_frame *caller,
                                uint32_t method)
{
    return t->fold && t->fold->pair == mm_fold_pair_key(caller, method);
}

#endif
