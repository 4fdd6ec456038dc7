/* SPDX-License-Identifier: BSD-3-Clause */
/* structure.h: how often what is called, at which sizes, in a run that never happened.
 *
 *   runs ─▶ axes ──┐
 *        └▶ cells ─┴─▶ quantities, a number of each run ─▶ laws ─▶ amounts at the run
 *                                                                  asked for
 *
 * A quantity is a count: the calls of a cell, the sum of a function over them, the
 * largest value of a parameter. It has no noise of clocks, so a few runs tell its law
 * (laws/law.h).
 *
 * A *driver* is a number of calls that the solution decides, such as the time steps: a
 * caller that is called equally often in all runs makes it. Its law is never exact, and
 * all else is a law of the parameters and of it.
 *
 * A class may change counts elsewhere, as a preconditioner does with iterations. Where
 * runs that differ in the class alone differ in a quantity, the law is that of the runs
 * with the class asked for; where these are too few, or never ran with the rest, the
 * quantity is that of the other class times the ratio that such pairs of runs have.
 *
 * Calls of a cell and sums over them are known together: means.h. */
#ifndef MASTERMIND_COUNTS_STRUCTURE_H
#define MASTERMIND_COUNTS_STRUCTURE_H

#include "mastermind/counts/laws/law.h"
#include "mastermind/counts/axes.h"
#include "mastermind/counts/cells.h"
#include "mastermind/cost/forms/basis.h"

#define MM_DRIVERS 2
#define MM_LAW_TEXT 240
#define MM_AS_COUNTED "as counted" /* the law of an amount that runs have had */

enum mm_quantity_kind {
    MM_QUANTITY_CALLS, /* of a cell */
    MM_QUANTITY_SUM,   /* of a basis function over the calls of a cell */
    MM_QUANTITY_MOST,  /* largest value of in-value `basis.factor[0].parameter` */
    MM_QUANTITY_COST,  /* of the calls of a cell, summed: made of their counts */
    MM_QUANTITY_MADE,  /* a number made of counts */
    MM_QUANTITY_GIVEN  /* numbers from elsewhere, which may have noise */
};

struct mm_quantity {
    enum mm_quantity_kind kind;
    size_t cell;
    const void *key; /* what tells made and given ones of a cell apart */
    struct mm_basis basis;
    double *y;      /* [runs] NaN: the run has none */
    int is_rounded; /* the solution decides it: mm_law_table */
    int is_driver;
    struct mm_chosen_law *laws; /* found so far */
    size_t law_count;
};

struct mm_structure {
    struct mm_axes axes;
    struct mm_cells cells;
    size_t runs;
    struct mm_quantity **quantities;
    size_t quantity_count;
    struct mm_quantity *drivers[MM_DRIVERS];
    size_t driver_cell[MM_DRIVERS][2]; /* caller, callee: vertices */
    size_t driver_count;
};

/* What a quantity is in the run asked for. */
struct mm_amount {
    struct mm_law_number number; /* NaN: not known, see `why`; 90 % unless exact */
    int exact;
    int is_by_sizes;           /* of calls whose sizes are known one by one: sizes.h */
    int is_proven;             /* mm_law_is_proven */
    double ahead, level_ahead; /* of the law, and of a constant: mm_law_ahead */
    double own;                /* half of the interval by the law alone, absolute */
    double driver[MM_DRIVERS]; /* by each driver alone */
    char law[MM_LAW_TEXT];     /* "2 * steps * ceil(NX/PATCH)", or "" */
    char why[MM_LAW_TEXT];     /* why it is not known, or "" */
};

/* The run asked for. */
struct mm_asked {
    const char **text; /* [axes] value of each axis; borrowed strings */
    struct mm_amount driver[MM_DRIVERS];
};

/* Gather `count` runs and their profiles, which must outlive the structure; `flat` as of
 * mm_cells_init. 0 or -ENOMEM with `err`; call mm_structure_done in any case. */
int mm_structure_init(struct mm_structure *structure, const struct mm_run *const *runs,
                      const struct mm_profile *const *profiles, size_t count, int flat,
                      struct cca_error *err);
void mm_structure_done(struct mm_structure *structure);

/* A quantity, made when first asked for. `basis` may be NULL for CALLS. NULL: out of
 * memory. */
struct mm_quantity *mm_structure_quantity(struct mm_structure *structure,
                                          enum mm_quantity_kind kind, size_t cell,
                                          const struct mm_basis *basis);
/* A quantity of numbers [runs], which are copied; `kind` is COST, MADE, or GIVEN, of
 * which equal runs get their median. `key` tells it from others of the kind: the same key
 * again returns the first. NULL: out of memory. */
struct mm_quantity *mm_structure_numbers(struct mm_structure *structure,
                                         enum mm_quantity_kind kind, const void *key,
                                         size_t cell, const double *y);

/* Prepare a question: `asked->text` is given, the drivers are set here. 0; -ENODATA with
 * `err`: a parameter that did not vary in the runs has another value, or a word never
 * ran; -ENOMEM. */
int mm_structure_ask(struct mm_structure *structure, struct mm_asked *asked,
                     struct cca_error *err);
/* Predict a quantity. Calls of a cell and sums over them agree (means.h). 0, also where
 * the amount is not known; -ENOMEM with `err`. */
int mm_structure_amount(struct mm_structure *structure, struct mm_quantity *quantity,
                        const struct mm_asked *asked, struct mm_amount *amount,
                        struct cca_error *err);
/* True where the run asked for has finer levels than any run had: no cell has their
 * calls. 0, 1, or -ENOMEM with `err`. */
int mm_structure_lacks_level(struct mm_structure *structure, const struct mm_asked *asked,
                             struct cca_error *err);
/* Print the name of a driver: "calls of rk2.integrator.advance". */
void mm_driver_print(const struct mm_structure *structure, size_t driver, char *text,
                     size_t size);

#endif
