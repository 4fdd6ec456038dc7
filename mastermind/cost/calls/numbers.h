/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h: the tuned numbers that decide what models of costs say, and those that
 * several files share. All folders of the room may include this one.
 *
 * Comments give the errors over synthetic cases (INDEX, 0.408 unchanged) and recorded
 * kernels (real, 4.93) with half and with double the number; bench/models/constants.md
 * has all. Numbers of one file that move less are beside their use. */
#ifndef MASTERMIND_COST_CALLS_NUMBERS_H
#define MASTERMIND_COST_CALLS_NUMBERS_H

/* --- Which calls are usual --------------------------------------------------------- */

/* Calls further above the typical cost, in scales of the spread, are another population.
 * INDEX 0.479, 0.388; real 5.42, 6.22. */
#define MM_CUT_SCALES 4.
/* Calls nearer to the typical cost than this share are no disturbance: clocks tick, and a
 * lower half of equal values tells nothing of the spread. Real 4.91, 5.15. */
#define MM_LEAST_CUT .02
/* Sizes with fewer calls than this cannot tell alone which of them are usual. INDEX
 * 0.420, 0.415. */
#define MM_FEW_CALLS 8
/* Spread of a restless size, by which its typical cost is off. Real 5.31, 5.08. */
#define MM_RESTLESS_SHIFT .5

/* --- Which forms there are --------------------------------------------------------- */

/* A parameter whose largest value is this many times its lowest tells of other sizes. No
 * score moves. */
#define MM_WIDE 1.5
/* Largest exponent of a parameter. INDEX 1.01 at half; one answer at double. */
#define MM_MAX_POWER 3.
/* Sizes that a formula must have for a hinge, a jump, and for each that is set apart as
 * an outlier. At half nearly nothing moves; INDEX 0.574, 0.519, 0.417 at double. */
#define MM_LEAST_ROWS_HINGE 9
#define MM_LEAST_ROWS_JUMP 8
#define MM_OUTLIER_ROWS 8
/* Sizes on each side of a break, at least. INDEX 0.410, 0.431; real 5.86 at double. */
#define MM_ROWS_BESIDE_BREAK 2

/* --- How far the search goes ------------------------------------------------------- */

/* Places tried between two sizes. INDEX 0.401, 0.426. */
#define MM_PLACES_PER_GAP 4
/* Breaks of a lead whose places are refined. INDEX 0.422 at half. */
#define MM_POLISHED_BREAKS 2
/* Candidates with a break that get another. INDEX 0.426 at half, none at double. */
#define MM_SECOND_LEADS 24
/* Columns of which all triples are tried, of several parameters. INDEX 0.422 at half,
 * none at double. */
#define MM_ALL_TRIPLES 36

/* --- Prices, in units of log likelihood -------------------------------------------- */

/* An exponent that is fitted. INDEX 0.406, 0.420. */
#define MM_FREE_POWER_PRICE 2.5
/* A further parameter in a product. INDEX 0.422 at double. */
#define MM_INTERACTION_PRICE .5
/* A hinge whose slope is that of a term before it. Real 5.09 at half. */
#define MM_HINGE_PRICE .5
/* One whose slope is of another kind. Real 5.23, 5.00. */
#define MM_OTHER_KIND_PRICE 3.
/* A jump, beside its term. Real 5.14 at double. */
#define MM_JUMP_PRICE 2.
/* Taken off a constant: many formulas compete with it, and the best of them is rather
 * good by luck. Intervals of whole runs are 31.9 % wide at half, 26.9 % unchanged. */
#define MM_CONSTANT_BONUS 5.

/* --- Beyond the sizes -------------------------------------------------------------- */

/* A cost leaves the form with the logarithm of how far. The relative error for each unit
 * of it has three parts: the standard error of one more power; so many times the scatter
 * of sizes about the form, which shows that it is not exact; and where the form has a
 * break, as a cache makes, the chance of another. Intervals at four times the sizes hold
 * on the cases of bench/models; those of whole runs are 15.8 % and 40.7 % wide with half
 * and double the first number. */
#define MM_BEND_SCATTER 8.
#define MM_BEND_BREAK .1

#endif
