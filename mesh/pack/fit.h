/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h: the next segment by each rule. */
#ifndef MESH_PACK_FIT_H
#define MESH_PACK_FIT_H

#include "mesh/pack/segment.h"

/* What goes from one segment to the next; begin with zeros but for `slack`. */
struct mesh_fit {
    double slack; /* what the sum of a block may be off, by the rounding of ends */
    int begun;
    float last;  /* value as decoded before */
    double owed; /* sum of decoded - given so far */
};

/* Fit a segment that begins at y[0]; `left` > 0 values are there until the end of the
 * block, all finite. `eps` >= 0 bounds the errors as the rule says. At least one cell; a
 * LINE has at least two. */
typedef struct mesh_segment mesh_fit_fn(const float *y, size_t left, double eps,
                                        struct mesh_fit *fit);

/* Least squares within the bound. The line passes through the middle of its points, so
 * its sum stays, and is the best of those that keep each value within eps. Where such a
 * line is clearly shorter than any line could be, the long one is taken, and the next
 * segments make up for its sum: over a block nothing is left. Where the mean alone keeps
 * the bound it is a LEVEL. */
mesh_fit_fn mesh_fit_least;
/* Least squares, grown while the RMS of the errors is at most eps. */
mesh_fit_fn mesh_fit_rms;
/* From the last value, the longest within eps; of its lines that of least squares. */
mesh_fit_fn mesh_fit_swing;
/* The longest line within eps: greedily taken these are the fewest. */
mesh_fit_fn mesh_fit_slide;

/* How many values, at most MESH_SEGMENT_CELLS, one line reaches within eps. *from, *to:
 * such a line at the first and at the last of them; it may touch the bound. */
size_t mesh_slide_reach(const float *y, size_t left, double eps, double *from,
                        double *to);

/* Whether each value as decoded is within eps; *sum, where not NULL, gets the sum of
 * decoded - given. */
int mesh_segment_holds(const struct mesh_segment *s, const float *y, double eps,
                       double *sum);

/* One or two cells: a line through both. */
struct mesh_segment mesh_short_line(const float *y, size_t left);

#endif
