/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef MASTERMIND_COUNTS_PARTS_H
#define MASTERMIND_COUNTS_PARTS_H

#include "mastermind/counts/structure.h"

/* --- drivers.c ----------------------------------------------------------- */

/* Find the exogenous counts of a structure with known cells: numbers of calls that vary,
 * from callers with equally many calls in all runs, with most of the time below them.
 * Returns 0 or -ENOMEM. */
int mm_drivers_find(struct mm_structure *structure,
                    const struct mm_profile *const *profiles);

/* --- quantity.c ---------------------------------------------------------- */

/* A scaling function over the `selected` runs. */
struct mm_chosen_law {
    unsigned char *selected; /* [runs] true if the run is selected */
    int with;                /* kinds of axes in use beside the numbers that varied */
    struct mm_law *law; /* scaling function of the selected runs; NULL: there is none */
};

/* Set `amount` to the number of a `selected` [runs] run that has the requested
 * parameters. Returns 1; 0 if no run has them. */
int mm_quantity_recorded(const struct mm_structure *structure,
                         const struct mm_quantity *quantity,
                         const unsigned char *selected, const struct mm_asked *asked,
                         struct mm_amount *amount);
/* Predict the number at the parameters of `asked` by the scaling function of the
 * `selected` [runs] runs. Returns 0 or -ENOMEM with `err`. */
int mm_quantity_at(struct mm_structure *structure, struct mm_quantity *quantity,
                   const unsigned char *selected, int with_drivers,
                   const struct mm_asked *asked, struct mm_amount *amount,
                   struct cca_error *err);
/* True if the scaling function of the runs is a closed form. Returns 0, 1, or -ENOMEM
 * with `err`.
 */
int mm_quantity_is_exact(struct mm_structure *structure, struct mm_quantity *quantity,
                         const unsigned char *selected, int with_drivers,
                         struct cca_error *err);
/* Number of selected runs that differ in a numeric parameter. */
size_t mm_quantity_points(const struct mm_structure *structure,
                          const struct mm_quantity *quantity,
                          const unsigned char *selected);
/* True if two runs have equal numeric parameters. */
int mm_runs_same_numbers(const struct mm_structure *structure, size_t a, size_t b);
/* Add an empty quantity; NULL: out of memory. See structure.c. */
struct mm_quantity *mm_quantity_add(struct mm_structure *structure,
                                    enum mm_quantity_kind kind, size_t cell);
/* Drop the kept scaling functions of a quantity, because its values have changed. */
void mm_quantity_forget(struct mm_quantity *quantity);
void mm_quantity_free(struct mm_quantity *quantity);

/* --- sizes.c ------------------------------------------------------------- */

/* The mean of a function over the calls of a cell in the requested run. Returns 1; 0:
 * sizes are not linear; -ENOMEM with `err`. */
int mm_sizes_mean(const struct mm_structure *structure, size_t cell,
                  const struct mm_basis *basis, const struct mm_asked *asked,
                  double *mean, struct cca_error *err);

#endif
