/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_populations.c: nothing disappears from the sums; rare costs are found with
 * share, size and rule; only what the host is shown to have done is left out. */
#include "tests/lib/test.h"

#include "mastermind/counts/profile/profile.h"
#include "mastermind/cost/calls/drift.h"
#include "mastermind/cost/calls/populations.h"
#include "tests/lib/mm_rows.h"

#define SIZES 8
#define NO_EVIDENCE (-1.f)

/* Calls of a method with a parameter Q and an out-value `rehashed`; its main population
 * costs 1000 + 20 Q ns with `noise`. */
struct scene {
    struct rows rows;
    struct mm_points points;
    struct mm_sample_table table;
    struct mm_populations p;
    double fitted[64];
    double sum;    /* of all calls, as the method caused them */
    double noise;  /* relative */
    int64_t clock; /* start of the next call */
    uint32_t number;
};

static double truth(double q)
{
    return 1000 + 20 * q;
}

static void scene_begin(struct scene *s, uint64_t seed, double noise)
{
    struct mm_method_info *m;

    *s = (struct scene){.noise = noise};
    m = rows_method(&s->rows, "flux", "compute", "Flux", "f/1");
    rows_value(m, "Q", MONITOR_INT64, MONITOR_PARAM);
    rows_value(m, "rehashed", MONITOR_INT64, MONITOR_OUT);
    mm_points_init(&s->points, m);
    assert_int_equal(mm_points_run(&s->points, s), 0);
    rows_seed = seed;
}

/* A call that costs `extra_ns` more than usual; of its time the host took `lost_ns`. */
static void scene_call(struct scene *s, double q, double extra_ns, double lost_ns,
                       int waited, int64_t out)
{
    union monitor_value values[2] = {{.i = (int64_t)q}, {.i = out}};
    double own = truth(q) * (1 + s->noise * rows_normal()) + extra_ns;
    struct mm_call call = {.ns = own + (lost_ns > 0 && !waited ? lost_ns : 0),
                           .start_ns = s->clock,
                           .lost_ns = (float)lost_ns,
                           .number = ++s->number,
                           .waited = (uint8_t)waited};

    s->clock += (int64_t)call.ns + 100;
    s->sum += own;
    assert_int_equal(mm_points_add_call(&s->points, values, &call), 0);
}

static double size_of(int i)
{
    return 16 << i % SIZES;
}

static double total(const struct scene *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->table.count; i++) {
        double x[MONITOR_MAX_IN];

        mm_sample_table_tuple(&s->table, i, x);
        sum += s->table.n[i] * mm_populations_mean(&s->p, s->fitted[i], x);
    }
    return sum;
}

/* Fit populations about the true curve, or about the typical costs of the sizes. */
static void scene_fit_about(struct scene *s, int typ)
{
    struct mm_distances main;

    assert_int_equal(mm_sample_table_init(&s->table, &s->points,
                                          (union monitor_value[2]){{0}, {0}}, 0),
                     0);
    assert_true(s->table.count <= sizeof s->fitted / sizeof *s->fitted);
    for (size_t i = 0; i < s->table.count; i++)
        s->fitted[i] = typ ? s->table.typ[i] : truth(s->table.x[0][i]);
    assert_int_equal(mm_populations_fit(&s->p, &s->table, s->fitted, 2, &main), 0);
    mm_distances_done(&main);
}

/* For a person who looks for the reason of a failure. */
static void scene_print(const struct scene *s)
{
    for (size_t k = 0; k < s->p.count; k++) {
        const struct mm_population *item = &s->p.item[k];

        print_message("  share %.2g, excess %.3g ns, %g calls, power %g, cv %.2g\n",
                      item->share, item->excess, item->calls, item->power, item->cv);
    }
    print_message("  spread %g * typ^%g, shift %g, scale %g\n", s->p.spread.factor,
                  s->p.spread.power, s->p.shift, s->p.scale);
}

static void scene_fit(struct scene *s)
{
    scene_fit_about(s, 0);
}

static void scene_end(struct scene *s)
{
    mm_sample_table_done(&s->table);
    mm_points_done(&s->points);
    rows_done(&s->rows);
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("found %g, expected %g within %g", value, expected, tolerance);
}

