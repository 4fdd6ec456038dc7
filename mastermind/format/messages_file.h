/* SPDX-License-Identifier: BSD-3-Clause */
/* messages_file.h: the file of a process's messages: exact counts per channel, and
 * sampled messages as tables, records or halves. It can be read at any moment, also
 * after a kill.
 *
 * 0      head, one page
 * 4096   pieces, each of whole pages: a head of 64 bytes, then `capacity` entries of
 *        `entry_bytes`, of which `count` are in use; behind the last piece the file
 *        ends, or has zeros
 *
 * Pieces of one type come in the order in which they were made; entries are numbered
 * through all pieces of their type. Byte order is the machine's. Times are ticks of the
 * process's clock, unless a name says ns.
 *
 * A process that ends in order seals the file: `state` is MM_MESSAGES_SEALED, and
 * `check` fits all bytes behind the head's first 64, up to `end`, and `end` is the
 * file's size. A live file has no check over all: each entry that is written once has a
 * check of its own; an entry that changes has counters that only grow, or `version`.
 *
 * At most one entry behind `count` of a piece may be written already, wholly or in part:
 * the process was killed before it counted it. All bytes behind that one are zeros, where
 * nobody adds to the file meanwhile. */
#ifndef MASTERMIND_FORMAT_MESSAGES_FILE_H
#define MASTERMIND_FORMAT_MESSAGES_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/layout.h"

#define MM_MESSAGES_FILE "messages"    /* in the folder of a rank */
#define MM_MESSAGES_WHY "messages.why" /* a line: why it is not there */
#define MM_MESSAGES_MAGIC "MMMSGS\0\1"
#define MM_MESSAGES_LIVE 0x4556494c5347534dULL   /* "MSGSLIVE" */
#define MM_MESSAGES_SEALED 0x4c4145535347534dULL /* "MSGSSEAL" */

enum {
    MM_MESSAGES_HEAD_BYTES = 4096,
    MM_MESSAGES_FRAMES = 8,   /* most frames of a callsite */
    MM_MESSAGES_BUCKETS = 128 /* of latency */
};

/* Types of pieces, and their entries. */
enum mm_messages_type {
    MM_MESSAGES_COMMS = 1,  /* struct mm_messages_comm */
    MM_MESSAGES_OBJECTS,    /* struct mm_messages_object */
    MM_MESSAGES_SITES,      /* struct mm_messages_site */
    MM_MESSAGES_CHANNELS,   /* struct mm_messages_channel */
    MM_MESSAGES_CLASSES,    /* struct mm_messages_class; without buckets where STAT */
    MM_MESSAGES_RECORDS,    /* struct mm_messages_record: joined, WRITE */
    MM_MESSAGES_HALVES,     /* struct mm_messages_half: via=files */
    MM_MESSAGES_COLLECTIVES /* struct mm_messages_collective */
};

