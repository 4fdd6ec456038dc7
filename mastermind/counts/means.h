/* SPDX-License-Identifier: BSD-3-Clause */
/* means.h: consistent amounts of the calls of a cell and of sums over them.
 *
 *      calls      80   600   976  3520    fitted alone: 0.008 * NX^3
 *      sum of Q   193k 236k  293k 414k    fitted alone: 156 * advance * NX
 *      mean Q    2406   393   300   117
 *
 * Scaling functions found separately may diverge beyond the runs, so that the mean size
 * leaves the range of the runs. Of calls and work (the sum of the product of all
 * parameters) the quantity with the better scaling function *leads*. The other is the
 * lead times a mean size, if its own scaling function is less certain or leaves the
 * measured range of mean sizes; all other sums are treated alike. A mean size is the mean
 * of the runs, unless it has a scaling function that larger runs confirm (laws/law.h). */
#ifndef MASTERMIND_COUNTS_MEANS_H
#define MASTERMIND_COUNTS_MEANS_H

#include "mastermind/counts/structure.h"

/* The function whose sum over the calls of a cell is their work: the product of all
 * parameters, or a parameter that is the product of two others. 0: there is none. */
int mm_cell_work(const struct mm_cells *cells, size_t cell, struct mm_basis *work);
/* Make `amount`, predicted by the quantity's own scaling function, agree with the other
 * sums of its cell. Returns 0 or -ENOMEM with `err`. */
int mm_means_join(struct mm_structure *structure, struct mm_quantity *quantity,
                  const struct mm_asked *asked, struct mm_amount *amount,
                  struct cca_error *err);

#endif
