/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs that tell little or nonsense: axes in step, words, names of files, methods of one
 * run, sixty axes, values that are no numbers, runs without a call, open calls. Answers
 * are numbers with a reason to be there, or reasons. */
#include "tests/forecast/made_runs.h"

enum { GO, WORK, EXTRA };

static void add_methods(struct rows *r)
{
    struct mm_method_info *m;

    rows_method(r, "driver", "go", "Driver", "go/1");
    m = rows_method(r, "work", "do", "Work", "work/1");
    rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
}

/* `calls` of work on `n`. */
static void work_program(struct made_run *r, int calls, double n)
{
    made_call(r, GO, NULL);
    made_work(r, 1e9);
    for (int i = 0; i < calls; i++)
        made_leaf(r, WORK, 1e9 + 1e7 * n, &n);
    made_return(r);
}

static struct made_run *work_run(int calls, double n)
{
    struct made_run *r = made_run_new(1);

    add_methods(&r->rows);
    work_program(r, calls, n);
    return r;
}

static const int sizes[] = {16, 40, 64, 96, 144, 200};
#define SIZES (int)(sizeof sizes / sizeof *sizes)

TEST(two_variables_in_step_are_asked_for_in_step)
{
    struct made made = {0};
    struct cca_error err = {0};
    struct made_run *asked;
    struct mm_forecast *f;

    for (int i = 0; i < SIZES; i++) {
        struct made_run *r = work_run(2 * sizes[i], sizes[i]);

        made_variable(r, "NX", sizes[i]);
        made_variable(r, "NY", sizes[i]);
        made_add(&made, r);
    }
    made_learn(&made);
    asked = work_run(600, 300);
    made_variable(asked, "NX", 300);
    made_variable(asked, "NY", 300);
    f = made_ask(&made, asked, &err);
    assert_non_null(f);
    assert_true(fabs(f->total_ns / asked->total_ns - 1) < .05);
    mm_forecast_free(f);
    made_run_free(asked);
    /* Which of the two counts, no run tells. */
    asked = work_run(600, 300);
    made_variable(asked, "NX", 300);
    made_variable(asked, "NY", 16);
    f = made_ask(&made, asked, &err);
    assert_non_null(f);
    assert_true(f->unknown > 0 && isnan(f->total_ns));
    assert_non_null(strstr(f->parts[0].why, "NX"));
    mm_forecast_free(f);
    made_run_free(asked);
    made_done(&made);
}

static void add_word(struct made_run *r, const char *name, const char *text)
{
    made_add_word(r, &r->parameters.variables, name, text);
}

TEST(a_variable_of_words_selects_its_runs_and_another_word_is_refused)
{
    struct made made = {0};
    struct cca_error err = {0};
    struct made_run *asked;
    struct mm_forecast *f;

    for (int i = 0; i < 2 * SIZES; i++) {
        int n = sizes[i / 2];
        struct made_run *r = work_run(i % 2 ? 5 * n : 2 * n, n);

        made_variable(r, "N", n);
        add_word(r, "ORDER", i % 2 ? "second" : "first");
        made_add(&made, r);
    }
    made_learn(&made);
    asked = work_run(5 * 300, 300);
    made_variable(asked, "N", 300);
    add_word(asked, "ORDER", "second");
    f = made_ask(&made, asked, &err);
    assert_non_null(f);
    assert_true(fabs(f->total_ns / asked->total_ns - 1) < 1e-9);
    mm_forecast_free(f);
    made_run_free(asked);
    asked = work_run(1, 1);
    made_variable(asked, "N", 300);
    add_word(asked, "ORDER", "third");
    assert_null(made_ask(&made, asked, &err));
    assert_int_equal(-ENODATA, err.code);
    assert_string_equal("no run has ORDER = third", err.text);
    made_run_free(asked);
    made_done(&made);
}

TEST(a_file_name_that_each_run_has_of_its_own_takes_no_part)
{
    struct made made = {0};
    struct cca_error err = {0};
    struct made_run *asked = work_run(600, 300);
    struct mm_forecast *f;

    for (int i = 0; i < SIZES; i++) {
        struct made_run *r = work_run(2 * sizes[i], sizes[i]);
        char name[32];

        snprintf(name, sizeof name, "run-%d.png", i);
        made_variable(r, "N", sizes[i]);
        add_word(r, "PICTURE", name);
        made_add(&made, r);
    }
    made_learn(&made);
    made_variable(asked, "N", 300);
    add_word(asked, "PICTURE", "another.png");
    f = made_ask(&made, asked, &err);
    assert_non_null(f);
    assert_true(fabs(f->total_ns / asked->total_ns - 1) < 1e-9);
    mm_forecast_free(f);
    made_run_free(asked);
    made_done(&made);
}

