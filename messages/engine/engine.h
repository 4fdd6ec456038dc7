/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h: count messages and choose samples, the same at both ends.
 *
 * Sender and receiver each count the messages of a channel (communicator, source,
 * destination, tag): k = 0, 1, 2 ... The key of a message is mix(channel hash, k); both
 * ends compute it, and so agree without communication. By MPI's order rule the i-th
 * message sent on a channel is taken by the i-th receive, in posting order, among the
 * receives that take a message of the channel.
 *
 * The serial k of a receive is known at posting if its source and tag are exact and no
 * uncertain pending receive before it overlaps it. Every other receive is uncertain: it
 * waits in its communicator's queue in posting order, and its k is known once it has
 * completed and no earlier pending receive could still take a message of its channel.
 *
 * The engine calls no MPI functions and waits for no process. With `locked` any thread
 * may call each function; a lock is held only inside the function. Without it one thread
 * at a time. After mm_engine_new no memory comes from the heap: a measured malloc would
 * call the engine again. */
#ifndef MESSAGES_ENGINE_ENGINE_H
#define MESSAGES_ENGINE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

enum { MM_ANY_SOURCE = -1, MM_ANY_TAG = -1 };
/* A peer in another job has the number MM_FOREIGN - its rank there. Counts of such
 * channels are exact. But both ends compute different keys, and records are not sent
 * between jobs; so callers drop samples whose src or dst is <= MM_FOREIGN. Processes of
 * one job that use a communicator with other jobs are sampled as usual. */
enum { MM_FOREIGN = -2 };

struct mm_message_request; /* defined in messages/words/words.h */
struct mm_engine;
struct mm_comm; /* a communicator that the engine follows */

struct mm_engine_options {
    const struct mm_message_request *request;
    uint64_t seed; /* seed of all random choices, the same on all processes */
    int process;   /* own rank in MPI_COMM_WORLD */
    int locked;    /* 1: several threads may call the engine (MPI_THREAD_MULTIPLE) */
    int tsc;       /* the clock of strategy T: argument of mm_clock_ticks */
    double ns_per_tick;
    /* Allocate one more channel entry, zeroed, for the engine's life; NULL: no room, the
     * communicator is switched off. */
    struct mm_messages_channel *(*channel_new)(void *context);
    void *context;
};

/* A message as counted by one of its ends (sender or receiver), in this process. */
struct mm_channel;
struct mm_counted {
    /* channel of the message; NULL: the message is not counted, because its peer is
     * MPI_PROC_NULL or its communicator is not followed */
    struct mm_channel *channel;
    uint64_t k, key;
    /* inclusion probability of a sample; 0: unknown, as with a timer (strategy T) */
    double p;
    /* a send: the message is a sample; a receive: it may be one (the sender decides) */
    int sampled;
    uint32_t order; /* number by which mm_engine_sent and mm_engine_posted find out
                     * whether another thread was on the channel meanwhile */
};

/* A receive that the engine follows until its end: its channel and serial k are uncertain
 * (see above), or it is a pending sample. The caller fills in `half`, the receiver's half
 * of the message's record, except key, comm, k, src, dst, tag: the engine sets these when
 * it knows k. */
struct mm_receive {
    struct mm_messages_half half;
    /* channel and serial of the message, valid once `certain` */
    struct mm_counted counted;
    struct mm_comm *comm;
    /* handle of the receive's request; 0: none (a blocking or matched receive) */
    uintptr_t request;
    /* source and tag as posted: a process or MM_ANY_SOURCE, a tag or MM_ANY_TAG */
    int32_t source, tag;
    /* dropped: its order is unknown, so it is no sample, and is only counted. If a
     * cancelled receive has made it a sample, half.t_start is 0: the time of its posting
     * is unknown. */
    int certain, completed, dropped;
    int awaiting;   /* the message was matched by a probe and not received yet */
    uintptr_t user; /* free for the caller; the engine does not read it */
    /* The engine's own members: flags, and the position in the queue. */
    int wild, held, freed;
    uint64_t sequence;
    struct mm_receive *next, *previous, *kin_next, *kin_previous;
};

/* Make an engine; NULL with `err`. All memory is reserved here, or mapped in pieces
 * later. */
struct mm_engine *mm_engine_new(const struct mm_engine_options *options,
                                struct cca_error *err);
void mm_engine_free(struct mm_engine *engine);

/* --- Communicators ------------------------------------------------------------ */

/* Flags of a communicator. OFF: its messages are not counted. UNORDERED: its messages may
 * overtake each other, so they are only counted. */
