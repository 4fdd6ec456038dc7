/* SPDX-License-Identifier: BSD-3-Clause */
/* Confidence of properties over stores whose noise is known: batches of one run, repeats,
 * samples of messages, and what no noise is known of. */
#include <math.h>
#include <sqlite3.h>

#include "tests/lib/test.h"
#include "tests/properties/simulated.h"

#include "properties/causes/doubt.h"
#include "properties/store/store.h"

enum { PROGRAM = 1, WORK, RARE, CALLER, C_CALLER, C_WORK, UNITS = 4 };

/* A program of 100 s; `work`, which `caller` calls, 80 s in 64 batches; `rare` 10 s, one
 * call. */
static const char world[] =
    "INSERT INTO application VALUES (1, 'a'); INSERT INTO version VALUES (1, 1, 'b');"
    "INSERT INTO machine VALUES (1, 'm'); INSERT INTO node VALUES (1, 1, 'h', 'c', 8);"
    "INSERT INTO region (id, version, kind, name, parent) VALUES (1, 1, 'program', "
    "'program', NULL), (2, 1, 'method', 'a.work', NULL), (3, 1, 'method', 'a.rare', "
    "NULL), (4, 1, 'method', 'a.caller', NULL), (5, 1, 'context', 'a.caller', 1), (6, 1, "
    "'context', 'a.caller > a.work', 5);";

static struct mm_store *store;
static struct mm_doubt *doubt;
static struct mm_property *property;
static struct mm_property_answers answers;

