/* SPDX-License-Identifier: BSD-3-Clause */
/* given_profile.h: make an experiment for an imported profile. */
#ifndef MESH_CONVERT_GIVEN_PROFILE_H
#define MESH_CONVERT_GIVEN_PROFILE_H

#include "mastermind/format/mesh_file.h"
#include "mastermind/writer/given.h"

/* Begin the experiment at `output`. It has no methods, one clock, `ranks` ranks, and the
 * name of the source file. New, finished and freed by mm_given_finish and mm_given_free;
 * NULL with `err` as in mm_given_new. */
struct mm_given *mesh_given_new(const char *output, const char *source, int ranks,
                                struct cca_error *err);

/* Make a name of a profile or probe from any text: other characters become _, long names
 * are cut; `otherwise` if nothing is left. */
void mesh_given_name(const char *text, const char *otherwise,
                     char name[MM_MESH_NAME_BYTES]);

/* Progress of a long call: the fraction `done`, 0 to 1. NULL: no progress. */
typedef void mesh_progress_fn(void *context, double done);

#endif
