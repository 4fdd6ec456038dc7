/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: the cost of the calls of one cell in the requested run. */
#ifndef MASTERMIND_FORECAST_COST_H
#define MASTERMIND_FORECAST_COST_H

#include "mastermind/forecast/parts.h"

/* Ratio of the half-widths of a model's 90 % and 95 % intervals. */
double mm_90_of_95(const struct mm_model *model);

/* Source of the costs of a cell. */
struct mm_cell_source {
    const struct mm_model_set *set; /* models of the method of the class; NULL: none */
    const struct mm_model *model;   /* model of the cell's mode; NULL: none */
    int by_run; /* true if the parameters do not explain the cost: use its mean in each
                   run */
};

/* Find the models of `class_name` for a cell. Adds a note if they are from
 * another build or context. Returns 0 or -ENOMEM. */
int mm_cell_source_init(struct mm_cell_source *source,
                        const struct mm_forecaster *forecaster,
                        const struct mm_asked *asked, size_t cell, const char *class_name,
                        struct mm_notes *notes);
/* Forecast a cell: completes `of`, whose `cell` and `calls` are set; if the cost is
 * unknown, `why` [MM_LAW_TEXT] gets the reason. Returns 0, or -ENOMEM with `err`. */
int mm_cell_forecast(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                     const struct mm_cell_source *source, const char *class_name,
                     struct mm_forecast_cell *of, char *why, struct cca_error *err);
/* Test whether the calls that a method makes explain its cost much better than its model
 * by parameters, as for a solver whose number of iterations depends on a preconditioner.
 * Only for cells whose calls have one size in each run, and without other cells for calls
 * of the method. Returns 0, 1, or -ENOMEM with `err`. See by_run.c. */
int mm_cell_calls_explain(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                          const struct mm_cell_source *source, const char *class_name,
                          size_t cell, struct cca_error *err);
/* Like mm_cell_forecast, for a cell whose source has `by_run` set. See by_run.c. */
int mm_cell_by_run(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                   const struct mm_cell_source *source, const char *class_name,
                   struct mm_forecast_cell *of, char *why, struct cca_error *err);
/* Compare the sizes of a cell with the measured sizes of its model: sets `beyond`,
 * `beyond_name` and `largest` of `of`. `x` are the model's mean parameters, weighted by
 * the cost, in `run`; `*half` gets the relative half-width of the model's 90 % interval
 * there, grown by the ratio of the requested run to `run`. Returns 0, or -ENOMEM with
 * `err`. See beyond.c. */
int mm_cell_beyond(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                   const struct mm_cell_source *source, struct mm_forecast_cell *of,
                   size_t run, const double *x, double *half, struct cca_error *err);
/* True if all calls of a cell have the same size in each run. See one_size.c. */
int mm_cell_has_one_size(const struct mm_cells *cells, size_t cell);
/* Set the sums of a cell with one size in each run, as of a solver that applies one
 * matrix: the number of calls times the value at the size, which has a scaling function.
 * Returns 1; 0: sizes differ, or the scaling function of a size is uncertain; -ENOMEM
 * with `err`. See one_size.c. */
int mm_cell_one_size(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                     struct mm_forecast_cell *of, struct cca_error *err);
/* Convert a basis function of a model, whose method is `from`, to the in-values of a
 * cell's method `to`. Returns 0; -ENOENT: `to` lacks one. */
int mm_cell_basis(const struct mm_basis *basis, const struct mm_method_info *from,
                  const struct mm_method_info *to, struct mm_basis *mapped);
/* The method whose calls a cell counts, with the in-values of its tuples. */
const struct mm_method_info *mm_cell_method(const struct mm_cells *cells, size_t cell);

#endif