enum { MM_COMM_INTER = 1, MM_COMM_OFF = 2, MM_COMM_WORLD = 4, MM_COMM_UNORDERED = 8 };

/* Follow the communicator with this handle; an earlier communicator with the handle is
 * replaced.
 *
 *   id         the same on all its processes, and different from the id of every other
 *              communicator that shares a process with it
 *   processes  [size] process of each rank (of the remote group if MM_COMM_INTER),
 *              copied; NULL: rank i is process i
 *
 * If there is no room for a channel, or 65,536 uncertain receives wait in its queue, a
 * communicator is switched off (MM_COMM_OFF) and its channels are flagged
 * MM_CHANNEL_COUNTS.
 *
 * Returns the communicator, or NULL: out of memory (it is then not followed). */
struct mm_comm *mm_engine_comm_add(struct mm_engine *engine, uintptr_t handle,
                                   uint64_t id, const int32_t *processes, int size,
                                   unsigned flags);
/* The followed communicator with this handle, or NULL. */
struct mm_comm *mm_engine_comm(struct mm_engine *engine, uintptr_t handle);
/* A communicator's handle was freed: its channels keep their counts, and a new
 * communicator may get the handle. */
void mm_engine_comm_forget(struct mm_engine *engine, uintptr_t handle);
uint64_t mm_comm_id(const struct mm_comm *comm);
unsigned mm_comm_flags(const struct mm_comm *comm);
/* Id of the next communicator that is made from `parent`: mix(parent's id, number of
 * creating calls on the parent so far). All members of the parent make these calls in the
 * same order, so they get the same id. */
uint64_t mm_engine_comm_child(struct mm_engine *engine, struct mm_comm *parent);
/* Id of a communicator from data that all its members have: a string, the set of
 * processes, and the number of earlier communicators of this set
 * (MPI_Comm_create_from_group). */
uint64_t mm_engine_comm_of_group(struct mm_engine *engine, const char *text,
                                 const int32_t *processes, int count);

/* --- Sends ---------------------------------------------------------------------- */

/* Count a send, before MPI is called. `rank`: destination in `comm`. */
void mm_engine_send(struct mm_engine *engine, struct mm_comm *comm, int rank, int tag,
                    uint64_t bytes, struct mm_counted *counted);
/* The sending call has returned; call this only if counted->channel is set. `failed`: MPI
 * returned an error, so the channel becomes unverified. Returns 0 if another thread was
 * on the channel meanwhile: drop the sample. */
int mm_engine_sent(struct mm_engine *engine, const struct mm_counted *counted,
                   int failed);
/* Mark a channel unverified because a send on it returned an error; for sends whose
 * struct mm_counted was not kept. */
void mm_engine_send_failed(struct mm_engine *engine, struct mm_comm *comm, int rank,
                           int tag);
/* Mark a channel unverified because a send on it was cancelled, or is known not to have
 * been sent. */
void mm_engine_unverify(struct mm_engine *engine, struct mm_channel *channel,
                        unsigned why);

/* Declare that the sends and posts from now on have no order, like the operations of one
 * MPI_Startall, until the call with `on` 0. Until then mm_engine_sent and
 * mm_engine_posted return 0 if operations could match the same messages. The functions of
 * hot.h do not support this. */
void mm_engine_together(struct mm_engine *engine, int on);

/* --- Receives ------------------------------------------------------------------- */

/* Count or queue a receive, before MPI is called.
 *
 *   source, tag  rank in `comm`, or MM_ANY_SOURCE, MM_ANY_TAG
 *   counted      out; channel NULL if the receive is not counted or not certain
 *
 * Returns NULL: certain or not counted; else the uncertain receive, which must be
 * completed, cancelled or freed later. */
struct mm_receive *mm_engine_post(struct mm_engine *engine, struct mm_comm *comm,
                                  int source, int tag, struct mm_counted *counted);
/* The posting call (or a blocking receive) has returned. Returns 0 if another thread
 * meanwhile posted a receive that could match the same messages: drop the sample. */
int mm_engine_posted(struct mm_engine *engine, struct mm_comm *comm,
                     const struct mm_counted *counted, struct mm_receive *receive);
/* Set the request of a nonblocking receive. Uncertain receives, and certain samples, are
 * followed by their request from here on; requests of other receives are remembered in a
 * short ring for mm_engine_cancelled. Returns the followed receive, or NULL. */
struct mm_receive *mm_engine_follow(struct mm_engine *engine, struct mm_comm *comm,
                                    struct mm_receive *receive,
                                    const struct mm_counted *counted, uintptr_t request);
