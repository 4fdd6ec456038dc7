/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.c: aggregates that SQLite lacks, and the guard of a connection. */
#include "properties/evaluate/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/expr/words.h"
#include "common/statistics.h"

/* --- Functions of one row ----------------------------------------------- */

static int has_number(sqlite3_value *value)
{
    int type = sqlite3_value_type(value);

    return type == SQLITE_FLOAT || type == SQLITE_INTEGER;
}

/* Set the result; a NaN becomes NULL: unknown. */
static void give(sqlite3_context *context, double value)
{
    if (isnan(value))
        sqlite3_result_null(context);
    else
        sqlite3_result_double(context, value);
}

static void one(sqlite3_context *context, int count, sqlite3_value **values)
{
    double (*function)(double) = NULL;
    const char *name = sqlite3_user_data(context);

    function = *name == 's' ? sqrt : *name == 'l' ? log : exp;
    if (count == 1 && has_number(values[0]))
        give(context, function(sqlite3_value_double(values[0])));
}

static void power(sqlite3_context *context, int count, sqlite3_value **values)
{
    if (count == 2 && has_number(values[0]) && has_number(values[1]))
        give(context,
             pow(sqlite3_value_double(values[0]), sqlite3_value_double(values[1])));
}

/* --- Aggregates --------------------------------------------------------- */

/* State of an aggregate: running mean and variance by Welford's method, Technometrics 4,
 * 1962. */
struct spread {
    double n, mean, m2;
};

static void sd_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct spread *s = sqlite3_aggregate_context(context, sizeof *s);
    double x, delta;

    if (!s || count != 1 || !has_number(values[0]))
        return;
    x = sqlite3_value_double(values[0]);
    delta = x - s->mean;
    s->mean += delta / ++s->n;
    s->m2 += delta * (x - s->mean);
}

static void sd_final(sqlite3_context *context)
{
    struct spread *s = sqlite3_aggregate_context(context, 0);

    if (s && s->n > 1)
        sqlite3_result_double(context, sqrt(s->m2 / (s->n - 1)));
}

struct sample {
    double *values;
    size_t count;
    double q;
    int failed;
};

static void sample_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sample *s = sqlite3_aggregate_context(context, sizeof *s);
    double *value;

    if (!s || !has_number(values[0]))
        return;
    s->q = count == 2 ? sqlite3_value_double(values[1]) : .5;
    value = cca_array_add(&s->values, &s->count, sizeof *value);
    if (value)
        *value = sqlite3_value_double(values[0]);
    else
        s->failed = 1;
}

static void sample_final(sqlite3_context *context)
{
    struct sample *s = sqlite3_aggregate_context(context, 0);

    if (!s)
        return;
    if (s->failed)
        sqlite3_result_error_nomem(context);
    else if (s->count && s->q >= 0 && s->q <= 1) {
        qsort(s->values, s->count, sizeof *s->values, cca_order_double);
        sqlite3_result_double(context, cca_quantile(s->values, s->count, s->q));
    }
    free(s->values);
    s->values = NULL;
}

struct truth {
    int count, held;
};

static void truth_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct truth *t = sqlite3_aggregate_context(context, sizeof *t);

    if (!t || count != 1 || !has_number(values[0]))
        return;
    t->count++;
    t->held += sqlite3_value_double(values[0]) != 0;
}

static void any_final(sqlite3_context *context)
{
    struct truth *t = sqlite3_aggregate_context(context, 0);

    if (t && t->count)
        sqlite3_result_int(context, t->held > 0);
}

static void all_final(sqlite3_context *context)
{
    struct truth *t = sqlite3_aggregate_context(context, 0);

    if (t && t->count)
        sqlite3_result_int(context, t->held == t->count);
}

int mm_functions_add(sqlite3 *db)
{
    enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
    static char names[][5] = {"sqrt", "ln", "exp"};
    int bad = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        bad |= sqlite3_create_function_v2(db, names[i], 1, FLAGS, names[i], one, NULL,
                                          NULL, NULL);
    bad |= sqlite3_create_function_v2(db, "pow", 2, FLAGS, NULL, power, NULL, NULL, NULL);
    bad |= sqlite3_create_function_v2(db, "sd", 1, FLAGS, NULL, NULL, sd_step, sd_final,
                                      NULL);
    bad |= sqlite3_create_function_v2(db, "median", 1, FLAGS, NULL, NULL, sample_step,
                                      sample_final, NULL);
    bad |= sqlite3_create_function_v2(db, "quantile", 2, FLAGS, NULL, NULL, sample_step,
                                      sample_final, NULL);
    bad |= sqlite3_create_function_v2(db, "any", 1, FLAGS, NULL, NULL, truth_step,
                                      any_final, NULL);
    bad |= sqlite3_create_function_v2(db, "mm_all", 1, FLAGS, NULL, NULL, truth_step,
                                      all_final, NULL);
    return bad;
}

/* --- The guard ---------------------------------------------------------- */

static int allow(void *context, int action, const char *a, const char *b,
                 const char *database, const char *trigger)
{
    (void)context;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
        return SQLITE_OK;
    case SQLITE_READ: /* SQLite's own tables contain no data of the store, so reading them
                       * is refused */
        return a && strncmp(a, "sqlite_", 7) == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION:
        /* our own statements call other functions, too, outside of the expressions */
        return b && (mm_expression_has_function(b) ||
                     cca_is_word("typeof mm_all like glob", b, strlen(b)))
                   ? SQLITE_OK
                   : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int is_late(void *context)
{
    struct mm_guard *guard = context;

    guard->expired |= cca_clock_s(CLOCK_MONOTONIC) > guard->until;
    return guard->expired;
}

void mm_guard_set(sqlite3 *db, struct mm_guard *guard, double seconds)
{
    guard->until = cca_clock_s(CLOCK_MONOTONIC) + seconds;
    guard->expired = 0;
    sqlite3_set_authorizer(db, allow, NULL);
    sqlite3_progress_handler(db, 10000, is_late, guard);
}

void mm_guard_lift(sqlite3 *db)
{
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_progress_handler(db, 0, NULL, NULL);
}
