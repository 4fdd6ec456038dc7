/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h: export a profile as LBDatafiles. */
#ifndef MESH_CONVERT_LBAF_EXPORT_H
#define MESH_CONVERT_LBAF_EXPORT_H

#include "mesh/convert/parts.h"
#include "mesh/trace/profile.h"

/* Write NAME.RANK.json of a profile into the new folder `output`. Each element, or cell
 * of level 0 (with the work of the finer cells in it), that has a value becomes a task:
 * its seq_id is the cell's number, its index the cell's position, its time the value of
 * `probe` in seconds (ns, us, ms and s are times; values in other units are written as
 * seconds), its home the first rank that owned the cell. A cell without rank goes to rank
 * 0, or is left out if its value is 0 and other cells of the step have ranks. A step
 * becomes a phase; numbers between steps become skipped phases. `ranks`: number of ranks
 * of the experiment, at least 1; ranks without tasks have a file, too. Returns 0; -EEXIST
 * or another error of the path `output`; -EBADMSG: a damaged profile; -ENOMEM or an I/O
 * error. */
int mesh_export_lbaf(struct mesh_profile *profile, int probe, int ranks,
                     const char *output, mesh_progress_fn *progress, void *context,
                     struct cca_error *err);

#endif