/* A request handle now belongs to another request: of a send (pass its channel), or of an
 * operation that is not counted (NULL). Call this for nonblocking sends and receives;
 * hot.h has a fast version. */
void mm_engine_other(struct mm_engine *engine, uintptr_t request,
                     struct mm_channel *channel);
/* The followed receive of a request, or NULL. Call it before MPI completes the request:
 * afterwards MPI may give the handle to another thread at once. Fast if no receive is
 * followed. */
struct mm_receive *mm_engine_followed(struct mm_engine *engine, uintptr_t request);
/* Number of followed requests; 0: no lookup is needed. */
size_t mm_engine_following(const struct mm_engine *engine);

/* A followed receive has completed, with source (rank) and tag from its status; `failed`:
 * an error other than truncation. If its serial, and those of later receives, become
 * known, mm_engine_next returns them. Afterwards the caller may use `receive` only as a
 * result of mm_engine_next. */
void mm_engine_completed(struct mm_engine *engine, struct mm_receive *receive, int source,
                         int tag, int failed);
/* The next receive that is complete and certain, in no particular order; NULL: none. All
 * fields of its record are set. Give each back with mm_engine_release. */
struct mm_receive *mm_engine_next(struct mm_engine *engine);
void mm_engine_release(struct mm_engine *engine, struct mm_receive *receive);

/* Announce a matched probe (Mprobe, Improbe) that the caller is about to call, so that
 * other threads take it into account. `counted` is an argument of mm_engine_matched,
 * which must follow. */
void mm_engine_probing(struct mm_engine *engine, struct mm_comm *comm, int source,
                       int tag, struct mm_counted *counted);
/* The probe has returned; `source` (rank) and `tag` are from its status, or MM_ANY_SOURCE
 * if it took no message. The message becomes a completed entry at the end of the queue;
 * keep it with the MPI_Message (`user` is for the caller) until
 * mm_engine_matched_received. NULL: no message, or not counted. */
struct mm_receive *mm_engine_matched(struct mm_engine *engine, struct mm_comm *comm,
                                     const struct mm_counted *counted, int source,
                                     int tag);
/* The message of mm_engine_matched was received (Mrecv, or completion of Imrecv). The
 * caller has filled in the record in `receive`; mm_engine_next returns `receive` when its
 * serial is known. */
void mm_engine_matched_received(struct mm_engine *engine, struct mm_receive *receive);

/* Whether the request is remembered as a receive. */
int mm_engine_remembers(struct mm_engine *engine, uintptr_t request);
/* A receive was cancelled, and MPI reported success; or a send was cancelled, which makes
 * its channel unverified. If the request is neither followed nor remembered any more, all
 * channels become unverified. */
void mm_engine_cancelled(struct mm_engine *engine, uintptr_t request);
/* The request of a pending receive was freed, so its source and tag will never be known.
 * All channels from which it could take a message become unverified. */
void mm_engine_freed(struct mm_engine *engine, uintptr_t request);

/* --- Collectives ----------------------------------------------------------------- */

/* Count a collective call on a communicator. Returns 1 if it is a sample, which is the
 * same on all its processes; *ordinal is its number. */
int mm_engine_collective(struct mm_engine *engine, struct mm_comm *comm,
                         uint64_t *ordinal);

/* --- Control --------------------------------------------------------------------- */

/* Switch sampling of this process's sends on or off; messages are counted in both
 * cases. */
void mm_engine_sampling(struct mm_engine *engine, int on);
/* Lower the sender's p, the probability that a message is a sample (strategy P). p must
 * not exceed the request's p. */
void mm_engine_set_p(struct mm_engine *engine, double p);
double mm_engine_p(const struct mm_engine *engine);
/* Whether receivers must keep records of all receives, because only the sender knows
 * which messages are samples: strategies C (counter) and T (timer). */
int mm_engine_remembers_all(const struct mm_engine *engine);

/* Set key, comm, k, src, dst, tag and side of a record, and the flag UNVERIFIED. Other
 * fields are left unchanged. */
void mm_engine_half(const struct mm_engine *engine, const struct mm_counted *counted,
                    int side, struct mm_messages_half *half);
/* Store all counters into their entries again. */
void mm_engine_store(struct mm_engine *engine);
/* The entry of a channel in the file of messages. */
struct mm_messages_channel *mm_channel_entry(const struct mm_channel *channel);
/* Visit all channels; no other thread may call the engine meanwhile. */
void mm_engine_channels(struct mm_engine *engine,
                        void (*visit)(void *context, struct mm_channel *channel),
                        void *context);

#endif
