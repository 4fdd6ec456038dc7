/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.h: time inside MPI of a run on several ranks: transfer and waiting.
 *
 *     T = compute of the busiest rank + transfer + waiting
 *
 * Time inside MPI does not depend on one call alone, because a rank waits for others. So
 * both have scaling functions of their own over the runs on several ranks, including
 * clock noise. */
#ifndef MASTERMIND_FORECAST_MPI_H
#define MASTERMIND_FORECAST_MPI_H

#include "mastermind/forecast/forecaster.h"

/* Set transfer and waiting of a forecast and add them to its total. 0, or -ENOMEM with
 * `err`. */
int mm_forecast_mpi(struct mm_forecaster *forecaster, struct mm_forecast *forecast,
                    struct cca_error *err);

#endif
