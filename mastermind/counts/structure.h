/* SPDX-License-Identifier: BSD-3-Clause */
/* structure.h: calls and their sizes in a run that has not been measured.
 *
 *    runs ─▶ axes ──┐
 *         └▶ cells ─┴─▶ quantities, a number of each run ─▶ scaling functions
 *                                                            └▶ amounts in the
 *                                                               requested run
 *
 * A quantity is a count: the calls of a cell, the sum of a function over them, the
 * largest value of a parameter. It has no clock noise, so a few runs determine its
 * scaling function (laws/law.h).
 *
 * An *exogenous count* (a "driver" in names of the code) is a number of calls that the
 * solution determines, such as the number of time steps, made by a caller that is called
 * equally often in all runs. Its scaling function is never exact; all other
 * scaling functions use the parameters and the exogenous counts.
 *
 * A class may change counts elsewhere, as a preconditioner changes iterations. Where runs
 * that differ in the class alone differ in a quantity, use the scaling function of the
 * runs with the requested class. If these are too few, or the class never ran with the
 * rest, take another class's amount times the ratio between such pairs of runs.
 *
 * Calls of a cell and sums over them are predicted together: means.h. */
#ifndef MASTERMIND_COUNTS_STRUCTURE_H
#define MASTERMIND_COUNTS_STRUCTURE_H

#include "mastermind/counts/laws/law.h"
#include "mastermind/counts/axes.h"
#include "mastermind/counts/cells.h"
#include "mastermind/cost/cost.h"

#define MM_DRIVERS 2
#define MM_LAW_TEXT 240
/* printed in place of a scaling function if the number was recorded */
#define MM_AS_COUNTED "as counted"

enum mm_quantity_kind {
    MM_QUANTITY_CALLS, /* number of calls of a cell (caller and callee with equal
                          modes) */
    MM_QUANTITY_SUM,   /* sum of a basis function over the calls of a cell */
    MM_QUANTITY_MOST,  /* largest value of in-value `basis.factor[0].parameter` */
    MM_QUANTITY_COST,  /* sum over the calls of a cell, derived from counts */
    MM_QUANTITY_MADE,  /* number derived from counts */
    MM_QUANTITY_GIVEN  /* numbers from the caller, which may have noise */
};

struct mm_quantity {
    enum mm_quantity_kind kind;
    size_t cell;
    /* key of a quantity of the kind MM_QUANTITY_MADE or MM_QUANTITY_GIVEN */
    const void *key;
    struct mm_basis basis;
    double *y;      /* [runs] value of the quantity in each run; NaN: missing in the
                       run */
    int is_rounded; /* true if the solution determines the quantity (`is_rounded` of
                       mm_law_table) */
    int is_driver;
    struct mm_chosen_law *laws; /* scaling functions found so far */
    size_t law_count;
};

struct mm_structure {
    struct mm_axes axes;
    struct mm_cells cells;
    size_t runs;
    struct mm_quantity **quantities;
    size_t quantity_count;
    struct mm_quantity *drivers[MM_DRIVERS];
    size_t driver_cell[MM_DRIVERS][2]; /* caller and callee of each exogenous count's
                                          calls, as vertices */
    size_t driver_count;
};

/* The value of a quantity in the requested run. */
struct mm_amount {
    struct mm_law_number number; /* predicted value with a 90 % interval unless exact;
                                    NaN: not known, see `why` */
    int exact;
    int is_by_sizes; /* true if the amount comes from call sizes known one by one
                        (sizes.c) */
    int is_proven;   /* true if the scaling function is proven (mm_law_is_proven) */
    double ahead, level_ahead; /* errors at larger runs of the scaling function, and of a
                                  constant (mm_law_ahead) */
    double own; /* half-width of the interval from the scaling function alone, absolute */
    double driver[MM_DRIVERS]; /* half-width of the interval due to each exogenous count
                                  alone, absolute */
    char law[MM_LAW_TEXT]; /* text of the scaling function: "2 * steps * ceil(NX/PATCH)",
                              or "" */
    char why[MM_LAW_TEXT]; /* reason why the amount is not known, or "" */
};

/* The parameters of the requested run. */
struct mm_asked {
    const char **text; /* [axes] value of each axis; borrowed strings */
    struct mm_amount driver[MM_DRIVERS];
};

/* Gather `count` runs and their profiles, which must outlive the structure; `flat` as for
 * mm_cells_init. Returns 0 or -ENOMEM with `err`; call mm_structure_done in any case. */
int mm_structure_init(struct mm_structure *structure, const struct mm_run *const *runs,
                      const struct mm_profile *const *profiles, size_t count, int flat,
                      struct cca_error *err);
void mm_structure_done(struct mm_structure *structure);

/* Find or make a quantity. `basis` may be NULL for MM_QUANTITY_CALLS. Returns NULL if out
 * of memory. */
struct mm_quantity *mm_structure_quantity(struct mm_structure *structure,
                                          enum mm_quantity_kind kind, size_t cell,
                                          const struct mm_basis *basis);
/* Find or make a quantity with the given numbers [runs], which are copied; `kind` is
 * MM_QUANTITY_COST, MM_QUANTITY_MADE, or MM_QUANTITY_GIVEN; for the last, equal runs get
 * their median. An existing quantity of the same kind and key is returned. NULL: out of
 * memory. */
struct mm_quantity *mm_structure_numbers(struct mm_structure *structure,
                                         enum mm_quantity_kind kind, const void *key,
                                         size_t cell, const double *y);

/* Prepare a prediction: the caller sets `asked->text`, this sets the exogenous counts.
 * Returns 0; -ENODATA with `err`: a parameter that did not vary in the runs has another
 * value, or a text never occurred; -ENOMEM. */
int mm_structure_ask(struct mm_structure *structure, struct mm_asked *asked,
                     struct cca_error *err);
/* Predict a quantity; calls of a cell and sums over them agree (means.h). Returns 0, even
 * if the amount is not known; -ENOMEM with `err`. */
int mm_structure_amount(struct mm_structure *structure, struct mm_quantity *quantity,
                        const struct mm_asked *asked, struct mm_amount *amount,
                        struct cca_error *err);
/* True if the requested run has finer levels than any run had: no cell has their calls.
 * Returns 0, 1, or -ENOMEM with `err`. */
int mm_structure_lacks_level(struct mm_structure *structure, const struct mm_asked *asked,
                             struct cca_error *err);
/* Print the name of an exogenous count: "calls of rk2.integrator.advance". */
void mm_driver_print(const struct mm_structure *structure, size_t driver, char *text,
                     size_t size);

#endif
