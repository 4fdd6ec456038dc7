/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of confidence against closed forms, and by simulation: intervals hold what
 * was put in as often as they say, and runs without a fault have no findings. The long
 * form (make soak) draws more and prints the figures. */
#include <math.h>

#include "tests/lib/test.h"
#include "tests/properties/simulated.h"

#include "properties/confidence/confidence.h"
#include "properties/confidence/many.h"
#include "properties/confidence/maxima.h"
#include "common/statistics.h"

#define THRESHOLD .05

static int rounds(int few)
{
    return getenv("SOAK")                         ? 50 * few
           : TEST_DEBUG || TEST_ASAN || TEST_TSAN ? few / 4
                                                  : few;
}

static void is_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.17g, expected %.17g", value, expected);
}

/* A count of `n` trials of chance `p` is below this in 999 of 1,000 cases. */
static double most_of(double p, int n)
{
    return p + 3.1 * sqrt(p * (1 - p) / n);
}

TEST(effects_of_blocks_are_given_back_by_their_replicates)
{
    struct mm_blocks blocks;
    double x[40], replicates[MM_REPLICATES], mean = 0, squares = 0;
    struct mm_block_spread spread;

    for (int b = 0; b < 40; b++)
        x[b] = sim_normal();
    blocks = mm_blocks_choose(x, 1, 40);
    assert_int_equal(blocks.length, 1);
    assert_int_equal(blocks.count, 40);
    for (int b = 0; b < 40; b++)
        mean += x[b] / 40;
    /* A sum without normalization is linear: sd of a mean with weights 0 and 2, exactly.
     */
    for (size_t r = 0; r < MM_REPLICATES; r++) {
        replicates[r] = 0;
        for (size_t b = 0; b < 40; b++)
            replicates[r] += mm_blocks_weight(&blocks, b, r, 3) * (x[b] - mean) / 40;
    }
    blocks.lag = 0;
    spread = mm_blocks_spread(replicates, &blocks, 3);
    for (int b = 0; b < 40; b++)
        squares += (x[b] - mean) * (x[b] - mean) / 1600;
    /* Less what a parabola takes of 40 values, more for its three terms; the lag of these
     * values widens it. */
    assert_true(spread.sd > .8 * sqrt(squares) && spread.sd < 1.5 * sqrt(squares));
    is_near(spread.times, 1 + (spread.times - 1), 1e-12);
    assert_true(spread.times > 1.3 && spread.times < 2.2);
}

TEST(weights_are_balanced)
{
    const struct mm_blocks blocks = {.length = 2, .count = 20};

    for (size_t b = 0; b < 40; b++) {
        double sum = 0;

        for (size_t r = 0; r < MM_REPLICATES; r++) {
            double w = mm_blocks_weight(&blocks, b, r, 5);

            assert_true(w == 0 || w == 2 || (r == 0 && w == 1));
            sum += r ? w - 1 : 1;
            assert_true(w == mm_blocks_weight(&blocks, b ^ 1, r, 5)); /* of one block */
        }
        assert_true(sum == 0); /* the first row's sign is + */
    }
    assert_true(mm_blocks_weight(&blocks, 40, 9, 5) == 1); /* beyond the last block */
    for (size_t a = 0; a < 40; a += 2)
        for (size_t b = 0; b < a; b += 2) {
            double product = 1; /* the first row's */

            for (size_t r = 1; r < MM_REPLICATES; r++)
                product += (mm_blocks_weight(&blocks, a, r, 5) - 1) *
                           (mm_blocks_weight(&blocks, b, r, 5) - 1);
            assert_true(product == 0);
        }
}

TEST(no_replicate_is_made_of_few_blocks)
{
    for (size_t n = MM_BLOCKS_LEAST; n <= MM_BLOCKS_MOST; n++)
        for (size_t stream = 0; stream < 63; stream++)
            for (size_t r = 1; r < MM_REPLICATES; r++) {
                const struct mm_blocks blocks = {.length = 1, .count = n};
                double sum = 0;

                for (size_t b = 0; b < n; b++)
                    sum += mm_blocks_weight(&blocks, b, r, stream);
                assert_true(sum >= (double)n / 2 && sum <= 1.6 * (double)n);
            }
}

