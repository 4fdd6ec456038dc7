/* SPDX-License-Identifier: BSD-3-Clause */
/* Property files over small stores whose answers are known. */
#include "tests/lib/test.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include <sqlite3.h>

#include "properties/evaluate/evaluate.h"
#include "properties/store/store.h"

/* Two units: region 1 is the program (10 s and 8 s), region 2 a method (4 s and 2 s); run
 * 2 is sequential: 12 s and 5 s. Nothing is known of collectives in unit 2. */
static const char rows[] =
    "INSERT INTO application VALUES (1, 'a'); INSERT INTO version VALUES (1, 1, 'b');"
    "INSERT INTO machine VALUES (1, 'm'); INSERT INTO node VALUES (1, 1, 'h', 'c', 2);"
    "INSERT INTO region (id, version, kind, name) VALUES (1, 1, 'program', '<program>'), "
    "(2, 1, 'method', 'x.y.z');"
    "INSERT INTO experiment (id, version, machine, path, name, problem, configuration, "
    "ranks, "
    "threads, units, state, root) VALUES (1, 1, 1, 'p', 'p', '', '', 2, 1, 2, "
    "'finished', 1), "
    "(2, 1, 1, 's', 's', '', '', 1, 1, 1, 'finished', 1);"
    "INSERT INTO unit (id, experiment, rank, thread, node) VALUES (1, 1, 0, 0, 1), (2, "
    "1, 1, 0, "
    "1), (3, 2, 0, 0, 1);"
    "INSERT INTO summary (experiment, region, unit, calls, exec_time, recv_time, "
    "send_time, "
    "coll_time) VALUES (1, 1, 1, 1, 10, 1, 1, 1), (1, 1, 2, 1, 8, 1, 1, NULL), (1, 2, 1, "
    "5, 4, "
    "2, 1, 0), (1, 2, 2, 5, 2, .5, .5, NULL), (2, 1, 3, 1, 12, 0, 0, 0), (2, 2, 3, 5, 5, "
    "0, 0, "
    "0);"
    "INSERT INTO missing VALUES (1, 'coll_time', 'not asked for: --metrics MPI_SPLIT');";

