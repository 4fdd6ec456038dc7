/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: layout of ring and segment files; drawings in docs/internals/experiment.md.
 *
 * Shared by mastermind/recorder, which writes the files, and mastermind/reader. */
#ifndef MASTERMIND_FORMAT_LAYOUT_H
#define MASTERMIND_FORMAT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MM_FORMAT 1
#define MM_RING_MAGIC 0x0300474e49524d4dULL        /* "MMRING\0\3" */
#define MM_SEGMENT_MAGIC 0x02004d4745534d4dULL     /* "MMSEGM\0\2" */
#define MM_RING_MAGIC_OLDEST 0x0200474e49524d4dULL /* still readable: has no readings */
#define MM_SEGMENT_MAGIC_OLDEST 0x01004d4745534d4dULL
#define MM_BLOCK_MAGIC 0x4b4c424du   /* "MBLK" */
#define MM_TRAILER_MAGIC 0x444e454du /* "MEND" */

enum { /* sizes of the ring */
       MM_HEAD_BYTES = 4096,
       MM_LIVE_OFFSET = 512,
       MM_FRAME_BYTES = 256,
       MM_FRAME_CHUNKS = 24
};

enum {                       /* flags of a head */
       MM_HEAD_CPU_TIME = 1, /* only in older experiments */
       MM_HEAD_TSC = 2,
       MM_HEAD_READINGS = 4, /* each window begins with a reading */
       MM_HEAD_LOSSES = 8    /* rows and aggregates contain the time that calls were off
                                the core */
};

enum { /* word 0 of a row */
       MM_ROW_STATUS_SHIFT = 16,
       MM_ROW_WIDE = 1 << 18,
       MM_ROW_CLOCK = 1 << 19,
       MM_ROW_COUNTED = 1 << 20, /* the invocation is also in the aggregates */
       MM_ROW_CALLEES = 1 << 21, /* wide, with two more words: callees in aggregates */
       MM_ROW_LOSSES = 1 << 22,  /* wide, with MM_LOSS_WORDS more words at the end */
       MM_ROW_WORDS_SHIFT = 24,
       MM_ROW_MAX_WORDS =
           56 /* wide, with CPU time, 8 counters, 16 + 8 values, callees, losses */
};

enum { /* status of a row or reading */
       MM_STATUS_DONE = 0,
       MM_STATUS_UNWOUND = 1,
       MM_STATUS_LONGJMP = 2,
       MM_STATUS_READING = 3 /* not a row, but a reading */
};

/* Words of the losses of a row, in ticks: time that the thread was off its core, ready to
 * run (host) or of its own accord (wait), and time that the recorder worked in it (work);
 * without recorded callees (own) and with them. */
enum {
    MM_LOSS_HOST_OWN,
    MM_LOSS_HOST,
    MM_LOSS_WAIT_OWN,
    MM_LOSS_WAIT,
    MM_LOSS_WORK_OWN,
    MM_LOSS_WORK,
    MM_LOSS_WORDS
};

/* A reading among the rows of a window: CPU time and context switches of the thread. Its
 * first word has the status READING, the bit WIDE, its kind in place of a row's method,
 * and a check like that in the following row. */
enum {
    MM_READING_ROW = 0,   /* at the end of the following row, which ends a gap */
    MM_READING_ENDS = 1,  /* the window ends */
    MM_READING_BEGINS = 2 /* the window begins; the recorder itself worked between the
                             previous reading and this one */
};
enum { /* words of a reading */
       MM_READING_TICKS = 1,
       MM_READING_CPU = 2,      /* ns */
       MM_READING_SWITCHES = 3, /* voluntary, involuntary << 32; each modulo 2^32 */
       MM_READING_WORDS = 4
};
enum {
    MM_GAP_NS = 1000000
}; /* a row that ends so long after the previous one ends a
      gap */

#define MM_CALLER_NONE INT32_MIN

/* Counters of each row: a thread's file head has their number, experiment.json their
 * names. */
enum { MM_MAX_COUNTERS = 8 }; /* equal to MM_RECORDER_COUNTERS */
#define MM_COUNT_MISSING INT64_MIN

