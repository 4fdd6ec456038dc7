/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.h: values as multiples of a step, packed in groups with few bits per value. */
#ifndef MESH_PACK_STEPS_H
#define MESH_PACK_STEPS_H

#include "mesh/pack/form.h"

enum { MESH_STEPS_GROUP = 64, MESH_STEPS_HEAD = 12, MESH_STEPS_WIDTH = 31 };

/* A group as it lies in the bytes. */
struct mesh_steps_group {
    double step, base;
    int64_t least;
    int width;
    const unsigned char *bits;
    size_t cells;
};

/* Append the job's values, C order; afterwards `bytes` is full if this is not
 * possible. */
void mesh_steps_put(const struct mesh_job *job, struct mesh_bytes *bytes);

/* Read the head of a group of `cells` and move *at behind its bits. The caller sets step
 * and base. 0 or -EBADMSG. */
int mesh_steps_open(struct mesh_steps_group *group, size_t cells,
                    const unsigned char **at, const unsigned char *end);

/* Values first .. first + count - 1 of a group. */
void mesh_steps_get(const struct mesh_steps_group *group, size_t first, size_t count,
                    float *values);

#endif
