/* SPDX-License-Identifier: BSD-3-Clause */
/* messages_file.h: layout of the file of a process's messages: exact counts for each
 * channel, and sampled messages as sums, as joined records, or as halves. A half is the
 * record of one end of a message, the send or the receive. The file can be read at any
 * time, also after the process was killed.
 *
 * 0      head, one page
 * 4096   pieces of whole pages: a head of 64 bytes, then `capacity` entries of
 * `entry_bytes`, of which `count` are in use; after the last piece the file ends, or has
 * zeros
 *
 * Pieces of one type are in order of creation; entries are numbered through all pieces of
 * their type. Byte order is the machine's. Times are ticks of the process's clock, unless
 * the name of a field ends in ns.
 *
 * A process that ends normally seals the file: `state` becomes MM_MESSAGES_SEALED,
 * `check` covers all bytes from 64 to `end`, and `end` is the file's size. The file of a
 * running process has no check sum of the whole file: each entry that is written once has
 * its own check sum; an entry that changes has numbers that only grow, or a `version`.
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
/* file with the reason, in one line, why MM_MESSAGES_FILE is missing */
#define MM_MESSAGES_WHY "messages.why"
#define MM_MESSAGES_MAGIC "MMMSGS\0\1"
#define MM_MESSAGES_LIVE 0x4556494c5347534dULL   /* "MSGSLIVE" */
#define MM_MESSAGES_SEALED 0x4c4145535347534dULL /* "MSGSSEAL" */

enum {
    MM_MESSAGES_HEAD_BYTES = 4096,
    MM_MESSAGES_FRAMES = 8,   /* largest number of stack frames of a callsite */
    MM_MESSAGES_BUCKETS = 128 /* buckets of latency */
};

/* Types of pieces, and their entries. */
enum mm_messages_type {
    MM_MESSAGES_COMMS = 1, /* struct mm_messages_comm */
    MM_MESSAGES_OBJECTS,   /* struct mm_messages_object */
    MM_MESSAGES_SITES,     /* struct mm_messages_site */
    MM_MESSAGES_CHANNELS,  /* struct mm_messages_channel */
    MM_MESSAGES_CLASSES,   /* struct mm_messages_class; in mode STAT without buckets */
    MM_MESSAGES_RECORDS,   /* struct mm_messages_record: joined messages, in mode WRITE */
    MM_MESSAGES_HALVES, /* struct mm_messages_half: halves, with the option via=files */
    MM_MESSAGES_COLLECTIVES /* struct mm_messages_collective */
};

/* Events counted by a process; values are indexes of words in the head. Counts only grow.
 */
enum mm_messages_count {
    MM_MESSAGES_SENT,     /* messages that this process has sent on channels */
    MM_MESSAGES_RECEIVED, /* receives on channels whose serial number was known */
    MM_MESSAGES_SAMPLED,  /* sends that the sender sampled */
    /* sends that the hash selected, but that min=, site=, method= or switched-off
       recording excluded */
    MM_MESSAGES_FILTERED,
    /* samples whose two halves were joined in this process; all are in sums or records,
       except samples counted in MM_MESSAGES_UNVERIFIED, _MISMATCHED, _DROPPED_LIMIT, or
       (for sums) _SUSPECT */
    MM_MESSAGES_JOINED,
    MM_MESSAGES_FOLDED, /* joined samples counted in the class "other",
                           because the table of classes was full */
    /* samples that were dropped because there was no free buffer for another process, or
       no slot */
    MM_MESSAGES_DROPPED_POOL,
    /* send halves that arrived in this process and were dropped, to make space, before
       they were joined */
    MM_MESSAGES_DROPPED_RING,
    /* records, halves, collectives or samples of classes that were dropped because of the
       file's size limit, or because memory ran out */
    MM_MESSAGES_DROPPED_LIMIT,
    /* samples that were dropped because two threads used a channel at once, or because of
       MPI_Startall */
    MM_MESSAGES_DROPPED_ORDER,
    /* samples that were dropped because the other process belongs to another job (spawn,
       accept) */
    MM_MESSAGES_DROPPED_FOREIGN,
    /* send halves that had no receive half in this process when it ended */
    MM_MESSAGES_HALF,
    /* joined samples of channels that were unverified at that time */
    MM_MESSAGES_UNVERIFIED,
    MM_MESSAGES_MISMATCHED, /* joined samples whose halves differ in bytes or channel */
    /* joined samples whose latency is negative by more than the error bound of the
       clocks; no sum contains them */
    MM_MESSAGES_SUSPECT,
    MM_MESSAGES_UNKNOWN_COMM, /* operations on communicators that are not tracked */
    MM_MESSAGES_COLLECTIVES_COUNTED,
    MM_MESSAGES_COLLECTIVES_SAMPLED,
    /* messages that the sampler itself has sent, to exchange halves */
    MM_MESSAGES_BATCHES,
    MM_MESSAGES_UNANSWERED, /* receive halves without a send half: it was lost, or the
                               sender did not sample the message (MM_MESSAGES_FILTERED;
                               usual with the strategies counter and timer) */
    MM_MESSAGES_COUNTS = 32
};

