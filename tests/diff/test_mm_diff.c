/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between two groups of runs, against closed forms, brute force, and data
 * whose truth is known because they were made. */
#include <math.h>

#include "common/statistics.h"
#include "mastermind/compare/statistics.h"
#include "tests/lib/test.h"

enum { CELL_COUNT = 6, MOST_RUNS = 40, METHODS = 4 };

/* What a side is made by. */
struct side {
    double calls, dearer; /* factors */
    double shift;         /* of calls from the smallest cell to the largest, share */
};

static uint64_t seed = 1;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + .5) / 9007199254740992.;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* Noise of a run: its own pace, and now and then a bad run. */
static double bad_run(double sd)
{
    return sd * normal() + (uniform() < .05 ? 10 * sd * uniform() : 0);
}

static void table_new(struct mm_diff_table *table, size_t runs)
{
    *table = (struct mm_diff_table){.name = "a.b.c",
                                    .class = {"A", "A"},
                                    .cells = CELL_COUNT,
                                    .calls = calloc(runs * CELL_COUNT, sizeof(double)),
                                    .typical = calloc(runs * CELL_COUNT, sizeof(double)),
                                    .base = calloc(CELL_COUNT, sizeof(double)),
                                    .measured = calloc(runs, sizeof(double))};
    for (int c = 0; c < CELL_COUNT; c++)
        table->base[c] = NAN;
}

/* Cell c costs 1000 2^c, each with 10 calls. */
static void table_fill(struct mm_diff_table *table, const size_t runs[2],
                       const struct side side[2], double pace_sd, double cell_sd)
{
    for (size_t r = 0; r < runs[0] + runs[1]; r++) {
        const struct side *s = &side[r >= runs[0]];
        double pace = exp(pace_sd > 0 ? bad_run(pace_sd) : 0);

        table->measured[r] = 0;
        for (int c = 0; c < CELL_COUNT; c++) {
            double n = 10 * s->calls, noise = cell_sd > 0 ? exp(bad_run(cell_sd)) : 1;

            n += c == 0 ? -10 * s->calls * s->shift : 0;
            n += c == CELL_COUNT - 1 ? 10 * s->calls * s->shift : 0;
            table->calls[r * CELL_COUNT + (size_t)c] = n;
            table->typical[r * CELL_COUNT + (size_t)c] =
                n > 0 ? 1000 * pow(2, c) * s->dearer * pace * noise : NAN;
            table->measured[r] +=
                n > 0 ? n * table->typical[r * CELL_COUNT + (size_t)c] : 0;
        }
    }
}

static struct mm_diff_tables *tables_new(size_t a, size_t b, size_t methods)
{
    struct mm_diff_tables *tables = calloc(1, sizeof *tables);

    tables->list = calloc(methods, sizeof *tables->list);
    tables->count = methods;
    tables->runs[0] = a;
    tables->runs[1] = b;
    for (size_t i = 0; i < methods; i++)
        table_new(&tables->list[i], a + b);
    return tables;
}

static void tables_free(struct mm_diff_tables *tables)
{
    mm_diff_tables_done(tables);
    free(tables);
}

static const struct mm_diff_limits limits = {.02, .01, .03};

