/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.h: aggregates that SQLite lacks, and the guard of a connection. */
#ifndef PROPERTIES_EVALUATE_FUNCTIONS_H
#define PROPERTIES_EVALUATE_FUNCTIONS_H

#include <sqlite3.h>

/* Add sd (of a sample, n - 1), median, quantile(x, q) (linear between order statistics,
 * type 7 of Hyndman and Fan, The American Statistician 50, 1996), any and all (of truth
 * values), and sqrt, ln, exp, pow. Aggregates skip NULL. 0 or an SQLite error. */
int mm_functions_add(sqlite3 *db);

/* Guard of a connection while a property's statement is prepared and runs: it allows only
 * SELECT, the functions of expression.h, and the tables of a store, until a time
 * limit. */
struct mm_guard {
    double until; /* time limit, seconds of CLOCK_MONOTONIC */
    int expired;
};
void mm_guard_set(sqlite3 *db, struct mm_guard *guard, double seconds);
void mm_guard_lift(sqlite3 *db);

#endif