TEST(few_or_dependent_batches_are_no_evidence)
{
    double x[SIM_BATCHES], none[MM_REPLICATES] = {0};
    struct mm_blocks blocks;
    struct mm_confidence c;

    for (int b = 0; b < SIM_BATCHES; b++)
        x[b] = sin(b / 4.); /* neighbours are alike, and it is no parabola */
    blocks = mm_blocks_choose(x, 1, SIM_BATCHES);
    assert_true(blocks.lag > .9);
    assert_int_equal(blocks.count, 0);
    c = mm_confidence_replicates(.3, none, &blocks, 0, 1, THRESHOLD);
    assert_true(isnan(c.confidence) && isnan(c.low) && c.reason && !*c.how);
    assert_true(c.severity == .3);
    assert_int_equal(mm_blocks_choose(x, 1, MM_BLOCKS_LEAST - 1).count, 0);
    for (int b = 0; b < SIM_BATCHES; b++)
        x[b] = 100 + b + .01 * b * b + sim_normal(); /* a drift is not dependence */
    blocks = mm_blocks_choose(x, 1, SIM_BATCHES);
    assert_int_equal(blocks.count, MM_BLOCKS_MOST);
    x[7] = NAN;
    assert_int_equal(mm_blocks_choose(x, 1, SIM_BATCHES).count, 0);
}

TEST(repeats_are_students_t)
{
    const double one[] = {.30, .32, .31};
    struct mm_confidence c = mm_confidence_runs(one, 3, NAN, 1, THRESHOLD);
    double chosen = mm_confidence_runs(one, 3, NAN, 4, THRESHOLD).confidence;

    is_near(c.severity, .31, 1e-12);
    is_near(c.high - c.low, 2 * 4.30265272975 * .01 / sqrt(3), 1e-9);
    is_near(c.confidence, cca_student(.26 * sqrt(3) / .01, 2), 1e-12);
    assert_string_equal(c.how, "3 runs");
    is_near(chosen, pow(c.confidence, 4), 1e-12);
    c = mm_confidence_runs(one, 2, NAN, 1, THRESHOLD);
    is_near(c.high - .31, 12.70620473617 * .01, 1e-9); /* sd of two / sqrt(2) = .01 */
    assert_true(isnan(mm_confidence_runs(one, 1, NAN, 1, THRESHOLD).confidence));
    assert_true(isnan(mm_confidence_runs(one, 0, NAN, 1, THRESHOLD).confidence));
}

TEST(a_share_stays_one)
{
    /* Noise seems to take more off than there may be: 0.9 of the mean run, less in each.
     */
    const double low[] = {.2, .9, .1}, high[] = {.9, 1, .95};
    struct mm_confidence c = mm_confidence_runs(low, 3, .9, 1, THRESHOLD);

    assert_true(c.severity == 1 && c.high == 1 && c.low >= 0 && c.low <= 1);
    c = mm_confidence_runs(high, 3, .2, 1, THRESHOLD);
    assert_true(c.severity == 0 && c.low == 0 && c.high <= 1);
}

TEST(samples_are_lognormal)
{
    struct mm_confidence c = mm_confidence_sampled(.1, .05, .2, .1);

    is_near(c.confidence, .5, 1e-12);
    c = mm_confidence_sampled(.1, .05, .4, .05); /* the threshold is the lower end */
    is_near(c.confidence, .975, 1e-9);
    c = mm_confidence_sampled(.1, .05, .4, .4);
    is_near(c.confidence, .025, 1e-9);
    assert_true(mm_confidence_sampled(.1, .05, .4, 0).confidence == 1);
    assert_true(isnan(mm_confidence_sampled(0, 0, 0, .05).confidence));
    assert_true(isnan(mm_confidence_sampled(.1, .2, .4, .05).confidence));
    assert_true(isnan(mm_confidence_sampled(.1, NAN, NAN, .05).confidence));
}

/* Of a normal distribution. */
static struct mm_confidence normal_of(double severity, double sd, const char *how)
{
    struct mm_confidence c = {.severity = severity, .sd = sd, .freedom = INFINITY};

    c.low = severity - 1.959963984540054 * sd;
    c.high = severity + 1.959963984540054 * sd;
    c.confidence = .5 * erfc((THRESHOLD - severity) / sd / sqrt(2));
    c.among = 1;
    snprintf(c.how, sizeof c.how, "%s", how);
    return c;
}