/* Offset between the clocks of this process and of process 0. At the time `ticks` it is
 * `offset_ns`, with an error of at most `bound_ns`; added to this process's time, it
 * gives the time of process 0. */
struct mm_messages_clock_point {
    uint64_t ticks;
    double offset_ns, bound_ns;
};

enum { MM_MESSAGES_CLOCK_POINTS = 64 };

enum { /* flags of the head */
       MM_MESSAGES_TSC = 1,
       MM_MESSAGES_F08 = 2, /* the program uses mpi_f08, whose calls the wrappers do
                               not see */
       /* the process has another MPI profiling library, too */
       MM_MESSAGES_OTHER_PMPI = 4,
       MM_MESSAGES_THREADS = 8,  /* the program uses MPI_THREAD_MULTIPLE */
       MM_MESSAGES_ONE_NODE = 16 /* all processes use the same clock */
};

struct mm_messages_head {
    char magic[8];
    uint64_t state; /* MM_MESSAGES_LIVE or MM_MESSAGES_SEALED; access by __atomic */
    /* check sum of a sealed file, mm_block_check of the bytes from 64 to `end` */
    uint64_t check;
    uint64_t end; /* number of bytes in use; access by __atomic */
    uint64_t unused_first[4];
    /* offset 64 */
    char request[256]; /* canonical text of the sampling options (messages/words) */
    uint64_t seed;
    int32_t process, processes; /* rank and size of MPI_COMM_WORLD */
    uint32_t flags, frames;
    uint32_t class_bytes;  /* size of an entry of MM_MESSAGES_CLASSES */
    uint32_t clock_points; /* __atomic */
    uint64_t job;  /* a number that is equal for all processes of MPI_COMM_WORLD */
    uint64_t node; /* hash of boot id and kind of clock */
    char host[64];
    /* length of a tick, as calibrated when the file was last written */
    double ns_per_tick;
    uint64_t epoch_ticks;
    int64_t epoch_ns;    /* CLOCK_REALTIME at epoch_ticks */
    uint64_t last_ticks; /* time at which counts were last written, for killed runs */
    double p_now; /* current inclusion probability, which the budget may have lowered */
    /* numbers of events, indexed by enum mm_messages_count; access by __atomic */
    uint64_t counts[MM_MESSAGES_COUNTS];
    struct mm_messages_clock_point points[MM_MESSAGES_CLOCK_POINTS];
};

_Static_assert(sizeof(struct mm_messages_head) <= MM_MESSAGES_HEAD_BYTES,
               "the head fits its page");

struct mm_messages_piece {
    uint32_t type; /* enum mm_messages_type; stored last; 0: there is no piece yet */
    uint32_t entry_bytes;
    /* room for entries, and number of entries in use; `count` is stored by __atomic after
     * the entry was written */
    uint32_t capacity, count;
    uint64_t bytes; /* size of the piece, including this head */
    uint64_t check; /* check sum, mm_messages_piece_check */
    uint64_t unused[4];
};

/* A communicator that messages or sampled collective calls use. */
struct mm_messages_comm {
    uint64_t id;
    /* number of its processes; flags: 1: intercommunicator, 2: not sampled, 4:
     * MPI_COMM_WORLD */
    uint32_t size, flags;
    /* name set by MPI_Comm_set_name before the communicator was first used */
    char name[40];
    uint64_t check;
};

/* A shared object, or the program's file. */
struct mm_messages_object {
    char path[224]; /* path of its file; of a long path only the end is kept */
    uint8_t build_id[20];
    uint32_t build_id_bytes;
    uint64_t check;
};

/* A callsite: the return addresses of its stack frames, each minus one, as offsets in
 * objects; frame 0 is the caller of MPI. The key is equal on all processes: it is a hash
 * of build ids (or paths) and offsets. */
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

enum { /* reasons why a channel is unverified, as flags of mm_messages_channel */
       MM_CHANNEL_FREED = 1,  /* the program freed the request of an active receive */
       MM_CHANNEL_FAILED = 2, /* a call returned an error */
       MM_CHANNEL_CANCELLED =
           4, /* a send was cancelled, or a receive could not be tracked */
       /* an MPI function without a wrapper completed an operation */
       MM_CHANNEL_UNSEEN = 8,
       /* sender and receiver had counted different numbers of messages at the end */
       MM_CHANNEL_COUNTS = 16
};

/* One end of a channel. A channel has the messages with the same communicator, sender,
 * receiver and tag. */
struct mm_messages_channel {
    uint64_t comm; /* id of the communicator */
    int32_t peer;  /* rank of the other process in MPI_COMM_WORLD */
    int32_t tag;
    uint32_t side;  /* end of the channel: MM_MESSAGES_SEND or MM_MESSAGES_RECEIVE */
    uint32_t flags; /* __atomic */
    /* hash of both processes, communicator, tag and seed; 0: the entry is not used */
    uint64_t hash;
    uint64_t count; /* exact number of messages; access by __atomic */
    /* exact number of bytes, only at the sender's end; access by __atomic */
    uint64_t bytes;
    uint64_t sampled;
    uint64_t unused;
};

