/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h: the value of --cells: which probes of a mesh are recorded, and how:
 *
 *     PROBE,...|all[:cells|blocks|auto][:every=K][:eps=E]
 *
 * cells: time each cell; blocks: time runs of cells, which share their time evenly; auto:
 * choose one of these, and a stride of steps, so that profiling costs less than 1 % of
 * the CPU time. Every K-th step is recorded. E bounds the error of each value.
 * Reentrant. */
#ifndef MESH_PROBE_REQUEST_H
#define MESH_PROBE_REQUEST_H

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

enum mesh_grain { MESH_CELLS_EACH = 0, MESH_CELLS_BLOCKS, MESH_CELLS_AUTO };

struct mesh_request {
    int all, count; /* all: true if all probes are selected; count: number of names */
    char names[MM_MESH_PROBES][MM_MESH_NAME_BYTES];
    enum mesh_grain grain;
    int64_t every; /* stride of recorded steps, at least 1 */
    double eps;    /* bound on the error of each value; 0: exact */
};

/* Read the value of --cells. Returns 0, or -EINVAL with found and expected; *request is
 * then untouched. */
int mesh_request_read(const char *text, struct mesh_request *request,
                      struct cca_error *err);
int mesh_request_has(const struct mesh_request *request, const char *probe);
/* Whether this is a valid name of a probe or profile. */
int mesh_name_holds(const char *name);

#endif
