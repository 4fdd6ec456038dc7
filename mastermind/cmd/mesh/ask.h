/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.h: what is asked of a mesh profile, for the parts of the verb mesh. */
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
    size_t first, end; /* steps, indices first <= i < end */
    struct mesh_region region;
    int selected; /* values are asked for, not the summary */
    enum mesh_form form;
    size_t limit; /* lines of text */
    struct mesh_look look;
    struct cca_error err;
};

/* Options that choose values. */
struct mesh_ask_options {
    const struct mm_option *probe, *step, *level, *box, *cell, *coarse;
};

/* Read them. -1 to go on, else an exit code after a message. ask.c */
int mesh_ask_read(struct mesh_ask *ask, const struct mesh_ask_options *options);

/* Each prints what is asked for and returns an exit code. */
int mesh_summary(struct mesh_ask *ask);
int mesh_values(struct mesh_ask *ask);

/* What each bound on the error costs, by its options. Of the first probe that is asked
 * for. */
struct mesh_errors {
    const struct mm_option *eps; /* bounds; without values some are chosen */
    int parts;                   /* 1 to MESH_PARTS */
    const char *partitioner;
};
int mesh_errors(struct mesh_ask *ask, const struct mesh_errors *wish);

/* New document with what all answers have: experiment, profile, shape, probes, steps. */
json_t *mesh_document(const struct mesh_ask *ask);
/* "30 x 20 x 20 cells", "5 elements"; returns `text`. */
const char *mesh_shape_text(const struct mm_mesh_about *about, char text[120]);

/* Print a picture of a step for people: shades of the mean along what is not shown. -1,
 * or an exit code after a message. picture.c */
int mesh_picture(struct mesh_ask *ask, size_t i, int probe);
/* A line of bars, one for each value or for several; values are finite. */
void mesh_spark(const double *values, size_t count, int width);

#endif