/* `same` needs an interval within its bound; without one, equal means are undecided. */
TEST(same_needs_an_interval_within_its_bound)
{
    for (int wide = 0; wide < 2; wide++) {
        struct mm_diff_tables *tables = tables_new(5, 5, 1);
        const struct side equal[2] = {{1, 1, 0}, {1, 1, 0}};
        double scatter[5] = {-.004, .002, 0, -.002, .004};
        enum mm_diff_verdict expected = wide ? MM_DIFF_OPEN : MM_DIFF_SAME;
        struct mm_diff diff;

        table_fill(&tables->list[0], tables->runs, equal, 0, 0);
        tables->whole[MM_DIFF_CPU] = calloc(10, sizeof(double));
        tables->whole[MM_DIFF_MEMORY] = calloc(10, sizeof(double));
        for (size_t r = 0; r < 10; r++) {
            double factor = 1 + (wide ? 50 : 1) * scatter[r < 5 ? r : 9 - r];

            for (size_t c = 0; c < CELL_COUNT; c++)
                tables->list[0].typical[r * CELL_COUNT + c] *= factor;
            tables->list[0].measured[r] *= factor;
            tables->whole[MM_DIFF_CPU][r] = 1e8 * factor;
            tables->whole[MM_DIFF_MEMORY][r] = 1e8 * factor;
        }
        assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
        assert_int_equal(expected, diff.verdict);
        assert_int_equal(expected, diff.part[MM_DIFF_ALL].verdict);
        assert_int_equal(expected, diff.whole[MM_DIFF_CPU].amount.verdict);
        assert_int_equal(expected, diff.whole[MM_DIFF_MEMORY].amount.verdict);
        assert_int_equal(expected, diff.methods[0].verdict);
        assert_int_equal(expected, diff.methods[0].part[MM_DIFF_DEARER].verdict);
        assert_int_equal(MM_DIFF_SAME, diff.methods[0].part[MM_DIFF_CALLS].verdict);
        mm_diff_done(&diff);
        tables_free(tables);
    }
}

TEST(parts_are_those_of_the_closed_form_and_add_up)
{
    struct mm_diff_tables *tables = tables_new(3, 4, 1);
    const struct side sides[2] = {{1, 1, 0}, {2, 1.05, .4}};
    double mu[2] = {0, 0}, y, n[2] = {60, 120}, sizes = 0, dearer = 0;
    struct mm_diff diff;

    table_fill(&tables->list[0], tables->runs, sides, 0, 0);
    for (int c = 0; c < CELL_COUNT; c++) {
        double p[2];

        for (int s = 0; s < 2; s++) {
            p[s] = (1 + (c == 0 ? -sides[s].shift : 0) +
                    (c == CELL_COUNT - 1 ? sides[s].shift : 0)) /
                   CELL_COUNT;
            mu[s] += p[s] * 1000 * pow(2, c) * sides[s].dearer;
        }
        y = 1000 * pow(2, c);
        sizes += (p[1] - p[0]) * y * 1.025;
        dearer += (p[0] + p[1]) / 2 * y * .05;
    }
    assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
    assert_true(fabs(diff.methods[0].part[MM_DIFF_CALLS].ns /
                         ((n[1] - n[0]) * (mu[0] + mu[1]) / 2) -
                     1) < 1e-12);
    assert_true(fabs(diff.methods[0].part[MM_DIFF_SIZES].ns / (90 * sizes) - 1) < 1e-12);
    assert_true(fabs(diff.methods[0].part[MM_DIFF_DEARER].ns / (90 * dearer) - 1) <
                1e-12);
    assert_true(fabs(diff.methods[0].part[MM_DIFF_RARE].ns) < 1e-6);
    assert_true(
        fabs(diff.methods[0].part[MM_DIFF_ALL].ns / (n[1] * mu[1] - n[0] * mu[0]) - 1) <
        1e-12);
    assert_true(fabs(diff.methods[0].dearer - .05) < 1e-12);
    for (int i = 0; i < MM_DIFF_RARE; i++) {
        assert_true(diff.methods[0].part[i].exact);
        assert_int_equal(MM_DIFF_WORSE, diff.methods[0].part[i].verdict);
    }
    mm_diff_done(&diff);
    tables_free(tables);
}

/* Cost that moves between usual and rare calls is no verdict. */
TEST(parts_that_cancel_are_a_changed_shape)
{
    for (int rare = 0; rare < 2; rare++) {
        struct mm_diff_tables *tables = tables_new(5, 5, 1);
        const struct side sides[2] = {{1, 1, 0}, {1, 1.1, 0}};
        struct mm_diff_table *table = &tables->list[0];
        struct mm_diff diff;

        table_fill(table, tables->runs, sides, .002, .002);
        for (size_t r = 0; r < 10 && rare; r++)
            table->measured[r] += r < 5 ? 63000 : 0;
        assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
        assert_int_equal(MM_DIFF_WORSE, diff.methods[0].part[MM_DIFF_DEARER].verdict);
        assert_int_equal(rare, diff.methods[0].shape);
        assert_int_equal(rare ? MM_DIFF_SAME : MM_DIFF_WORSE, diff.methods[0].verdict);
        mm_diff_done(&diff);
        tables_free(tables);
    }
}