/* Properties of a thread, at offset 0 of its ring and of its segment. */
struct mm_file_head {
    uint64_t magic;
    uint32_t format;
    uint32_t thread;
    uint32_t window_bytes;
    uint32_t window_count;
    uint32_t frame_bytes;
    uint32_t frame_count; /* slots of the first chunk; chunk k has 2^k times as many */
    uint32_t flags;
    uint32_t counters;
    uint64_t epoch_ticks;
    int64_t epoch_ns; /* CLOCK_REALTIME at epoch_ticks */
    double ns_per_tick;
    uint64_t process;
    uint64_t thread_id;
    uint64_t check; /* mm_block_check of the preceding bytes */
};

/* Counters that change, at MM_LIVE_OFFSET of a ring. Counters that cannot be recomputed
 * from other data are protected words (mm_count_add). */
struct mm_ring_live {
    uint64_t rows;
    uint64_t dropped; /* protected word */
    uint64_t nested;  /* protected word */
    uint64_t folded;  /* invocations in the aggregates */
    uint64_t counted; /* folded invocations that also have a row */
    uint64_t other;   /* folded invocations without known values: too many keys */
    uint64_t limited; /* protected word; 1: the size limit prevented rows or keys */
    uint64_t ended;   /* protected word: ticks from the epoch to the end of the process
                         by a signal or a deadline; 0: it ended otherwise, or still
                         runs */
};

struct mm_window_head {
    uint64_t seq; /* number of the window, from 1 */
    uint64_t first_row;
    uint64_t base_invocation;
    uint64_t base_end; /* ticks at the end of the row before the first one */
    uint64_t reserved[3];
    uint64_t check;
};

/* An open invocation. `process` members are valid only in the recording process. */
struct mm_frame {
    uint64_t check;  /* 0: closed */
    uint32_t method; /* id of the method */
    uint32_t count;  /* number of in-values */
    uint64_t invocation;
    uint64_t start;    /* start of the invocation in ticks */
    uint64_t children; /* inclusive time of finished callees in ticks */
    uint64_t stack;    /* address of the stack frame of begin() */
    int64_t mpi_ns;
    uint64_t context; /* used by the recorder, and MM_CONTEXT_* of aggregate.h; mostly
                         0 */
    void *process[4]; /* pointers used by the recorder */
    uint64_t values[16];
    int64_t lost;     /* lost time so far; used by the recorder */
    uint64_t fold[3]; /* sums over callees in aggregates, MM_FOLD_* of aggregate.h */
};

struct mm_block_head {
    uint32_t magic;
    uint32_t bytes; /* size of the payload */
    uint64_t seq;   /* number of the window */
    uint64_t first_row;
    uint32_t rows;
    uint32_t longjmps; /* number of rows with status longjmp */
    uint64_t base_invocation;
    uint64_t base_end;
    uint64_t limited; /* in a trailer: a copy of the ring's counter, unprotected; in a
                         block: number of readings */
    uint64_t check;   /* mm_block_check of the preceding head, then of the payload */
};

/* Payload of a trailer. */
struct mm_trailer {
    uint64_t dropped;
    uint64_t nested;
    uint64_t invocations;
    uint64_t folded, counted, other;
};

/* State of the packer or unpacker within a block. */
enum { MM_PLACES = 64, MM_MAX_HALVES = 2 * MM_ROW_MAX_WORDS };
struct mm_pack_state {
    uint32_t last[3]; /* last compact row: lower half of word 0, invocation, caller */
    struct mm_pack_place {
        uint32_t holder; /* method that uses the place: id + 1 */
        uint32_t halves[MM_MAX_HALVES];
    } places[MM_PLACES];
};

_Static_assert(sizeof(struct mm_frame) == MM_FRAME_BYTES, "frame slot");
_Static_assert(sizeof(struct mm_window_head) == 64, "window head");
_Static_assert(sizeof(struct mm_block_head) == 64, "block head");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian");

/* The first of the constants below, as a macro for use in constant expressions. */
#define MM_CHECK_K0 0x5792af5443e4824bULL

/* Odd constants. The upper half of the product with any power of two has both zeros and
 * ones, so one flipped bit anywhere changes the upper half of a sum of products. */
