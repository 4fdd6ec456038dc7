/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h: messages and collectives of methods, if the run has sampled messages. */
#ifndef ACTIVITY_TRIP_TRAFFIC_H
#define ACTIVITY_TRIP_TRAFFIC_H

#include "activity/trip/core.h"

/* Messages from `src` to `dst` whose send and receive are in one method. */
struct trip_pair {
    const struct mm_method_info *method;
    int src, dst;
    double messages, bytes; /* estimates of all messages, from the sampled ones */
};

struct trip_collective {
    const struct mm_method_info *method;
    const char *function;    /* name of the collective: "MPI_Iallreduce" */
    double instances, bytes; /* number of collectives; bytes per call and process */
};

/* Messages that one method sends and another one receives. */
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
    int sampled; /* 1: the numbers are estimates from samples */
    int known;   /* 1: the run has recorded messages */
};

/* Read the messages of a run; methods that communicate in the base get activities. 0, or
 * a negative errno with the trip's error; call trip_traffic_done in any case. */
int trip_traffic_read(struct trip *trip, size_t run, struct trip_traffic *traffic);
void trip_traffic_done(struct trip_traffic *traffic);
/* How often each rank of the base called a method; -1 if ranks differ. */
double trip_calls_by_rank(const struct trip *trip, const struct mm_method_info *method);

#endif