TEST(kinds_of_evidence_add_their_variances)
{
    struct mm_confidence a = normal_of(.3, .02, "3 runs");
    struct mm_confidence b = normal_of(.3, .03, "samples");
    struct mm_confidence c;

    c = mm_confidence_both(&a, &b, THRESHOLD);
    is_near(c.high - .3, 1.959963984540054 * sqrt(.0013), 1e-12);
    is_near(c.confidence, .5 * erfc(-.25 / sqrt(.0013) / sqrt(2)), 1e-12);
    assert_string_equal(c.how, "3 runs, samples");
    b = mm_confidence_absent(.3, "too few samples");
    assert_true(isnan(mm_confidence_both(&a, &b, THRESHOLD).confidence));
}

TEST(what_measuring_costs_is_doubt)
{
    struct mm_confidence sure = normal_of(.1, .01, "samples");
    struct mm_confidence c = sure;

    mm_confidence_bias(&c, .02, THRESHOLD);
    is_near(c.low, sure.low - .02, 1e-12);
    is_near(c.high, sure.high + .02, 1e-12);
    is_near(c.confidence, .5 * erfc(-.03 / .01 / sqrt(2)), 1e-12);
    c = sure;
    mm_confidence_bias(&c, .1, THRESHOLD);
    assert_true(isnan(c.confidence) && isnan(c.low));
    assert_string_equal(c.reason, "below the cost of measuring");
    c = sure;
    mm_confidence_bias(&c, 0, THRESHOLD);
    assert_memory_equal(&c, &sure, sizeof c);
}

TEST(the_maximum_of_equal_values_has_its_noise_taken_off)
{
    /* A maximum of noise goes with sqrt(v), whatever the number of units. */
    is_near(mm_without_noise(2 + 3, 2 + 3 * sqrt(2), 2), 2, 1e-12);
    is_near(mm_without_noise(1 + .5, 1 + .5 * sqrt(3), 3), 1, 1e-12);
    assert_true(mm_without_noise(.4, .4, 2) == .4);
    assert_true(mm_without_noise(.4, NAN, 2) == .4);
}

/* --- Simulation -----------------------------------------------------------------------
 */

struct tally {
    int runs, holds, found, undecided;
    double seen, corrected;
};

static struct mm_confidence judge(const double *times, int units,
                                  double (*severity)(const double *, int))
{
    struct mm_blocks blocks = mm_blocks_choose(times, (size_t)units, SIM_BATCHES);
    double replicates[MM_REPLICATES], means[SIM_UNITS] = {0};

    if (!blocks.count)
        return mm_confidence_absent(NAN, "");
    for (size_t r = 0; r < MM_REPLICATES; r++) {
        sim_means(means, times, units, &blocks, r);
        replicates[r] = severity(means, units);
    }
    return mm_confidence_replicates(replicates[0], replicates, &blocks, 0,
                                    severity == sim_share ? 1 : (size_t)units, THRESHOLD);
}

static double truth_of(const struct sim_world *w, double (*severity)(const double *, int))
{
    double means[SIM_UNITS] = {0};

    for (int u = 0; u < w->units; u++)
        means[u] = 1 + (u == w->units - 1) * w->extra;
    return severity(means, w->units);
}

static struct tally simulate(const struct sim_world *w,
                             double (*severity)(const double *, int), int runs)
{
    static double times[SIM_UNITS * SIM_BATCHES];
    double truth = truth_of(w, severity);
    struct tally t = {.runs = runs};

    for (int i = 0; i < runs; i++) {
        struct mm_confidence c;

        sim_run(w, times);
        c = judge(times, w->units, severity);
        t.undecided += isnan(c.confidence);
        t.holds += c.low <= truth && truth <= c.high;
        t.found += truth <= THRESHOLD && c.confidence >= .95;
        t.corrected += isnan(c.severity) ? 0 : c.severity - truth;
    }
    if (getenv("SOAK"))
        printf("%2d units, noise %.2f, lag %.1f, extra %.2f: holds %.3f, found %.4f, "
               "undecided %.3f\n",
               w->units, w->noise, w->lag, w->extra, (double)t.holds / runs,
               (double)t.found / runs, (double)t.undecided / runs);
    return t;
}

static const int unit_counts[] = {2, 4, 8, 32};

static void simulate_all(struct sim_world w, double (*severity)(const double *, int),
                         double least_held, double most_found, int runs)
{
    for (size_t i = 0; i < 4; i++) {
        struct tally t;
        int judged;

        w.units = unit_counts[i];
        t = simulate(&w, severity, runs);
        judged = runs - t.undecided;
        assert_true(t.holds >= judged * (1 - most_of(1 - least_held, judged)));
        assert_true(t.found <= runs * most_of(most_found, runs));
    }
}

