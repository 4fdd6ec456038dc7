/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_laws_runs.c: counts of recorded runs of scripts/shock-demo.rc and
 * scripts/shock-amr.rc predict those at twice the resolution (tests/data/laws/README.md).
 */
#include "tests/lib/test.h"

#include <math.h>

#include "mastermind/counts/laws/law.h"

enum { MOST = 32, TEXT = 200, COLUMNS = 3, QUANTITIES = 64 };

/* A file of counts: a run has numbers, NX first, and quantities by name. */
struct counts {
    char name[QUANTITIES][32];
    size_t quantities, columns, runs;
    double x[MOST][COLUMNS], value[MOST][QUANTITIES];
    double large; /* NX of the runs to predict */
};

static size_t find_quantity(struct counts *counts, const char *name)
{
    size_t q = 0;

    while (q < counts->quantities && strcmp(counts->name[q], name))
        q++;
    if (q == counts->quantities) {
        assert_true(q < QUANTITIES);
        snprintf(counts->name[counts->quantities++], sizeof counts->name[0], "%s", name);
        for (size_t i = 0; i < MOST; i++)
            counts->value[i][q] = NAN;
    }
    return q;
}

static size_t find_run(struct counts *counts, const double *x)
{
    size_t run = 0;

    while (run < counts->runs && memcmp(counts->x[run], x, sizeof counts->x[run]))
        run++;
    if (run == counts->runs) {
        assert_true(run < MOST);
        memcpy(counts->x[counts->runs++], x, sizeof counts->x[run]);
    }
    return run;
}

static void counts_read(struct counts *counts, const char *path, size_t columns)
{
    FILE *file = fopen(path, "r");
    char line[200];

    memset(counts, 0, sizeof *counts);
    counts->columns = columns;
    counts->large = 256;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        double x[COLUMNS] = {0};
        char *next = line, *name;
        size_t run;

        for (size_t k = 0; k < columns; k++)
            x[k] = strtod(strtok(k ? NULL : next, ","), NULL);
        name = strtok(NULL, ",");
        run = find_run(counts, x);
        counts->value[run][find_quantity(counts, name)] = strtod(strtok(NULL, ","), NULL);
    }
    fclose(file);
}

struct driver {
    const char *name;
    struct mm_law *law;
    size_t quantity;
};

struct drivers {
    struct driver driver[4];
    size_t count;
};

/* The law of a quantity from the smaller runs. */
static struct mm_law *find_law(struct counts *counts, size_t quantity, int is_rounded,
                               const struct drivers *drivers)
{
    static const char *const names[] = {"NX", "NY", "PATCH"};
    struct mm_law_axis axis[COLUMNS + 4] = {{0}};
    size_t axes = counts->columns + drivers->count, runs = 0;
    double x[MOST * (COLUMNS + 4)], y[MOST];
    struct cca_error err = {0};
    struct mm_law *law;

    for (size_t k = 0; k < axes; k++)
        axis[k] =
            k < counts->columns
                ? (struct mm_law_axis){names[k], 0}
                : (struct mm_law_axis){drivers->driver[k - counts->columns].name, 1};
    for (size_t i = 0; i < counts->runs; i++) {
        if (counts->x[i][0] >= counts->large)
            continue;
        for (size_t k = 0; k < axes; k++)
            x[runs * axes + k] =
                k < counts->columns
                    ? counts->x[i][k]
                    : counts->value[i][drivers->driver[k - counts->columns].quantity];
        y[runs++] = counts->value[i][quantity];
    }
    law = mm_law_find(&(struct mm_law_table){axis, axes, runs, x, y, is_rounded}, &err);
    if (!law)
        fail_msg("%s", err.text);
    return law;
}