/* Sums of one quantity x over samples, in ns. A sample with inclusion probability p has
 * the weight 1/p. */
struct mm_messages_sum {
    double sum;      /* sum of x */
    double weighted; /* sum of x / p, the estimate for all messages */
    double variance; /* sum of x^2 (1 - p) / p^2, the variance of the estimate */
    uint64_t count;  /* number of samples with x > 0 */
};
/* With strategy T, p is unknown: such a sample adds only to `sum` and `count`. A reader
 * scales its means by the exact numbers of messages of the channels, without an interval.
 */

/* Sums over samples with an equal key: processes, callsites, methods, class of sizes. The
 * fields before `version` are written once, before the entry is counted. The first class
 * is "other".
 *
 * A reader copies an entry, and reads `version` before and after: the copy is valid if
 * both are equal and even. A `version` that remains odd belongs to a process killed
 * during an update: each number may or may not include the last sample. */
struct mm_messages_class {
    int32_t src, dst;
    uint64_t send_site, recv_site; /* keys of the callsites */
    /* ids of the methods in the methods.json of the sender and of the receiver; -1:
     * none */
    int32_t send_method, recv_method;
    /* class of the message's size: 0 for no bytes, else 1 + floor(log2(bytes)) */
    uint32_t size_class;
    /* 1 for the class "other", for samples that had no space in the table; then the
     * fields of the key are -1 */
    uint32_t other;
    uint64_t key_check; /* check sum of the preceding fields */
    uint64_t version;   /* odd during an update; access by __atomic */
    /* number of samples; this and the following members are protected by `version` */
    uint64_t count;
    double weight;          /* sum of 1 / p, the estimated number of messages */
    double weight_variance; /* sum of (1 - p) / p^2, the variance of `weight` */
    uint64_t bytes;         /* sum of the samples' bytes */
    double min_ns, max_ns;  /* smallest and largest latency of a sample */
    struct mm_messages_sum latency, late_sender, late_receiver, transfer;
    /* check sum of the buckets: sum over buckets of count * (2 * index + 1) */
    uint64_t bucket_check;
    uint64_t check; /* check sum, mm_messages_class_check */
    /* [MM_MESSAGES_BUCKETS] histogram of latencies, only in mode FREQ */
    uint32_t buckets[];
};

/* A half: the send or receive record of a sampled message. */
struct mm_messages_half {
    uint64_t key;  /* hash of the channel and `k`, equal in both halves of a message */
    uint64_t comm; /* id of the communicator */
    uint64_t k;    /* serial number of the message in its channel, from 0 */
    int32_t src, dst;
    int32_t tag;
    uint16_t side;  /* direction: MM_MESSAGES_SEND or MM_MESSAGES_RECEIVE */
    uint16_t flags; /* MM_HALF_* */
    uint64_t bytes; /* number of bytes sent or received */
    /* of a send: just before the call of MPI; of a receive: just before the call that
     * posted it */
    uint64_t t_start;
    /* of a receive: start of the completing call; of a send: equal to t_start */
    uint64_t t_enter;
    uint64_t t_end; /* return from the sending call, or from the completing call */
    uint64_t site;  /* key of the callsite */
    int32_t method, thread; /* innermost open call of the recorder; -1: none */
    uint64_t invocation;
    double p;       /* inclusion probability; 0: unknown, as with a timer (strategy T) */
    uint64_t check; /* check sum of the preceding members */
};

enum { /* flags of a half */
       /* of a send: t_end is the return from the call that started it, not from the
          completing call */
       MM_HALF_NONBLOCKING = 1,
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

/* Return the check sum of an entry that is written once, over the fields before `check`
 * or `key_check`. */
static inline uint64_t mm_messages_check(const void *entry, size_t bytes)
{
    return mm_block_check(entry, bytes, MM_CHECK_START);
}

/* Return the check sum of a piece: of its type, entry_bytes, capacity and bytes. */
static inline uint64_t mm_messages_piece_check(uint32_t type,
                                               const struct mm_messages_piece *piece)
{
    const uint64_t words[] = {type, piece->entry_bytes, piece->capacity, piece->bytes};

    return mm_messages_check(words, sizeof words);
}

/* Return the check sum of the part of a class that changes: the sum of the words from
 * `version` to `bucket_check`. It is cheap, and any single flipped bit changes it. */
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

/* A sampled collective call on one process; `ordinal` is equal on all processes that take
 * part. */
struct mm_messages_collective {
    uint64_t comm, ordinal;
    /* start of the call, or of the call that starts the nonblocking operation */
    uint64_t t_enter;
    uint64_t t_wait; /* start of the completing call; t_enter for a blocking call */
    uint64_t t_exit;
    uint64_t bytes; /* number of bytes that this process contributes; 0: unknown */
    uint64_t site;
    /* index of the MPI function in mpi.calls and in `functions`; -1: unknown */
    int32_t function;
    /* innermost open call of the recorder; `root`: rank in the communicator; -1: none */
    int32_t method, thread, root;
    uint64_t invocation;
    char name[24]; /* "MPI_Allreduce" */
    double p;
    uint64_t check;
};

#endif
