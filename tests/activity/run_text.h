/* SPDX-License-Identifier: BSD-3-Clause */
/* run_text.h: a model of a text, interpreted on a machine. */
#ifndef TESTS_ACTIVITY_RUN_TEXT_H
#define TESTS_ACTIVITY_RUN_TEXT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/run/engine.h"
#include "activity/run/interpret.h"
#include "tests/lib/test.h"

struct outcome {
    int rc;
    char text[512];
    struct act_result result;
    struct act_model *model;
};

/* Run a text on nodes and processes of a machine, in the usual way or in the order of
 * time. */
static inline struct outcome run_on(const char *text, const struct act_machine *machine,
                                    int64_t nodes, int64_t processes, int ordered)
{
    struct outcome out = {0};
    struct cca_error err = {0};
    struct act_run_options options = {
        .machine = *machine, .config = {nodes, processes, 0}, .seed = 7};
    struct act_program *program;

    if (ordered)
        options.machine.memory = 1e300;
    out.model = act_model_read("m.act", text, strlen(text), &err);
    if (!out.model)
        fail_msg("%s", err.text);
    program = act_interpret_new(out.model, NULL, &err);
    assert_non_null(program);
    out.rc = act_run(program, &options, &out.result, &err);
    snprintf(out.text, sizeof out.text, "%s", err.text);
    act_interpret_free(program);
    return out;
}

static inline void end(struct outcome *out)
{
    act_result_free(&out->result);
    act_model_free(out->model);
}

static inline int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (fabs(b) + 1e-30);
}

/* A run that lasts `expected`, in both modes. */
static inline void lasts(const char *text, const struct act_machine *machine,
                         int64_t nodes, int64_t processes, double expected)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        struct outcome out = run_on(text, machine, nodes, processes, ordered);

        if (out.rc || !is_near(out.result.makespan_s, expected))
            fail_msg("%s\nN%dP%d, ordered %d: %s %.17g, expected %.17g", text, (int)nodes,
                     (int)processes, ordered, out.text, out.result.makespan_s, expected);
        end(&out);
    }
}

static inline void fails(const char *text, int64_t processes, const char *message)
{
    struct act_machine machine;

    act_machine_usual(&machine);
    for (int ordered = 0; ordered < 2; ordered++) {
        struct outcome out = run_on(text, &machine, processes, processes, ordered);

        assert_int_equal(out.rc, -EDOM);
        assert_string_equal(out.text, message);
        end(&out);
    }
}

#endif