static void predict(struct counts *counts, size_t run, const struct mm_law *law,
                    const struct drivers *drivers, struct mm_law_prediction *prediction)
{
    struct mm_law_number x[COLUMNS + 4];
    struct mm_law_prediction driver;

    for (size_t k = 0; k < counts->columns; k++)
        x[k] = (struct mm_law_number){counts->x[run][k], counts->x[run][k],
                                      counts->x[run][k]};
    for (size_t d = 0; d < drivers->count; d++) {
        mm_law_predict(drivers->driver[d].law, x, &driver);
        assert_int_equal(driver.reason, MM_LAW_IS_KNOWN);
        x[counts->columns + d] = driver.number;
    }
    mm_law_predict(law, x, prediction);
}

struct score {
    int inside, count;
    double worst;
};

/* Predict a quantity at all large runs, print the worst one, return its error. */
static double check(struct counts *counts, const char *name, int is_rounded,
                    const struct drivers *drivers, struct score *score)
{
    size_t quantity = find_quantity(counts, name);
    struct mm_law *law = find_law(counts, quantity, is_rounded, drivers);
    struct mm_law_prediction prediction, shown = {.beyond = 1};
    double worst = -1;
    char text[TEXT];

    for (size_t i = 0; i < counts->runs; i++) {
        double truth = counts->value[i][quantity], error;

        if (counts->x[i][0] < counts->large)
            continue;
        predict(counts, i, law, drivers, &prediction);
        assert_int_equal(prediction.reason, MM_LAW_IS_KNOWN);
        error = prediction.number.value / truth - 1;
        score->inside += prediction.number.low <= truth * (1 + 1e-9) &&
                         prediction.number.high >= truth * (1 - 1e-9);
        score->count++;
        if (fabs(error) <= fabs(worst) && shown.number.value > 0)
            continue;
        worst = error;
        shown = prediction;
    }
    mm_law_print(law, text, sizeof text);
    print_message("  %-18s %+6.2f %%  (%+.2f .. %+.2f %%)%s  %s\n", name, 100 * worst,
                  100 * (shown.number.low / shown.number.value - 1),
                  100 * (shown.number.high / shown.number.value - 1),
                  shown.exact ? " exact" : "", text);
    score->worst = fmax(score->worst, fabs(worst));
    mm_law_free(law);
    return fabs(worst);
}

static void add_driver(struct counts *counts, struct drivers *drivers, const char *name,
                       const char *quantity, int is_rounded)
{
    struct drivers none = {.count = 0};
    struct driver *driver = &drivers->driver[drivers->count];

    driver->name = name;
    driver->quantity = find_quantity(counts, quantity);
    driver->law = find_law(counts, driver->quantity, is_rounded, &none);
    drivers->count++;
}

static void drivers_done(struct drivers *drivers)
{
    for (size_t d = 0; d < drivers->count; d++)
        mm_law_free(drivers->driver[d].law);
}

TEST(sums_and_calls_of_patches_on_a_uniform_mesh_are_within_two_percent)
{
    static const char *const quantities[] = {
        "all.rhs.calls", "all.rhs.Q",      "all.flux.calls", "all.flux.Q",
        "all.states.Q",  "all.flux.QlogQ", "boundary.cells", "boundary.calls"};
    struct drivers none = {.count = 0}, drivers = none;
    struct score score = {0};
    struct counts counts;

    counts_read(&counts, "tests/data/laws/uniform.csv", 3);
    check(&counts, "steps", 1, &none, &score);
    add_driver(&counts, &drivers, "steps", "steps", 1);
    for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++)
        check(&counts, quantities[q], 0, &drivers, &score);
    print_message("uniform: worst %.2f %%, %d of %d inside\n", 100 * score.worst,
                  score.inside, score.count);
    assert_true(score.worst < .02);
    assert_int_equal(score.inside, score.count);
    drivers_done(&drivers);
}

/* The runs with one size of patches: those up to half of NX, and that of NX. */
static struct counts select_runs(const struct counts *all, double patch, double nx)
{
    struct counts some = *all;

