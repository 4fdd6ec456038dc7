/* SPDX-License-Identifier: BSD-3-Clause */
/* messages_file.h: the file of a process's messages: exact counts per channel, and
 * sampled messages as sums, as joined records, or as halves. A half is the record of one
 * end of a message, the send or the receive. The file can be read at any time, also after
 * a kill.
 *
 * 0      head, one page
 * 4096   pieces of whole pages: a head of 64 bytes, then `capacity` entries of
 *        `entry_bytes`, of which `count` are in use; behind the last piece the file
 *        ends, or has zeros
 *
 * Pieces of one type are in order of creation; entries are numbered through all pieces of
 * their type. Byte order is the machine's. Times are ticks of the process's clock, unless
 * the name of a field ends in ns.
 *
 * A process that ends normally seals the file: `state` becomes MM_MESSAGES_SEALED,
 * `check` covers all bytes from 64 to `end`, and `end` is the file's size. A live file
 * has no overall check: each entry that is written once has its own check; an entry that
 * changes has counters that only grow, or a `version`.
 *
 * In a piece, at most one entry after the first `count` may be written, completely or
 * partly, if the process was killed before it counted that entry. All later bytes are
 * zeros unless the process is still writing. */
#ifndef MASTERMIND_FORMAT_MESSAGES_FILE_H
#define MASTERMIND_FORMAT_MESSAGES_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/layout.h"

#define MM_MESSAGES_FILE "messages" /* file in the directory of a rank */
/* the reason, one line, if that file is missing */
#define MM_MESSAGES_WHY "messages.why"
#define MM_MESSAGES_MAGIC "MMMSGS\0\1"
#define MM_MESSAGES_LIVE 0x4556494c5347534dULL   /* "MSGSLIVE" */
#define MM_MESSAGES_SEALED 0x4c4145535347534dULL /* "MSGSSEAL" */

enum {
    MM_MESSAGES_HEAD_BYTES = 4096,
    MM_MESSAGES_FRAMES = 8,   /* most frames of a callsite */
    MM_MESSAGES_BUCKETS = 128 /* buckets of latency */
};

/* Types of pieces, and their entries. */
enum mm_messages_type {
    MM_MESSAGES_COMMS = 1,  /* struct mm_messages_comm */
    MM_MESSAGES_OBJECTS,    /* struct mm_messages_object */
    MM_MESSAGES_SITES,      /* struct mm_messages_site */
    MM_MESSAGES_CHANNELS,   /* struct mm_messages_channel */
    MM_MESSAGES_CLASSES,    /* struct mm_messages_class; with STAT without buckets */
    MM_MESSAGES_RECORDS,    /* struct mm_messages_record: joined; mode WRITE */
    MM_MESSAGES_HALVES,     /* struct mm_messages_half: mode via=files */
    MM_MESSAGES_COLLECTIVES /* struct mm_messages_collective */
};

/* Events counted by a process; values are indexes of words in the head. Counts only grow.
 */
enum mm_messages_count {
    MM_MESSAGES_SENT,            /* messages sent by this process on channels */
    MM_MESSAGES_RECEIVED,        /* receives on channels with known serials */
    MM_MESSAGES_SAMPLED,         /* sends that the sender sampled */
    MM_MESSAGES_FILTERED,        /* sends chosen by the hash but excluded by min=,
                                    site=, method= or recording switched off */
    MM_MESSAGES_JOINED,          /* samples whose two halves met in this process; all
                                    are in sums or records except _UNVERIFIED,
                                    _MISMATCHED, _DROPPED_LIMIT, or (sums) _SUSPECT */
    MM_MESSAGES_FOLDED,          /* joined samples counted in the class "other",
                                    because the table of classes was full */
    MM_MESSAGES_DROPPED_POOL,    /* samples dropped: no free buffer to another process,
                                    or no slot */
    MM_MESSAGES_DROPPED_RING,    /* send halves that arrived in this process and were
                                    dropped before they were joined, to make space */
    MM_MESSAGES_DROPPED_LIMIT,   /* records, halves, collectives or samples of classes
                                    dropped: limit of the file, or out of memory */
    MM_MESSAGES_DROPPED_ORDER,   /* samples dropped: two threads at once on a channel,
                                    or Startall */
    MM_MESSAGES_DROPPED_FOREIGN, /* samples to or from another job dropped (spawn,
                                    accept) */
    MM_MESSAGES_HALF, /* send halves in this process without a receive half at the end */
    MM_MESSAGES_UNVERIFIED,   /* joined samples of channels that were then unverified */
    MM_MESSAGES_MISMATCHED,   /* joined samples whose halves differ in bytes or channel */
    MM_MESSAGES_SUSPECT,      /* joined samples with a latency below zero by more
                                 than the clocks' bound; in no sum */
    MM_MESSAGES_UNKNOWN_COMM, /* operations on communicators that are not tracked */
    MM_MESSAGES_COLLECTIVES_COUNTED,
    MM_MESSAGES_COLLECTIVES_SAMPLED,
    MM_MESSAGES_BATCHES,    /* messages sent by the sampler itself, to exchange halves */
    MM_MESSAGES_UNANSWERED, /* receive halves without a send half: it was lost, or the
                               sender did not sample the message (MM_MESSAGES_FILTERED;
                               usual with the strategies counter and timer) */
    MM_MESSAGES_COUNTS = 32
};

