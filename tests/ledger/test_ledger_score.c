/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores and recalibration of simulated statements, whose coverage is known. */
#include <math.h>

#include "common/statistics.h"
#include "mastermind/ledger/match.h"
#include "mastermind/ledger/score.h"
#include "tests/lib/test.h"

#define NORMAL_90 1.6448536269514722

/* --- Simulated ledgers ------------------------------------------------------------- */

static uint64_t state;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + .5) / 9007199254740992.;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

struct simulated {
    struct mm_ledger ledger;
    struct mm_run_value *sizes;
    char (*texts)[32];
    struct mm_ledger_run *runs;
};

static void simulated_init(struct simulated *s, size_t most)
{
    s->ledger = (struct mm_ledger){0};
    s->ledger.entries = calloc(most, sizeof *s->ledger.entries);
    s->sizes = calloc(most, sizeof *s->sizes);
    s->texts = calloc(most, sizeof *s->texts);
    s->runs = calloc(most, sizeof *s->runs);
    assert_true(s->ledger.entries && s->sizes && s->texts && s->runs);
}

static void simulated_done(struct simulated *s)
{
    free(s->ledger.entries);
    free(s->sizes);
    free(s->texts);
    free(s->runs);
}

static struct mm_ledger_entry *add(struct simulated *s, enum mm_ledger_kind kind,
                                   size_t size, int64_t at_ns)
{
    size_t at = s->ledger.count++;
    struct mm_ledger_entry *e = &s->ledger.entries[at];

    snprintf(s->texts[at], sizeof s->texts[at], "%zu", size);
    s->sizes[at] = (struct mm_run_value){"driver.config.nx", s->texts[at]};
    s->runs[at] =
        (struct mm_ledger_run){"r", kind == MM_LEDGER_OUTCOME ? s->texts[at] : "source"};
    *e = (struct mm_ledger_entry){
        .kind = kind,
        .at_ns = at_ns,
        .verb = "predict",
        .program = "p",
        .metric = "TIME",
        .unit = "ns",
        .total = "all ranks",
        .run = {.set = {&s->sizes[at], 1}, .ranks = 1, .is_known = 1},
        .value = 100,
        .low = NAN,
        .high = NAN,
        .level = .9,
        .factor = 1,
        .beyond = 1,
        .runs = &s->runs[at],
        .run_count = 1};
    return e;
}

/* A statement about run `size` with an interval of half-width `half` in the logarithm,
 * and its run, whose error has the standard deviation `sd` about `bias`. */
static void add_pair(struct simulated *s, size_t size, double half, double bias,
                     double sd)
{
    struct mm_ledger_entry *e = add(s, MM_LEDGER_STATEMENT, size, 1000);

    e->value = exp(10 * uniform());
    e->low = e->value * exp(-half);
    e->high = e->value * exp(half);
    add(s, MM_LEDGER_OUTCOME, size, 2000)->value = e->value * exp(bias + sd * normal());
}

/* --- Shares ------------------------------------------------------------------------ */

/* Values of scipy.stats.beta.ppf and of tables of the exact interval (Fisher and Yates,
 * table VIII1), to four digits. */
TEST(clopper_pearson_agrees_with_known_values)
{
    static const struct {
        size_t held, count;
        double level, low, high;
    } of[] = {{0, 10, .95, 0, .3085},      {1, 10, .95, .0025, .4450},
              {5, 10, .95, .1871, .8129},  {10, 10, .95, .6915, 1},
              {3, 20, .95, .0321, .3789},  {1, 1, .95, .0250, 1},
              {15, 20, .90, .5444, .8959}, {90, 100, .95, .8238, .9510}};
    double low, high;

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        cca_share_interval((double)of[i].held, (double)of[i].count, of[i].level, &low,
                           &high);
        assert_true(fabs(low - of[i].low) < 6e-5);
        assert_true(fabs(high - of[i].high) < 6e-5);
    }
    cca_share_interval(0, 0, .95, &low, &high);
    assert_true(low == 0 && high == 1);
}

