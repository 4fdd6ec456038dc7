/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an allocation fails, a forecaster and a forecast are -ENOMEM or as they are
 * otherwise, and nothing is lost. */
#include "tests/lib/fail_malloc.h"

#include "tests/forecast/made_runs.h"

#define FAILURES 3000 /* at most, evenly chosen */

enum { GO, STEP, WORK };

/* Steps that the solution decides, work of two classes. */
static struct made_run *work_run(int n, const char *class_name, int silent)
{
    struct made_run *r = made_run_new(1);
    int steps = (int)(3 + .37 * n);
    struct mm_method_info *m;
    double q = n;

    rows_method(&r->rows, "driver", "go", "Driver", "go/1");
    rows_method(&r->rows, "step", "advance", "Step", "step/1");
    m = rows_method(&r->rows, "work", "do", class_name, "work/1");
    rows_value(m, "q", MONITOR_INT64, MONITOR_PARAM);
    made_variable(r, "N", n);
    made_class(r, "work", class_name);
    r->silent = silent;
    made_call(r, GO, NULL);
    for (int i = 0; i < steps; i++) {
        made_call(r, STEP, NULL);
        made_work(r, 1e6);
        made_leaf(r, WORK, 1e6 + 1e4 * q * (1 + .1 * rows_random()), &q);
        made_return(r);
    }
    made_return(r);
    return r;
}

static void learn(struct made *made)
{
    static const int sizes[] = {16, 24, 40, 64};
    struct cca_error err = {0};

    for (size_t i = 0; i < 8; i++)
        made_add(made, work_run(sizes[i / 2], i % 2 ? "One" : "Other", 0));
    made->library = mm_library_new(made->profiles, made->count, &err);
    assert_non_null(made->library);
}

static struct mm_forecast *forecast(struct made *made, const char *const *text,
                                    struct cca_error *err)
{
    made->forecaster = mm_forecaster_new(made->given, made->count, made->library, err);
    return made->forecaster ? mm_forecast_new(made->forecaster, text, err) : NULL;
}

TEST(a_failing_allocation_is_reported_and_loses_nothing)
{
    struct made made = {0};
    struct cca_error err = {0};
    struct mm_forecast_errors errors;
    const char *const text[] = {"128", "One", "1"};
    struct mm_forecast *f;
    double total;
    long all, step;

    learn(&made);
    countdown = LONG_MAX;
    f = forecast(&made, text, &err);
    all = LONG_MAX - countdown;
    countdown = -1;
    assert_non_null(f);
    assert_int_equal(3, mm_forecaster_axes(made.forecaster)->count);
    total = f->total_ns;
    assert_true(total > 0);
    mm_forecast_check(made.forecaster, f, &made.given[0], &errors);
    mm_forecast_free(f);
    mm_forecaster_free(made.forecaster);
    step = all / FAILURES + 1;
    for (long at = 0; at < all; at += step) {
        err = (struct cca_error){0};
        failed = 0;
        countdown = at;
        f = forecast(&made, text, &err);
        countdown = -1;
        assert_true(failed);
        if (f)
            assert_true(f->total_ns == total);
        else
            assert_int_equal(-ENOMEM, err.code);
        mm_forecast_free(f);
        mm_forecaster_free(made.forecaster);
    }
    made.forecaster = NULL;
    made_done(&made);
}

MEMORY_TESTS(NULL, NULL)
