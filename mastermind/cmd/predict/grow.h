/* SPDX-License-Identifier: BSD-3-Clause */
/* grow.h: the verb grow: a sweep of one parameter of any command, the scaling functions
 * of its cost, and the cost of larger runs.
 *
 *   sweep ──▶ totals (forecast/: as `mastermind predict`) ──┬▶ table, document
 *     └─────▶ functions (cost/: a model of each function) ──┘ */
#ifndef MASTERMIND_CMD_PREDICT_GROW_H
#define MASTERMIND_CMD_PREDICT_GROW_H

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/cost/cost.h"

#define GROW_AT_MOST 16   /* most sizes to predict */
#define GROW_LAW 600      /* size of a scaling function as text */
#define GROW_FUNCTIONS 12 /* most functions with a model of their own */

/* A predicted total: CPU time in ns, or bytes. */
struct grow_total {
    double value, low, high; /* NaN: unknown, see `why`; low, high: 90 % interval */
    char why[200];
};

/* The runs of one measured size. */
struct grow_size {
    char text[40]; /* value of the parameter */
    size_t runs;   /* number of finished runs */
    double time_s; /* mean CPU time */
    double spread; /* relative standard deviation of CPU time; NaN: one run */
    double wall_s; /* mean elapsed time */
    double peak_bytes;
};

/* A function of the program, by samples; or "(everything else)". */
struct grow_function {
    char name[200];
    double share;                  /* of the CPU time at the largest measured size */
    double share_at[GROW_AT_MOST]; /* of the CPU time at each predicted size; NaN: no
                                    * model */
    int has_model;
    struct mm_model model; /* CPU time in ns of all its calls in a run */
};

struct grow {
    struct sweep sweep;
    struct sweep_verdict verdict;
    const char *at[GROW_AT_MOST]; /* [at_count] values to predict */
    char *at_texts[GROW_AT_MOST]; /* owned copies of them */
    size_t at_count;
    const char *svg;         /* path of the figure to draw; NULL: none */
    struct grow_size *sizes; /* [axis count] */
    struct grow_total time[GROW_AT_MOST], peak[GROW_AT_MOST];
    char law[GROW_LAW], peak_law[GROW_LAW]; /* scaling functions as text, or "" */
    struct mm_notes notes;                  /* notes of the forecast of time */
    double sum_ns[GROW_AT_MOST]; /* sum of the functions' predictions; NaN: unknown */
    struct grow_function functions[GROW_FUNCTIONS + 1];
    size_t function_count;
};

/* The only axis of the sweep. */
static inline const struct sweep_axis *grow_axis(const struct grow *grow)
{
    return grow->sweep.axes;
}
/* Finished runs of a size, from index `from` on: the index of the next one, or the number
 * of runs. */
size_t grow_next_run(const struct grow *grow, size_t size, size_t from);
/* Elapsed time divided by CPU time, at the largest size. */
double grow_wall_per_cpu(const struct grow *grow);

/* Predict time and peak memory at all sizes asked for, from the sweep's experiments.
 * Returns -1 to go on, else an exit code after a message. grow_totals.c */
int grow_find_totals(struct grow *grow);
/* Fit the functions that matter. Returns as grow_find_totals. grow_functions.c */
int grow_find_functions(struct grow *grow);
/* The request for a job of Slurm, from the upper ends of both intervals: "--time=1:10:00
 * --mem=120M". Returns 0; -1: an interval is unknown. grow_print.c */
int grow_slurm(const struct grow *grow, size_t at, char text[80]);
void grow_print(const struct grow *grow);
/* New document. grow_print.c */
json_t *grow_json(const struct grow *grow);

#endif