/* The interval covers the true share at least as often as it says, by summing the
 * binomial distribution itself. */
TEST(clopper_pearson_covers)
{
    for (double p = .05; p < 1; p += .05) {
        double covered = 0, mass = pow(1 - p, 30), low, high;

        for (size_t k = 0; k <= 30; k++) {
            cca_share_interval((double)k, 30, .95, &low, &high);
            covered += low <= p && p <= high ? mass : 0;
            mass *= (double)(30 - k) / (double)(k + 1) * p / (1 - p);
        }
        assert_true(covered >= .95);
        assert_true(covered < .995);
    }
}

static double median(double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && x[k - 1] > x[k]; k--) {
            double other = x[k];

            x[k] = x[k - 1];
            x[k - 1] = other;
        }
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

static const struct mm_ledger_bias *bias_of(const struct mm_ledger_score *score,
                                            enum mm_ledger_group group, const char *name)
{
    for (size_t i = 0; i < score->bias_count; i++)
        if (score->biases[i].group == group &&
            score->biases[i].name_length == strlen(name) &&
            memcmp(score->biases[i].name, name, strlen(name)) == 0)
            return &score->biases[i];
    return NULL;
}

/* Counts, shares and medians against a second way of counting. */
TEST(score_is_exact)
{
    static const double beyonds[] = {1, 1.5, 3, 10};
    static const char *const names[] = {"inside the sizes", "up to 2 x beyond",
                                        "up to 4 x beyond", "over 4 x beyond"};

    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct simulated s;
        struct mm_ledger_score score;
        double all[400], by[4][400];
        size_t held[2] = {0}, count[2] = {0}, by_count[4] = {0};

        state = seed * 0x9e3779b97f4a7c15;
        simulated_init(&s, 800);
        for (size_t i = 0; i < 300; i++) {
            struct mm_ledger_entry *e = &s.ledger.entries[s.ledger.count], *o = e + 1;
            size_t k = (size_t)(4 * uniform());
            double error;

            add_pair(&s, i, .1 + .2 * uniform(), .03, .1);
            e->level = i % 3 ? .9 : .95;
            e->beyond = beyonds[k];
            error = log(o->value / e->value);
            count[i % 3 == 0]++;
            held[i % 3 == 0] += fabs(error) <= log(e->high / e->value);
            all[i] = error;
            by[k][by_count[k]++] = error;
        }
        assert_int_equal(mm_ledger_score(&score, &s.ledger), 0);
        assert_int_equal(score.pair_count, 300);
        assert_int_equal(score.share_count, 2);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(score.shares[i].count, count[i]);
            assert_int_equal(score.shares[i].held, held[i]);
        }
        assert_true(fabs(bias_of(&score, MM_BY_ALL, "all")->median - median(all, 300)) <
                    1e-12);
        assert_true(fabs(bias_of(&score, MM_BY_METRIC, "TIME")->median -
                         median(all, 300)) < 1e-12);
        for (size_t k = 0; k < 4; k++) {
            const struct mm_ledger_bias *bias = bias_of(&score, MM_BY_BEYOND, names[k]);

            assert_int_equal(bias->count, by_count[k]);
            assert_true(fabs(bias->median - median(by[k], by_count[k])) < 1e-12);
        }
        mm_ledger_score_done(&score);
        simulated_done(&s);
    }
}