/* Work that moves from one method to another changes no total. */
TEST(methods_whose_changes_cancel_are_a_changed_shape)
{
    struct mm_diff_tables *tables = tables_new(5, 5, 2);
    const struct side more[2] = {{1, 1, 0}, {1, 1.1, 0}};
    const struct side less[2] = {{1, 1, 0}, {1, .9, 0}};
    struct mm_diff diff;

    table_fill(&tables->list[0], tables->runs, more, .002, .002);
    table_fill(&tables->list[1], tables->runs, less, .002, .002);
    tables->list[1].name = "a.b.d";
    assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
    assert_true(diff.shape);
    assert_int_equal(MM_DIFF_SAME, diff.verdict);
    mm_diff_done(&diff);
    tables_free(tables);
}

TEST(the_whole_program_is_judged_without_its_methods)
{
    for (int whole = 0; whole < MM_DIFF_WHOLES; whole++) {
        struct mm_diff_tables *tables = tables_new(5, 5, 0);
        struct mm_diff diff;

        for (int i = 0; i < MM_DIFF_WHOLES; i++) {
            tables->whole[i] = calloc(10, sizeof(double));
            for (int r = 0; r < 10; r++)
                tables->whole[i][r] = (i == MM_DIFF_REST ? 1e6 : 1e8) *
                                      (1 + .005 * normal()) *
                                      (i == whole && r >= 5 ? 5 : 1);
        }
        assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
        for (int i = 0; i < MM_DIFF_WHOLES; i++)
            assert_int_equal(i == whole ? MM_DIFF_WORSE : MM_DIFF_SAME,
                             diff.whole[i].amount.verdict);
        assert_int_equal(whole == MM_DIFF_REST ? MM_DIFF_SAME : MM_DIFF_WORSE,
                         diff.verdict);
        mm_diff_done(&diff);
        tables_free(tables);
    }
}

/* The costs without parameters in common: the model of A has them. */
TEST(sizes_that_only_one_side_has_are_compared_by_the_model)
{
    struct mm_diff_tables *tables = tables_new(2, 2, 1);
    struct mm_diff_table *table = &tables->list[0];
    struct mm_diff diff;

    for (size_t r = 0; r < 4; r++) {
        table->measured[r] = 0;
        for (size_t c = 0; c < CELL_COUNT; c++) {
            int has = (c < 3) == (r < 2);

            table->base[c] = 1000. * (double)(c + 1);
            table->calls[r * CELL_COUNT + c] = has ? 10 : 0;
            table->typical[r * CELL_COUNT + c] =
                has ? 1000. * (double)(c + 1) * (r < 2 ? 1 : 1.1) : NAN;
            table->measured[r] += has ? 10 * table->typical[r * CELL_COUNT + c] : 0;
        }
    }
    assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
    assert_true(diff.methods[0].by_model);
    assert_true(fabs(diff.methods[0].dearer - .1) < 1e-9);
    /* 30 calls at 2 against 30 at 5, both at prices between: 2000 -> 5500 */
    assert_true(fabs(diff.methods[0].part[MM_DIFF_CALLS].ns) < 1e-6);
    assert_true(fabs(diff.methods[0].part[MM_DIFF_SIZES].ns - 30 * 3000 * 1.05) < 1e-3);
    assert_true(fabs(diff.methods[0].part[MM_DIFF_DEARER].ns - 30 * 3500 * .1) < 1e-3);
    mm_diff_done(&diff);
    tables_free(tables);
}

