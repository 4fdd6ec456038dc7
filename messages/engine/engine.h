/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h: which messages are sampled, counted alike at both ends.
 *
 * Sender and receiver each count the messages of a channel (communicator, source,
 * destination, tag): k = 0, 1, 2 ... The key of a message is mix(channel hash, k); both
 * compute it, and so agree without a word between them. MPI's order rule makes the i-th
 * message sent on a channel the one that the i-th receive gets, in posting order, of
 * those receives that get a message of the channel.
 *
 * A receive with exact source and tag, behind no pending receive that is uncertain and
 * overlaps it, knows its k when it is posted. Any other is uncertain: it stands in its
 * communicator's queue in posting order, and knows its k once it has completed and no
 * earlier pending receive could still take a message of its channel.
 *
 * The engine calls no MPI, and waits for nobody. With `locked` any thread may call each
 * function; a lock is held inside the function alone. Without it one thread at a time.
 * No memory comes from the heap after mm_engine_new: a measured malloc would come back.
 */
#ifndef MESSAGES_ENGINE_ENGINE_H
#define MESSAGES_ENGINE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/messages_file.h"
#include "ports/cca_error.h"

enum { MM_ANY_SOURCE = -1, MM_ANY_TAG = -1 };
/* The peer of a process of another job: MM_FOREIGN - its rank there. Counts of such
 * channels are exact. Keys of both ends differ, and halves do not travel between jobs:
 * samples are dropped by the caller, who sees src or dst <= MM_FOREIGN. Processes of one
 * job on a communicator with others agree as always. */
enum { MM_FOREIGN = -2 };

struct mm_message_request; /* messages/words/words.h */
struct mm_engine;
struct mm_comm; /* a communicator that is followed */

struct mm_engine_options {
    const struct mm_message_request *request;
    uint64_t seed; /* the same on all processes */
    int process;   /* own rank in MPI_COMM_WORLD */
    int locked;    /* MPI_THREAD_MULTIPLE */
    int tsc;       /* for strategy T: the clock, as mm_clock_ticks takes it */
    double ns_per_tick;
    /* Room for one more channel entry, zeroed, for the life of the engine; NULL: none,
     * the communicator is switched off. */
    struct mm_messages_channel *(*channel_new)(void *context);
    void *context;
};

/* A message as its end in this process has counted it. */
struct mm_channel;
struct mm_counted {
    struct mm_channel *channel; /* NULL: not counted: MPI_PROC_NULL, a communicator that
                                   is not followed */
    uint64_t k, key;
    double p;       /* inclusion probability of a sample; 0: not known (T) */
    int sampled;    /* send: chosen. Receive: the sender may have chosen it */
    uint32_t order; /* for mm_engine_posted: how many threads were on the channel */
};

/* A receive that is followed: uncertain, or sampled and under way. `half` is the
 * caller's to fill, but for key, comm, k, src, dst, tag, which the engine fills when the
 * serial is known. */
struct mm_receive {
    struct mm_messages_half half;
    struct mm_counted counted; /* known once `certain` */
    struct mm_comm *comm;
    uintptr_t request;   /* handle; 0: none (blocking, matched) */
    int32_t source, tag; /* as asked: process or MM_ANY_SOURCE, tag or MM_ANY_TAG */
    /* dropped: its order is not known, so it is no sample; to be counted alone. One that
     * a cancel has moved onto a sample has half.t_start 0: nobody knows when it was
     * posted. */
    int certain, completed, dropped;
    int awaiting;   /* matched, not received yet */
    uintptr_t user; /* the caller's */
    /* The engine's own: its place in the queue. */
    int wild, held, freed;
    uint64_t sequence;
    struct mm_receive *next, *previous, *kin_next, *kin_previous;
};

/* New engine; NULL with err. All memory is reserved here or mapped in pieces later. */
struct mm_engine *mm_engine_new(const struct mm_engine_options *options,
                                struct cca_error *err);
void mm_engine_free(struct mm_engine *engine);

/* --- Communicators ------------------------------------------------------------ */

/* OFF: not counted. UNORDERED: messages may overtake, so they are counted alone. */
enum { MM_COMM_INTER = 1, MM_COMM_OFF = 2, MM_COMM_WORLD = 4, MM_COMM_UNORDERED = 8 };