enum { MM_CHECK_WORDS = 54 };
static const uint64_t mm_check_k[MM_CHECK_WORDS] = {
    MM_CHECK_K0,           0xd8fc7555308638a7ULL, 0x46b197520b1e15cdULL,
    0x9b3403152bd29aabULL, 0x96b8cba6b7bf784fULL, 0xd7b13d9d058afff7ULL,
    0x4727e6dcc781e4bdULL, 0x3f47107939897c8fULL, 0xe11bd9c44538bf75ULL,
    0x38345d37463c1b9fULL, 0x3c001768148f24b7ULL, 0xd27e83664d848b6fULL,
    0x49b0de7f64b8f98dULL, 0x0a6ffb5436ba0d49ULL, 0x3e3e669185b062b3ULL,
    0xfdd20622fcf4e9f1ULL, 0x96b09735b825ed3bULL, 0x27ca9750ea5c6597ULL,
    0xb2936f0402cc5c19ULL, 0xaf5f2f83d2bbf1d1ULL, 0x73da6e71a5932dddULL,
    0x002c31d592b02815ULL, 0x9bd7048903c0af75ULL, 0x74669dbbf5f8f449ULL,
    0xa1a899c15867594fULL, 0x4cff5ed81f9ef34dULL, 0x82389857938f43f9ULL,
    0x3c3db9bea2b4a7cdULL, 0x647c86800dc422fbULL, 0xc49778347a75271bULL,
    0x72262c8cd3f37313ULL, 0xae671cff69d157c5ULL, 0xd94b7f0e655ce40dULL,
    0xdab98759b8904353ULL, 0x4a2a3aa85fac3151ULL, 0xb9096a04e7d80069ULL,
    0xc963cfe0afae5a3bULL, 0xe1454c40c439f34bULL, 0x26b563b1e794ee15ULL,
    0xac8be7d742840d2bULL, 0xd96e5adfa2beee31ULL, 0x19fcfc64e7aa8577ULL,
    0x53d23c0bdf43efb3ULL, 0xe7ca430e92ac3d43ULL, 0x06e82a012b5c5cd1ULL,
    0x6820212c69599355ULL, 0x1333bc1cfe6c2b03ULL, 0x20050ed31a6e72b9ULL,
    0x7972a36d51b31a6dULL, 0x94a67f00f335c357ULL, 0x6977a41b730bed9dULL,
    0xf2a74de452e6b439ULL, 0x6513270e269e0d37ULL, 0xf0d4fbd76b165401ULL,
};

/* The constant term, so that a row of zeros in a new window is not valid as number 0. */
#define MM_CHECK_START 0x6d6173746572ULL

/* The contribution of word `at` to a row's check. The first four words are treated
 * differently from each other; later ones are rotated by position, because equal words
 * are common and must not cancel out. */
static inline uint64_t mm_row_turn(uint64_t word, size_t at)
{
    unsigned turn = at < 4 ? 0 : 13 * (unsigned)(at - 3) & 63;

    return turn ? word << turn | word >> (64 - turn) : word;
}

/* Sum over a row whose first word is `word0`; the check is the upper half. There is only
 * one product at the end, and words known early are combined first, because end() waits
 * for the result. */
static inline uint64_t mm_row_sum_with(uint32_t word0, const uint64_t *words,
                                       size_t count, uint64_t number)
{
    uint64_t joined = MM_CHECK_START ^ word0 ^ number;
    size_t i;

    for (i = 1; i < count; i++)
        joined ^= mm_row_turn(words[i], i);
    return joined * mm_check_k[0];
}

/* Sum of the words of a complete row; `words[0]` may hold the check. */
static inline uint64_t mm_row_sum(const uint64_t *words, size_t count, uint64_t number)
{
    return mm_row_sum_with((uint32_t)words[0], words, count, number);
}

static inline int mm_row_check_holds(const uint64_t *words, size_t count, uint64_t number)
{
    return words[0] >> 32 == mm_row_sum(words, count, number) >> 32;
}

static inline size_t mm_row_words(uint64_t word0)
{
    return (word0 >> MM_ROW_WORDS_SHIFT) & 63;
}

/* True if `word0` is the first word of a reading, not of a row. */
static inline int mm_is_reading(uint64_t word0)
{
    return ((word0 >> MM_ROW_STATUS_SHIFT) & 3) == MM_STATUS_READING;
}

