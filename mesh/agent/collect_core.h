/* SPDX-License-Identifier: BSD-3-Clause */
/* collect_core.h: state of the collector, shared by its files. One thread. */
#ifndef MESH_AGENT_COLLECT_CORE_H
#define MESH_AGENT_COLLECT_CORE_H

#include "mesh/agent/collect.h"
#include "mesh/trace/writer.h"

/* One mesh of one process, as the collector sees it: a rank of a profile. */
struct member {
    int source, number; /* source: number of the local agent; number: id of the mesh in
                           that agent's packets */
    int rank;
    int closed;
    int any;      /* true if the rank has sent a step */
    int64_t last; /* number of the last step that the rank sent */
    /* stride when it sent step `last`: it sends multiples of the stride */
    uint32_t every;
    int late; /* true if the rank came after steps had ended, or its mesh differs: its
                 data is dropped */
    /* [probe of the rank]: index of the probe in the profile; -1: its values are dropped
     */
    int probe_of[MM_MESH_PROBES];
    int probes;
};

/* A step that some ranks have sent and that is not complete. */
struct open_step {
    int64_t number;
    double time_s;
    int time_rank; /* lowest rank that has sent the step so far; time_s is its time */
    uint32_t ranks;
    int partial; /* true if a rank did not record the step, because it is no multiple of
                  * the rank's stride; such a step is not written
                  */
};

/* A profile that is being written. */
struct profile {
    char name[MM_MESH_NAME_BYTES];
    struct mm_mesh_about about;
    struct mesh_writer *writer;
    char probe_names[MM_MESH_PROBES][MM_MESH_NAME_BYTES];
    int probes, any_block;
    struct member *members;
    size_t member_count;
    int ranks;              /* number of ranks of the mesh; 0: unknown */
    struct open_step *open; /* incomplete steps, ascending by number */
    size_t open_count;
    int any_ended;
    int64_t ended; /* number of the last complete step */
};

struct mesh_collect {
    char *path;
    struct profile *profiles;
    size_t profile_count;
};

/* Return the open step with this number, which is added if it is not there; NULL: out of
 * memory. */
struct open_step *collect_open_step(struct profile *p, int64_t number);

/* Record that a rank has sent all of `step`. Returns 0 or a negative errno with `err`. */
int collect_step_told(struct profile *p, struct member *m, const struct wire_step *step,
                      struct cca_error *err);

/* Record that a rank sends nothing more. */
void collect_close_member(struct profile *p, struct member *m);

/* Write the end marks of complete steps; if `all` is true, of all open steps. Returns 0
 * or an I/O error.
 */
int collect_end_steps(struct profile *p, int all, struct cca_error *err);

/* Whether the step with this number has ended: nothing can be added to it. */
int collect_has_ended(const struct profile *p, int64_t step);

#endif