/* 1:ratio at `share`, by lot, as a multiple of the usual cost or of fixed size. */
static void check_rare(double ratio, double share, int fixed, int calls, uint64_t seed)
{
    struct scene s;
    double members = 0, excess = 0;
    int found = 0;

    scene_begin(&s, seed, .03);
    for (int i = 0; i < calls; i++) {
        double q = size_of(i);
        double more = (ratio - 1) * (fixed ? 3000 : truth(q));
        int rare = rows_random() < share;

        members += rare;
        excess += rare ? more : 0;
        scene_call(&s, q, rare ? more : 0, NO_EVIDENCE, 0, 0);
    }
    scene_fit(&s);
    assert_near(total(&s), s.sum, 1e-6);
    for (size_t i = 0; i < s.table.count; i++)
        if (!fixed || (ratio - 1) * 3000 > s.fitted[i]) /* else they overlap */
            assert_near(s.table.typ[i], s.fitted[i], .02);
    for (size_t k = 0; k < s.p.count; k++) {
        const struct mm_population *p = &s.p.item[k];

        if (fabs(p->excess / (excess / members) - 1) > .15)
            continue;
        found++;
        assert_near(p->calls, members, .15);
        assert_true(p->power == !fixed);
    }
    if (found != 1) {
        scene_print(&s);
        fail_msg("1:%g at %g, fixed %d, %d calls", ratio, share, fixed, calls);
    }
    scene_end(&s);
}

TEST(rare_costs_are_populations_with_share_and_size)
{
    const double ratios[] = {3, 10, 100, 1000}, shares[] = {.01, .05, .1, .25, .4};
    uint64_t seed = 1;

    for (size_t r = 0; r < 4; r++)
        for (size_t k = 0; k < 5; k++)
            for (int fixed = 0; fixed < 2; fixed++)
                check_rare(ratios[r], shares[k], fixed, 4000, seed++);
    for (size_t r = 1; r < 4; r++) /* more calls than are kept */
        check_rare(ratios[r], .01, 0, 40000, seed++);
}

/* Calls 30 % at the usual cost, 70 % at five times it: the main population is the larger
 * one. */
TEST(the_larger_population_is_the_main_one)
{
    struct scene s;

    scene_begin(&s, 5, .02);
    for (int i = 0; i < 1600; i++)
        scene_call(&s, size_of(i / 10), i % 10 < 3 ? 0 : 4 * truth(size_of(i / 10)),
                   NO_EVIDENCE, 0, 0);
    scene_fit(&s);
    for (size_t i = 0; i < s.table.count; i++)
        assert_near(s.table.typ[i], 5 * s.fitted[i], .02);
    scene_end(&s);
}

/* Iterations: 25, 40 or 85 of them, equally often. All sizes agree on one of three. */
TEST(three_populations_are_alike_at_all_sizes)
{
    static const double times[] = {25, 40, 85};
    struct scene s;

    scene_begin(&s, 6, .02);
    for (int i = 0; i < 1600; i++)
        scene_call(&s, size_of(i),
                   (times[(int)(3 * rows_random())] - 1) * truth(size_of(i)), NO_EVIDENCE,
                   0, 0);
    scene_fit(&s);
    for (size_t i = 1; i < s.table.count; i++)
        assert_near(s.table.typ[i] / s.fitted[i], s.table.typ[0] / s.fitted[0], .03);
    assert_near(total(&s), s.sum, 1e-6);
    scene_end(&s);
}

/* The share goes with the size: hits of the host on longer calls, or what grows. */
TEST(shares_may_go_with_the_cost)
{
    struct scene s;

    scene_begin(&s, 7, .03);
    for (int i = 0; i < 8000; i++) {
        double q = size_of(i);

        scene_call(&s, q, rows_random() < truth(q) / 1e6 * 4 ? 2e6 : 0, NO_EVIDENCE, 0,
                   0);
    }
    scene_fit(&s);
    assert_int_equal(s.p.count, 1);
    assert_true(s.p.item[0].share_power == 1);
    assert_near(mm_population_share(&s.p.item[0], truth(2048), NULL),
                4 * truth(2048) / 1e6, .15);
    assert_near(total(&s), s.sum, 1e-6);
    scene_end(&s);
}