TEST(a_method_that_one_run_has_alone_leaves_the_others_as_they_are)
{
    struct made made = {0};
    struct cca_error err = {0};
    struct made_run *asked = work_run(600, 300);
    struct mm_forecast *f;

    for (int i = 0; i < SIZES; i++) {
        struct made_run *r = made_run_new(1);

        add_methods(&r->rows);
        if (i == 2)
            rows_method(&r->rows, "extra", "once", "Extra", "extra/1");
        made_variable(r, "N", sizes[i]);
        if (i == 2)
            made_leaf(r, EXTRA, 5e8, NULL);
        work_program(r, 2 * sizes[i], sizes[i]);
        made_add(&made, r);
    }
    made_learn(&made);
    made_variable(asked, "N", 300);
    f = made_ask(&made, asked, &err);
    assert_non_null(f);
    assert_true(made_calls(&made, f, "work.p.do") == 600);
    assert_true(isnan(f->total_ns) || f->total_ns > asked->total_ns * (1 - 1e-9));
    mm_forecast_free(f);
    made_run_free(asked);
    made_done(&made);
}

TEST(sixty_axes_are_no_crash)
{
    struct made made = {0};
    struct cca_error err = {0};
    struct mm_forecast *f;
    static char names[60][8];

    for (int i = 0; i < SIZES; i++) {
        struct made_run *r = work_run(2 * sizes[i], sizes[i]);

        for (int k = 0; k < 60; k++) {
            snprintf(names[k], sizeof names[k], "V%02d", k);
            made_variable(r, names[k], k % 3 ? floor(100 * rows_random()) : sizes[i]);
        }
        made_add(&made, r);
    }
    made_learn(&made);
    f = made_ask(&made, made.runs[1], &err);
    assert_non_null(f);
    assert_true(f->total_ns > 0);
    mm_forecast_free(f);
    made_done(&made);
}

TEST(values_that_are_no_numbers_are_words)
{
    static const char *const texts[] = {"1e999", "", "-1e999", "nan", "0x10", " 3"};
    struct made made = {0};
    struct cca_error err = {0};
    struct mm_forecast *f;

    for (int i = 0; i < SIZES; i++) {
        struct made_run *r = work_run(2 * sizes[i], sizes[i]);

        made_variable(r, "N", sizes[i]);
        add_word(r, "ODD", texts[i]);
        made_class(r, "driver", i % 2 ? "" : "Driver");
        made_add(&made, r);
    }
    made_learn(&made);
    for (int i = 0; i < SIZES; i++) {
        f = made_ask(&made, made.runs[i], &err);
        assert_non_null(f);
        mm_forecast_free(f);
    }
    assert_true(isnan(mm_axis_number("1e999")) && isnan(mm_axis_number("")) &&
                isnan(mm_axis_number(NULL)) && isnan(mm_axis_number("0x10")) &&
                mm_axis_number("-2.5e1") == -25);
    made_done(&made);
}

TEST(runs_without_calls_and_open_calls_are_no_crash)
{
    for (int kind = 0; kind < 3; kind++) {
        struct made made = {0};
        struct cca_error err = {0};
        struct mm_forecast *f;

        for (int i = 0; i < SIZES; i++) {
            struct made_run *r = made_run_new(1);

            add_methods(&r->rows);
            made_variable(r, "N", sizes[i]);
            if (kind || i == 1)
                work_program(r, 2 * sizes[i], sizes[i]);
            for (size_t k = 0; k < r->rows.count && kind; k++)
                if (kind == 2 || k + 1 == r->rows.count) { /* go alone is open, or all */
                    r->rows.rows[k].status = MM_ROW_OPEN;
                    r->rows.rows[k].wall_ns = r->rows.rows[k].exclusive_ns = 0;
                }
            made_add(&made, r);
        }
        made_learn(&made);
        f = made_ask(&made, made.runs[3], &err);
        assert_non_null(f);
        assert_true(isnan(f->total_ns) || f->total_ns >= 0);
        mm_forecast_free(f);
        made_done(&made);
    }
}

TEST(runs_whose_parameters_are_not_known_are_refused)
{
    struct made_run *r = work_run(3, 3);
    struct made made = {0};
    struct cca_error err = {0};

    r->parameters.is_known = 0;
    made_add(&made, r);
    made.library = mm_library_new(made.profiles, 1, &err);
    assert_null(mm_forecaster_new(made.given, 1, made.library, &err));
    assert_int_equal(-ENODATA, err.code);
    assert_non_null(strstr(err.text, "run-001: its parameters are not known"));
    err = (struct cca_error){0};
    assert_null(mm_forecaster_new(made.given, 0, made.library, &err));
    assert_int_equal(-EINVAL, err.code);
    made_done(&made);
}

TESTS(NULL, NULL)
