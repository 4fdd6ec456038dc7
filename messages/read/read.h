/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h: read the messages of an experiment from the files of all its processes.
 *
 * Files are opened one after the other, again for each walk. Memory grows with callsites
 * and communicators, and by some 100 bytes per process, but not with messages or samples.
 * The run may be unfinished, or killed. */
#ifndef MESSAGES_READ_READ_H
#define MESSAGES_READ_READ_H

#include "mastermind/reader/experiment.h"
#include "messages/read/file.h"
#include "messages/words/words.h"

/* A process, by its rank in MPI_COMM_WORLD. */
struct mm_messages_process {
    int present, sealed;
    uint64_t node;
    uint32_t host; /* index of the process's host in mm_messages.hosts */
    uint32_t point_count;
    double ns_per_tick;
    uint64_t epoch_ticks;
    /* points at which its clock was compared with the clock of process 0; NULL: it uses
     * that clock */
    struct mm_messages_clock_point *points;
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
        uint32_t object; /* index of the code's object in mm_messages.objects */
        uint64_t offset;
    } frame[MM_MESSAGES_FRAMES];
};

/* The struct owns strings and tables, but not the experiment. */
struct mm_messages {
    const struct mm_experiment *experiment;
    char request_text[256];
    struct mm_message_request request;
    uint64_t seed, job;
    /* numbers of processes, of their files, and of unsealed files */
    int processes, present, live;
    /* [processes] the processes, by rank in MPI_COMM_WORLD */
    struct mm_messages_process *process;
    /* counts of the headers, summed over all processes */
    uint64_t counts[MM_MESSAGES_COUNTS];
    uint64_t entries[MM_MESSAGES_TYPES];
    uint32_t flags;  /* flags that any header has; MM_MESSAGES_TSC and _ONE_NODE only if
                      * all headers have them */
    int f08;         /* number of processes that use mpi_f08 */
    size_t nodes;    /* number of different clocks */
    double bound_ns; /* largest error bound of the clock points of all processes */
    int no_points;   /* number of processes without clock points that are on another node
                      * than process 0 */
    int has_buckets;
    struct mm_messages_odd odd;
    char (*hosts)[64]; /* [host_count] host names, each once */
    size_t host_count;
    struct mm_messages_known_object *objects;
    size_t object_count;
    struct mm_messages_known_site *sites; /* callsites, sorted by key */
    size_t site_count;
    struct mm_messages_comm *comms; /* communicators, sorted by id */
    size_t comm_count;
    /* unverified channels, sorted by mm_messages_channel_order; `peer` is the
     * destination, `side` the source */
    struct mm_messages_channel *unverified;
    size_t unverified_count;
};

/* Read headers, callsites and communicators of all processes; `experiment` must outlive
 * the result. New, or NULL with `err`: -ENOENT: no process has a file of messages;
 * -EBADMSG: damaged ("file: offset N: found, expected"); -EIO, -ENOMEM. */
struct mm_messages *mm_messages_open(const struct mm_experiment *experiment,
                                     struct cca_error *err);
void mm_messages_free(struct mm_messages *messages);

/* Called with each entry of a type; non-zero ends the walk. */
typedef int (*mm_messages_function)(void *context, int process, const void *entry);

/* Walk the entries of all processes, rank by rank. Entries without a valid check value
 * are left out and counted in `odd`, which may be NULL. Returns 0, the function's return
 * value, or a negative errno with `err`. */
int mm_messages_walk(const struct mm_messages *messages, enum mm_messages_type type,
                     mm_messages_function function, void *context,
                     struct mm_messages_odd *odd, struct cca_error *err);

/* The callsite with this key, or NULL. */
const struct mm_messages_known_site *mm_messages_site(const struct mm_messages *messages,
                                                      uint64_t key);
const struct mm_messages_comm *mm_messages_comm(const struct mm_messages *messages,
                                                uint64_t id);
/* The method with number `id` of a process, or NULL. */
const struct mm_method_info *mm_messages_method(const struct mm_messages *messages,
                                                int process, int id);
/* Whether a channel is unverified: one of its ends has a flag. */
int mm_messages_unverified(const struct mm_messages *messages, uint64_t comm, int src,
                           int dst, int tag);

#endif
