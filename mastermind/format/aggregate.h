/* SPDX-License-Identifier: BSD-3-Clause */
/* aggregate.h: layout of the file thread-NNN.agg, a thread's aggregates; drawings are in
 * docs/internals/experiment.md.
 *
 * Used by mastermind/recorder, which writes the file, and by mastermind/reader. The file
 * is a head, a journal, and consecutive records in lines of 64 bytes. */
#ifndef MASTERMIND_FORMAT_AGGREGATE_H
#define MASTERMIND_FORMAT_AGGREGATE_H

#include "mastermind/format/layout.h"

__extension__ typedef unsigned __int128 mm_wide_sum;

#define MM_AGG_MAGIC 0x0200524747414d4dULL /* "MMAGGR\0\2" */

#define MM_CHECK_LINE mm_check_k[MM_CHECK_WORDS - 1]

enum {
    MM_LINE = 64,
    MM_AGG_FIRST = MM_HEAD_BYTES / MM_LINE /* index of the first record's line */
};

enum { /* types of a record; none is 0, because a word of zero ends the records */
       MM_AGG_NODE = 1,
       MM_AGG_ENTRY = 2,
       MM_AGG_HISTOGRAM = 3, /* only in older experiments; readers skip it */
       MM_AGG_RESERVOIR = 4
};

/* Special values of a method id, for no method and for an unknown method. */
#define MM_METHOD_NONE UINT32_MAX
#define MM_METHOD_UNKNOWN (UINT32_MAX - 1)

enum {                    /* flags of a node */
       MM_NODE_NESTED = 1 /* the method also occurs further up in the path (recursion) */
};

/* A calling context: a path of methods. */
struct mm_node {
    uint64_t word0;
    uint32_t parent; /* line of the caller's node (context), 0: none */
    uint32_t method; /* id of the method; MM_METHOD_NONE: the thread itself */
    uint32_t caller; /* id of the caller's method */
    uint32_t flags;
    /* Only the recording process uses the following fields. */
    uint32_t cached_method[2], cached_node[2];
    uint32_t distinct; /* number of distinct methods on the path */
    uint32_t unused[5];
};
enum { MM_NODE_FIXED = 3 }; /* number of a node's words that its check sum covers */

enum { /* flags of an entry */
       /* the entry stands for many keys: the in-values of the method or of its caller are
          unknown */
       MM_ENTRY_OTHER = 1,
       MM_ENTRY_UNFINISHED = 2 /* an exception or longjmp ended the calls */
};

/* The key of an entry, followed by the in-values. The contents (sums) begin on the next
 * line of the file. */
struct mm_entry {
    uint64_t word0;
    uint32_t node; /* line of the calling context */
    uint16_t flags;
    uint16_t count;  /* number of in-values of the method */
    uint64_t caller; /* mm_values_hash of the caller's in-values */
    uint64_t unused;
    uint64_t values[];
};
enum {
    MM_ENTRY_FIXED = 4
}; /* number of an entry's words that its check sum covers, besides the values */

/* Words of an entry's contents. Times are in ticks; sums of squares have 128 bits, in two
 * words. */
enum {
    MM_E_COUNT, /* line 0: all words that a usual call changes */
    MM_E_WALL,
    MM_E_WALL_SQ,
    MM_E_WALL_MIN,
    MM_E_WALL_MAX,
    MM_E_NEXT,  /* value of MM_E_COUNT at which the next value enters the sample */
    MM_E_MIXED, /* 1 once wall and exclusive time have differed; before, MM_E_REST is 0 */
    MM_E_CHECK, /* check sum of lines 0 and 1 */
    MM_E_CALLEES, /* line 1: number of direct callees */
    MM_E_BELOW,   /* number of direct and indirect callees */
    MM_E_REST,    /* wall time minus exclusive time */
    MM_E_REST_SQ, /* squares of wall time minus squares of exclusive time */
    MM_E_EXCL_MIN,
    MM_E_EXCL_MAX,
    MM_E_WALL_SQ_HIGH,
    MM_E_REST_SQ_HIGH,
    /* line 2: number of calls with time in MPI; times in line 2 are in ns */
    MM_E_MPI_COUNT,
    MM_E_MPI,
    MM_E_MPI_SQ,
    MM_E_MPI_SQ_HIGH,
    MM_E_MPI_MIN,
    MM_E_MPI_MAX,
    MM_E_WEIGHT, /* state of the random sample (mm_sample_next), a double */
    MM_E_CHECK2, /* check sum of lines 2 to 4 */
    MM_E_SAMPLE, /* cache lines 3 and 4: sample of exclusive times, each as
                    mm_sample_code */
    MM_E_CPU = MM_E_SAMPLE + 16, /* line 5, if CPU time or counters are kept, in ns;
                                    only in older experiments */
    MM_E_CPU_SQ,
    MM_E_CPU_SQ_HIGH,
    MM_E_CPU_MIN,
    MM_E_CPU_MAX,
    MM_E_UNUSED2,
    MM_E_UNUSED3,
    MM_E_CHECK3, /* check of line 5 */
    MM_E_WORDS,
    /* Line 5 if lost time is kept, in ticks; then wall and exclusive times do not contain
       the host's time. */
    MM_E_LOSSES = MM_E_CPU, /* MM_LOSS_* */
    /* Lines for counters, if there are any: the inclusive sum of each counter, then the
       sum of each counter over recorded callees (MM_COUNT_MISSING if the count of a call
       was missing), then a check sum. */
    MM_E_COUNTS = MM_E_WORDS
};
enum { MM_E_MOST = MM_E_COUNTS + 2 * MM_MAX_COUNTERS + 1 };
enum { MM_SAMPLE = 32 };