/* Counted events of a process; each index a word of the head. They only grow. */
enum mm_messages_count {
    MM_MESSAGES_SENT,            /* messages that this process sent on channels */
    MM_MESSAGES_RECEIVED,        /* receives of channels whose serial is known */
    MM_MESSAGES_SAMPLED,         /* sends that the sender sampled */
    MM_MESSAGES_FILTERED,        /* sends that the hash chose, and min=, site=, method= or
                                    recording switched off did not */
    MM_MESSAGES_JOINED,          /* samples of which both halves met in this process; in
                                    sums or records but for those that are _UNVERIFIED,
                                    _MISMATCHED, _DROPPED_LIMIT, or (sums) _SUSPECT */
    MM_MESSAGES_FOLDED,          /* joined samples counted in the class of all others:
                                    the table of classes was full */
    MM_MESSAGES_DROPPED_POOL,    /* samples: no free buffer to another process, or slot */
    MM_MESSAGES_DROPPED_RING,    /* sent halves that came to this process and were not
                                    joined, as one of both had to make room */
    MM_MESSAGES_DROPPED_LIMIT,   /* records, halves, collectives or classes' samples
                                    beyond the limit of the file, or without memory */
    MM_MESSAGES_DROPPED_ORDER,   /* samples: two threads at once on a channel, Startall */
    MM_MESSAGES_DROPPED_FOREIGN, /* samples to or from another job (spawn, accept) */
    MM_MESSAGES_HALF,            /* sent halves that came to this process and whose
                                    received half did not, by the end */
    MM_MESSAGES_UNVERIFIED,      /* joined, of channels that were unverified by then */
    MM_MESSAGES_MISMATCHED,      /* joined, but bytes or channel of the halves differ */
    MM_MESSAGES_SUSPECT,         /* joined, latency below zero by more than the clocks'
                                    bound: in no sum */
    MM_MESSAGES_UNKNOWN_COMM,    /* operations on communicators that are not followed */
    MM_MESSAGES_COLLECTIVES_COUNTED,
    MM_MESSAGES_COLLECTIVES_SAMPLED,
    MM_MESSAGES_BATCHES,    /* own messages sent for joining */
    MM_MESSAGES_UNANSWERED, /* received halves that no sent half has come for, because
                               the sender did not take the sample (_FILTERED; C, T: most)
                               or its half was lost */
    MM_MESSAGES_COUNTS = 32
};

/* A line of the offset of this process's clock to that of process 0: at `ticks` it is
 * `offset_ns` (add it to get the other's time), at most `bound_ns` wrong. */
struct mm_messages_clock_point {
    uint64_t ticks;
    double offset_ns, bound_ns;
};

enum { MM_MESSAGES_CLOCK_POINTS = 64 };

enum { /* flags of the head */
       MM_MESSAGES_TSC = 1,
       MM_MESSAGES_F08 = 2, /* the program has mpi_f08, whose calls no wrapper sees */
       MM_MESSAGES_OTHER_PMPI =
           4,                    /* another profiling library of MPI is in the process */
       MM_MESSAGES_THREADS = 8,  /* MPI_THREAD_MULTIPLE */
       MM_MESSAGES_ONE_NODE = 16 /* all processes have the same clock */
};

struct mm_messages_head {
    char magic[8];
    uint64_t state; /* MM_MESSAGES_LIVE or _SEALED; __atomic */
    uint64_t check; /* if sealed: mm_block_check of bytes 64 to `end` */
    uint64_t end;   /* bytes in use; __atomic */
    uint64_t unused_first[4];
    /* 64 */
    char request[256]; /* canonical text, messages/words */
    uint64_t seed;
    int32_t process, processes; /* of MPI_COMM_WORLD */
    uint32_t flags, frames;
    uint32_t class_bytes;  /* entry of MM_MESSAGES_CLASSES */
    uint32_t clock_points; /* __atomic */
    uint64_t job;          /* same for all processes of MPI_COMM_WORLD */
    uint64_t node;         /* hash of boot id and kind of clock */
    char host[64];
    double ns_per_tick; /* as known when last written */
    uint64_t epoch_ticks;
    int64_t epoch_ns;    /* CLOCK_REALTIME at epoch_ticks */
    uint64_t last_ticks; /* of the last count flush, for runs that were killed */
    double p_now;        /* threshold now (budget lowers it) */
    uint64_t counts[MM_MESSAGES_COUNTS]; /* by enum mm_messages_count; __atomic */
    struct mm_messages_clock_point points[MM_MESSAGES_CLOCK_POINTS];
};

_Static_assert(sizeof(struct mm_messages_head) <= MM_MESSAGES_HEAD_BYTES,
               "the head fits its page");

struct mm_messages_piece {
    uint32_t type; /* enum mm_messages_type; stored last: 0 is no piece yet */
    uint32_t entry_bytes;
    uint32_t capacity, count; /* count __atomic, release after the entry is written */
    uint64_t bytes;           /* of the piece, with this head */
    uint64_t check;           /* mm_messages_piece_check */
    uint64_t unused[4];
};

