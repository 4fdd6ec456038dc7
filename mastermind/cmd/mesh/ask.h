/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.h: a request for values of a mesh profile, shared by the files of the verb mesh. */
#ifndef MASTERMIND_CMD_MESH_ASK_H
#define MASTERMIND_CMD_MESH_ASK_H

#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/convert/region.h"
#include "mesh/balance/partition.h"
#include "mesh/trace/cost.h"

enum mesh_form { MESH_TEXT, MESH_CSV, MESH_JSON };

struct mesh_ask {
    const char *experiment;
    struct mesh_profile *profile;
    const struct mm_mesh_about *about;
    int probes[MM_MESH_PROBES];
    int probe_count;
    size_t first, end; /* indices of steps: first <= i < end */
    struct mesh_region region;
    int selected; /* true to print values, not the summary */
    enum mesh_form form;
    size_t limit; /* largest number of lines of text */
    struct mesh_look look;
    struct cca_error err;
};

/* The options that choose values. */
struct mesh_ask_options {
    const struct cca_given *probe, *step, *level, *box, *cell, *coarse;
};

/* Read the options. Returns -1 to go on, else an exit code after a message. See ask.c. */
int mesh_ask_read(struct mesh_ask *ask, const struct mesh_ask_options *options);

/* Print the summary, or the values. Each returns an exit code. */
int mesh_summary(struct mesh_ask *ask);
int mesh_values(struct mesh_ask *ask);

/* Options of --errors, which prints the cost of each bound on the error, for the first
 * requested probe. */
struct mesh_errors {
    const struct cca_given
        *eps;  /* bounds on the error; if none is given, the verb chooses some */
    int parts; /* 1 to MESH_PARTS */
    const char *partitioner;
};
int mesh_errors(struct mesh_ask *ask, const struct mesh_errors *wish);

/* Make a new document with the members that all answers have: experiment, profile, shape,
 * probes, steps. */
json_t *mesh_document(const struct mesh_ask *ask);

/* Print a step in letters: shades of the mean along the dimension that is not shown.
 * Returns -1, or an exit code after a message. See picture.c. */
int mesh_picture(struct mesh_ask *ask, size_t i, int probe);
/* Print a line of bars; a bar stands for one value or for the mean of several. Values are
 * finite. */
void mesh_spark(const double *values, size_t count, int width);

/* --- digest.c ------------------------------------------------------------ */

/* Numbers of one probe. An error is the decoded value minus the original one. */
struct mesh_digest_probe {
    uint64_t values, bytes;  /* number of values; bytes when packed */
    double sum;              /* sum of the values over all steps */
    double least, greatest;  /* least and greatest value; NAN: no value is finite */
    double largest, squares; /* largest error of a value; sum of squared errors */
    double sum_error;        /* largest error of a step's sum, relative to it */
    double part_error;       /* largest relative error of a rank's sum in a step */
    int64_t part_step;       /* step and rank of `part_error` */
    int part_rank;
    uint64_t balanced;       /* number of steps with a sum > 0 */
    double imbalance, worst; /* max / mean - 1 of the ranks: sum over steps; largest */
    int64_t worst_step;
};

struct mesh_digest {
    struct mesh_digest_probe
        probes[MM_MESH_PROBES]; /* numbers of each probe, with the index of the probe in
                                   the profile */
    double *sums; /* [steps of the request][probes of the profile] sum of a probe's
                   * values in a step */
    int ranks;
};

/* Read the profile for the steps of the request. Returns -1 to go on, or an exit code
 * after a message; call mesh_digest_done either way. */
int mesh_digest_read(struct mesh_digest *digest, struct mesh_ask *ask);
void mesh_digest_done(struct mesh_digest *digest);

/* --- errors.c ------------------------------------------------------------ */

/* One bound on the error of values, and its costs. */
struct mesh_bound {
    double eps;
    struct mesh_costing *costing;
    double sum_error;        /* largest relative error of a step's sum */
    double part_error;       /* largest relative error of a part's load in a step */
    double imbalance, worst; /* imbalance of the parts, max / mean - 1: sum over steps;
                              * largest */
    uint64_t balanced;       /* number of steps whose imbalance is known */
    float *decoded;          /* [cells] decoded values of level 0, with the values of
                              * finer levels */
};

struct mesh_judgement {
    struct mesh_ask *ask;
    const struct mesh_errors *wish;
    int probe;
    struct mesh_bound *bounds;
    size_t count;
    struct mesh_source source; /* the mesh, without values */
    struct mesh_partitioner partitioner;
    int parted; /* true if the partitioner can partition this mesh */
    int64_t cells;
    float *kept;      /* [cells] values of level 0 as in the profile */
    uint16_t *owners; /* [cells] number of the part that owns each cell */
    double *loads;    /* [2 * parts] load of each part, from original values, then from
                       * decoded ones */
};

/* Print the costs; each returns an exit code. See errors_view.c. */
int mesh_errors_text(const struct mesh_judgement *e);
int mesh_errors_json(const struct mesh_judgement *e);

#endif
