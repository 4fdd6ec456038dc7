/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.h: a schedule in a file: steps, and the partitions they begin with.
 *
 *     {"shape": [30, 20, 20], "parts": 2,
 *      "steps": [{"step": 0, "runs": [[0, 6000], [1, 6000]]},
 *                {"step": 20, "runs": [[0, 4000], [1, 8000]]}]}
 *
 * A run is an owner and a number of cells, in the order of their numbers. Other members
 * are not read. One thread at a time. */
#ifndef MESH_MRTD_SCHEDULE_H
#define MESH_MRTD_SCHEDULE_H

#include <stdint.h>

#include "ports/cca_error.h"

struct mrtd_schedule;

/* Read the schedule at `path`, for n[0] x n[1] x n[2] cells and `ranks` parts. New, freed
 * by mrtd_schedule_free (NULL is fine); NULL with `err`: -EINVAL with file, place, found
 * and expected; -ENOMEM or an I/O error. */
struct mrtd_schedule *mrtd_schedule_read(const char *path, const int32_t n[3],
                                         int32_t ranks, struct cca_error *err);
void mrtd_schedule_free(struct mrtd_schedule *schedule);

/* The owners from `step` on, into owner[cells]: 1; 0: the schedule changes nothing at
 * this step. */
int mrtd_schedule_owner(const struct mrtd_schedule *schedule, int32_t step,
                        int32_t *owner);

/* Whether it changes owners at `step`. */
int mrtd_schedule_has(const struct mrtd_schedule *schedule, int32_t step);

#endif
