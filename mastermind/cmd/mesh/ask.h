/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.h: a request for values of a mesh profile, shared by the files of the verb mesh. */
#ifndef MASTERMIND_CMD_MESH_ASK_H
#define MASTERMIND_CMD_MESH_ASK_H

#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/convert/region.h"

enum mesh_form { MESH_TEXT, MESH_CSV, MESH_JSON };

struct mesh_ask {
    const char *experiment;
    struct mesh_profile *profile;
    const struct mm_mesh_about *about;
    int probes[MM_MESH_PROBES];
    int probe_count;
    size_t first, end; /* indices of steps: first <= i < end */
    struct mesh_region region;
    int selected; /* 1: print values, not the summary */
    enum mesh_form form;
    size_t limit; /* most lines of text */
    struct mesh_look look;
    struct cca_error err;
};

/* The options that choose values. */
struct mesh_ask_options {
    const struct cca_given *probe, *step, *level, *box, *cell, *coarse;
};

/* Read the options. Returns -1 to go on, else an exit code after a message. ask.c */
int mesh_ask_read(struct mesh_ask *ask, const struct mesh_ask_options *options);

/* Print the summary, or the values. Each returns an exit code. */
int mesh_summary(struct mesh_ask *ask);
int mesh_values(struct mesh_ask *ask);

/* Options of --errors, which prints the cost of each bound on the error, for the first
 * requested probe. */
struct mesh_errors {
    const struct cca_given *eps; /* bounds; without values the verb chooses some */
    int parts;                   /* 1 to MESH_PARTS */
    const char *partitioner;
};
int mesh_errors(struct mesh_ask *ask, const struct mesh_errors *wish);

/* New document with the members that all answers have: experiment, profile, shape,
 * probes, steps. */
json_t *mesh_document(const struct mesh_ask *ask);

/* Print a step in letters: shades of the mean along the dimension that is not shown.
 * Returns -1, or an exit code after a message. picture.c */
int mesh_picture(struct mesh_ask *ask, size_t i, int probe);
/* Print a line of bars; a bar stands for one value or for the mean of several. Values are
 * finite. */
void mesh_spark(const double *values, size_t count, int width);

#endif
