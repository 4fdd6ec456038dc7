/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_verb.h: what verbs and formats of mesh profiles share. */
#ifndef MASTERMIND_CMD_MESH_MESH_VERB_H
#define MASTERMIND_CMD_MESH_MESH_VERB_H

#include "mastermind/cmd/cmd.h"
#include "mesh/trace/profile.h"

/* --- progress.c ----------------------------------------------------------- */

/* Progress on standard error, where that is a terminal and the work takes longer than a
 * second. Zeros begin. */
struct mesh_look {
    const char *what; /* "import field.csv" */
    double begun_s, shown_s;
    int shown;
};

/* Show that `done` of 1 is done; `look` is a struct mesh_look. */
void mesh_look_on(void *look, double done);
/* Remove the line. */
void mesh_look_end(struct mesh_look *look);

/* --- words.c -------------------------------------------------------------- */

/* "30,20,20": one to three numbers of at least 1. Their number, or 0 after a message
 * (misuse). Unused ones are 1. */
int mesh_shape_read(const struct mm_option *option, int64_t shape[3]);

/* Open the profile that --profile names, or the only one. NULL after a message, with
 * *code the exit code. */
struct mesh_profile *mesh_open(const char *experiment, const struct mm_option *name,
                               int *code);

/* The probe that is named; without a name the one called `otherwise` (may be NULL), or
 * the first. -1 after a message. */
int mesh_probe_find(const struct mesh_profile *profile, const struct mm_option *name,
                    const char *otherwise);

/* "A:B", "A:", ":B" or "A": numbers of steps, both ends included, as indices first <= i <
 * end. Without the option all. -1 to go on, else an exit code after a message. */
int mesh_steps_read(const struct mesh_profile *profile, const struct mm_option *option,
                    size_t *first, size_t *end);

#endif