TEST(quantities_are_held_against_the_run)
{
    struct mm_ledger_quantity asked[] = {{"bytes of a.b.c", 96, NAN, NAN},
                                         {"bytes of a.b.d", 960, NAN, NAN},
                                         {"calls of a.b.c", 7, NAN, NAN},
                                         {"waiting", 50, NAN, NAN},
                                         {"bytes of gone", 50, NAN, NAN}};
    struct mm_ledger_quantity found[] = {{"bytes of a.b.c", 100, NAN, NAN},
                                         {"bytes of a.b.d", 1000, NAN, NAN},
                                         {"calls of a.b.c", 7, NAN, NAN},
                                         {"waiting", 25, NAN, NAN}};
    struct simulated s;
    struct mm_ledger_score score;

    state = 3;
    simulated_init(&s, 2);
    add_pair(&s, 1, .1, 0, .01);
    s.ledger.entries[0].quantities = asked;
    s.ledger.entries[0].quantity_count = 5;
    s.ledger.entries[1].quantities = found;
    s.ledger.entries[1].quantity_count = 4;
    assert_int_equal(mm_ledger_score(&score, &s.ledger), 0);
    assert_true(fabs(bias_of(&score, MM_BY_KIND, "bytes")->median - log(1 / .96)) <
                1e-12);
    assert_true(bias_of(&score, MM_BY_KIND, "calls")->median == 0);
    assert_true(fabs(bias_of(&score, MM_BY_KIND, "waiting")->median - log(.5)) < 1e-12);
    assert_int_equal(bias_of(&score, MM_BY_QUANTITY, "bytes of a.b.d")->count, 1);
    assert_null(bias_of(&score, MM_BY_QUANTITY, "bytes of gone"));
    mm_ledger_score_done(&score);
    simulated_done(&s);
}

/* --- What does not count -------------------------------------------------------------
 */

TEST(each_statement_and_run_counts_once)
{
    struct simulated s;
    struct mm_ledger_score score;
    struct mm_ledger_entry *first, *second, *run;

    simulated_init(&s, 20);
    first = add(&s, MM_LEDGER_STATEMENT, 1, 1000);
    first->low = 90, first->high = 110;
    second = add(&s, MM_LEDGER_STATEMENT, 1, 1500);
    second->low = 50, second->high = 200;
    add(&s, MM_LEDGER_OUTCOME, 1, 900);
    add(&s, MM_LEDGER_OUTCOME, 1, 4000)->value = 1e6;
    run = add(&s, MM_LEDGER_OUTCOME, 1, 2000);
    run->value = 150;
    add(&s, MM_LEDGER_STATEMENT, 2, 1000); /* has not run */
    add(&s, MM_LEDGER_STATEMENT, 3, 1000);
    snprintf(add(&s, MM_LEDGER_OUTCOME, 3, 2000)->machine.cpu, 8, "other");
    snprintf(s.ledger.entries[6].machine.cpu, 8, "own");
    add(&s, MM_LEDGER_STATEMENT, 4, 1000); /* no interval */
    add(&s, MM_LEDGER_OUTCOME, 4, 2000);
    add(&s, MM_LEDGER_STATEMENT, 5, 1000)->run.is_known = 0;
    assert_int_equal(mm_ledger_score(&score, &s.ledger), 0);
    assert_int_equal(score.statements, 6);
    assert_int_equal(score.superseded, 1);
    assert_int_equal(score.not_run, 1);
    assert_int_equal(score.other_machine, 1);
    assert_int_equal(score.no_interval, 1);
    assert_int_equal(score.unknown, 1);
    assert_int_equal(score.further, 1);
    assert_int_equal(score.pair_count, 2);
    assert_int_equal(score.shares[0].count, 1);
    assert_int_equal(score.shares[0].held,
                     1); /* the first run, by the second statement */
    mm_ledger_score_done(&score);
    simulated_done(&s);
}

TEST(a_source_is_no_outcome)
{
    struct simulated s;
    struct mm_ledger_score score;
    struct mm_ledger_run sources[] = {{"a", "x"}, {"b", "7"}};

    simulated_init(&s, 2);
    add(&s, MM_LEDGER_STATEMENT, 7, 1000)->runs = sources;
    s.ledger.entries[0].run_count = 2;
    add(&s, MM_LEDGER_OUTCOME, 7, 2000);
    assert_int_equal(mm_ledger_score(&score, &s.ledger), 0);
    assert_int_equal(score.pair_count, 0);
    assert_int_equal(score.not_run, 1);
    mm_ledger_score_done(&score);
    simulated_done(&s);
}

/* --- Which run it is -----------------------------------------------------------------
 */