TEST(adjusted_p_is_that_of_brute_force)
{
    const size_t runs[2] = {4, 5};
    double data[3][9], p[3], observed[3] = {0};
    const double *values[3] = {data[0], data[1], data[2]};
    int above[3] = {0}, all = 0;

    for (int k = 0; k < 3; k++)
        for (int r = 0; r < 9; r++)
            data[k][r] = normal() + (r >= 4 ? k : 0);
    for (int pass = 0; pass < 2; pass++)
        for (unsigned mask = 0; mask < 512; mask++) {
            double most = 0;

            if (__builtin_popcount(mask) != 5 || (pass == 0 && mask != 0x1f0))
                continue;
            for (int k = 0; k < 3; k++) {
                double sum[2] = {0, 0}, ss[2] = {0, 0}, t;

                for (int r = 0; r < 9; r++) {
                    sum[mask >> r & 1] += data[k][r];
                    ss[mask >> r & 1] += data[k][r] * data[k][r];
                }
                t = fabs(sum[1] / 5 - sum[0] / 4) /
                    sqrt((ss[0] - sum[0] * sum[0] / 4 + ss[1] - sum[1] * sum[1] / 5) / 7 *
                         (1. / 4 + 1. / 5));
                most = fmax(most, t);
                if (pass == 0)
                    observed[k] = t;
            }
            for (int k = 0; k < 3 && pass; k++)
                above[k] += most >= observed[k] * (1 - 1e-9);
            all += pass;
        }
    assert_int_equal(126, all);
    assert_int_equal(126, mm_diff_adjusted(values, 3, runs, 1, p));
    for (int k = 0; k < 3; k++)
        assert_true(fabs(p[k] - above[k] / 126.) < 1e-12);
}

TEST(students_p_is_that_of_tables)
{
    assert_true(fabs(2 * cca_student(-2.306, 8) - .05) < 1e-4);
    assert_true(fabs(2 * cca_student(-12.706, 1) - .05) < 1e-4);
    assert_true(fabs(2 * cca_student(-3.355, 8) - .01) < 1e-4);
    assert_true(2 * cca_student(-0, 8) > .999);
}

TEST(sides_one_after_the_other_need_more)
{
    const size_t runs[2] = {5, 5};
    double turns[10], blocks[10], sum = 0;

    for (int i = 0; i < 10; i++) {
        turns[i] = 1 + 2 * (i % 5) + i / 5;
        blocks[i] = 1 + i;
        for (int k = 0; k < 10; k++)
            sum += (i < 5 ? -.2 : .2) * (k < 5 ? -.2 : .2) * pow(.5, abs(i - k));
    }
    assert_true(mm_diff_serial(turns, runs) == 1);
    assert_true(mm_diff_serial(NULL, runs) == 1);
    assert_true(fabs(mm_diff_serial(blocks, runs) - sqrt(sum / .4)) < 1e-12);
}

/* `trials` pairs: how many have the verdict for the dearness of method 0, how many have
 * any verdict, and how many intervals hold the truth. */
static void try_pairs(int trials, const struct side sides[2], double sd, int *found,
                      int *any, int *held)
{
    double truth = sides[1].dearer / sides[0].dearer - 1;

    *found = *any = *held = 0;
    for (int i = 0; i < trials; i++) {
        struct mm_diff_tables *tables = tables_new(5, 5, METHODS);
        const struct side same[2] = {{1, 1, 0}, {1, 1, 0}};
        struct mm_diff diff;
        int alarm;

        for (int m = 0; m < METHODS; m++) {
            tables->list[m].name = m ? "other" : "changed";
            table_fill(&tables->list[m], tables->runs, m ? same : sides, sd, sd);
        }
        assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
        alarm = mm_diff_is_change(diff.part[MM_DIFF_ALL].verdict);
        for (size_t m = 0; m < METHODS; m++) {
            const struct mm_diff_method *method = &diff.methods[m];

            if (strcmp(method->table->name, "changed") == 0) {
                *found += method->part[MM_DIFF_DEARER].verdict == MM_DIFF_WORSE;
                *held += method->dearer_low <= truth && truth <= method->dearer_high;
            }
            alarm |= mm_diff_is_change(method->verdict);
        }
        *any += alarm;
        mm_diff_done(&diff);
        tables_free(tables);
    }
}