/* Follow a communicator of this handle; a handle that is known is replaced.
 *
 *   id         the same on all its processes, and different from that of every other
 *              communicator that shares a process with it
 *   processes  [size] process of each rank (of the remote group where MM_COMM_INTER),
 *              copied; NULL: rank i is process i
 *
 * A communicator is switched off (MM_COMM_OFF), and its channels are flagged
 * MM_CHANNEL_COUNTS, where there is no room for a channel, or 65,536 uncertain receives
 * wait in its queue.
 *
 * The communicator, or NULL: out of memory (it is then not followed). */
struct mm_comm *mm_engine_comm_add(struct mm_engine *engine, uintptr_t handle,
                                   uint64_t id, const int32_t *processes, int size,
                                   unsigned flags);
struct mm_comm *mm_engine_comm(struct mm_engine *engine, uintptr_t handle); /* or NULL */
/* The handle was freed: channels keep their counts, a new communicator may have it. */
void mm_engine_comm_forget(struct mm_engine *engine, uintptr_t handle);
uint64_t mm_comm_id(const struct mm_comm *comm);
unsigned mm_comm_flags(const struct mm_comm *comm);
/* Id of the next child: mix(parent's id, number of creating calls on the parent so far).
 * All members of the parent make these calls in the same order. */
uint64_t mm_engine_comm_child(struct mm_engine *engine, struct mm_comm *parent);
/* Id of a communicator by what its members share: a text, a set of processes and how
 * many there were of these before (MPI_Comm_create_from_group). */
uint64_t mm_engine_comm_of_group(struct mm_engine *engine, const char *text,
                                 const int32_t *processes, int count);

/* --- Sends ---------------------------------------------------------------------- */

/* Count a send, just before MPI is called. `rank`: destination in `comm`. */
void mm_engine_send(struct mm_engine *engine, struct mm_comm *comm, int rank, int tag,
                    uint64_t bytes, struct mm_counted *counted);
/* The sending call has returned; needed only where counted->channel. `failed`: MPI
 * returned an error: the channel is unverified. Returns 0 if another thread was on the
 * channel meanwhile: the sample has to be dropped. */
int mm_engine_sent(struct mm_engine *engine, const struct mm_counted *counted,
                   int failed);
/* A send of which nothing else was kept returned an error: unverified. */
void mm_engine_send_failed(struct mm_engine *engine, struct mm_comm *comm, int rank,
                           int tag);
/* A send was cancelled, or is known not to have gone out: the channel is unverified. */
void mm_engine_unverify(struct mm_engine *engine, struct mm_channel *channel,
                        unsigned why);

/* Sends and posts from here on until it is off have no order, as those of one
 * MPI_Startall: what could match the same messages is told by mm_engine_sent and
 * mm_engine_posted, which come before it is off. Not by those of hot.h. */
void mm_engine_together(struct mm_engine *engine, int on);

/* --- Receives ------------------------------------------------------------------- */

/* Count or queue a receive, just before MPI is called.
 *
 *   source, tag  rank in `comm`, or MM_ANY_SOURCE, MM_ANY_TAG
 *   counted      out; channel NULL where the receive is not counted or not certain
 *
 * NULL: certain or not counted. Else the uncertain receive, to be completed, cancelled
 * or freed later. */
struct mm_receive *mm_engine_post(struct mm_engine *engine, struct mm_comm *comm,
                                  int source, int tag, struct mm_counted *counted);
/* The posting call (or, where it blocks, the receive) has returned. 0: another thread
 * posted meanwhile what could have matched the same messages: drop the sample. */
int mm_engine_posted(struct mm_engine *engine, struct mm_comm *comm,
                     const struct mm_counted *counted, struct mm_receive *receive);
/* The request of a nonblocking receive is known. Uncertain ones, and sampled certain
 * ones, are followed from here on by their request; of others a short ring remembers
 * the request for mm_engine_cancelled. Returns the followed receive, or NULL. */
struct mm_receive *mm_engine_follow(struct mm_engine *engine, struct mm_comm *comm,
                                    struct mm_receive *receive,
                                    const struct mm_counted *counted, uintptr_t request);