static const struct mm_rule *only_rule(const struct scene *s)
{
    if (s->p.count != 1) {
        scene_print(s);
        fail_msg("%zu populations", s->p.count);
    }
    return &s->p.item[0].rule;
}

static void assert_rule(const struct scene *s, const char *expected)
{
    char text[100];

    mm_rule_print(only_rule(s), s->points.method, text, sizeof text);
    assert_string_equal(text, expected);
}

TEST(rules_are_found_by_number_and_value)
{
    struct scene s;

    scene_begin(&s, 7, .03);
    for (int i = 0; i < 800; i++)
        scene_call(&s, size_of(i), i ? 0 : 3e6, NO_EVIDENCE, 0, 0);
    scene_fit(&s);
    assert_rule(&s, "first call");
    assert_near(total(&s), s.sum, 1e-6);
    scene_end(&s);

    scene_begin(&s, 8, .03);
    for (int i = 0; i < 1600; i++)
        scene_call(&s, size_of(i / 3), i % 10 == 9 ? 50 * truth(size_of(i / 3)) : 0,
                   NO_EVIDENCE, 0, 0);
    scene_fit(&s);
    assert_rule(&s, "every 10th call");
    assert_near(s.p.item[0].share, .1, .02);
    scene_end(&s);

    scene_begin(&s, 9, .03);
    for (int i = 0; i < 1600; i++) {
        int grows = rows_random() < .07;

        scene_call(&s, size_of(i), grows ? 40 * size_of(i) + 9000 : 0, NO_EVIDENCE, 0,
                   grows ? 1 + i % 3 : 0);
    }
    scene_fit(&s);
    assert_rule(&s, "o.rehashed >= 1");
    scene_end(&s);

    scene_begin(&s, 10, .03);
    for (int i = 0; i < 1600; i++) {
        int big = size_of(i) >= 512;

        scene_call(&s, size_of(i), big && rows_random() < .3 ? 2e5 : 0, NO_EVIDENCE, 0,
                   0);
    }
    scene_fit(&s);
    assert_rule(&s, "Q >= 512");
    assert_near(s.p.item[0].share, .3, .2);
    assert_near(mm_populations_mean(&s.p, truth(16), (double[MONITOR_MAX_IN]){16}),
                truth(16), .05);
    assert_near(total(&s), s.sum, 1e-6);
    scene_end(&s);

    scene_begin(&s, 11, .03);
    for (int i = 0; i < SIZES * 40; i++)
        scene_call(&s, size_of(i / 40), i % 40 ? 0 : 6 * truth(size_of(i / 40)),
                   NO_EVIDENCE, 0, 0);
    scene_fit(&s);
    assert_true(only_rule(&s)->kind == MM_RULE_FRESH ||
                only_rule(&s)->kind == MM_RULE_EVERY); /* both are true */
    scene_end(&s);
}

/* A method that adapts: from some call on it costs another amount. */
TEST(a_change_of_state_has_its_call)
{
    for (int later = 0; later < 2; later++) {
        struct scene s;

        scene_begin(&s, 14, .03);
        for (int i = 0; i < 1000; i++)
            scene_call(&s, size_of(i), (i >= 300) == later ? 2 * truth(size_of(i)) : 0,
                       NO_EVIDENCE, 0, 0);
        scene_fit_about(&s, 1); /* the larger population is the main one */
        assert_rule(&s, "first 300 calls");
        assert_near(s.table.typ[0], (later ? 3 : 1) * truth(s.table.x[0][0]), .02);
        assert_near(total(&s), s.sum, 1e-6);
        scene_end(&s);
    }
}

/* Sizes of one call: the larger population is the main one, too. */
TEST(populations_are_told_apart_with_one_call_a_size)
{
    struct scene s;
    double fitted[64];
    int members = 0;

    scene_begin(&s, 16, .03);
    for (int i = 0; i < 64; i++) {
        int rare = rows_random() < .3;

        members += rare;
        scene_call(&s, 50 + 30 * i, rare ? 3 * truth(50 + 30 * i) : 0, NO_EVIDENCE, 0, 0);
    }
    scene_fit(&s);
    assert_int_equal(s.p.count, 1);
    assert_near(s.p.item[0].calls, members, 0);
    assert_near(s.p.item[0].factor, 3, .05);
    assert_near(total(&s), s.sum, 1e-6);
    for (size_t i = 0; i < 64; i++) /* a first curve lies between both */
        fitted[i] = 1.7 * s.fitted[i];
    /* And the weights of all sizes, as one more change. */
    assert_int_equal(mm_sample_table_trim(&s.table, fitted), members + 1);
    scene_end(&s);
}

