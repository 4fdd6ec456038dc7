/* SPDX-License-Identifier: BSD-3-Clause */
/* given_profile.h: an experiment of a profile that was not measured here: imported. */
#ifndef MESH_CONVERT_GIVEN_PROFILE_H
#define MESH_CONVERT_GIVEN_PROFILE_H

#include "mastermind/format/mesh_file.h"
#include "mastermind/writer/given.h"

/* Begin the experiment at `output`: it has no methods, one clock, `ranks` ranks, and the
 * name of the file that it comes from. New, finished and freed by mm_given_finish and
 * mm_given_free; NULL with `err` as mm_given_new. */
struct mm_given *mesh_given_new(const char *output, const char *source, int ranks,
                                struct cca_error *err);

/* A name of a profile or probe from any text: other letters become _, too long ones are
 * cut; `otherwise` where nothing is left. */
void mesh_given_name(const char *text, const char *otherwise,
                     char name[MM_MESH_NAME_BYTES]);

/* Progress of a long call: `done` of 1 so far. NULL where nobody looks. */
typedef void mesh_progress_fn(void *context, double done);

#endif
