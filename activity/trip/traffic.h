/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h: what methods sent and received, where the run has sampled messages. */
#ifndef ACTIVITY_TRIP_TRAFFIC_H
#define ACTIVITY_TRIP_TRAFFIC_H

#include "activity/trip/core.h"

/* Messages from `src` to `dst` within one method, at both ends. */
struct trip_pair {
    const struct mm_method_info *method;
    int src, dst;
    double messages, bytes; /* estimates of all, from those sampled */
};

struct trip_collective {
    const struct mm_method_info *method;
    const char *function;    /* "MPI_Iallreduce" */
    double instances, bytes; /* bytes of one call of one process */
};

/* Messages that are sent in one method and received in another. */
struct trip_across {
    const struct mm_method_info *sender, *receiver;
};

struct trip_traffic {
    struct trip_pair *pairs;
    size_t pair_count;
    struct trip_collective *collectives;
    size_t collective_count;
    struct trip_across *across;
    size_t across_count;
    int sampled; /* numbers are estimates */
    int known;   /* the run has messages */
};

/* Read the messages of a run; methods that talk in the base get activities. 0, or a
 * negative errno with the trip's error; trip_traffic_done in any case. */
int trip_traffic_read(struct trip *trip, size_t run, struct trip_traffic *traffic);
void trip_traffic_done(struct trip_traffic *traffic);
/* How often each rank of the base called a method, if all did equally often; else -1. */
double trip_calls_by_rank(const struct trip *trip, const struct mm_method_info *method);

#endif
