/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: the cost of the calls of one cell in the run asked for. */
#ifndef MASTERMIND_FORECAST_COST_H
#define MASTERMIND_FORECAST_COST_H

#include "mastermind/forecast/forecaster.h"

/* Half of a model's 90 % interval over half of its 95 % interval. */
double mm_90_of_95(const struct mm_model *model);

/* Where the costs of a cell come from. */
struct mm_cell_source {
    const struct mm_model_set *set; /* of the class; NULL: it has none */
    const struct mm_model *model;   /* of the cell's mode; NULL: none */
    int by_run; /* the parameters do not explain the cost: its mean in each run does */
};

/* Find the models of `class_name` for a cell; source.c. Adds a note where they are of
 * another build or context. 0 or -ENOMEM. */
int mm_cell_source_init(struct mm_cell_source *source,
                        const struct mm_forecaster *forecaster,
                        const struct mm_asked *asked, size_t cell, const char *class_name,
                        struct mm_notes *notes);
/* Forecast the cell: fills `of`, whose `cell` and `calls` are set, and puts the reason
 * into `why` [MM_LAW_TEXT] where its cost is not known. 0, or -ENOMEM with `err`. */
int mm_cell_forecast(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                     const struct mm_cell_source *source, const char *class_name,
                     struct mm_forecast_cell *of, char *why, struct cca_error *err);
/* Test whether the calls that a method makes explain its cost much better than its model
 * by parameters, as for a solver whose number of iterations depends on a preconditioner.
 * Only for cells whose calls have one size in each run; other cells with calls of the
 * method make it false. 0, 1, or -ENOMEM with `err`. by_run.c */
int mm_cell_calls_explain(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                          const struct mm_cell_source *source, const char *class_name,
                          size_t cell, struct cca_error *err);
/* The same for a cell whose source is by_run. by_run.c */
int mm_cell_by_run(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                   const struct mm_cell_source *source, const char *class_name,
                   struct mm_forecast_cell *of, char *why, struct cca_error *err);
/* Compare the sizes of a cell with its model's: sets beyond, beyond_name and largest of
 * `of`. `x` are the model's parameters in the mean over the work of `run`; `*half` gets
 * half of the relative 90 % interval of the model there, grown by the ratio of the
 * requested run to `run`. 0, or -ENOMEM with `err`. beyond.c */
int mm_cell_beyond(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                   const struct mm_cell_source *source, struct mm_forecast_cell *of,
                   size_t run, const double *x, double *half, struct cca_error *err);
/* True where all calls of a cell have the same sizes in each run. one_size.c */
int mm_cell_has_one_size(const struct mm_cells *cells, size_t cell);
/* Set the sums of such a cell, as of a solver that applies one matrix: their number times
 * the value at the size, which has a law of its own. Returns 1; 0: sizes differ, or the
 * law of a size is not sure; -ENOMEM with `err`. one_size.c */
int mm_cell_one_size(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                     struct mm_forecast_cell *of, struct cca_error *err);
/* The basis of a model, whose method is `from`, as a function of the in-values of a
 * cell's method `to`. 0; -ENOENT: it lacks one. */
int mm_cell_basis(const struct mm_basis *basis, const struct mm_method_info *from,
                  const struct mm_method_info *to, struct mm_basis *mapped);
/* The method that a cell counts, with the in-values of its tuples. */
const struct mm_method_info *mm_cell_method(const struct mm_cells *cells, size_t cell);

#endif