/* Wall times of a method and mode; only in older experiments. */
struct mm_histogram {
    uint64_t word0;
    uint32_t method;
    uint32_t count; /* number of mode values */
};
enum { MM_HISTOGRAM_FIXED = 2 };

/* Slots for rows of a method, `words` words each. A slot is empty if its first word is 0.
 * The rows have the wide form. */
struct mm_reservoir {
    uint64_t word0;
    uint32_t method;
    uint32_t words;
    uint32_t places;
    uint32_t unused[11];
};
enum { MM_RESERVOIR_FIXED = 3 };

enum { /* parts of an entry that the journal has saved; for 0 see mm_agg_journal.wall */
       MM_SAVED_LINE0 = 1,
       MM_SAVED_LINE1 = 2,
       MM_SAVED_SAMPLE = 4, /* lines 2 to 4 */
       MM_SAVED_EXTRA = 8   /* line 5 and the lines after it */
};

/* The latest aggregated call, and sums over the callees of its caller so far. */
struct mm_agg_sums {
    uint64_t invocation; /* number of the latest invocation that was added to its entry */
    uint64_t end;        /* time of that invocation's end in ticks */
    uint64_t caller;     /* invocation number of the caller, 0: none */
    uint64_t fold[3]; /* sums over the caller's callees (MM_FOLD_*), without check sums */
    uint64_t unused;
    uint64_t check;
};

/* The journal, at MM_LIVE_OFFSET of the file. It describes one change of an entry, so
 * that a reader can undo a change that was not completed. */
struct mm_agg_journal {
    /* number of invocations that were added; sums[done % 2] is the valid one of the two
     * sums */
    uint64_t done;
    /* `done` + 1 during a change, which the following fields can undo */
    uint64_t pending;
    uint32_t entry; /* line of the changed entry */
    uint32_t unused;
    uint64_t unused2;
    uint64_t saved;
    /* If no part is saved: the entry's old count, and the wall time that is added. First
     * 1 is added to the entry's count, then `wall` to its wall time, then the square of
     * `wall` to its sum of squares; the check sum is stored last. */
    uint64_t count, wall;
    uint64_t slot; /* offset of a reservoir row that is being replaced, 0: none */
    struct mm_agg_sums sums[2];
    uint64_t words[MM_E_MOST];
};
_Static_assert(sizeof(struct mm_node) == MM_LINE, "node");
_Static_assert(sizeof(struct mm_reservoir) == MM_LINE, "reservoir");
_Static_assert(MM_LIVE_OFFSET + sizeof(struct mm_agg_journal) <= MM_HEAD_BYTES,
               "journal");
_Static_assert(MM_E_WORDS == 6 * 8, "contents");

/* Return word 0 of a record at `line`; its check sum covers the first `fixed` words. */
static inline uint64_t mm_agg_word0(const void *record, uint32_t kind, uint32_t lines,
                                    size_t fixed, uint32_t line)
{
    const uint64_t *words = record;
    uint64_t low = (uint64_t)kind << 24 | lines, sum;
    size_t i;

    sum = MM_CHECK_START + (uint64_t)line * MM_CHECK_LINE + low * mm_check_k[0];
    for (i = 1; i < fixed; i++)
        sum += words[i] * mm_check_k[i];
    return sum >> 32 << 32 | low;
}

static inline uint32_t mm_agg_kind(uint64_t word0)
{
    return (uint32_t)word0 >> 24;
}

static inline uint32_t mm_agg_lines(uint64_t word0)
{
    return (uint32_t)word0 & 0xffffff;
}

static inline uint64_t mm_sums_check(const struct mm_agg_sums *sums, uint64_t number)
{
    return (number + 1) * mm_check_k[12] ^ sums->invocation ^ sums->end ^ sums->caller ^
           sums->fold[0] ^ sums->fold[1] ^ sums->fold[2];
}

static inline uint32_t mm_entry_key_lines(uint32_t values)
{
    return (MM_ENTRY_FIXED + values + 7) / 8;
}

/* Return the number of words of an entry's contents, which depends on line 5 (`extra`)
 * and on the number of counters. */
static inline int mm_entry_end(int extra, uint32_t counters)
{
    return counters ? MM_E_COUNTS + 2 * (int)counters + 1 : extra ? MM_E_WORDS : MM_E_CPU;
}