static void near(double found, double expected, double most)
{
    if (!(fabs(found - expected) <= most))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static struct mm_store *new_store(void)
{
    struct mm_store *store;
    struct cca_error err = {0};

    if (mm_store_new(&store, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(sqlite3_exec(store->db, rows, NULL, NULL, NULL), SQLITE_OK);
    return store;
}

static struct mm_property *property_of(const char *text)
{
    struct mm_property *property;
    struct cca_error err = {0};

    if (mm_property_parse(&property, "a.property", text, strlen(text), &err))
        fail_msg("%s", err.text);
    return property;
}

static int64_t parallel = 1;

static struct mm_property_answers answers_of(const char *text, int64_t sequential)
{
    const struct mm_property_question question = {
        .experiments = &parallel, .experiment_count = 1, .sequential = sequential};
    struct mm_store *store = new_store();
    struct mm_property *property = property_of(text);
    struct mm_property_answers answers;
    struct cca_error err = {0};

    if (mm_property_evaluate(&answers, store, property, &question, &err))
        fail_msg("%s", err.text);
    mm_property_free(property);
    mm_store_free(store);
    return answers;
}

/* The answer of a region and unit. */
static const struct mm_property_answer *
answer_of(const struct mm_property_answers *answers, int64_t region, int64_t unit)
{
    for (size_t i = 0; i < answers->count; i++)
        if (answers->all[i].region == region && answers->all[i].unit == unit)
            return &answers->all[i];
    fail_msg("no answer of region %lld, unit %lld", (long long)region, (long long)unit);
    return NULL;
}

TEST(a_share_of_the_basis_is_of_the_same_unit)
{
    struct mm_property_answers a = answers_of("name: P\ndoc: d\nfor: summary\n"
                                              "severity: recv_time / basis.exec_time\n",
                                              0);

    assert_int_equal(a.count, 4);
    near(answer_of(&a, 2, 1)->severity, .2, 1e-15);
    near(answer_of(&a, 2, 2)->severity, .5 / 8, 1e-15);
    mm_property_answers_done(&a);
    a = answers_of("name: P\ndoc: d\nfor: summary\nbasis: slowest\n"
                   "severity: recv_time / basis.exec_time\n",
                   0);
    near(answer_of(&a, 2, 2)->severity, .05, 1e-15);
    mm_property_answers_done(&a);
}

TEST(what_was_not_measured_is_not_evaluated_and_says_why)
{
    struct mm_property_answers a = answers_of("name: P\ndoc: d\nfor: summary\n"
                                              "severity: comm_time / basis.exec_time\n",
                                              0);

    assert_int_equal(answer_of(&a, 2, 1)->holds, 1);
    near(answer_of(&a, 2, 1)->severity, .3, 1e-15);
    assert_int_equal(answer_of(&a, 2, 2)->holds, -1);
    assert_string_equal(answer_of(&a, 2, 2)->reason,
                        "comm_time: not asked for: --metrics MPI_SPLIT");
    assert_int_equal(a.undecided, 2);
    mm_property_answers_done(&a);
    /* A group that is known in part. */
    a = answers_of("name: P\ndoc: d\nfor: region\nseverity: sum(coll_time)\n", 0);
    assert_int_equal(answer_of(&a, 2, 0)->holds, -1);
    mm_property_answers_done(&a);
    a = answers_of("name: P\ndoc: d\nfor: summary\nseverity: 1 / (calls - calls)\n", 0);
    assert_string_equal(answer_of(&a, 1, 1)->reason,
                        "division by zero, or another number that is not finite");
    mm_property_answers_done(&a);
}

TEST(values_stand_behind_keywords)
{
    struct mm_property_answers a =
        answers_of("name: A\ndoc: d\nfor: region\nparams: most=3\n"
                   "severity: CASE WHEN max(exec_time) > 3 AND 1 THEN 7 ELSE .5 END\n"
                   "holds: NOT 'b' = 'a' AND NOT :most IN (0,1)\n"
                   "where: region.name IN ('x.y.z') AND exec_time BETWEEN 1 AND 9\n",
                   0);

    assert_int_equal(a.count, 1);
    assert_int_equal(a.all[0].holds, 1);
    near(a.all[0].severity, 7, 0);
    mm_property_answers_done(&a);
}

TEST(a_region_has_statistics_over_units)
{
    struct mm_property_answers a = answers_of(
        "name: P\ndoc: d\nfor: region\n"
        "severity: (1 - avg(exec_time)/max(exec_time)) / (1 - 1/count(exec_time))\n"
        "where: region.kind = 'method'\n",
        0);

    assert_int_equal(a.count, 1);
    near(answer_of(&a, 2, 0)->severity, .5, 1e-15);
    mm_property_answers_done(&a);
    a = answers_of(
        "name: P\ndoc: d\nfor: region\nseverity: sd(exec_time) + median(exec_time) + "
        "quantile(exec_time, .25)\n",
        0);
    near(answer_of(&a, 2, 0)->severity, sqrt(2) + 3 + 2.5, 1e-12);
    mm_property_answers_done(&a);
}

TEST(a_parallel_run_is_compared_with_the_sequential_one)
{
    static const char text[] =
        "name: Inefficiency\ndoc: d\nfor: experiments\n"
        "severity: max(0, 1 - seq.exec_time / par.units / par.exec_time)\n";
    struct mm_property_answers a = answers_of(text, 2);

    assert_int_equal(a.count, 2);
    near(answer_of(&a, 1, 0)->severity, 1 - 12. / 2 / 10, 1e-15);
    near(answer_of(&a, 2, 0)->severity, 1 - 5. / 2 / 4, 1e-15);
    mm_property_answers_done(&a);
    a = answers_of(text, 0);
    assert_int_equal(a.count, 1);
    assert_string_equal(a.all[0].reason, "no sequential run: --seq EXP");
    mm_property_answers_done(&a);
    a = answers_of("name: P\ndoc: d\nfor: experiments\n"
                   "severity: avg(min(1, seq.exec_time / (par.units * par.exec_time)))\n",
                   2);
    near(answer_of(&a, 2, 0)->severity, 5. / 8, 1e-15);
    mm_property_answers_done(&a);
}

TEST(a_metaproperty_is_over_answers_of_others)
{
    struct mm_store *store = new_store();
    struct mm_property *member =
                           property_of("name: Receive\ndoc: d\nfor: summary\n"
                                       "severity: recv_time / basis.exec_time - .1\n"),
                       *meta =
                           property_of("name: Any\ndoc: d\nfor: properties\nof: Receive\n"
                                       "over: holding\nseverity: max(severity)\n"
                                       "holds: any(holds)\n");
    const struct mm_property *library[] = {member, meta};
    const struct mm_property_question question = {.experiments = &parallel,
                                                  .experiment_count = 1,
                                                  .library = library,
                                                  .library_count = 2};
    struct mm_property_answers a;
    struct cca_error err = {0};

    if (mm_property_evaluate(&a, store, meta, &question, &err))
        fail_msg("%s", err.text);
    assert_int_equal(a.count, 2);
    near(answer_of(&a, 2, 0)->severity, .1, 1e-15);
    assert_int_equal(answer_of(&a, 2, 0)->holds, 1);
    mm_property_answers_done(&a);
    mm_property_free(member);
    mm_property_free(meta);
    mm_store_free(store);
}

/* One member alone, with what is over it. */
static struct mm_property_answers meta_of(const char *severity, const char *over)
{
    struct mm_store *store = new_store();
    char text[300];
    struct mm_property *member, *meta;
    struct mm_property_answers answers;
    struct cca_error err = {0};

    snprintf(text, sizeof text, "name: M\ndoc: d\nfor: summary\nseverity: %s\n",
             severity);
    member = property_of(text);
    snprintf(text, sizeof text,
             "name: Any\ndoc: d\nfor: properties\nof: M\n%sseverity: max(severity)\n"
             "holds: any(holds)\n",
             over);
    meta = property_of(text);
    {
        const struct mm_property *library[] = {member};
        const struct mm_property_question question = {.experiments = &parallel,
                                                      .experiment_count = 1,
                                                      .library = library,
                                                      .library_count = 1};

        if (mm_property_evaluate(&answers, store, meta, &question, &err))
            fail_msg("%s", err.text);
    }
    mm_property_free(member);
    mm_property_free(meta);
    mm_store_free(store);
    return answers;
}

TEST(members_that_do_not_hold_are_not_members_that_were_not_evaluated)
{
    struct mm_property_answers a =
        meta_of("recv_time / basis.exec_time - 2", "over: holding\n");

    assert_int_equal(answer_of(&a, 2, 0)->holds, 0);
    near(answer_of(&a, 2, 0)->severity, 0, 0);
    mm_property_answers_done(&a);
    /* Unit 2 lacks it: unit 1 decides where it holds, else nobody knows. */
    a = meta_of("comm_time / basis.exec_time", "over: holding\n");
    assert_int_equal(answer_of(&a, 2, 0)->holds, 1);
    near(answer_of(&a, 2, 0)->severity, .3, 1e-15);
    mm_property_answers_done(&a);
    a = meta_of("comm_time / basis.exec_time - 1", "over: holding\n");
    assert_int_equal(answer_of(&a, 2, 0)->holds, -1);
    assert_string_equal(answer_of(&a, 2, 0)->reason, "M: not evaluated everywhere");
    mm_property_answers_done(&a);
}

/* A wrong expression, and a part of what is said of it. */
static void expect_refused(const char *severity, const char *said)
{
    struct mm_store *store = new_store();
    char text[400];
    struct mm_property *property;
    struct cca_error err = {0};

    snprintf(text, sizeof text, "name: P\ndoc: d\nfor: summary\nseverity: %s\n",
             severity);
    property = property_of(text);
    assert_int_equal(mm_property_lint(store, property, NULL, 0, &err), -EBADMSG);
    if (!strstr(err.text, said) || strncmp(err.text, "a.property:4: found ", 20) != 0)
        fail_msg("%s: %s", severity, err.text);
    mm_property_free(property);
    mm_store_free(store);
}

TEST(wrong_expressions_are_refused)
{
    expect_refused("exec_tme", "expected 'exec_time'");
    expect_refused("basis.exec_tme", "expected 'basis.exec_time'");
    expect_refused("\"no_such\"", "found '\"no_such\"'");
    expect_refused("1) FROM rs /*", "as many '(' as ')'");
    expect_refused("(1", "its ')'");
    expect_refused("exec_time -- x", "comments");
    expect_refused("exec_time; DROP TABLE rs", "found ';");
    expect_refused("(SELECT 1)", "found 'SELECT'");
    expect_refused("load_extension('x')", "a function");
    expect_refused("max(exec_time)", "no aggregate");
    expect_refused("1, 2", "one expression");
    expect_refused("exec_time calls", "an operator");
    expect_refused("9e999", "a finite number");
    expect_refused("seq.exec_time", "before the dot");
}

/* Each must pass, with all others as its library; names are those of the files. */
TEST(the_library_is_right)
{
    struct mm_store *store = new_store();
    struct mm_property *library[200];
    size_t count = 0;
    glob_t files;
    struct cca_error err = {0};

    assert_int_equal(glob("properties/library/*.property", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 20 && files.gl_pathc < 200);
    for (; count < files.gl_pathc; count++) {
        char name[100];

        if (mm_property_read(&library[count], files.gl_pathv[count], &err))
            fail_msg("%s", err.text);
        snprintf(name, sizeof name, "properties/library/%s.property",
                 library[count]->name.text);
        assert_string_equal(name, files.gl_pathv[count]);
    }
    for (size_t i = 0; i < count; i++) {
        if (mm_property_lint(store, library[i],
                             (const struct mm_property *const *)library, count, &err))
            fail_msg("%s", err.text);
        for (size_t b = 0; b < library[i]->because_count; b++) {
            int found = 0;

            for (size_t j = 0; j < count; j++)
                found |= strcmp(library[j]->name.text, library[i]->because[b]) == 0;
            if (!found)
                fail_msg("%s: because: %s", library[i]->path, library[i]->because[b]);
        }
    }
    for (size_t i = 0; i < count; i++)
        mm_property_free(library[i]);
    globfree(&files);
    mm_store_free(store);
}

TESTS(NULL, NULL)