TEST(a_balanced_run_is_not_found_imbalanced_whatever_its_noise)
{
    int n = rounds(40);

    simulate_all((struct sim_world){.noise = .05, .draw = sim_normal}, sim_imbalance, .9,
                 .001, n);
    simulate_all((struct sim_world){.noise = .3, .draw = sim_normal}, sim_imbalance, .9,
                 .03, n);
    simulate_all((struct sim_world){.noise = .5, .draw = sim_heavy}, sim_imbalance, .88,
                 .05, n);
    simulate_all((struct sim_world){.noise = .3, .drift = 1, .draw = sim_normal},
                 sim_imbalance, .9, .05, n);
    simulate_all((struct sim_world){.noise = .3, .draw = sim_normal}, sim_inefficiency,
                 .9, .03, n);
}

TEST(an_imbalance_that_was_put_in_is_inside_its_interval)
{
    static const double extras[] = {.05, .1, .3, 1};
    int n = rounds(24);

    for (size_t i = 0; i < 4; i++) {
        struct sim_world w = {.noise = .1, .extra = extras[i], .draw = sim_normal};

        simulate_all(w, sim_imbalance, .9, .08, n);
        simulate_all(w, sim_share, .92, .08, n);
        w.noise = .3;
        simulate_all(w, sim_imbalance, .9, .08, n);
    }
}

TEST(dependent_iterations_make_intervals_wider)
{
    int n = rounds(60);

    simulate_all((struct sim_world){.noise = .2, .lag = .3, .draw = sim_normal},
                 sim_share, .88, .08, n);
    simulate_all(
        (struct sim_world){.noise = .2, .lag = .5, .extra = .3, .draw = sim_normal},
        sim_share, .88, .08, n);
    simulate_all((struct sim_world){.noise = .2, .lag = .3, .draw = sim_normal},
                 sim_imbalance, .84, .08, n);
}

/* The imbalance of repeats; each run's noise is new on every unit. */
static int runs_hold(int runs, int units, double noise, double extra, int *found)
{
    double severities[5], mean[SIM_UNITS] = {0}, exact[SIM_UNITS], truth;
    struct mm_confidence c;

    for (int u = 0; u < units; u++)
        exact[u] = 1 + (u == units - 1) * extra;
    truth = sim_imbalance(exact, units);
    for (int r = 0; r < runs; r++) {
        double times[SIM_UNITS];

        for (int u = 0; u < units; u++) {
            times[u] = exact[u] * (1 + noise * sim_normal());
            mean[u] += times[u] / runs;
        }
        severities[r] = sim_imbalance(times, units);
    }
    c = mm_confidence_runs(severities, (size_t)runs, sim_imbalance(mean, units),
                           (size_t)units, THRESHOLD);
    *found += truth <= THRESHOLD && c.confidence >= .95;
    return c.low <= truth && truth <= c.high;
}

TEST(repeats_hold_what_was_put_in_and_find_nothing_in_balanced_runs)
{
    static const double extras[] = {0, .05, .1, .3};
    int n = rounds(200);

    for (int runs = 3; runs <= 5; runs += 2)
        for (size_t i = 0; i < 16; i++)
            for (double noise = .01; noise < .2; noise *= 3) {
                int holds = 0, found = 0, units = unit_counts[i % 4];

                for (int k = 0; k < n; k++)
                    holds += runs_hold(runs, units, noise, extras[i / 4], &found);
                if (getenv("SOAK"))
                    printf("%d runs of %2d units, noise %.2f, extra %.2f: holds %.3f, "
                           "found %.4f\n",
                           runs, units, noise, extras[i / 4], (double)holds / n,
                           (double)found / n);
                assert_true(holds >= n * (1 - most_of(.1, n)));
                assert_true(found <= n * most_of(.08, n));
            }
}

/* --- Many questions -------------------------------------------------------------------
 */

