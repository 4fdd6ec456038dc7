/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h: fit the next segment by each of the rules. */
#ifndef MESH_PACK_FIT_H
#define MESH_PACK_FIT_H

#include "mesh/pack/parts.h"

/* State carried from one segment to the next; begin with zeros except `slack`. */
struct mesh_fit {
    double slack; /* largest error of a block's sum that rounding of segments' ends may
                     cause */
    int begun;
    float last; /* the value before the segment, as decoded */
    /* sum of (decoded - given value) so far, which later segments compensate */
    double owed;
};

/* Fit a segment that begins at y[0]; `left` > 0 values, all finite, remain in the block.
 * `eps` >= 0 bounds each error, for RMS their root mean square. The segment has at least
 * one cell; a LINE at least two. */
typedef struct mesh_segment mesh_fit_fn(const float *y, size_t left, double eps,
                                        struct mesh_fit *fit);

/* Least squares with bounded errors. The line passes through the centre of its points, so
 * their sum is preserved; among the lines through the centre whose errors are within eps
 * it has the least squares. If it covers clearly fewer cells than the longest line within
 * eps, the longest line is taken, and the following segments compensate its sum, so that
 * the sum of the block is preserved. If the mean alone keeps the bound, the segment is a
 * LEVEL. */
mesh_fit_fn mesh_fit_least;
/* Least squares; the segment grows while the RMS of its errors is at most eps. */
mesh_fit_fn mesh_fit_rms;
/* The longest segment within eps that begins at the last value; of equally long segments,
 * the least-squares line. */
mesh_fit_fn mesh_fit_swing;
/* The longest line within eps; taken greedily, these are the fewest segments. */
mesh_fit_fn mesh_fit_slide;

/* Return the number of values, at most MESH_SEGMENT_CELLS, that one line can represent
 * within eps. *from, *to: values of such a line at the first and the last of these cells;
 * its errors may equal eps. */
size_t mesh_slide_reach(const float *y, size_t left, double eps, double *from,
                        double *to);

/* Whether each decoded value is within eps of the given value; *sum, if not NULL, is the
 * sum of (decoded - given). */
int mesh_segment_holds(const struct mesh_segment *s, const float *y, double eps,
                       double *sum);

/* Return a segment that is exact for the next one or two cells. */
struct mesh_segment mesh_short_line(const float *y, size_t left);

#endif
