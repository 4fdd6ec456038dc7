/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_verb.h: shared by the verbs and file formats of mesh profiles. */
#ifndef MASTERMIND_CMD_MESH_MESH_VERB_H
#define MASTERMIND_CMD_MESH_MESH_VERB_H

#include "mastermind/cmd/cmd.h"
#include "mesh/trace/profile.h"

/* --- progress.c ----------------------------------------------------------- */

/* Progress on standard error, printed if that is a terminal and the work takes longer
 * than a second. Initialise to zeros. */
struct mesh_look {
    const char *what; /* name of the activity for the progress line, "import field.csv" */
    double begun_s, shown_s;
    int shown;
};

/* Report that the share `done` (0 to 1) is done; `look` is a struct mesh_look. */
void mesh_look_on(void *look, double done);
/* Erase the line. */
void mesh_look_end(struct mesh_look *look);

/* --- words.c -------------------------------------------------------------- */

/* Read one to three numbers of at least 1, "30,20,20"; missing ones become 1. Returns how
 * many were given, or 0 after a message (misuse). */
int mesh_shape_read(const struct cca_given *option, int64_t shape[3]);

/* Open the profile that --profile names, or the only one. NULL after a message, with the
 * exit code in *code. */
struct mesh_profile *mesh_open(const char *experiment, const struct cca_given *name,
                               int *code);

/* The probe named by an option; without the option the probe `otherwise` (may be NULL),
 * or the first. -1 after a message. */
int mesh_probe_find(const struct mesh_profile *profile, const struct cca_given *name,
                    const char *otherwise);

/* Read numbers of steps, "A:B", "A:", ":B" or "A", both ends included, as indices first
 * <= i < end; all steps without the option. Returns -1 to go on, else an exit code after
 * a message. */
int mesh_steps_read(const struct mesh_profile *profile, const struct cca_given *option,
                    size_t *first, size_t *end);

#endif
