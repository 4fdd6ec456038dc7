/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h: numbers shared by the C and the Fortran program: the absorbing layer, the
 * source, a mode of the box. Reentrant. */
#ifndef EXAMPLES_MRTD_START_H
#define EXAMPLES_MRTD_START_H

#include <stdint.h>

#include "examples/mrtd/options.h"

/* The factors of an update in a cell: of the previous value, and of the curl.
 * Coefficients of the curl are sums of whole multiples, without their factor of 1/2. */
void mrtd_start_factors(const struct mrtd_options *o, int32_t cell, double *keep,
                        double *add);

/* The source's contribution in `step` to the mean of E's component 2: the current of a
 * dipole whose moment is a Gaussian pulse; at most 1. */
double mrtd_start_source(const struct mrtd_options *o, int32_t step);

/* Number of the cell that contains the source; -1: no source. */
int32_t mrtd_start_source_cell(const struct mrtd_options *o);

/* The coefficients [3][8] of E of a cell in the mode o->mode, largest about 1. */
void mrtd_start_mode(const struct mrtd_options *o, int32_t cell, double *value);

#endif
