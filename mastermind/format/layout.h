/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: layout of the ring and the segment, the files of a thread; drawings are in
 * docs/internals/experiment.md.
 *
 * Used by mastermind/recorder, which writes the files, and by mastermind/reader. */
#ifndef MASTERMIND_FORMAT_LAYOUT_H
#define MASTERMIND_FORMAT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MM_FORMAT 1
#define MM_RING_MAGIC 0x0300474e49524d4dULL    /* "MMRING\0\3" */
#define MM_SEGMENT_MAGIC 0x02004d4745534d4dULL /* "MMSEGM\0\2" */
/* readers accept it; such a file has no readings of CPU time */
#define MM_RING_MAGIC_OLDEST 0x0200474e49524d4dULL
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
       MM_HEAD_READINGS = 4, /* each window begins with a reading of CPU time */
       MM_HEAD_LOSSES = 8    /* rows and aggregates contain the time that calls were off
                                the core */
};

enum { /* word 0 of a row */
       MM_ROW_STATUS_SHIFT = 16,
       MM_ROW_WIDE = 1 << 18,
       MM_ROW_CLOCK = 1 << 19,
       MM_ROW_COUNTED = 1 << 20, /* the invocation is also counted in the aggregates */
       /* wide row with two more words: numbers of aggregated callees */
       MM_ROW_CALLEES = 1 << 21,
       /* wide row with MM_LOSS_WORDS more words at the end: lost time */
       MM_ROW_LOSSES = 1 << 22,
       MM_ROW_WORDS_SHIFT = 24,
       /* largest size: a wide row with CPU time, 8 counters, 16 + 8 values, callees and
          lost time */
       MM_ROW_MAX_WORDS = 56
};

enum { /* status of a row or reading */
       MM_STATUS_DONE = 0,
       MM_STATUS_UNWOUND = 1,
       MM_STATUS_LONGJMP = 2,
       MM_STATUS_READING = 3 /* not a row, but a reading of CPU time */
};

/* Words of a row's lost time, in ticks: time in which the thread was off its core though
 * ready to run (HOST) or of its own accord (WAIT), and time in which the recorder worked
 * in the thread (WORK); without recorded callees (_OWN) and with them. */
enum {
    MM_LOSS_HOST_OWN,
    MM_LOSS_HOST,
    MM_LOSS_WAIT_OWN,
    MM_LOSS_WAIT,
    MM_LOSS_WORK_OWN,
    MM_LOSS_WORK,
    MM_LOSS_WORDS
};

/* A reading of the thread's CPU time and context switches, among the rows of a window.
 * Its first word has the status MM_STATUS_READING, the bit MM_ROW_WIDE, its kind in the
 * place of a row's method, and a check sum with the number of the following row. */
enum {
    /* taken at the end of the following row, which ends a gap (MM_GAP_NS) */
    MM_READING_ROW = 0,
    MM_READING_ENDS = 1, /* taken when the window ends */
    /* taken when the window begins; since the previous reading the recorder itself has
       worked */
    MM_READING_BEGINS = 2
};
enum { /* the upper bits of the kind of MM_READING_BEGINS: the duration of the recorder's
          work at present, as a multiple of that during calibration, in 1/MM_PACE_ONE; 0:
          unknown */
       MM_READING_PACE_SHIFT = 4,
       MM_PACE_ONE = 256
};
enum { /* words of a reading */
       MM_READING_TICKS = 1,
       MM_READING_CPU = 2, /* ns */
       /* context switches: voluntary | involuntary << 32, each modulo 2^32 */
       MM_READING_SWITCHES = 3,
       MM_READING_WORDS = 4
};
enum { MM_GAP_NS = 1000000 }; /* a gap: so long no call of the thread has ended */

#define MM_CALLER_NONE INT32_MIN

/* Folder of an experiment with the calls that are no part of its run, such as calls of
 * rivals on copies of the arguments; the folder is an experiment itself. */
#define MM_SHADOW_FOLDER "shadow"

/* Largest number of counters of each row. The head of a thread's file has the number of
 * counters, experiment.json has their names. */
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
    /* number of frame slots in the first chunk; chunk k has 2^k times as many */
    uint32_t frame_count;
    uint32_t flags;
    uint32_t counters;
    uint64_t epoch_ticks;
    int64_t epoch_ns; /* CLOCK_REALTIME at epoch_ticks */
    double ns_per_tick;
    uint64_t process;
    uint64_t thread_id;
    uint64_t check; /* check sum, mm_block_check of the preceding bytes */
};

/* Numbers of calls that change while the thread runs, at MM_LIVE_OFFSET of a ring.
 * Numbers that cannot be computed from other data are protected words (mm_count_add). */
struct mm_ring_live {
    uint64_t rows;
    uint64_t dropped; /* protected word */
    uint64_t nested;  /* protected word */
    uint64_t folded;  /* number of aggregated invocations */
    uint64_t counted; /* number of aggregated invocations that also have a row */
    /* number of aggregated invocations whose values are unknown, because there were too
     * many keys */
    uint64_t other;
    /* protected word; 1 if fewer rows or keys were kept because of the size limit */
    uint64_t limited;
    uint64_t ended; /* protected word: ticks from the epoch to the end of the process
                       by a signal or a deadline; 0: it ended otherwise, or still
                       runs */
};

struct mm_window_head {
    uint64_t seq; /* sequence number of the window, from 1 */
    uint64_t first_row;
    uint64_t base_invocation;
    uint64_t base_end; /* end of the row before the window's first row, in ticks */
    uint64_t reserved[3];
    uint64_t check;
};