/* Offset between the clocks of this process and of process 0: at `ticks` it is
 * `offset_ns` (add it to get the time of process 0), wrong by at most `bound_ns`. */
struct mm_messages_clock_point {
    uint64_t ticks;
    double offset_ns, bound_ns;
};

enum { MM_MESSAGES_CLOCK_POINTS = 64 };

enum { /* flags of the head */
       MM_MESSAGES_TSC = 1,
       MM_MESSAGES_F08 = 2, /* the program uses mpi_f08, whose calls the wrappers do
                               not see */
       MM_MESSAGES_OTHER_PMPI = 4, /* another MPI profiling library is in the process */
       MM_MESSAGES_THREADS = 8,    /* MPI_THREAD_MULTIPLE */
       MM_MESSAGES_ONE_NODE = 16   /* all processes use the same clock */
};

struct mm_messages_head {
    char magic[8];
    uint64_t state; /* MM_MESSAGES_LIVE or _SEALED; __atomic */
    uint64_t check; /* if sealed: mm_block_check of bytes 64 to `end` */
    uint64_t end;   /* bytes in use; __atomic */
    uint64_t unused_first[4];
    /* offset 64 */
    char request[256]; /* canonical text of the options, messages/words */
    uint64_t seed;
    int32_t process, processes; /* rank and size of MPI_COMM_WORLD */
    uint32_t flags, frames;
    uint32_t class_bytes;  /* size of an entry of MM_MESSAGES_CLASSES */
    uint32_t clock_points; /* __atomic */
    uint64_t job;          /* equal for all processes of MPI_COMM_WORLD */
    uint64_t node;         /* hash of boot id and kind of clock */
    char host[64];
    double ns_per_tick; /* as calibrated at the latest write */
    uint64_t epoch_ticks;
    int64_t epoch_ns;    /* CLOCK_REALTIME at epoch_ticks */
    uint64_t last_ticks; /* time of the latest flush of counts, for killed runs */
    double p_now;        /* current threshold (the budget lowers it) */
    /* counts, indexed by enum mm_messages_count; __atomic */
    uint64_t counts[MM_MESSAGES_COUNTS];
    struct mm_messages_clock_point points[MM_MESSAGES_CLOCK_POINTS];
};

_Static_assert(sizeof(struct mm_messages_head) <= MM_MESSAGES_HEAD_BYTES,
               "the head fits its page");

struct mm_messages_piece {
    uint32_t type; /* enum mm_messages_type; stored last; 0: no piece yet */
    uint32_t entry_bytes;
    uint32_t capacity, count; /* count is __atomic, released after the entry is written */
    uint64_t bytes;           /* size of the piece, including this head */
    uint64_t check;           /* mm_messages_piece_check */
    uint64_t unused[4];
};

/* A communicator used by messages or by sampled collectives. */
struct mm_messages_comm {
    uint64_t id;
    uint32_t size, flags; /* 1 intercommunicator, 2 not sampled, 4 MPI_COMM_WORLD */
    /* name set by MPI_Comm_set_name before the communicator was first used */
    char name[40];
    uint64_t check;
};

/* A shared object or the program. */
struct mm_messages_object {
    char path[224]; /* a long path loses its beginning */
    uint8_t build_id[20];
    uint32_t build_id_bytes;
    uint64_t check;
};

/* A callsite: return addresses minus one, as offsets in objects; [0] is the caller of
 * MPI. The key is equal on all processes: a hash of build ids (or paths) and offsets. */
struct mm_messages_site {
    uint64_t key;
    uint32_t frames, unused;
    struct {
        uint32_t object, unused; /* index of the frame's object in MM_MESSAGES_OBJECTS */
        uint64_t offset;
    } frame[MM_MESSAGES_FRAMES];
    uint64_t check;
};

enum { MM_MESSAGES_SEND = 0, MM_MESSAGES_RECEIVE = 1 };

enum { /* reasons why a channel is unverified: flags of mm_messages_channel */
       MM_CHANNEL_FREED = 1,  /* an active receive was freed */
       MM_CHANNEL_FAILED = 2, /* a call returned an error */
       MM_CHANNEL_CANCELLED =
           4, /* a send was cancelled, or a receive could not be tracked */
       MM_CHANNEL_UNSEEN = 8, /* a call without a wrapper completed an operation */
       /* sender and receiver had counted different numbers of messages at the end */
       MM_CHANNEL_COUNTS = 16
};

/* One end of a channel: messages of one communicator, pair of processes and tag. */
struct mm_messages_channel {
    uint64_t comm; /* id of the communicator */
    int32_t peer;  /* rank of the other process in MPI_COMM_WORLD */
    int32_t tag;
    uint32_t side;  /* MM_MESSAGES_SEND, MM_MESSAGES_RECEIVE */
    uint32_t flags; /* __atomic */
    uint64_t hash;  /* hash of both processes, comm, tag and seed; 0: unused entry */
    uint64_t count; /* exact number of messages; __atomic */
    uint64_t bytes; /* exact number of bytes, only on the sender's side; __atomic */
    uint64_t sampled;
    uint64_t unused;
};

