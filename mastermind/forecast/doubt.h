/* SPDX-License-Identifier: BSD-3-Clause */
/* doubt.h: the interval of a forecast, from its variance components ("doubts").
 *
 *     Var T = sum over models of (their error)^2 + (scaling functions' own errors)^2
 *           + sum over exogenous counts of (their error)^2 + T^2 s^2 (1 + 1 / runs)
 *
 * Errors of one model are common to all its calls and add up; so do errors of scaling
 * functions, because sums over one mesh deviate together. s is the relative sd between
 * equal runs.
 */
#ifndef MASTERMIND_FORECAST_DOUBT_H
#define MASTERMIND_FORECAST_DOUBT_H

#include "mastermind/forecast/forecaster.h"

/* Set the variance components and the interval of a forecast whose parts are known. 0 or
 * -ENOMEM. */
int mm_doubts_find(struct mm_forecast *forecast, const struct mm_forecaster *forecaster);

#endif
