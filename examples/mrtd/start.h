/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h: numbers that the C and the Fortran program take alike: of the layer that
 * absorbs, the source, a mode of the box. Reentrant. */
#ifndef EXAMPLES_MRTD_START_H
#define EXAMPLES_MRTD_START_H

#include <stdint.h>

#include "examples/mrtd/options.h"

/* The factors of an update in a cell: of the value before, and of the curl, whose
 * coefficients come as sums of whole multiples, without their factor of 1/2. */
void mrtd_start_factors(const struct mrtd_options *o, int32_t cell, double *keep,
                        double *add);

/* What the source adds to the mean of E's component 2 in `step`: the current of a dipole
 * whose moment is a Gaussian pulse; at most 1. */
double mrtd_start_source(const struct mrtd_options *o, int32_t step);

/* The cell that radiates, -1: none. */
int32_t mrtd_start_source_cell(const struct mrtd_options *o);

/* The coefficients [3][8] of E of a cell in the mode o->mode, largest about 1. */
void mrtd_start_mode(const struct mrtd_options *o, int32_t cell, double *value);

#endif