    some.runs = 0;
    some.columns = 2;
    some.large = nx;
    for (size_t i = 0; i < all->runs; i++) {
        if (all->x[i][2] != patch || (all->x[i][0] > nx / 2 && all->x[i][0] != nx))
            continue;
        memcpy(some.x[some.runs], all->x[i], sizeof some.x[0]);
        memcpy(some.value[some.runs++], all->value[i], sizeof some.value[0]);
    }
    return some;
}

/* What the sum of a quantity over all levels is off. */
static double whole_error(struct counts *counts, const char *quantity,
                          const struct drivers *drivers)
{
    double sum = 0, truth = 0;
    size_t run = counts->runs;

    while (counts->x[--run][0] != counts->large)
        ;
    for (int level = 0; level < 3; level++) {
        struct mm_law_prediction prediction;
        struct mm_law *law;
        char name[32];

        snprintf(name, sizeof name, "l%d.%s", level, quantity);
        law = find_law(counts, find_quantity(counts, name), 0, drivers);
        predict(counts, run, law, drivers, &prediction);
        sum += prediction.number.value;
        truth += counts->value[run][find_quantity(counts, name)];
        mm_law_free(law);
    }
    return fabs(sum / truth - 1);
}

/* Sums over the calls of each level, and calls, at twice the resolution. */
static void check_levels(struct counts *counts, struct score *sums, struct score *calls,
                         double *whole)
{
    static const char *const quantities[] = {"rhs.Q", "flux.Q", "flux.QlogQ", "states.Q"};
    static const char *const counted[] = {"rhs.calls", "flux.calls"};
    struct drivers none = {.count = 0}, drivers = none;
    char name[32];

    add_driver(counts, &drivers, "steps", "steps", 1);
    for (int level = 0; level < 3; level++) {
        for (size_t q = 0; q < 4; q++) {
            snprintf(name, sizeof name, "l%d.%s", level, quantities[q]);
            check(counts, name, 0, &drivers, sums);
        }
        for (size_t q = 0; level && q < 2; q++) {
            snprintf(name, sizeof name, "l%d.%s", level, counted[q]);
            check(counts, name, 0, &drivers, calls);
        }
    }
    for (size_t q = 0; q < 4; q++)
        whole[q] = whole_error(counts, quantities[q], &drivers);
    drivers_done(&drivers);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

TEST(sums_of_an_adaptive_mesh_at_twice_the_resolution_are_within_five_percent)
{
    static const double large[] = {256, 192, 160, 128};
    struct counts all, some;
    struct score sums = {0}, calls = {0};
    double off[2 * 4 * 4];
    size_t off_count = 0;

    counts_read(&all, "tests/data/laws/adaptive.csv", 3);
    for (double patch = 0; patch <= 16; patch += 16) {
        for (size_t i = 0; i < 4; i++) {
            double whole[4];

            print_message("PATCH = %g, NX up to %g, for %g\n", patch, large[i] / 2,
                          large[i]);
            some = select_runs(&all, patch, large[i]);
            check_levels(&some, &sums, &calls, whole);
            print_message(
                "  all levels: rhs.Q %.1f %%, flux.Q %.1f %%, flux.QlogQ %.1f %%, "
                "states.Q %.1f %%\n",
                100 * whole[0], 100 * whole[1], 100 * whole[2], 100 * whole[3]);
            for (size_t q = 0; q < 4; q++)
                off[off_count++] = whole[q];
        }
    }
    qsort(off, off_count, sizeof *off, compare_doubles);
    print_message("all levels: median %.1f %%, worst %.1f %%\n", 100 * off[off_count / 2],
                  100 * off[off_count - 1]);
    print_message("inside: %d of %d sums, %d of %d numbers of calls\n", sums.inside,
                  sums.count, calls.inside, calls.count);
    assert_true(off[off_count / 2] < .05 && off[off_count * 3 / 4] < .065);
    assert_true(sums.inside >= .75 * sums.count);
}
TESTS(NULL, NULL)