TEST(equal_runs_rarely_alarm_and_intervals_hold_as_often_as_they_say)
{
    const struct side same[2] = {{1, 1, 0}, {1, 1, 0}};
    int trials = test_count("RUNS", 200, 2000), found, any, held;

    try_pairs(trials, same, .02, &found, &any, &held);
    assert_true(any <= .05 * trials + 3 * sqrt(.05 * .95 * trials));
    assert_true(held >= .95 * trials - 4 * sqrt(.05 * .95 * trials));
}

TEST(five_percent_are_found_also_while_calls_double)
{
    const struct side dearer[2] = {{1, 1, 0}, {1, 1.05, 0}};
    const struct side doubled[2] = {{1, 1, 0}, {2, 1.05, 0}};
    int trials = test_count("RUNS", 100, 1000), found, any, held;

    try_pairs(trials, dearer, .01, &found, &any, &held);
    assert_true(found >= .9 * trials - 3 * sqrt(.09 * trials));
    try_pairs(trials, doubled, .01, &found, &any, &held);
    assert_true(found >= .9 * trials - 3 * sqrt(.09 * trials));
}

TEST(a_series_tells_the_run_of_its_change)
{
    const struct side sides[2] = {{1, 1, 0}, {1, 1.06, 0}},
                      same[2] = {{1, 1, 0}, {1, 1, 0}};
    int trials = test_count("RUNS", 20, 200), right = 0, false_ones = 0;

    for (int i = 0; i < trials; i++)
        for (int changed = 0; changed < 2; changed++) {
            struct mm_diff_tables *tables = tables_new(12, 8, 1);
            struct mm_diff_change *changes;
            size_t count;

            table_fill(&tables->list[0], tables->runs, changed ? sides : same, .007, .01);
            tables->runs[0] = 20;
            tables->runs[1] = 0;
            assert_int_equal(0, mm_diff_series(tables, &limits, &changes, &count));
            if (changed)
                /* the method, and the total of all methods, which is the same cost */
                right += count == 2 && changes[1].part == MM_DIFF_DEARER &&
                         changes[0].total == MM_DIFF_WHOLES && changes[1].run >= 12 &&
                         changes[1].run <= 14 && fabs(changes[1].relative - .06) < .02;
            else
                false_ones += count > 0;
            free(changes);
            tables_free(tables);
        }
    assert_true(right >= .85 * trials);
    assert_true(false_ones <= .05 * trials + 3 * sqrt(.05 * .95 * trials));
}

/* A series of `runs` runs of two methods, and a loop outside of them as costly as both:
 * the methods cost `methods[]` times as much, and the whole program's own loop `own`
 * times, from run `at` on. */
static struct mm_diff_tables *series_new(size_t runs, size_t at, const double methods[2],
                                         double own)
{
    struct mm_diff_tables *tables = tables_new(at, runs - at, 2);
    double pace_sd = .005;

    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        tables->whole[i] = calloc(runs, sizeof(double));
    for (size_t m = 0; m < 2; m++) {
        const struct side sides[2] = {{1, 1, 0}, {1, methods[m], 0}};

        tables->list[m].name = m ? "a.b.second" : "a.b.first";
        table_fill(&tables->list[m], tables->runs, sides, pace_sd, .01);
    }
    for (size_t r = 0; r < runs; r++) {
        double both = tables->list[0].measured[r] + tables->list[1].measured[r];

        tables->whole[MM_DIFF_REST][r] =
            1.26e6 * exp(bad_run(pace_sd)) * (r >= at ? own : 1);
        tables->whole[MM_DIFF_CPU][r] = tables->whole[MM_DIFF_REST][r] + both;
        tables->whole[MM_DIFF_MEMORY][r] = 1e8 * exp(.001 * normal());
    }
    tables->runs[0] = runs;
    tables->runs[1] = 0;
    return tables;
}