/* A communicator that messages or sampled collectives went over. */
struct mm_messages_comm {
    uint64_t id;
    uint32_t size, flags; /* 1 intercommunicator, 2 not sampled, 4 MPI_COMM_WORLD */
    char name[40];        /* as MPI_Comm_set_name has it when first seen */
    uint64_t check;
};

/* A shared object or the program. */
struct mm_messages_object {
    char path[224]; /* cut at the front where it is longer */
    uint8_t build_id[20];
    uint32_t build_id_bytes;
    uint64_t check;
};

/* A callsite: return addresses less one, as offsets in objects; [0] is the caller of
 * MPI. The key is equal on all processes: a hash of build ids (or paths) and offsets. */
struct mm_messages_site {
    uint64_t key;
    uint32_t frames, unused;
    struct {
        uint32_t object, unused; /* entry of MM_MESSAGES_OBJECTS */
        uint64_t offset;
    } frame[MM_MESSAGES_FRAMES];
    uint64_t check;
};

enum { MM_MESSAGES_SEND = 0, MM_MESSAGES_RECEIVE = 1 };

enum { /* why a channel is unverified: flags of mm_messages_channel */
       MM_CHANNEL_FREED = 1,  /* an active receive was freed */
       MM_CHANNEL_FAILED = 2, /* a call returned an error */
       MM_CHANNEL_CANCELLED =
           4,                 /* a send was cancelled; or a receive fell out of sight */
       MM_CHANNEL_UNSEEN = 8, /* completed by a call that no wrapper saw */
       MM_CHANNEL_COUNTS = 16 /* both ends counted different numbers at the end */
};

/* One end of a channel: messages of one communicator, pair of processes and tag. */
struct mm_messages_channel {
    uint64_t comm; /* id */
    int32_t peer;  /* the other process: rank in MPI_COMM_WORLD */
    int32_t tag;
    uint32_t side;  /* MM_MESSAGES_SEND, MM_MESSAGES_RECEIVE */
    uint32_t flags; /* __atomic */
    uint64_t hash;  /* mix of both processes, comm, tag and seed; 0: entry not in use */
    uint64_t count; /* messages, exact; __atomic */
    uint64_t bytes; /* sender's side alone, exact; __atomic */
    uint64_t sampled;
    uint64_t unused;
};

/* Sums over samples of one quantity, in ns. Each sample weighs 1/p. */
struct mm_messages_sum {
    double sum;      /* of x */
    double weighted; /* of x / p */
    double variance; /* of x^2 (1 - p) / p^2 */
    uint64_t count;  /* samples with x > 0 */
};
/* T: p is not known, such a sample adds to `sum` and counts alone. A reader scales its
 * means by the exact numbers of messages of the channels, and knows no interval. */

/* Samples of equal key: processes, callsites, methods, size class. The fields before
 * `version` are written once, before the entry is counted. The first class is that of all
 * others.
 *
 * A reader copies an entry between two readings of an even, equal `version`. One that
 * stays odd belongs to a process that was killed in an update: each number may or may
 * not have the last sample in it. */
struct mm_messages_class {
    int32_t src, dst;
    uint64_t send_site, recv_site;    /* keys */
    int32_t send_method, recv_method; /* ids in each process's methods.json; -1: none */
    uint32_t size_class;              /* 0: no bytes; else 1 + floor(log2(bytes)) */
    uint32_t other;     /* 1: the class of all that found no room; key fields are -1 */
    uint64_t key_check; /* of the fields before it */
    uint64_t version;   /* odd while an update is under way; __atomic */
    /* versioned */
    uint64_t count;
    double weight;          /* sum of 1 / p: estimated messages */
    double weight_variance; /* sum of (1 - p) / p^2 */
    uint64_t bytes;         /* sum over samples */
    double min_ns, max_ns;  /* latency */
    struct mm_messages_sum latency, late_sender, late_receiver, transfer;
    uint64_t bucket_check; /* sum over buckets of count times (2 number + 1) */
    uint64_t check;        /* mm_messages_class_check */
    uint32_t buckets[];    /* [MM_MESSAGES_BUCKETS] of latency, FREQ alone */
};