static int matches(const char *const (*asked)[3], const char *const (*ran)[3],
                   const char *name)
{
    struct mm_run_value values[2][3][8];
    struct mm_ledger_entry e[2] = {{.kind = MM_LEDGER_STATEMENT},
                                   {.kind = MM_LEDGER_OUTCOME}};

    for (int k = 0; k < 2; k++) {
        const char *const(*of)[3] = k ? ran : asked;
        struct mm_run_values *lists[] = {&e[k].run.variables, &e[k].run.set,
                                         &e[k].run.classes};

        for (int i = 0; i < 3; i++)
            lists[i]->items = values[k][i];
        for (int i = 0; of[i][0]; i++) {
            struct mm_run_values *list = lists[of[i][0][0] == 'v'   ? 0
                                               : of[i][0][0] == 's' ? 1
                                                                    : 2];

            list->items[list->count++] = (struct mm_run_value){of[i][1], of[i][2]};
        }
        e[k].program = e[k].metric = e[k].total = "";
        e[k].run.is_known = e[k].run.ranks = 1;
    }
    if (!name && mm_ledger_same_run(&e[0], &e[1]))
        assert_true(mm_ledger_key(&e[0]) == mm_ledger_key(&e[1]));
    e[0].names = &name;
    e[0].name_count = name != NULL;
    return mm_ledger_same_run(&e[0], &e[1]);
}

TEST(parameters_decide_which_run_it_is)
{
    static const char *const base[][3] = {
        {"variable", "NX", "64"}, {"variable", "FLUX", "EFM"},
        {"set", "d.c.nx", "64"},  {"set", "i.c.file", "a.png"},
        {"class", "flux", "EFM"}, {NULL}};
    static const char *const same[][3] = {
        {"variable", "NX", "64.0"}, {"variable", "FLUX", "HLL"},
        {"set", "d.c.nx", "6.4e1"}, {"set", "i.c.file", "out/b.png"},
        {"class", "flux", "EFM"},   {NULL}};
    static const char *const script[][3] = {{"set", "d.c.nx", "64"},
                                            {"set", "i.c.file", "a.png"},
                                            {"class", "flux", "EFM"},
                                            {NULL}};
    static const char *const size[][3] = {{"variable", "NX", "64"},
                                          {"set", "d.c.nx", "65"},
                                          {"set", "i.c.file", "a.png"},
                                          {"class", "flux", "EFM"},
                                          {NULL}};
    static const char *const more[][3] = {{"set", "d.c.nx", "64"},
                                          {"set", "d.c.ny", "64"},
                                          {"set", "i.c.file", "a.png"},
                                          {"class", "flux", "EFM"},
                                          {NULL}};
    static const char *const other[][3] = {{"variable", "NX", "64"},
                                           {"set", "d.c.nx", "64"},
                                           {"set", "i.c.file", "a.png"},
                                           {"class", "flux", "HLL"},
                                           {NULL}};

    assert_true(matches(base, base, NULL));
    assert_true(matches(base, same, NULL));
    assert_true(matches(base, script, NULL));
    assert_false(matches(base, size, NULL));
    assert_true(matches(base, size, "d.c.nx"));
    assert_false(matches(base, more, NULL));
    assert_false(matches(more, base, NULL));
    assert_true(matches(base, more, "d.c.ny"));
    assert_false(matches(base, other, NULL));
}

/* --- Recalibration -------------------------------------------------------------------
 */

/* The factor by its definition: the least one by which enough of the intervals hold. */
static double brute_factor(const struct mm_ledger *ledger, double level)
{
    double best = INFINITY, n = (double)ledger->count / 2;

    for (size_t i = 0; i < ledger->count; i += 2) {
        double factor =
            fabs(log(ledger->entries[i + 1].value / ledger->entries[i].value)) /
            log(ledger->entries[i].high / ledger->entries[i].value);
        double hold = 0;

        for (size_t k = 0; k < ledger->count; k += 2)
            hold += fabs(log(ledger->entries[k + 1].value / ledger->entries[k].value)) <=
                    factor * log(ledger->entries[k].high / ledger->entries[k].value) *
                        (1 + 1e-12);
        if (hold >= (n + 1) * level - 1e-9 && factor < best)
            best = factor;
    }
    return pow(best, n / (n + 2));
}

