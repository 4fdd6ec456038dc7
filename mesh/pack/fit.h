/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h: fit the next segment by each of the rules. */
#ifndef MESH_PACK_FIT_H
#define MESH_PACK_FIT_H

#include "mesh/pack/parts.h"

/* State carried from one segment to the next; begin with zeros except `slack`. */
struct mesh_fit {
    double slack; /* how far the sum of a block may be off, from the rounding of ends */
    int begun;
    float last; /* the previous value as decoded */
    /* sum of decoded - given values so far, which later segments make up for */
    double owed;
};

/* Fit a segment that begins at y[0]; `left` > 0 values, all finite, remain in the block.
 * `eps` >= 0 bounds each error, for RMS their root mean square. The segment has at least
 * one cell; a LINE at least two. */
typedef struct mesh_segment mesh_fit_fn(const float *y, size_t left, double eps,
                                        struct mesh_fit *fit);

/* Least squares with bounded errors. The line passes through the centre of its points, so
 * their sum is preserved; among such lines within eps it is the best one. Where it is
 * clearly shorter than the longest possible line, the long line is taken, and the
 * following segments compensate its sum, so that the sum of the block is preserved. If
 * the mean alone keeps the bound, the segment is a LEVEL. */
mesh_fit_fn mesh_fit_least;
/* Least squares; the segment grows while the RMS of its errors is at most eps. */
mesh_fit_fn mesh_fit_rms;
/* The longest segment within eps that begins at the last value; of such lines, the
 * least-squares one. */
mesh_fit_fn mesh_fit_swing;
/* The longest line within eps; taken greedily, these are the fewest segments. */
mesh_fit_fn mesh_fit_slide;

/* Number of values, at most MESH_SEGMENT_CELLS, that one line can represent within eps.
 * *from, *to: such a line at the first and the last of them; its errors may equal eps. */
size_t mesh_slide_reach(const float *y, size_t left, double eps, double *from,
                        double *to);

/* Whether each value as decoded is within eps; *sum, if not NULL, is the sum of decoded -
 * given. */
int mesh_segment_holds(const struct mesh_segment *s, const float *y, double eps,
                       double *sum);

/* A line through one or two cells. */
struct mesh_segment mesh_short_line(const float *y, size_t left);

#endif
