/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_points.h: predict the cost of single calls, one for each line of a CSV file. */
#ifndef MASTERMIND_CMD_PREDICT_PREDICT_POINTS_H
#define MASTERMIND_CMD_PREDICT_PREDICT_POINTS_H

#include "mastermind/cmd/cmd.h"

/* Print the lines of the file at `path` with six columns appended: typ, mean, sd, lo, hi
 * and beyond, for one call of a method by its models from all experiments.
 *
 *   path        in  a CSV file with a column for each parameter and mode; "-": stdin
 *   method      in  "flux.flux.compute" or "compute"; NULL: any
 *   class_name  in  or NULL: any
 *   curve       in  1: fit_lo and fit_hi, too, 90 % of the typical cost, before `beyond`
 *
 * Returns an exit code: MM_EXIT_NO if a line has no prediction, MM_EXIT_MISUSE if several
 * methods fit, MM_EXIT_INPUT for a damaged file (nothing is printed then). */
int mm_predict_points(const struct mm_input *input, const char *path, const char *method,
                      const char *class_name, int curve);

/* Find the models of a method; of several builds the models of the first experiment.
 * Names as above. Returns -1 to go on, else an exit code after a message: several methods
 * match, or none. predict_set.c */
int mm_predict_set(const struct mm_library *library, const struct mm_input *input,
                   const char *method, const char *class_name,
                   const struct mm_model_set **chosen);

#endif
