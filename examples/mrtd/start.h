/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h: numbers shared by the C and the Fortran program: the absorbing layer, the
 * source, a mode of the box. Reentrant. */
#ifndef EXAMPLES_MRTD_START_H
#define EXAMPLES_MRTD_START_H

#include <stdint.h>

#include "examples/mrtd/options.h"

/* Compute the factors of an update in a cell: of the previous value, and of the curl. The
 * kernel computes coefficients of the curl without their factor of 1/2, which is part of
 * the second factor. */
void mrtd_start_factors(const struct mrtd_options *o, int32_t cell, double *keep,
                        double *add);

/* Return the source's contribution in `step` to the mean of E's component 2: the current
 * of a dipole whose moment is a Gaussian pulse; at most 1. */
double mrtd_start_source(const struct mrtd_options *o, int32_t step);

/* Return the number of the cell that contains the source; -1: no source. */
int32_t mrtd_start_source_cell(const struct mrtd_options *o);

/* Compute the coefficients [3][8] of E of a cell in the mode o->mode; the largest is
 * about 1. */
void mrtd_start_mode(const struct mrtd_options *o, int32_t cell, double *value);

#endif
