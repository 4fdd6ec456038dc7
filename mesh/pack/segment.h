/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.h: runs of cells whose values follow from a few floats. */
#ifndef MESH_PACK_SEGMENT_H
#define MESH_PACK_SEGMENT_H

#include "mesh/pack/form.h"

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

/* A decoded value of a segment of any kind but GIVEN. */
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

#endif
