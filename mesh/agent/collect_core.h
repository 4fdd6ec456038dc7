/* SPDX-License-Identifier: BSD-3-Clause */
/* collect_core.h: what the files of the collector share. One thread. */
#ifndef MESH_AGENT_COLLECT_CORE_H
#define MESH_AGENT_COLLECT_CORE_H

#include "mesh/agent/collect.h"
#include "mesh/trace/writer.h"

/* One mesh of one process. */
struct member {
    int source, number; /* of its local agent; as that calls it */
    int rank;
    int closed;
    int any;        /* it has told a step */
    int64_t last;   /* the last that it told */
    uint32_t every; /* of how many steps it told one then */
    int late; /* it came when steps had ended, or is no such mesh: nothing is kept */
    int probe_of[MM_MESH_PROBES]; /* in the file; -1: not kept */
    int probes;
};

/* A step that some ranks told and that has not ended. */
struct open_step {
    int64_t number;
    double time_s;
    int time_rank; /* whose time it is: the least */
    uint32_t ranks;
    int partial; /* a rank was not to tell it: it is none for the others either */
};

/* One profile. */
struct profile {
    char name[MM_MESH_NAME_BYTES];
    struct mm_mesh_about about;
    struct mesh_writer *writer;
    char probe_names[MM_MESH_PROBES][MM_MESH_NAME_BYTES];
    int probes, any_block;
    struct member *members;
    size_t member_count;
    int ranks;              /* 0: not known */
    struct open_step *open; /* ascending */
    size_t open_count;
    int any_ended;
    int64_t ended; /* the last step that ended */
};

struct mesh_collect {
    char *path;
    struct profile *profiles;
    size_t profile_count;
};

/* The step of a number that has not ended, made where it is not there; NULL: out of
 * memory. */
struct open_step *collect_open_step(struct profile *p, int64_t number);

/* A rank told `step`. 0 or a negative errno with `err`. */
int collect_step_told(struct profile *p, struct member *m, const struct wire_step *step,
                      struct cca_error *err);

/* Nothing more comes of a rank. */
void collect_close_member(struct profile *p, struct member *m);

/* Write the ends of steps that are over; `all`: of all. 0 or an I/O error. */
int collect_end_steps(struct profile *p, int all, struct cca_error *err);

/* Whether a step of this number has ended, so that nothing can be added to it. */
int collect_has_ended(const struct profile *p, int64_t step);

#endif