TEST(a_series_judges_the_whole_program)
{
    enum { EQUAL, OWN, MOVED, CASES };
    const double methods[CASES][2] = {{1, 1}, {1, 1}, {1.3, .7}};
    int trials = test_count("RUNS", 100, 1000), worse[CASES] = {0}, right = 0, shape = 0;

    for (int i = 0; i < trials; i++)
        for (int is = 0; is < CASES; is++) {
            struct mm_diff_tables *tables =
                series_new(20, 12, methods[is], is == OWN ? 1.08 : 1);
            struct mm_diff_change *changes;
            size_t count;

            assert_int_equal(0, mm_diff_series(tables, &limits, &changes, &count));
            worse[is] += mm_diff_series_verdict(changes, count) == MM_DIFF_WORSE;
            for (size_t k = 0; k < count && is == OWN; k++)
                right += changes[k].total == MM_DIFF_CPU && changes[k].run >= 12 &&
                         changes[k].run <= 14 && fabs(changes[k].relative - .04) < .02;
            for (size_t k = 0; k < count && is == MOVED; k++)
                if (changes[k].shape) {
                    shape++;
                    break;
                }
            free(changes);
            tables_free(tables);
        }
    assert_true(worse[EQUAL] <= .05 * trials + 3 * sqrt(.05 * .95 * trials));
    assert_true(worse[MOVED] <= .05 * trials + 3 * sqrt(.05 * .95 * trials));
    assert_true(worse[OWN] >= .95 * trials && right >= .9 * trials);
    assert_true(shape >= .95 * trials);
}

/* Runs that follow one another resemble each other, as on a host with other guests. */
TEST(a_series_of_runs_that_resemble_each_other_rarely_alarms)
{
    enum { RUN_COUNT = 20 };
    int trials = test_count("RUNS", 200, 1000), worse = 0;

    for (int i = 0; i < trials; i++) {
        struct mm_diff_tables *tables = tables_new(RUN_COUNT, 0, 0);
        struct mm_diff_change *changes;
        double off = normal();
        size_t count;

        tables->when = calloc(RUN_COUNT, sizeof(double));
        tables->whole[MM_DIFF_CPU] = calloc(RUN_COUNT, sizeof(double));
        for (size_t r = 0; r < RUN_COUNT; r++) {
            off = .5 * off + sqrt(.75) * normal();
            tables->when[r] = 1e9 + 60 * (double)r;
            tables->whole[MM_DIFF_CPU][r] = 1e8 * exp(.03 * off);
        }
        assert_int_equal(0, mm_diff_series(tables, &limits, &changes, &count));
        worse += count > 0;
        free(changes);
        tables_free(tables);
    }
    assert_true(worse <= .1 * trials + 3 * sqrt(.1 * .9 * trials));
}

TEST(methods_of_one_side_and_single_runs)
{
    struct mm_diff_tables *tables = tables_new(3, 3, 2);
    const struct side same[2] = {{1, 1, 0}, {1, 1, 0}};
    struct mm_diff diff;

    for (int m = 0; m < 2; m++)
        table_fill(&tables->list[m], tables->runs, same, .01, .01);
    tables->list[0].name = "gone";
    for (size_t i = 3 * CELL_COUNT; i < 6 * CELL_COUNT; i++) {
        tables->list[0].calls[i] = 0;
        tables->list[0].typical[i] = NAN;
    }
    for (size_t r = 3; r < 6; r++)
        tables->list[0].measured[r] = 0;
    assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
    assert_string_equal("gone", diff.methods[0].table->name);
    assert_int_equal(MM_DIFF_BETTER, diff.methods[0].verdict);
    assert_true(fabs(diff.methods[0].part[MM_DIFF_CALLS].ns + diff.methods[0].ns[0]) <
                .05 * diff.methods[0].ns[0]);
    mm_diff_done(&diff);
    tables->runs[0] = tables->runs[1] = 1;
    assert_int_equal(0, mm_diff_compare(&diff, tables, &limits));
    assert_int_equal(MM_DIFF_OPEN, diff.verdict);
    assert_true(isnan(diff.methods[0].part[MM_DIFF_ALL].low));
    mm_diff_done(&diff);
    tables_free(tables);
}

TESTS(NULL, NULL)