/* An open invocation. The pointers `process` are valid only in the recording process. */
struct mm_frame {
    uint64_t check;  /* 0: closed */
    uint32_t method; /* id of the method */
    uint32_t count;  /* number of in-values */
    uint64_t invocation;
    uint64_t start;    /* start of the invocation in ticks */
    uint64_t children; /* inclusive time of finished callees in ticks */
    uint64_t stack;    /* address of the stack frame of begin() */
    int64_t mpi_ns;
    /* record in the aggregates and flags MM_CONTEXT_* (aggregate.h); used by the
     * recorder; mostly 0 */
    uint64_t context;
    void *process[4]; /* pointers used by the recorder */
    uint64_t values[16];
    int64_t lost;     /* lost time so far; used by the recorder */
    uint64_t fold[3]; /* sums over aggregated callees, MM_FOLD_* of aggregate.h */
};

struct mm_block_head {
    uint32_t magic;
    uint32_t bytes; /* size of the payload */
    uint64_t seq;   /* sequence number of the window */
    uint64_t first_row;
    uint32_t rows;
    uint32_t longjmps; /* number of rows with status longjmp */
    uint64_t base_invocation;
    uint64_t base_end;
    /* in a trailer: a copy of the ring's number `limited`, not as a protected word; in a
     * block: number of readings */
    uint64_t limited;
    /* check sum, mm_block_check of the preceding words of the head, then of the
     * payload */
    uint64_t check;
};

/* Payload of a trailer. */
struct mm_trailer {
    uint64_t dropped;
    uint64_t nested;
    uint64_t invocations;
    uint64_t folded, counted, other;
};

/* State of the packer or the unpacker while it is in a block. */
enum { MM_PLACES = 64, MM_MAX_HALVES = 2 * MM_ROW_MAX_WORDS };
struct mm_pack_state {
    /* from the last compact row: lower half of word 0, invocation, caller */
    uint32_t last[3];
    struct mm_pack_place {
        uint32_t holder; /* 1 + id of the method that uses the place; 0: none */
        uint32_t halves[MM_MAX_HALVES];
    } places[MM_PLACES];
};

_Static_assert(sizeof(struct mm_frame) == MM_FRAME_BYTES, "frame slot");
_Static_assert(sizeof(struct mm_window_head) == 64, "window head");
_Static_assert(sizeof(struct mm_block_head) == 64, "block head");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian");

/* The first one of the constants mm_check_k, as a macro for use in constant
 * expressions. */
#define MM_CHECK_K0 0x5792af5443e4824bULL

/* Odd constants for check sums. The upper half of the product of such a constant with any
 * power of two has both zeros and ones, so that one flipped bit anywhere changes the
 * upper half of a sum of products. */
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

/* The constant term of check sums: without it, a row of zeros in a new window would be
 * valid as row 0. */
#define MM_CHECK_START 0x6d6173746572ULL

/* Return the contribution of the word with index `at` to a row's check sum. The first
 * four words contribute as they are; later words are rotated by their position, because
 * equal words are common and must not cancel each other. */
static inline uint64_t mm_row_turn(uint64_t word, size_t at)
{
    unsigned turn = at < 4 ? 0 : 13 * (unsigned)(at - 3) & 63;

    return turn ? word << turn | word >> (64 - turn) : word;
}

/* Return the sum over a row whose first word is `word0`; the row's check sum is the upper
 * half. There is only one product, at the end, and words that are known early are
 * combined first, because end() must wait for the result. */
static inline uint64_t mm_row_sum_with(uint32_t word0, const uint64_t *words,
                                       size_t count, uint64_t number)
{
    uint64_t joined = MM_CHECK_START ^ word0 ^ number;
    size_t i;

    for (i = 1; i < count; i++)
        joined ^= mm_row_turn(words[i], i);
    return joined * mm_check_k[0];
}

/* Return the sum over a complete row; words[0] may contain the row's check sum. */
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

/* Return word 0 of a reading, without its check sum. */
static inline uint32_t mm_reading_word0(uint32_t kind)
{
    return kind | (uint32_t)MM_STATUS_READING << MM_ROW_STATUS_SHIFT | MM_ROW_WIDE |
           (uint32_t)MM_READING_WORDS << MM_ROW_WORDS_SHIFT;
}

static inline uint32_t mm_reading_kind(uint64_t word0)
{
    return word0 & ((1 << MM_READING_PACE_SHIFT) - 1);
}

static inline uint32_t mm_reading_pace(uint64_t word0)
{
    return (word0 & 0xffff) >> MM_READING_PACE_SHIFT;
}

/* Begin the check sum of a frame, which has 64 bits; each step is a bijection of the
 * added word. It covers the method, the number of values and the invocation, then the
 * values, then the start. In one of 2^64 cases a valid check sum is 0, and the frame
 * looks closed. */
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

/* The hash of `bytes` bytes, a multiple of 8, continued from `seed` (mm_block_check). It
 * has four lanes; each step is a bijection of a lane, so that one damaged word is always
 * detected. */
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

/* A protected word: a number of 56 bits, with a check sum in the 8 bits above, by which
 * any flipped bit is detected. Zero is stored as zero. */
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

/* Add to a protected word. Only its own thread adds; other threads may read it at any
 * time. */
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

/* Return the packer's memory of the last row of a method. Several methods share a place;
 * if another method has used it, it is cleared. */
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
