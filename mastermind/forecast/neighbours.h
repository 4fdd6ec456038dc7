/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours.h: what a method costs beside the classes asked for.
 *
 * States may cost a fifth less beside HLLCFlux than beside EFMFlux, which leaves other
 * lines in the caches. Models pool the runs of all neighbours. The factor is what the
 * runs with the classes asked for show over the pooled model, drawn towards 1 by as much
 * as runs differ by chance. */
#ifndef MASTERMIND_FORECAST_NEIGHBOURS_H
#define MASTERMIND_FORECAST_NEIGHBOURS_H

#include "mastermind/forecast/cost.h"

/* The factor for the calls of a cell, 1 where nothing is known. Where the classes never
 * ran together it is the product of those of each by itself. 0 or -ENOMEM. */
int mm_neighbour_factor(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                        const struct mm_cell_source *source, size_t cell, double *factor);

/* Half of the relative 90 % interval for what equal calls of a cell's method differ by
 * between runs of other parameters, beyond what equal runs do: other neighbours, a larger
 * mesh in the caches. 0 where no runs are equal, or few differ. 0 or -ENOMEM. */
int mm_neighbour_doubt(struct mm_forecaster *forecaster,
                       const struct mm_cell_source *source, size_t cell, double *half);

#endif
