/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h: a schedule in a file (docs/guide/balance.md): steps at which the partition
 * changes, each with the new partition.
 *
 *     {"shape": [30, 20, 20], "parts": 2,
 *      "steps": [{"step": 0, "runs": [[0, 6000], [1, 6000]]},
 *                {"step": 20, "runs": [[0, 4000], [1, 8000]]}]}
 *
 * A run is an owner and a number of consecutive cells. Other members are ignored. One
 * thread at a time. */
#ifndef MESH_SCHEDULE_FILE_H
#define MESH_SCHEDULE_FILE_H

#include <stdint.h>

#include "ports/cca_error.h"

struct mesh_schedule;

/* Read the schedule at `path`, for n[0] x ... x n[dims - 1] cells, 1 to 3 dimensions, and
 * `parts` parts. The result is new, freed by mesh_schedule_file_free (NULL is fine); NULL
 * with `err`: -EINVAL, where the message has file, place, found and expected; -ENOMEM or
 * an I/O error. */
struct mesh_schedule *mesh_schedule_file_read(const char *path, int dims,
                                              const int64_t *n, int32_t parts,
                                              struct cca_error *err);
void mesh_schedule_file_free(struct mesh_schedule *schedule);

/* Write the owners from `step` on into owner[cells]. Returns 1; 0: the schedule has no
 * change at this step. */
int mesh_schedule_file_owner(const struct mesh_schedule *schedule, int32_t step,
                             int32_t *owner);

/* Write the owners at `step` into owner[cells]: from the last entry of the schedule at or
 * before it. Returns the step of that entry. */
int32_t mesh_schedule_file_standing(const struct mesh_schedule *schedule, int32_t step,
                                    int32_t *owner);

/* Whether the schedule has an entry at `step`. */
int mesh_schedule_file_has(const struct mesh_schedule *schedule, int32_t step);

#endif