static void sql(const char *format, ...)
{
    char *text;
    va_list list;

    va_start(list, format);
    text = sqlite3_vmprintf(format, list);
    va_end(list);
    if (sqlite3_exec(store->db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sqlite3_errmsg(store->db), text);
    sqlite3_free(text);
}

static int begin(void **state)
{
    struct cca_error err = {0};

    (void)state;
    sim_state = 88172645463325252ULL;
    if (mm_store_new(&store, NULL, &err))
        fail_msg("%s", err.text);
    sql("%s", world);
    return 0;
}

static int end(void **state)
{
    (void)state;
    mm_property_answers_done(&answers);
    mm_property_free(property);
    mm_doubt_free(doubt);
    mm_store_free(store);
    property = NULL;
    doubt = NULL;
    answers = (struct mm_property_answers){0};
    return 0;
}

static void add_summary(int run, int region, int unit, double calls, double exec,
                        double send)
{
    sql("INSERT INTO summary (experiment, region, unit, calls, exec_time, mpi_time, "
        "send_time, recv_time, coll_time, wait_time, recording) VALUES (%d, %d, %d, %g, "
        "%.17g, %.17g, %.17g, 0, 0, %.17g, .001)",
        run, region, run * 10 + unit, calls, exec, send, send, send / 2);
}

/* A run whose batches have noise of `noise` and whose last unit takes longer by `extra`;
 * a fifth of `work` is sending. */
static void add_run(int run, const char *configuration, double noise, double extra,
                    int batches)
{
    sql("INSERT INTO experiment (id, version, machine, path, name, problem, "
        "configuration, ranks, threads, units, state, root) VALUES (%d, 1, 1, 'p%d', "
        "'p%d', 'x', %Q, %d, 1, %d, 'finished', 1)",
        run, run, run, configuration, UNITS, UNITS);
    for (int u = 0; u < UNITS; u++) {
        double exec = 0, send = 0;

        sql("INSERT INTO unit (id, experiment, rank, thread, node) VALUES (%d, %d, %d, 0,"
            " 1)",
            run * 10 + u, run, u);
        for (int b = 0; b < batches; b++) {
            double one = 80. / batches * (1 + (u == UNITS - 1) * extra) *
                         fmax(1 + noise * sim_normal(), 0);
            double part = one * .2 * fmax(1 + noise * sim_normal(), 0);

            exec += one;
            send += part;
            sql("INSERT INTO batch (experiment, region, unit, batch, calls, exec_time, "
                "own_time, mpi_time, send_time, recv_time, coll_time, width) VALUES (%d, "
                "2, %d, %d, 10, %.17g, %.17g, %.17g, %.17g, 0, 0, 10)",
                run, run * 10 + u, b, one, one, part, part);
        }
        add_summary(run, WORK, u, 10 * batches, exec, send);
        add_summary(run, C_WORK, u, 10 * batches, exec, send);
        add_summary(run, CALLER, u, 1, exec + 1, send);
        add_summary(run, C_CALLER, u, 1, exec + 1, send);
        add_summary(run, RARE, u, 1, 10, 1);
        add_summary(run, PROGRAM, u, 1, 100, send + 1);
    }
}

static void ask(const char *text, size_t runs, double threshold)
{
    const int64_t experiments[] = {1, 2, 3, 4};
    const struct mm_property_question question = {.experiments = experiments,
                                                  .experiment_count = runs};
    struct cca_error err = {0};

    mm_property_answers_done(&answers);
    mm_property_free(property);
    property = NULL;
    if (mm_property_parse(&property, "a.property", text, strlen(text), &err) ||
        mm_property_evaluate(&answers, store, property, &question, &err))
        fail_msg("%s", err.text);
    mm_doubt_free(doubt);
    doubt = NULL;
    if (mm_doubt_new(&doubt, store, &question, threshold, .01, &err) ||
        mm_answers_doubt(&answers, doubt, property, &question, &err))
        fail_msg("%s", err.text);
}

static const struct mm_property_answer *answer_of(int64_t run, int region, int unit)
{
    for (size_t i = 0; i < answers.count; i++)
        if (answers.all[i].experiment == run && answers.all[i].region == region &&
            answers.all[i].unit == (unit < 0 ? 0 : run * 10 + unit))
            return &answers.all[i];
    fail_msg("no answer for run %d, region %d, unit %d", (int)run, region, unit);
    return NULL;
}

static double half_of(const struct mm_property_answer *a)
{
    return (a->high - a->low) / 2;
}

#define OVERHEAD "name: O\ndoc: x\nfor: summary\nseverity: comm_time / basis.exec_time\n"
#define IMBALANCE                                                                        \
    "name: L\ndoc: x\nfor: region\nseverity: (1 - avg(exec_time) / max(exec_time)) / "   \
    "(1 -"                                                                               \
    " 1 / count(exec_time))\n"

TEST_WITH(noise_within_a_run_is_that_of_its_batches, begin, end)
{
    const struct mm_property_answer *a;
    double squares = 0, mean = 0, sum = 0, sd;
    sqlite3_stmt *s;
    int held = 0;

    add_run(1, "c", .3, 0, 64);
    ask(OVERHEAD, 1, .05);
    a = answer_of(1, WORK, 1);
    assert_string_equal(a->how, "within this run");
    assert_true(a->confidence > .999);
    for (int u = 0; u < UNITS; u++)
        held += answer_of(1, WORK, u)->low < .16 && .16 < answer_of(1, WORK, u)->high;
    assert_true(held >= 3);
    /* By hand: the basis has the batches in it, so the ratio's variance is that of what
     * is sent less its share of the time (Cochran, Sampling Techniques, 6.3). */
    a = answer_of(1, WORK, 1);
    assert_int_equal(sqlite3_prepare_v2(store->db,
                                        "SELECT send_time, exec_time FROM batch WHERE "
                                        "unit = 11",
                                        -1, &s, NULL),
                     SQLITE_OK);
    while (sqlite3_step(s) == SQLITE_ROW) {
        double send = sqlite3_column_double(s, 0);
        double rest = send - a->severity * sqlite3_column_double(s, 1);

        sum += send;
        mean += rest / 64;
        squares += rest * rest;
    }
    sqlite3_finalize(s);
    sd = sqrt((squares - 64 * mean * mean) / 63 * 64) / 100;
    assert_true(fabs(a->severity - sum / 100) < .02 * sum / 100);
    assert_true(half_of(a) > 1.8 * sd && half_of(a) < 3 * sd);
}

TEST_WITH(a_region_without_batches_varies_by_what_it_calls, begin, end)
{
    const struct mm_property_answer *of_work, *of_caller, *of_program, *of_context;

    add_run(1, "c", .3, 0, 64);
    ask(OVERHEAD, 1, .05);
    of_work = answer_of(1, WORK, 2);
    of_caller = answer_of(1, CALLER, 2);
    of_program = answer_of(1, PROGRAM, 2);
    of_context = answer_of(1, C_WORK, 2);
    /* Of caller and program the basis varies too: what is long is long in both. */
    assert_true(fabs(of_caller->severity - of_work->severity) < 1e-3);
    assert_true(of_caller->high - of_caller->low > .5 * (of_work->high - of_work->low));
    assert_true(of_program->high - of_program->low > .5 * (of_work->high - of_work->low));
    assert_true(of_program->high - of_program->low < 2 * (of_work->high - of_work->low));
    assert_true(fabs(of_context->low - of_work->low) < 1e-9);
}

TEST_WITH(what_no_noise_is_known_of_has_no_confidence, begin, end)
{
    const struct mm_property_answer *a;

    add_run(1, "c", .3, 0, 64);
    ask(OVERHEAD, 1, .05);
    a = answer_of(1, RARE, 1);
    assert_true(isnan(a->confidence) && isnan(a->low) && a->holds == 1);
    assert_string_equal(a->reason, "one run, with too few independent iterations");
    /* Batches say nothing of this column: without them it would seem to be exact. */
    ask("name: W\ndoc: x\nfor: summary\nseverity: wait_time / basis.exec_time\n", 1, .05);
    a = answer_of(1, WORK, 1);
    assert_true(isnan(a->confidence) && a->holds == 1);
    assert_string_equal(a->reason, "undefined in parts of the run");
    /* A confidence that the property states is kept. */
    ask(OVERHEAD "confidence: 0.75\n", 1, .05);
    assert_true(answer_of(1, WORK, 1)->confidence == .75);
}

TEST_WITH(few_batches_are_no_evidence, begin, end)
{
    add_run(1, "c", .3, 0, 15);
    ask(OVERHEAD, 1, .05);
    assert_true(isnan(answer_of(1, WORK, 0)->confidence));
}

TEST_WITH(an_imbalance_is_told_from_noise, begin, end)
{
    const struct mm_property_answer *a;

    add_run(1, "c", .3, 0, 64);
    ask(IMBALANCE, 1, .05);
    a = answer_of(1, WORK, -1);
    assert_true(a->low <= 0 && a->confidence < .8);
    end(NULL);
    begin(NULL);
    add_run(1, "c", .3, .5, 64);
    ask(IMBALANCE, 1, .05);
    a = answer_of(1, WORK, -1);
    /* (1 - 4.5/4/1.5) / (1 - 1/4) */
    assert_true(a->low < 1 / 3. && 1 / 3. < a->high && a->confidence > .99);
    assert_true(a->high - a->low < .25);
}

TEST_WITH(repeats_become_one_answer, begin, end)
{
    const struct mm_property_answer *a;
    double severities[3], mean = 0, squares = 0;

    for (int run = 1; run <= 3; run++)
        add_run(run, "c", .1, 0, 64);
    add_run(4, "another", .1, 0, 64);
    for (int run = 1; run <= 3; run++) {
        sqlite3_stmt *s;

        assert_int_equal(sqlite3_prepare_v2(store->db,
                                            "SELECT send_time / 100 FROM summary WHERE "
                                            "region = 2 AND unit = ?1",
                                            -1, &s, NULL),
                         SQLITE_OK);
        sqlite3_bind_int(s, 1, run * 10 + 1);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        severities[run - 1] = sqlite3_column_double(s, 0);
        mean += severities[run - 1] / 3;
        sqlite3_finalize(s);
    }
    for (int i = 0; i < 3; i++)
        squares += (severities[i] - mean) * (severities[i] - mean);
    ask(OVERHEAD, 4, .05);
    assert_int_equal(answers.count, 2 * 6 * UNITS); /* of run 1 for three, and of run 4 */
    a = answer_of(1, WORK, 1);
    assert_string_equal(a->how, "3 runs");
    assert_true(fabs(a->severity - mean) < 1e-12);
    /* and half of the ms that measuring took, of 100 s */
    assert_true(fabs(a->high - mean - 4.30265272975 * sqrt(squares / 6) - 5e-6) < 1e-9);
    assert_string_equal(answer_of(4, WORK, 1)->how, "within this run");
    assert_int_equal(answers.evaluated, answers.count);
}

TEST_WITH(equal_units_of_repeats_are_not_imbalanced, begin, end)
{
    const struct mm_property_answer *a;
    double raw = 0;

    for (int run = 1; run <= 4; run++)
        add_run(run, "c", 1, 0, 16); /* 25 % a unit */
    ask("name: M\ndoc: x\nfor: region\nseverity: max(exec_time) / avg(exec_time) - 1\n",
        1, .05);
    raw = answer_of(1, WORK, -1)->severity;
    ask(IMBALANCE, 4, .05);
    a = answer_of(1, WORK, -1);
    assert_string_equal(a->how, "4 runs");
    assert_true(raw > .1); /* noise */
    assert_true(a->low <= 0 && a->confidence < .8 && a->severity < raw / 2);
}

TEST_WITH(samples_have_the_interval_of_their_estimate, begin, end)
{
    const struct mm_property_answer *small = NULL, *large = NULL;

    add_run(1, "c", .1, 0, 64);
    /* Two sizes between the same callsites: which is which must be kept apart. */
    sql("INSERT INTO message (experiment, src, dst, send_site, recv_site, recv_region, "
        "size_class, n, samples, late_send, late_send_low, late_send_high) VALUES (1, 0, "
        "1, 's', 'r', 2, 64, 100, 40, 10, 8, 13), (1, 0, 1, 's', 'r', 2, 4096, 100, 40, "
        "40, 20, 80)");
    ask("name: S\ndoc: x\nfor: messages\nbasis: slowest\nseverity: late_send / "
        "basis.exec_time\n",
        1, .2);
    assert_int_equal(answers.count, 2);
    for (size_t i = 0; i < 2; i++)
        *(answers.all[i].severity < .2 ? &small : &large) = &answers.all[i];
    assert_true(small && large);
    assert_true(fabs(small->low - .08) < 1e-12 && fabs(small->high - .13) < 1e-12);
    assert_true(fabs(large->low - .2) < 1e-12 && fabs(large->high - .8) < 1e-12);
    assert_string_equal(large->how, "samples");
    assert_true(fabs(large->confidence - .975) < 1e-9); /* the threshold is its low end */
    assert_true(small->confidence < .001);
}

TEST_WITH(a_severity_below_the_cost_of_measuring_is_not_decided, begin, end)
{
    const struct mm_property_answer *a;

    add_run(1, "c", .1, 0, 64);
    sql("UPDATE summary SET recording = 40 WHERE region = 2");
    ask(OVERHEAD, 1, .05);
    a = answer_of(1, WORK, 1); /* 16 % of the run; half of 40 s is 20 % */
    assert_true(isnan(a->confidence));
    assert_string_equal(a->reason, "below the cost of measuring");
}

TESTS(NULL, NULL)
