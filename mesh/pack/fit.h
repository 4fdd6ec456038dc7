/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h: the next segment by each rule. */
#ifndef MESH_PACK_FIT_H
#define MESH_PACK_FIT_H

#include "mesh/pack/segment.h"

/* Fit a segment that begins at y[0]; `left` > 0 values are there, all finite. `last`: the
 * last value as decoded before, NULL at the start. `eps` >= 0 bounds the errors as the
 * rule says. At least one cell; a LINE has at least two. */
typedef struct mesh_segment mesh_fit_fn(const float *y, size_t left, double eps,
                                        const float *last);

/* The longest that keeps each value within eps by a line through the middle of its
 * points: its sum stays. Of those lines that of least squares. Where the mean alone keeps
 * the bound it is a LEVEL. */
mesh_fit_fn mesh_fit_least;
/* Least squares, grown while the RMS of the errors is at most eps. */
mesh_fit_fn mesh_fit_rms;
/* From the last value, the longest within eps; of its lines that of least squares. */
mesh_fit_fn mesh_fit_swing;
/* The longest line within eps: greedily taken these are the fewest. */
mesh_fit_fn mesh_fit_slide;

/* How many values, at most MESH_SEGMENT_CELLS, one line reaches within eps. *from, *to:
 * such a line, at the first and at the last of them, not yet rounded to floats. */
size_t mesh_slide_reach(const float *y, size_t left, double eps, double *from,
                        double *to);

/* Whether each value as decoded is within eps. */
int mesh_segment_holds(const struct mesh_segment *s, const float *y, double eps);

#endif
