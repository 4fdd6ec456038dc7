/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h: tuning constants that matter most for the predictions of cost models, and
 * constants that several files share. All folders of mastermind/cost may include this
 * file.
 *
 * Each comment gives the error of synthetic cases (column INDEX, 0.408 with the value
 * unchanged) and of recorded kernels (column real, 4.93) with half and with double the
 * value; bench/models/constants.md has all results. Less influential constants are in the
 * files that use them. */
#ifndef MASTERMIND_COST_CALLS_NUMBERS_H
#define MASTERMIND_COST_CALLS_NUMBERS_H

/* --- Which calls are usual --------------------------------------------------------- */

/* Calls above the typical cost by more than so many spreads belong to another population.
 * Error of synthetic cases 0.479 with half, 0.388 with double the value; of recorded
 * kernels 5.42, 6.22. */
#define MM_CUT_SCALES 4.
/* Calls within this share of the typical cost always belong to the main population:
 * clocks have ticks, and a lower half of equal values gives no spread. Error of recorded
 * kernels 4.91 with half, 5.15 with double the value. */
#define MM_LEAST_CUT .02
/* A size with fewer calls does not show by itself which of them are usual. Error of
 * synthetic cases 0.420 with half, 0.415 with double the value. */
#define MM_FEW_CALLS 8
/* Uncertainty of the typical cost of a restless size (some disturbance slows most of its
 * calls), as a share of its spread. Error of recorded kernels 5.31 with half, 5.08 with
 * double the value. */
#define MM_RESTLESS_SHIFT .5

/* --- Range of forms ---------------------------------------------------------------- */

/* Least ratio of the largest to the smallest value of a parameter for predictions at
 * other sizes. Half or double the value changes no result of the benchmark. */
#define MM_WIDE 1.5
/* Least number of sizes for a formula with a hinge, with a jump, and for each size set
 * apart as an outlier. With half of these values hardly a result of the benchmark
 * changes; error of synthetic cases 0.574, 0.519, 0.417 with double. */
#define MM_LEAST_ROWS_HINGE 9
#define MM_LEAST_ROWS_JUMP 8
#define MM_OUTLIER_ROWS 8
/* Least number of sizes on each side of a break. Error of synthetic cases 0.410 with
 * half, 0.431 with double the value; of recorded kernels 5.86 with double. */
#define MM_ROWS_BESIDE_BREAK 2

/* --- Extent of the search ---------------------------------------------------------- */

/* Number of positions tried for a break between two sizes. Error of synthetic cases 0.401
 * with half, 0.426 with double the value. */
#define MM_PLACES_PER_GAP 4
/* Largest number of breaks of a lead (formula without the break) whose positions are
 * refined. Error of synthetic cases 0.422 with half the value. */
#define MM_POLISHED_BREAKS 2
/* Candidates with a break that may get a second one. Error of synthetic cases 0.426 with
 * half the value, no change with double. */
#define MM_SECOND_LEADS 24
/* Columns of several parameters of which all triples are tried. Error of synthetic cases
 * 0.422 with half the value, no change with double. */
#define MM_ALL_TRIPLES 36

/* --- Penalties, in units of log likelihood ----------------------------------------- */

/* Price (penalty) of a fitted exponent. Error of synthetic cases 0.406 with half, 0.420
 * with double the value. */
#define MM_FREE_POWER_PRICE 2.5
/* Price (penalty) of a further parameter in a product. Error of synthetic cases 0.422
 * with double the value. */
#define MM_INTERACTION_PRICE .5
/* Price of a hinge whose slope has the shape of an earlier term. Error of recorded
 * kernels 5.09 with half the value. */
#define MM_HINGE_PRICE .5
/* Price of a hinge whose slope has another shape. Error of recorded kernels 5.23 with
 * half, 5.00 with double the value. */
#define MM_OTHER_KIND_PRICE 3.
/* Price of a jump, in addition to its term. Error of recorded kernels 5.14 with double
 * the value. */
#define MM_JUMP_PRICE 2.
/* Subtracted for a constant: many formulas compete with it, and the best of them is often
 * good by chance. Intervals of whole runs are 31.9 % wide with half the value, 26.9 %
 * unchanged. */
#define MM_CONSTANT_BONUS 5.

/* --- Beyond the sizes -------------------------------------------------------------- */

/* Beyond the sizes the error of the form grows with the logarithm of the factor beyond
 * them. The relative error for each unit of the logarithm has three parts: the standard
 * error of an additional power; the scatter of sizes about the form, which shows that it
 * is not exact, times MM_BEND_SCATTER; and, where the form has a break, as from a cache,
 * MM_BEND_BREAK for the chance of another break. Intervals at four times the sizes hold
 * on the cases of bench/models; intervals of whole runs are 15.8 % and 40.7 % wide with
 * half and double MM_BEND_SCATTER. */
#define MM_BEND_SCATTER 8.
#define MM_BEND_BREAK .1

#endif