/* The first call, every 7th, and what comes by lot, each with its size. */
TEST(several_populations_are_told_apart)
{
    struct scene s;
    int first = 0, seventh = 0, lot = 0;

    scene_begin(&s, 15, .03);
    for (int i = 0; i < 3000; i++) {
        double q = size_of(i), extra = i == 0                ? 5e7
                                       : i % 7 == 3          ? 3 * truth(q)
                                       : rows_random() < .03 ? 4e6
                                                             : 0;

        scene_call(&s, q, extra, NO_EVIDENCE, 0, 0);
    }
    scene_fit(&s);
    for (size_t k = 0; k < s.p.count; k++) {
        const struct mm_population *p = &s.p.item[k];

        first += p->rule.kind == MM_RULE_FIRST && fabs(p->excess / 5e7 - 1) < .01;
        seventh += p->rule.kind == MM_RULE_EVERY && p->rule.period == 7 &&
                   p->power == 1 && fabs(p->share * 7 - 1) < .05;
        lot += p->rule.kind == MM_RULE_NONE && fabs(p->excess / 4e6 - 1) < .05 &&
               p->power == 0;
    }
    if (s.p.count != 3 || !first || !seventh || !lot) {
        scene_print(&s);
        fail_msg("%zu populations", s.p.count);
    }
    assert_near(total(&s), s.sum, 1e-6);
    scene_end(&s);
}

/* Members by lot have no rule: hardly ever is one found. */
TEST(chance_is_no_rule)
{
    int found = 0;

    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct scene s;

        scene_begin(&s, 100 + seed, .03);
        for (int i = 0; i < 400; i++)
            scene_call(&s, size_of(i), rows_random() < .03 ? 1e5 : 0, NO_EVIDENCE, 0,
                       (int64_t)(rows_random() * 5));
        scene_fit(&s);
        for (size_t k = 0; k < s.p.count; k++)
            found += s.p.item[k].rule.kind != MM_RULE_NONE;
        scene_end(&s);
    }
    assert_true(found <= 1);
}

/* One call in 20 sleeps. */
TEST(waiting_stays_in_the_mean)
{
    struct scene s;

    scene_begin(&s, 12, .03);
    for (int i = 0; i < 2000; i++) {
        int sleeps = rows_random() < .05;

        scene_call(&s, size_of(i), sleeps ? 2e6 : 0, sleeps ? 2e6 : 0, sleeps, 0);
    }
    scene_fit(&s);
    assert_near(total(&s), s.sum, 1e-6);
    assert_int_equal(s.p.count, 1);
    assert_true(s.p.item[0].waits);
    assert_true(s.p.host_calls == 0 && s.p.host_ns == 0 && s.p.no_evidence == 0);
    scene_end(&s);
}

/* Calls of 1 to 42 us, some of which the host interrupts for milliseconds. With evidence
 * the mean is that of the method; the same times without evidence stay in it. */
TEST(pauses_of_the_host_need_evidence)
{
    for (int share = 1; share <= 20; share += 19) {
        struct scene s;
        double pauses = 0, calls = 0;

        scene_begin(&s, 13, .03);
        for (int i = 0; i < 20000; i++) {
            double pause = rows_random() < share / 100. ? 1e6 + 4e6 * rows_random() : 0;
            int rare = rows_random() < .02;

            pauses += pause;
            calls += pause > 0;
            scene_call(&s, size_of(i), rare ? 50e3 : 0, pause, 0, 0);
        }
        scene_fit(&s);
        assert_near(total(&s), s.sum, .02);
        assert_near(s.p.host_ns, pauses, .02);
        assert_near(s.p.host_calls, calls, .1);
        for (size_t i = 0; i < s.table.count; i++)
            assert_near(s.table.typ[i], s.fitted[i], .01);
        scene_end(&s);

        scene_begin(&s, 13, .03);
        for (int i = 0; i < 20000; i++)
            scene_call(&s, size_of(i),
                       rows_random() < share / 100. ? 1e6 + 4e6 * rows_random() : 0,
                       NO_EVIDENCE, 0, 0);
        scene_fit(&s);
        assert_near(total(&s), s.sum, 1e-6);
        assert_true(s.p.host_ns == 0 && s.p.no_evidence == 20000);
        scene_end(&s);
    }
}

