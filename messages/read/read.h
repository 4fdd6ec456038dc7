/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h: the messages of an experiment, from the files of all its processes.
 *
 * Files are opened one after the other, each as often as something is asked. Memory grows
 * with callsites and communicators, and by some 100 bytes for each process, not with
 * messages or samples. The run may be under way, or killed. */
#ifndef MESSAGES_READ_READ_H
#define MESSAGES_READ_READ_H

#include "mastermind/reader/experiment.h"
#include "messages/read/file.h"
#include "messages/words/words.h"

/* A process, by its rank in MPI_COMM_WORLD. */
struct mm_messages_process {
    int present, sealed;
    uint64_t node;
    uint32_t host; /* index of mm_messages.hosts */
    uint32_t point_count;
    double ns_per_tick;
    uint64_t epoch_ticks;
    struct mm_messages_clock_point *points; /* NULL: it has the clock of process 0 */
};

struct mm_messages_known_object {
    char path[224];
    uint8_t build_id[20];
    uint32_t build_id_bytes;
};

struct mm_messages_known_site {
    uint64_t key;
    uint32_t frames;
    struct {
        uint32_t object; /* index of mm_messages.objects */
        uint64_t offset;
    } frame[MM_MESSAGES_FRAMES];
};

/* Strings and tables are the struct's own, but for the experiment. */
struct mm_messages {
    const struct mm_experiment *experiment;
    char request_text[256];
    struct mm_message_request request;
    uint64_t seed, job;
    int processes, present, live;        /* live: files that are not sealed */
    struct mm_messages_process *process; /* [processes] */
    uint64_t counts[MM_MESSAGES_COUNTS]; /* sums over all processes */
    uint64_t entries[MM_MESSAGES_TYPES];
    uint32_t flags;  /* of all heads together; MM_MESSAGES_TSC, _ONE_NODE: of all */
    int f08;         /* processes that have mpi_f08 */
    size_t nodes;    /* different clocks */
    double bound_ns; /* largest bound of a point of a clock */
    int no_points;   /* processes on another node than process 0 without a point */
    int has_buckets;
    struct mm_messages_odd odd;
    char (*hosts)[64]; /* [host_count], each name once */
    size_t host_count;
    struct mm_messages_known_object *objects;
    size_t object_count;
    struct mm_messages_known_site *sites; /* by key */
    size_t site_count;
    struct mm_messages_comm *comms; /* by id */
    size_t comm_count;
    struct mm_messages_channel *unverified; /* by mm_messages_channel_order; `peer` is the
                                               destination, `side` the source */
    size_t unverified_count;
};

/* Read the heads, callsites and communicators of all processes; `experiment` must outlive
 * what it returns. New, or NULL with `err`: -ENOENT: no process has left messages;
 * -EBADMSG damaged ("file: offset N: found, expected"); -EIO, -ENOMEM. */
struct mm_messages *mm_messages_open(const struct mm_experiment *experiment,
                                     struct cca_error *err);
void mm_messages_free(struct mm_messages *messages);

/* Called with each entry of a type; non-zero ends the walk. */
typedef int (*mm_messages_function)(void *context, int process, const void *entry);

/* Walk the entries of all processes, rank by rank. Entries without a good check are left
 * out and counted in `odd`, which may be NULL. Returns 0, what the function returned, or
 * a negative errno with `err`. */
int mm_messages_walk(const struct mm_messages *messages, enum mm_messages_type type,
                     mm_messages_function function, void *context,
                     struct mm_messages_odd *odd, struct cca_error *err);

/* By key, or NULL. */
const struct mm_messages_known_site *mm_messages_site(const struct mm_messages *messages,
                                                      uint64_t key);
const struct mm_messages_comm *mm_messages_comm(const struct mm_messages *messages,
                                                uint64_t id);
/* The method with the number `id` of a process, or NULL. */
const struct mm_method_info *mm_messages_method(const struct mm_messages *messages,
                                                int process, int id);
/* True if a channel is not to be trusted: one of its ends has a flag. */
int mm_messages_unverified(const struct mm_messages *messages, uint64_t comm, int src,
                           int dst, int tag);

#endif
