/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the packer share. */
#ifndef MESH_PACK_PARTS_H
#define MESH_PACK_PARTS_H

#include "mesh/pack/form.h"

/* --- segment.c ----------------------------------------------------------- */

enum mesh_segment_kind {
    MESH_SEGMENT_ZERO = 0,
    MESH_SEGMENT_LEVEL,
    MESH_SEGMENT_LINE,
    MESH_SEGMENT_JOINED,
    MESH_SEGMENT_GIVEN,
    MESH_SEGMENT_KINDS
};

enum { MESH_SEGMENT_CELLS = 4096 }; /* limit of cells in a fitted segment */

struct mesh_segment {
    enum mesh_segment_kind kind;
    size_t cells;
    float a, b; /* values: LEVEL: a; LINE: from a to b; JOINED: from the previous value a
                   to b */
};

/* Return the decoded value of cell `i` of a segment of any kind but GIVEN. */
static inline float mesh_segment_value(const struct mesh_segment *s, size_t i)
{
    double a = (double)s->a, b = (double)s->b;

    switch (s->kind) {
    case MESH_SEGMENT_LEVEL:
        return s->a;
    case MESH_SEGMENT_LINE:
        return (float)(a + (b - a) / (double)(s->cells - 1) * (double)i);
    case MESH_SEGMENT_JOINED:
        return (float)(a + (b - a) / (double)s->cells * (double)(i + 1));
    default:
        return 0;
    }
}

/* Append segments for the job by its method (LEAST, RMS, SWING, SLIDE, CHANGES); stop
 * when `bytes` is full. */
void mesh_segments_put(const struct mesh_job *job, struct mesh_bytes *bytes);

/* --- steps.c ------------------------------------------------------------- */

enum { MESH_STEPS_GROUP = 64, MESH_STEPS_HEAD = 12, MESH_STEPS_WIDTH = 31 };

/* A group of at most 64 values of method STEPS in the packed bytes. */
struct mesh_steps_group {
    double step, base;
    int64_t least;
    int width;
    const unsigned char *bits;
    size_t cells;
};

/* Append the job's values, C order, by method STEPS; afterwards `bytes` is full if this
 * is not possible. */
void mesh_steps_put(const struct mesh_job *job, struct mesh_bytes *bytes);

/* Read the head of a group of `cells` and move *at behind its bits. The caller sets step
 * and base. Returns 0 or -EBADMSG. */
int mesh_steps_open(struct mesh_steps_group *group, size_t cells,
                    const unsigned char **at, const unsigned char *end);

/* Decode the values first .. first + count - 1 of a group. */
void mesh_steps_get(const struct mesh_steps_group *group, size_t first, size_t count,
                    float *values);

/* --- zfp.c --------------------------------------------------------------- */

/* Whether this build has zfp. */
int mesh_zfp_here(void);

/* Append the job's values by zfp; afterwards `bytes` is full if this is not possible. The
 * accuracy found is stored in job->zfp and used by later calls. */
void mesh_zfp_put(struct mesh_job *job, struct mesh_bytes *bytes);

/* Unpack the cells lo <= c < hi, aligned like the shape, into values, in C order of the
 * box. If `previous` (of the box, too) is not NULL, the stored differences are added to
 * it. *at moves behind the last block that was read. Returns 0, -EBADMSG, -ENOMEM. */
int mesh_zfp_get(const unsigned char **at, const unsigned char *end,
                 const struct mesh_shape *shape, const int64_t lo[3], const int64_t hi[3],
                 const float *previous, float *values);

#endif
