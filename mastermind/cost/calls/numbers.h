/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h: tuning constants that matter most for the predictions of cost models, and
 * constants that several files share. All folders of mastermind/cost may include this
 * file.
 *
 * Each comment gives the error of synthetic cases (INDEX, 0.408 unchanged) and of
 * recorded kernels (real, 4.93) with half and with double the value;
 * bench/models/constants.md has all results. Less influential constants are in the files
 * that use them. */
#ifndef MASTERMIND_COST_CALLS_NUMBERS_H
#define MASTERMIND_COST_CALLS_NUMBERS_H

/* --- Which calls are usual --------------------------------------------------------- */

/* Calls above the typical cost by more than so many spreads belong to another population.
 * INDEX 0.479, 0.388; real 5.42, 6.22. */
#define MM_CUT_SCALES 4.
/* Calls within this share of the typical cost always belong to the main population:
 * clocks have ticks, and a lower half of equal values gives no spread. Real 4.91, 5.15.
 */
#define MM_LEAST_CUT .02
/* A size with fewer calls does not show by itself which of them are usual. INDEX 0.420,
 * 0.415. */
#define MM_FEW_CALLS 8
/* Uncertainty of the typical cost of a restless size, as a share of its spread. Real
 * 5.31, 5.08. */
#define MM_RESTLESS_SHIFT .5

/* --- Range of forms ---------------------------------------------------------------- */

/* Least ratio of the largest to the smallest value of a parameter for predictions at
 * other sizes. No score changes. */
#define MM_WIDE 1.5
/* Largest exponent of a parameter. INDEX 1.01 at half; one answer changes at double. */
#define MM_MAX_POWER 3.
/* Least number of sizes for a formula with a hinge, with a jump, and for each size set
 * apart as an outlier. At half hardly a score changes; INDEX 0.574, 0.519, 0.417 at
 * double. */
#define MM_LEAST_ROWS_HINGE 9
#define MM_LEAST_ROWS_JUMP 8
#define MM_OUTLIER_ROWS 8
/* Least number of sizes on each side of a break. INDEX 0.410, 0.431; real 5.86 at double.
 */
#define MM_ROWS_BESIDE_BREAK 2

/* --- Extent of the search ---------------------------------------------------------- */

/* Positions of a break tried between two sizes. INDEX 0.401, 0.426. */
#define MM_PLACES_PER_GAP 4
/* Most breaks of a lead whose positions are refined. INDEX 0.422 at half. */
#define MM_POLISHED_BREAKS 2
/* Candidates with a break that may get a second one. INDEX 0.426 at half, no change at
 * double. */
#define MM_SECOND_LEADS 24
/* Columns of several parameters of which all triples are tried. INDEX 0.422 at half, no
 * change at double. */
#define MM_ALL_TRIPLES 36

/* --- Penalties, in units of log likelihood ----------------------------------------- */

/* Price of a fitted exponent. INDEX 0.406, 0.420. */
#define MM_FREE_POWER_PRICE 2.5
/* Price of a further parameter in a product. INDEX 0.422 at double. */
#define MM_INTERACTION_PRICE .5
/* Price of a hinge whose slope has the shape of an earlier term. Real 5.09 at half. */
#define MM_HINGE_PRICE .5
/* Price of a hinge whose slope has another shape. Real 5.23, 5.00. */
#define MM_OTHER_KIND_PRICE 3.
/* Price of a jump, in addition to its term. Real 5.14 at double. */
#define MM_JUMP_PRICE 2.
/* Subtracted for a constant: many formulas compete with it, and the best of them is often
 * good by chance. Intervals of whole runs are 31.9 % wide at half, 26.9 % unchanged. */
#define MM_CONSTANT_BONUS 5.

/* --- Beyond the sizes -------------------------------------------------------------- */

/* Beyond the sizes the error of the form grows with the logarithm of the distance. The
 * relative error for each unit of the logarithm has three parts: the standard error of an
 * additional power; the scatter of sizes about the form, which shows that it is not
 * exact, times MM_BEND_SCATTER; and, where the form has a break, as from a cache,
 * MM_BEND_BREAK for the chance of another break. Intervals at four times the sizes hold
 * on the cases of bench/models; intervals of whole runs are 15.8 % and 40.7 % wide with
 * half and double the first constant. */
#define MM_BEND_SCATTER 8.
#define MM_BEND_BREAK .1

#endif