/* Nothing but zeros, and yet time lost: no crash, no answer that is not finite. */
TEST(calls_of_no_time_that_lost_some_are_taken_as_they_are)
{
    struct scene s;
    struct mm_call call = {.lost_ns = 5e6f, .number = 1};

    scene_begin(&s, 17, .03);
    for (int i = 0; i < 20; i++) {
        union monitor_value values[2] = {{.i = 1 + i % 2}, {.i = 0}};

        assert_int_equal(mm_points_add_call(&s.points, values, &call), 0);
    }
    scene_fit(&s);
    for (size_t i = 0; i < s.table.count; i++)
        assert_true(s.table.typ[i] == 1); /* the clock's resolution */
    assert_true(isfinite(total(&s)));
    scene_end(&s);
}

/* Skewed costs: lognormal, Pareto, exponential. */
TEST(tails_stay_in_the_sums)
{
    for (int kind = 0; kind < 3; kind++) {
        struct scene s;
        double sum = 0, squares = 0, n = 0, weights = 0, weights2 = 0;

        scene_begin(&s, (uint64_t)(20 + kind), 0);
        for (int i = 0; i < 4000; i++) {
            double q = size_of(i);
            double more = kind == 0   ? exp(.5 * rows_normal()) - 1
                          : kind == 1 ? .1 * (pow(1 - rows_random(), -1 / 2.5) - 1)
                                      : -log(1 - rows_random());

            scene_call(&s, q, more * truth(q), NO_EVIDENCE, 0, 0);
            sum += 1 + more;
            squares += (1 + more) * (1 + more);
            weights += truth(q);
            weights2 += truth(q) * truth(q);
            n++;
        }
        scene_fit(&s);
        assert_near(total(&s), s.sum, 1e-6);
        assert_near(s.p.error,
                    sqrt(squares / n - sum / n * (sum / n)) / (sum / n) *
                        sqrt(weights2 / n) / (weights / n) / sqrt(n),
                    .15);
        assert_near(mm_populations_sd(&s.p, truth(256), NULL),
                    truth(256) * sqrt(squares / n - sum / n * (sum / n)), .15);
        scene_end(&s);
    }
}

/* Aggregates: exact sums, and few calls of each, which miss what is rare. */
TEST(sums_have_what_samples_miss)
{
    struct scene s;
    double sum = 0, sample[32];

    scene_begin(&s, 30, .03);
    for (int size = 0; size < SIZES; size++) {
        double q = size_of(size), squares = 0, rare;
        struct mm_point point = {.calls = 5000, .n = 5000, .min_ns = 1};

        for (int i = 0; i < 5000; i++) {
            double ns = truth(q) * (1 + .03 * rows_normal());

            rare = rows_random() < .004 ? 300 * truth(q) : 0;
            if (i < 32)
                sample[i] = ns;
            ns += rare;
            point.mean_ns += ns / 5000;
            squares += ns * ns;
            point.max_ns = fmax(point.max_ns, ns);
        }
        point.m2_ns2 = squares - 5000 * point.mean_ns * point.mean_ns;
        sum += 5000 * point.mean_ns;
        assert_int_equal(mm_points_add_sum(&s.points,
                                           (union monitor_value[1]){{.i = (int64_t)q}},
                                           &point, sample, 32, 0),
                         0);
    }
    scene_fit(&s);
    assert_near(total(&s), sum, 1e-6);
    assert_int_equal(s.p.count, 1);
    assert_near(s.p.item[0].share, .004, .5);
    assert_true(s.p.no_evidence == 5000 * SIZES);
    scene_end(&s);
}