/* Word 0 of a reading, without its check. */
static inline uint32_t mm_reading_word0(uint32_t kind)
{
    return kind | (uint32_t)MM_STATUS_READING << MM_ROW_STATUS_SHIFT | MM_ROW_WIDE |
           (uint32_t)MM_READING_WORDS << MM_ROW_WORDS_SHIFT;
}

static inline uint32_t mm_reading_kind(uint64_t word0)
{
    return word0 & 0xffff;
}

/* The check of a frame has 64 bits: each step is a bijection of the added word. It covers
 * method, number of values and invocation, then the values, then the start. A valid check
 * is 0 once in 2^64 cases, and the frame then looks closed. */
static inline uint64_t mm_frame_sum(uint32_t method, uint32_t count, uint64_t invocation)
{
    return (MM_CHECK_START + ((uint64_t)count << 32 | method) * mm_check_k[0]) ^
           invocation;
}

static inline uint64_t mm_frame_value(uint64_t sum, uint32_t i, uint64_t value)
{
    return i % 2 ? sum ^ value : sum + value;
}

static inline uint64_t mm_frame_check(uint64_t sum, uint64_t start)
{
    return sum + start;
}

/* Hash of `bytes`, a multiple of 8, continued from `seed`. Each step is a bijection of
 * the lane, so one damaged word is always detected. */
static inline uint64_t mm_block_lane(uint64_t lane, const unsigned char *at)
{
    uint64_t word;

    memcpy(&word, at, 8);
    word = (lane ^ word) * mm_check_k[5];
    return word << 31 | word >> 33;
}

static inline uint64_t mm_block_check(const void *data, size_t bytes, uint64_t seed)
{
    uint64_t a = seed, b = seed ^ mm_check_k[1], c = seed ^ mm_check_k[2],
             d = seed ^ mm_check_k[3], hash = bytes * mm_check_k[4];
    const unsigned char *at = data, *end = at + bytes;

    for (; end - at >= 32; at += 32) {
        a = mm_block_lane(a, at);
        b = mm_block_lane(b, at + 8);
        c = mm_block_lane(c, at + 16);
        d = mm_block_lane(d, at + 24);
    }
    for (; end - at >= 8; at += 8)
        a = mm_block_lane(a, at);
    hash = (hash ^ a) * mm_check_k[6] + (hash >> 29);
    hash = (hash ^ b) * mm_check_k[6] + (hash >> 29);
    hash = (hash ^ c) * mm_check_k[6] + (hash >> 29);
    return (hash ^ d) * mm_check_k[6] + (hash >> 29);
}

/* A protected counter: 56 bits and a check above them, which rejects any flipped bit.
 * Zero is stored as zero. */
#define MM_COUNT_MASK 0x00ffffffffffffffULL

static inline uint64_t mm_count_word(uint64_t value)
{
    value &= MM_COUNT_MASK;
    return value | value * 0xaaaaaaaaaaaaaaabULL >> 56 << 56;
}

static inline int mm_count_holds(uint64_t word)
{
    return word == mm_count_word(word);
}

/* Add to a counter. Only the owning thread adds; other threads may read at any time. */
static inline void mm_count_add(uint64_t *word, uint64_t n)
{
    __atomic_store_n(word, mm_count_word(__atomic_load_n(word, __ATOMIC_RELAXED) + n),
                     __ATOMIC_RELAXED);
}

static inline uint64_t mm_count_read(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED) & MM_COUNT_MASK;
}

static inline uint32_t mm_zigzag(uint32_t x)
{
    return x << 1 ^ (uint32_t)((int32_t)x >> 31);
}

static inline uint32_t mm_unzigzag(uint32_t x)
{
    return x >> 1 ^ (0u - (x & 1));
}

/* The packer's place for a method; cleared if another method used it. */
static inline struct mm_pack_place *mm_pack_place(struct mm_pack_state *state,
                                                  uint32_t method)
{
    struct mm_pack_place *place = &state->places[method % MM_PLACES];

    if (place->holder != method + 1) {
        memset(place->halves, 0, sizeof place->halves);
        place->holder = method + 1;
    }
    return place;
}

static inline void mm_pack_begin(struct mm_pack_state *state)
{
    size_t i;

    memset(state->last, 0, sizeof state->last);
    for (i = 0; i < MM_PLACES; i++)
        state->places[i].holder = 0;
}

#endif
