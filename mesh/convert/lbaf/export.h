/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h: a profile as LBDatafiles. */
#ifndef MESH_CONVERT_LBAF_EXPORT_H
#define MESH_CONVERT_LBAF_EXPORT_H

#include "mesh/convert/given_profile.h"
#include "mesh/trace/profile.h"

/* Write NAME.RANK.json of a profile into the new folder `output`. Each cell of level 0
 * (with the work of the finer cells above it) or element that was told is a task: its
 * seq_id is its number, its index its place, its time the value of `probe` in seconds
 * (ns, us, ms and s are times; other units count as seconds), its home the rank that had
 * it first. A cell of no rank is rank 0's, or left out where its value is 0 and other
 * cells of the step have ranks. A step is a phase; numbers between steps are phases that
 * were skipped. `ranks`: of the experiment, at least 1; ranks without tasks have a file,
 * too. 0; -EEXIST or another error of the place; -EBADMSG a damaged profile; -ENOMEM or
 * an I/O error. */
int mesh_export_lbaf(struct mesh_profile *profile, int probe, int ranks,
                     const char *output, mesh_progress_fn *progress, void *context,
                     struct cca_error *err);

#endif