TEST(drift_is_told_or_cannot_be)
{
    struct mm_drift drift;
    struct scene s;

    for (int drifts = 0; drifts < 2; drifts++) {
        scene_begin(&s, 40, .03);
        for (int i = 0; i < 2000; i++)
            scene_call(&s, size_of(i), drifts ? truth(size_of(i)) * i * 1e-4 : 0, 0, 0,
                       0);
        scene_fit(&s);
        assert_int_equal(mm_drift_fit(&drift, &s.table), 0);
        assert_true(drift.known && drift.significant == drifts && !drift.ascending);
        if (drifts)
            assert_near(drift.change, .2, .2);
        scene_end(&s);
    }
    scene_begin(&s, 41, .03);
    for (int i = 0; i < 50 * SIZES; i++)
        scene_call(&s, size_of(i / 50), 0, 0, 0, 0);
    scene_fit(&s);
    assert_int_equal(mm_drift_fit(&drift, &s.table), 0);
    assert_true(!drift.known && drift.ascending && !drift.significant);
    scene_end(&s);
}

/* Five runs whose pace differs by 5 %. */
TEST(runs_differ_by_their_pace)
{
    const double pace[] = {-.06, -.02, 0, .03, .05};
    struct mm_run_spread spread;
    struct scene s;

    scene_begin(&s, 50, .03);
    for (int run = 0; run < 5; run++) {
        struct scene one;

        scene_begin(&one, (uint64_t)(51 + run), .03);
        for (int i = 0; i < 400; i++)
            scene_call(&one, size_of(i), truth(size_of(i)) * pace[run], 0, 0, 0);
        one.points.run_keys[0] = &pace[run];
        if (!run)
            s.points.run_keys[0] = &pace[0];
        assert_int_equal(mm_points_merge(&s.points, &one.points), 0);
        scene_end(&one);
    }
    assert_int_equal(s.points.runs, 5);
    scene_fit(&s);
    assert_int_equal(mm_run_spread_fit(&spread, &s.table), 0);
    assert_int_equal(spread.runs, 5);
    assert_near(spread.relative, .0442, .1);
    scene_end(&s);
}

/* From rows on: calls are numbered in their thread, and readings are of exclusive time.
 */
TEST(rows_carry_numbers_values_and_evidence)
{
    struct rows r = {0};
    struct mm_method_info *m = rows_method(&r, "flux", "compute", "Flux", "f/1");
    struct cca_error err = {0};
    struct mm_row_source source;
    struct mm_profile *profile;
    struct mm_sample_table t;
    struct mm_populations p;
    struct mm_distances main;
    double fitted[SIZES], sum = 0, pauses = 0;

    rows_value(m, "Q", MONITOR_INT64, MONITOR_PARAM);
    rows_value(m, "grown", MONITOR_INT64, MONITOR_OUT);
    rows_seed = 60;
    for (int i = 0; i < 2000; i++) {
        int thread = i >= 1003, tenth = (i - 1003 * thread) % 10 == 4;
        double own = truth(size_of(i)) * (1 + .02 * rows_normal()) + (tenth ? 4e5 : 0);
        double pause = rows_random() < .02 ? 3e6 : 0;
        struct mm_row *row;

        rows_call(&r, m, own + pause, (double[]){size_of(i), tenth});
        row = &r.rows[i];
        row->thread = thread;
        row->lost_ns = row->lost_exclusive_ns = (int64_t)pause;
        sum += own;
        pauses += pause;
    }
    source = rows_source(&r, "rows");
    profile = mm_profile_new(&source, NULL, &err);
    assert_non_null(profile);
    assert_int_equal(mm_sample_table_init(&t, &profile->points[0],
                                          (union monitor_value[2]){{0}, {0}}, 0),
                     0);
    assert_int_equal(t.count, SIZES);
    for (size_t i = 0; i < SIZES; i++)
        fitted[i] = truth(t.x[0][i]);
    assert_int_equal(mm_populations_fit(&p, &t, fitted, 2, &main), 0);
    mm_distances_done(&main);
    assert_near(p.sum, sum, .01);
    assert_near(p.host_ns, pauses, .01);
    assert_int_equal(p.count, 1);
    /* Both are true: every tenth call, and each that has grown. */
    assert_true(p.item[0].rule.kind == MM_RULE_OUT ||
                (p.item[0].rule.kind == MM_RULE_EVERY && p.item[0].rule.period == 10));
    mm_sample_table_done(&t);
    mm_profile_free(profile);
    rows_done(&r);
}

TESTS(NULL, NULL)