/* Another request has this handle: of a send (its channel), or of an operation that is
 * not counted (NULL). To be told for sends and receives that do not block; hot.h has a
 * cheap one. */
void mm_engine_other(struct mm_engine *engine, uintptr_t request,
                     struct mm_channel *channel);
/* The followed receive of a request, or NULL. To be asked before MPI completes it: MPI
 * may give the handle to another thread at once. Cheap where nothing is followed. */
struct mm_receive *mm_engine_followed(struct mm_engine *engine, uintptr_t request);
/* Number of receives followed by request now: 0 spares the lookup. */
size_t mm_engine_following(const struct mm_engine *engine);

/* A followed receive has completed, with the source (rank) and tag of its status;
 * `failed`: an error other than truncation. If its serial is known now, and those of
 * later ones, they come out of mm_engine_next. The caller must not touch `receive`
 * afterwards but through mm_engine_next. */
void mm_engine_completed(struct mm_engine *engine, struct mm_receive *receive, int source,
                         int tag, int failed);
/* The next receive that is complete and certain, in no particular order; NULL: none. Its
 * half has all fields. Give each back with mm_engine_release. */
struct mm_receive *mm_engine_next(struct mm_engine *engine);
void mm_engine_release(struct mm_engine *engine, struct mm_receive *receive);

/* A matched probe (Mprobe, Improbe) is about to be called: with threads, others must
 * know. `counted` goes to mm_engine_matched, which has to follow. */
void mm_engine_probing(struct mm_engine *engine, struct mm_comm *comm, int source,
                       int tag, struct mm_counted *counted);
/* The probe has returned; `source`, `tag`: of its status (rank), or MM_ANY_SOURCE where
 * it took no message. The message is an entry at the end of the queue, complete at once;
 * it stays with the MPI_Message (`user` keeps the pointer) until
 * mm_engine_matched_received. NULL: no message, or not counted. */
struct mm_receive *mm_engine_matched(struct mm_engine *engine, struct mm_comm *comm,
                                     const struct mm_counted *counted, int source,
                                     int tag);
/* The receive of that message (Mrecv, Imrecv's completion) is done; the half is filled.
 * It comes out of mm_engine_next when its serial is known. */
void mm_engine_matched_received(struct mm_engine *engine, struct mm_receive *receive);

/* True if the request is remembered as a receive. */
int mm_engine_remembers(struct mm_engine *engine, uintptr_t request);
/* A receive was cancelled, and MPI has said that the cancel won; or a send was, of which
 * nobody knows whether it went: its channel is unverified. Where the request is neither
 * followed nor remembered any more, all channels are. */
void mm_engine_cancelled(struct mm_engine *engine, uintptr_t request);
/* An active receive's request was freed: its envelope will never be known. All channels
 * that it could take from are unverified. */
void mm_engine_freed(struct mm_engine *engine, uintptr_t request);

/* --- Collectives ----------------------------------------------------------------- */

/* Count a collective call on a communicator: 1 if it is sampled, on all its processes
 * alike; its ordinal. */
int mm_engine_collective(struct mm_engine *engine, struct mm_comm *comm,
                         uint64_t *ordinal);

/* --- Control --------------------------------------------------------------------- */

/* Sampling by this process's sends goes on or off; counting goes on. */
void mm_engine_sampling(struct mm_engine *engine, int on);
/* Lower the sender's p (strategy P): p must not exceed that of the request. */
void mm_engine_set_p(struct mm_engine *engine, double p);
double mm_engine_p(const struct mm_engine *engine);
/* True if receivers must remember every receive: strategies C and T. */
int mm_engine_remembers_all(const struct mm_engine *engine);

/* Fill key, comm, k, src, dst, tag, side of a half; and UNVERIFIED. The other fields are
 * left as they are. */
void mm_engine_half(const struct mm_engine *engine, const struct mm_counted *counted,
                    int side, struct mm_messages_half *half);
/* Store all counters once more into their entries. */
void mm_engine_store(struct mm_engine *engine);
/* The entry of a channel in the file. */
struct mm_messages_channel *mm_channel_entry(const struct mm_channel *channel);
/* Visit all channels; nobody may call the engine meanwhile. */
void mm_engine_channels(struct mm_engine *engine,
                        void (*visit)(void *context, struct mm_channel *channel),
                        void *context);

#endif