TEST(factor_is_the_conformal_quantile)
{
    for (size_t n = MM_RECALIBRATE_LEAST - 1; n < 120; n += 7) {
        struct mm_recalibration found;
        struct mm_ledger_score score;
        struct simulated s;

        state = n;
        simulated_init(&s, 2 * n);
        for (size_t i = 0; i < n; i++)
            add_pair(&s, i, .1 + uniform(), 0, .2);
        assert_int_equal(mm_ledger_score(&score, &s.ledger), 0);
        assert_int_equal(mm_recalibrate(&score, .9, &found), 0);
        assert_int_equal(found.count, n);
        assert_true(n < MM_RECALIBRATE_LEAST
                        ? found.factor == 1
                        : fabs(found.factor / brute_factor(&s.ledger, .9) - 1) < 1e-9);
        assert_int_equal(mm_recalibrate(&score, .95, &found), 0);
        assert_true(found.count == 0 && found.factor == 1);
        mm_ledger_score_done(&score);
        simulated_done(&s);
    }
}

/* Intervals of all widths that are `off` times as wide as they should be: after `past`
 * statements, how many of fresh ones hold. */
static double coverage(size_t past, double off)
{
    double held = 0, count = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct mm_recalibration found;
        struct mm_ledger_score score;
        struct simulated s;

        state = seed * 0x9e3779b97f4a7c15 + past;
        simulated_init(&s, 2 * past);
        for (size_t i = 0; i < past; i++) {
            double sd = .02 + .2 * uniform();

            add_pair(&s, i, off * NORMAL_90 * sd, 0, sd);
        }
        assert_int_equal(mm_ledger_score(&score, &s.ledger), 0);
        assert_int_equal(mm_recalibrate(&score, .9, &found), 0);
        for (int i = 0; i < 200; i++) {
            double sd = .02 + .2 * uniform(), value = exp(10 * uniform());
            double low = value * exp(-off * NORMAL_90 * sd), high = value * value / low;
            double measured = value * exp(sd * normal());

            mm_recalibrated(&found, value, &low, &high);
            held += low <= measured && measured <= high;
            count++;
        }
        mm_ledger_score_done(&score);
        simulated_done(&s);
    }
    return held / count;
}

TEST(recalibrated_intervals_hold)
{
    static const size_t past[] = {20, 48, 200};
    static const double off[] = {.5, 1, 3};

    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            double share = coverage(past[i], off[k]);

            if (share < .85 || share > .95)
                fail_msg("of fresh statements after %zu, %g x as wide, %.3f hold",
                         past[i], off[k], share);
        }
}

/* A factor that was applied to past intervals is not applied twice. */
TEST(recalibrated_statements_count_as_before)
{
    struct mm_recalibration before, after;
    struct mm_ledger_score score;
    struct simulated s;

    state = 11;
    simulated_init(&s, 200);
    for (size_t i = 0; i < 100; i++)
        add_pair(&s, i, .1, 0, .2);
    assert_int_equal(mm_ledger_score(&score, &s.ledger), 0);
    assert_int_equal(mm_recalibrate(&score, .9, &before), 0);
    mm_ledger_score_done(&score);
    for (size_t i = 0; i < 200; i += 2) {
        struct mm_ledger_entry *e = &s.ledger.entries[i];

        mm_recalibrated(&before, e->value, &e->low, &e->high);
        e->factor = before.factor;
    }
    assert_int_equal(mm_ledger_score(&score, &s.ledger), 0);
    assert_int_equal(mm_recalibrate(&score, .9, &after), 0);
    assert_true(before.factor > 2);
    assert_true(fabs(after.factor / before.factor - 1) < 1e-9);
    mm_ledger_score_done(&score);
    simulated_done(&s);
}

TESTS(NULL, NULL)