static inline uint32_t mm_entry_lines(uint32_t values, int extra, uint32_t counters)
{
    return mm_entry_key_lines(values) + ((uint32_t)mm_entry_end(extra, counters) + 7) / 8;
}

/* Return the initial value of a check sum, which is not 0, so that an entry of zeros is
 * not valid. */
static inline uint64_t mm_entry_seed(uint32_t line, int part)
{
    return (line + 1) * mm_check_k[9] + (uint64_t)part * mm_check_k[10];
}

/* Return the contribution of a word to the check sum of an entry; it depends on the
 * word's position. */
static inline uint64_t mm_entry_turn(uint64_t word, int at)
{
    unsigned by = (unsigned)at * 9 & 63;

    return by ? word << by | word >> (64 - by) : word;
}

/* Return 0 if the words from `from` to before `to` agree with their check sum. */
static inline uint64_t mm_entry_sum(const uint64_t *words, int from, int to, int check,
                                    uint64_t seed)
{
    int i;

    for (i = from; i < to; i++)
        seed ^= i == check ? words[i] : mm_entry_turn(words[i], i);
    return seed;
}

/* Undo the journal's incomplete change in the contents `w` of the entry at `line`; the
 * contents have `end` words. */
static inline void mm_journal_undo(const struct mm_agg_journal *j, uint64_t *w,
                                   uint32_t line, int end)
{
    static const int order[] = {MM_E_COUNT, MM_E_WALL, MM_E_WALL_SQ};
    const uint64_t added[] = {1, j->wall, j->wall * j->wall};
    uint64_t check;
    int i, all;

    if (j->saved) {
        for (i = 0; i < end; i++)
            if (j->saved & (i <= MM_E_CHECK      ? MM_SAVED_LINE0
                            : i < MM_E_MPI_COUNT ? MM_SAVED_LINE1
                            : i < MM_E_CPU       ? MM_SAVED_SAMPLE
                                                 : MM_SAVED_EXTRA))
                w[i] = j->words[i];
        return;
    }
    if (w[MM_E_COUNT] == j->count)
        return;
    check =
        mm_entry_sum(w, MM_E_COUNT, MM_E_MPI_COUNT, MM_E_CHECK, mm_entry_seed(line, 0));
    /* the check sum is stored last; if it is the old one, it shows how many words have
     * changed */
    all = !check;
    for (i = 0; i < 3 && (all || check); i++) {
        check ^= mm_entry_turn(w[order[i]] ^ (w[order[i]] - added[i]), order[i]);
        w[order[i]] -= added[i];
    }
    if (all)
        w[MM_E_CHECK] ^= check;
}

/* Encode a number in 32 bits: its 26 highest bits, and the number of bits that were
 * dropped. */
static inline uint32_t mm_sample_code(uint64_t value)
{
    uint32_t shift = 0;

    if (value >> 26)
        shift = 38 - (uint32_t)__builtin_clzll(value);
    return shift << 26 | (uint32_t)(value >> shift);
}

static inline uint64_t mm_sample_value(uint32_t code)
{
    return (uint64_t)(code & 0x3ffffff) << (code >> 26);
}

static inline uint64_t mm_values_hash(const uint64_t *values, uint32_t count)
{
    uint64_t hash = MM_CHECK_START * (count + 1);
    uint32_t i;

    for (i = 0; i < count; i++) {
        hash = (hash ^ values[i]) * mm_check_k[1];
        hash ^= hash >> 32;
    }
    return hash;
}

/* Sums of an open invocation over its aggregated callees: number of direct callees,
 * number of direct and indirect callees, ticks of direct callees. A sum has 56 bits; the
 * 8 bits above are a check sum, which depends on the invocation's number. So any flipped
 * bit is detected, and sums that another invocation has left in the slot. */
enum { MM_FOLD_CALLEES, MM_FOLD_BELOW, MM_FOLD_TICKS };
#define MM_FOLD_MASK 0x00ffffffffffffffULL

static inline uint64_t mm_fold_word(uint64_t value, uint64_t invocation)
{
    value &= MM_FOLD_MASK;
    return value |
           (value + invocation * mm_check_k[11]) * 0xaaaaaaaaaaaaaaabULL >> 56 << 56;
}

static inline int mm_fold_word_holds(uint64_t word, uint64_t invocation)
{
    return word == mm_fold_word(word, invocation);
}

/* Flag bits in a frame's `context`. Its other bits are the address of a record, which is
 * a multiple of 64. */
enum {
    /* the invocation will be aggregated; the address is the address of its entry */
    MM_CONTEXT_FOLDED = 1,
    MM_CONTEXT_ROW = 2, /* it also gets a row */
    /* the frame's `fold` is valid, unless the journal has later sums */
    MM_CONTEXT_CALLEES = 4,
    /* there was no space for an entry: the invocation will be lost */
    MM_CONTEXT_LOST = 8,
    MM_CONTEXT_USUAL = 16,  /* the entry has known in-values, and no optional lines */
    MM_CONTEXT_PENDING = 32 /* there is no address yet; mm_fold_settle finds the entry */
};

#endif