/* Sums of one quantity over samples, in ns. Each sample has weight 1/p. */
struct mm_messages_sum {
    double sum;      /* sum of x */
    double weighted; /* sum of x / p, the estimate for all messages */
    double variance; /* sum of x^2 (1 - p) / p^2, the variance of the estimate */
    uint64_t count;  /* number of samples with x > 0 */
};
/* With strategy T, p is unknown: such a sample adds only to `sum` and `count`. A reader
 * scales its means by the exact numbers of messages of the channels, without an interval.
 */

/* Samples with equal key: processes, callsites, methods, size class. The fields before
 * `version` are written once, before the entry is counted. The first class is "other".
 *
 * A reader copies an entry between two readings of the same, even `version`. A `version`
 * that remains odd belongs to a process killed during an update: each number may or may
 * not include the last sample. */
struct mm_messages_class {
    int32_t src, dst;
    uint64_t send_site, recv_site;    /* keys of the callsites */
    int32_t send_method, recv_method; /* ids in each process's methods.json; -1: none */
    uint32_t size_class;              /* 0: no bytes; else 1 + floor(log2(bytes)) */
    uint32_t other;     /* 1: the class "other", for samples without space in the
                           table; key fields are -1 */
    uint64_t key_check; /* check of the preceding fields */
    uint64_t version;   /* odd during an update; __atomic */
    /* protected by `version` */
    uint64_t count;
    double weight;          /* sum of 1 / p: estimated messages */
    double weight_variance; /* sum of (1 - p) / p^2 */
    uint64_t bytes;         /* sum of the samples' bytes */
    double min_ns, max_ns;  /* smallest and largest latency of a sample */
    struct mm_messages_sum latency, late_sender, late_receiver, transfer;
    uint64_t bucket_check; /* sum over buckets of count times (2 index + 1) */
    uint64_t check;        /* mm_messages_class_check */
    uint32_t buckets[];    /* [MM_MESSAGES_BUCKETS] of latency, only in mode FREQ */
};

/* A half: the send or receive record of a sampled message. */
struct mm_messages_half {
    uint64_t key;  /* hash of the channel and k, equal in both halves */
    uint64_t comm; /* id of the communicator */
    uint64_t k;    /* serial number in the channel, from 0 */
    int32_t src, dst;
    int32_t tag;
    uint16_t side;    /* direction: MM_MESSAGES_SEND or MM_MESSAGES_RECEIVE */
    uint16_t flags;   /* MM_HALF_* */
    uint64_t bytes;   /* bytes sent or received */
    uint64_t t_start; /* send: just before MPI; receive: just before MPI when it was
                         posted */
    uint64_t t_enter; /* receive: entry of the completing call; send: equal to t_start */
    uint64_t t_end;   /* return of the sending call, or of the completing call */
    uint64_t site;    /* key of the callsite */
    int32_t method, thread; /* innermost open call of the recorder; -1: none */
    uint64_t invocation;
    double p;       /* inclusion probability; 0: unknown, as with a timer (strategy T) */
    uint64_t check; /* check of the members before it */
};

enum {                          /* flags of a half */
       MM_HALF_NONBLOCKING = 1, /* send: t_end is the return of the starting call only */
       MM_HALF_BYTES_UNKNOWN = 2,
       /* the channel was already unverified when the record was made */
       MM_HALF_UNVERIFIED = 4,
       MM_HALF_TRUNCATED = 8
};

/* A joined message. */
struct mm_messages_record {
    struct mm_messages_half send, recv;
    uint64_t check;
};

/* The check of an entry that is written once, over the fields before `check` (or
 * `key_check`). */
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

/* The check of the changing part of a class: the sum of the words from `version` to
 * `bucket_check`. It is cheap, and any single flipped bit changes it. */
static inline uint64_t mm_messages_class_check(const struct mm_messages_class *entry)
{
    enum {
        HALF = (offsetof(struct mm_messages_class, check) -
                offsetof(struct mm_messages_class, version)) /
               sizeof(uint64_t) / 2
    };
    const unsigned char *first = (const unsigned char *)&entry->version;
    uint64_t sums[2] = {MM_CHECK_START, 0}; /* two sums, so that additions overlap */

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

/* One process's part in a sampled collective call; `ordinal` is equal on all processes.
 */
struct mm_messages_collective {
    uint64_t comm, ordinal;
    uint64_t t_enter; /* entry of the call, or of the call that starts it */
    uint64_t t_wait;  /* entry of the completing call; t_enter for a blocking call */
    uint64_t t_exit;
    uint64_t bytes; /* bytes contributed by this process, 0: unknown */
    uint64_t site;
    /* index of the MPI function in mpi.calls and in `functions`; -1: unknown */
    int32_t function;
    int32_t method, thread, root; /* root: rank in comm; -1: none */
    uint64_t invocation;
    char name[24]; /* "MPI_Allreduce" */
    double p;
    uint64_t check;
};

#endif
