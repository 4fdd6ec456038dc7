/* SPDX-License-Identifier: BSD-3-Clause */
/* storm.h: the parts of storm.c.
 *
 * Rounds are planned alike by all ranks from the seed (`plan`); what a rank does on its
 * own in a round comes from its own numbers (`own`). All messages of a round are received
 * in it, and a synchronising collective ends it, so a wildcard never takes a message of
 * another round. */
#ifndef TESTS_MESSAGES_PROGRAMS_STORM_H
#define TESTS_MESSAGES_PROGRAMS_STORM_H

#include "tests/messages/programs/truth.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RANKS_MOST = 32,
    FAMILIES_MOST = 9,
    MESSAGES_MOST = 512, /* of a round, all ranks */
    OPERATIONS_MOST = 8 * MESSAGES_MOST,
    TAGS = 3,
    NULL_TAG = 5, /* of what goes to MPI_PROC_NULL */
};

struct settings {
    long long seed;
    int rounds, messages, threads;
    int own_tags; /* threads share a communicator and have tags of their own */
    int shared;   /* threads share channels */
    int cancel, comms, probes, wildcards, persistent, large, derived, self;
    const char *truth; /* prefix of the files, or NULL */
};

/* Random numbers: splitmix64. below: 0 to n - 1; chance: true in `percent` of 100. */
struct numbers {
    uint64_t state;
};
uint64_t numbers_next(struct numbers *n);
int below(struct numbers *n, int limit);
int chance(struct numbers *n, int percent);

/* The communicators that one call has made, one for each colour, as all ranks know them.
 */
struct family {
    int alive, label;       /* a colour's label is label + colour */
    int inter;              /* colours 0 and 1 are the two sides */
    int colour[RANKS_MOST]; /* of each rank of MPI_COMM_WORLD; -1: is not in it */
    int rank[RANKS_MOST];   /* in its communicator, or in its side */
    MPI_Comm comm;          /* of this rank, or MPI_COMM_NULL */
};

/* One message of a round. */
struct message {
    int from, to, tag, size;
};

/* A send or a receive under way, or done and not yet checked. */
struct operation {
    int receiving, pending, cancelled, seen;
    MPI_Request request;
    MPI_Datatype type; /* of a send, to be freed; or MPI_DATATYPE_NULL */
    unsigned char *buffer;
    size_t sent;     /* index in truth.sent */
    int source, tag; /* asked for; in MPI_COMM_WORLD's ranks; or MPI_ANY_* */
    int64_t order;   /* of posting */
    int got_source, got_tag, got_size;
    struct truth_received record;
};

struct worker {
    const struct settings *settings;
    int rank, ranks, thread;
    struct numbers plan, own;
    struct truth truth;
    MPI_Comm sync; /* for collectives that end a round; of all ranks */
    struct family families[FAMILIES_MOST];
    int next_label;
    int64_t order, posted, cancelled;

    /* This round */
    const struct family *family;
    struct message messages[MESSAGES_MOST];
    int message_count, size_most, headers; /* all messages have headers */
    int tags[TAGS], tag_count, any_tag;    /* MPI_ANY_TAG, or the one tag of the round */
    struct operation operations[OPERATIONS_MOST];
    int operation_count, received, expected;
};

/* MPI did what it may not do: one line, and the run ends with status 1. */
_Noreturn void misbehaved(const struct worker *w, const char *what);
void require(const struct worker *w, int ok, const char *what);

/* storm_comms.c: the first family is `comm`, of all ranks. Each is collective over all
 * ranks. */
void comms_start(struct worker *w, MPI_Comm comm);
void comms_change(struct worker *w); /* make one, or free one, by the plan */
void comms_end(struct worker *w);
void comms_collective(struct worker *w); /* some collective calls, checked */
void comms_sync(struct worker *w);       /* leaves when all ranks have entered */

/* storm_plan.c: choose family, tags and messages of a round. `order`: no message to
 * oneself, and senders come before receivers in some order of the ranks; distinct: no
 * channel twice. */
enum plan_kind { PLAN_ANY, PLAN_ACYCLIC, PLAN_DISTINCT, PLAN_OTHERS };
void plan_round(struct worker *w, enum plan_kind kind);
struct truth_channel channel_of(const struct worker *w, int from, int to, int tag);
int rank_of(const struct worker *w,
            int world); /* what MPI calls it; keeps MPI_ANY_SOURCE */
void round_end(
    struct worker *w); /* synchronise, check what was received, keep the truth */

/* storm_calls.c: single operations. */
struct operation *operation_new(struct worker *w, int receiving);
void post_receive(struct worker *w, int source, int tag);
void receive_now(struct worker *w, int source, int tag); /* blocks */
void receive_probed(struct worker *w, int source, int tag, int blocking);
enum sending { SEND_NOW, SEND_LATER, SEND_READY, SENDINGS };
void send_message(struct worker *w, const struct message *m, enum sending how);
void received(struct worker *w, struct operation *o, const MPI_Status *status);
void to_nobody(struct worker *w);

/* storm_complete.c: completing calls. */
enum which { PENDING_ALL, PENDING_RECEIVES, PENDING_SENDS };
enum completing {
    COMPLETE_TEST,   /* some of the pending; does not block */
    COMPLETE_WAIT,   /* some of them; blocks for one, or for all that it takes */
    COMPLETE_ONE_OF, /* blocks until one of all pending is complete, or several */
};
void complete_some(struct worker *w, enum which which, enum completing how);
void complete_rest(struct worker *w, enum which which); /* until none is pending */
void cancel_one(struct worker *w);
int pending_count(const struct worker *w, enum which which);

/* storm_free.c, storm_rounds.c, storm_persistent.c */
void round_free(struct worker *w);
void round_ordered(struct worker *w);
void round_ready(struct worker *w);
void round_shift(struct worker *w);
void round_persistent(struct worker *w);

/* storm_shared.c: threads that share channels; returns 0 if all came once. */
int shared_channels(const struct settings *s);

#endif