/* One half of a sampled message. */
struct mm_messages_half {
    uint64_t key;  /* mix of channel hash and k; both halves have it */
    uint64_t comm; /* id */
    uint64_t k;    /* serial in the channel, from 0 */
    int32_t src, dst;
    int32_t tag;
    uint16_t side;    /* MM_MESSAGES_SEND, MM_MESSAGES_RECEIVE */
    uint16_t flags;   /* MM_HALF_* */
    uint64_t bytes;   /* sent; received */
    uint64_t t_start; /* send: just before MPI; receive: the same when it was posted */
    uint64_t t_enter; /* receive: entry of the completing call; send: as t_start */
    uint64_t t_end;   /* return of the sending call; of the completing call */
    uint64_t site;    /* key */
    int32_t method, thread; /* innermost open call of the recorder; -1: none */
    uint64_t invocation;
    double p;       /* inclusion probability; 0: not known (T) */
    uint64_t check; /* last */
};

enum {                          /* flags of a half */
       MM_HALF_NONBLOCKING = 1, /* send: t_end is the return of the start alone */
       MM_HALF_BYTES_UNKNOWN = 2,
       MM_HALF_UNVERIFIED = 4, /* its channel was unverified already */
       MM_HALF_TRUNCATED = 8
};

/* A joined message. */
struct mm_messages_record {
    struct mm_messages_half send, recv;
    uint64_t check;
};

/* The check of an entry that is written once, over the fields before its own `check`
 * (`key_check`). */
static inline uint64_t mm_messages_check(const void *entry, size_t bytes)
{
    return mm_block_check(entry, bytes, MM_CHECK_START);
}

/* The check of a piece: of type, entry_bytes, capacity and bytes. */
static inline uint64_t mm_messages_piece_check(uint32_t type,
                                               const struct mm_messages_piece *piece)
{
    const uint64_t words[] = {type, piece->entry_bytes, piece->capacity, piece->bytes};

    return mm_messages_check(words, sizeof words);
}

/* The check of what changes in a class, the sum of the words from `version` to
 * `bucket_check`: it costs little, and any single flipped bit changes it. */
static inline uint64_t mm_messages_class_check(const struct mm_messages_class *entry)
{
    enum {
        HALF = (offsetof(struct mm_messages_class, check) -
                offsetof(struct mm_messages_class, version)) /
               sizeof(uint64_t) / 2
    };
    const unsigned char *first = (const unsigned char *)&entry->version;
    uint64_t sums[2] = {MM_CHECK_START, 0}; /* that do not wait for each other */

    for (size_t i = 0; i < HALF; i++) {
        uint64_t words[2];

        memcpy(&words[0], first + i * sizeof(uint64_t), sizeof(uint64_t));
        memcpy(&words[1], first + (HALF + i) * sizeof(uint64_t), sizeof(uint64_t));
        sums[0] += words[0];
        sums[1] += words[1];
    }
    return sums[0] + sums[1];
}
_Static_assert((offsetof(struct mm_messages_class, check) -
                offsetof(struct mm_messages_class, version)) %
                       (2 * sizeof(uint64_t)) ==
                   0,
               "the words of a class are two halves");

/* One process's part in a sampled collective call; the same ordinal on all. */
struct mm_messages_collective {
    uint64_t comm, ordinal;
    uint64_t t_enter; /* entry of the call, or of the one that starts it */
    uint64_t t_wait;  /* entry of the completing call: t_enter where the call blocks */
    uint64_t t_exit;
    uint64_t bytes; /* that this process gives, 0: not known */
    uint64_t site;
    int32_t function;             /* as in mpi.calls and in `functions`; -1 not known */
    int32_t method, thread, root; /* root: rank in comm; -1: none */
    uint64_t invocation;
    char name[24]; /* "MPI_Allreduce" */
    double p;
    uint64_t check;
};

#endif