TEST(adjusted_confidences_are_those_of_the_definition)
{
    double confidence[60], adjusted[60];

    for (int round = 0; round < 50; round++) {
        size_t n = 1 + (size_t)(sim_unit() * 60);
        unsigned looks = 1 + (unsigned)(sim_unit() * 3);

        for (size_t i = 0; i < n; i++)
            confidence[i] = sim_unit() < .1 ? NAN : pow(sim_unit(), .2);
        assert_int_equal(mm_many_adjust(adjusted, confidence, n, looks), 0);
        for (size_t i = 0; i < n; i++) {
            double least = 1;
            size_t maybe = 0;

            for (size_t j = 0; j < n; j++)
                maybe += confidence[j] > .5;
            /* the least over all thresholds q at or above it of q m / #{p <= q} */
            for (size_t j = 0; j < n; j++) {
                size_t below = 0;

                if (!(confidence[j] <= confidence[i]) || !(confidence[j] > .5))
                    continue;
                for (size_t k = 0; k < n; k++)
                    below += confidence[k] >= confidence[j];
                least = fmin(least, 2 * looks * (1 - confidence[j]) * (double)maybe /
                                        (double)below);
            }
            if (isnan(confidence[i]))
                assert_true(isnan(adjusted[i]));
            else
                assert_true(fabs(adjusted[i] - (confidence[i] > .5 ? 1 - least : 0)) <
                            1e-12);
        }
    }
    assert_int_equal(mm_many_adjust(adjusted, confidence, 0, 1), 0);
}

enum { REGIONS = 10, SET_UNITS = 8 };

/* A run with `REGIONS` regions, each three quarters of the one around it where `nested`;
 * on each unit an overhead of exactly the threshold, which is no finding; in pairs of
 * units what one has more the other has less where `opposed`. */
static int clean_run_has_a_finding(double noise, int nested, int opposed)
{
    static double x[REGIONS][SET_UNITS][SIM_BATCHES], y[REGIONS][SET_UNITS][SIM_BATCHES];
    double confidence[REGIONS * (SET_UNITS + 1)];
    size_t n = 0;
    int found = 0;

    for (int r = 0; r < REGIONS; r++)
        for (int u = 0; u < SET_UNITS; u++)
            for (int b = 0; b < SIM_BATCHES; b++) {
                double own = THRESHOLD * (1 + noise * sim_normal());
                double time = 1 + noise * sim_normal();

                if (nested && r) {
                    own = .75 * y[r - 1][u][b] + .25 * own;
                    time = .75 * x[r - 1][u][b] + .25 * time;
                }
                if (opposed && u % 2) {
                    own = 2 * THRESHOLD - y[r][u - 1][b];
                    time = 2 - x[r][u - 1][b];
                }
                x[r][u][b] = time;
                y[r][u][b] = own;
            }
    for (int r = 0; r < REGIONS; r++) {
        struct mm_blocks blocks = mm_blocks_choose(x[r][0], SET_UNITS, SIM_BATCHES);
        double overhead[SET_UNITS][MM_REPLICATES], imbalance[MM_REPLICATES];

        if (!blocks.count)
            continue;
        for (size_t k = 0; k < MM_REPLICATES; k++) {
            double means[SET_UNITS] = {0};

            sim_means(means, x[r][0], SET_UNITS, &blocks, k);
            imbalance[k] = sim_imbalance(means, SET_UNITS);
            sim_means(means, y[r][0], SET_UNITS, &blocks, k);
            for (int u = 0; u < SET_UNITS; u++)
                overhead[u][k] = means[u];
        }
        confidence[n++] = mm_confidence_replicates(imbalance[0], imbalance, &blocks, 0,
                                                   SET_UNITS, THRESHOLD)
                              .confidence;
        for (int u = 0; u < SET_UNITS; u++)
            confidence[n++] = mm_confidence_replicates(overhead[u][0], overhead[u],
                                                       &blocks, 0, 1, THRESHOLD)
                                  .confidence;
    }
    assert_int_equal(mm_many_adjust(confidence, confidence, n, 1), 0);
    for (size_t i = 0; i < n; i++)
        found |= confidence[i] >= .95;
    return found;
}

TEST(clean_runs_have_findings_in_one_of_twenty_at_most)
{
    int n = rounds(24);

    for (int kind = 0; kind < 3; kind++)
        for (double noise = .05; noise < .5; noise *= 4) {
            int found = 0;

            for (int i = 0; i < n; i++)
                found += clean_run_has_a_finding(noise, kind == 1, kind == 2);
            if (getenv("SOAK"))
                printf("%s regions, noise %.2f, each overhead at the threshold: %d of %d "
                       "runs with a finding\n",
                       kind == 1   ? "nested"
                       : kind == 2 ? "opposed"
                                   : "separate",
                       noise, found, n);
            assert_true(found <= n * most_of(.05, n));
        }
}

TESTS(NULL, NULL)
