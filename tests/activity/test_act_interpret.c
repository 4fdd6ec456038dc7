/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter tells what the text says, event by event, and what goes wrong, where.
 */
#include <stdlib.h>
#include <string.h>

#include "activity/run/interpret.h"
#include "tests/lib/test.h"

static char told[4000];

/* Run process `pid` of `nproc` of a text; what it does goes to `told`. Its return value.
 */
static int run(const char *text, int pid, int nproc, struct cca_error *err)
{
    struct act_model *model = act_model_read("m.act", text, strlen(text), err);
    struct act_program *program;
    struct act_state *state;
    struct act_event event = {.kind = ACT_EVENT_ELEMENT};
    size_t used = 0;
    int rc = 0;

    if (!model)
        fail_msg("%s", err->text);
    program = act_interpret_new(model, NULL, err);
    assert_non_null(program);
    program->system = (struct act_system){.nproc = nproc, .nnode = 1, .nthread = 1};
    state = calloc(1, program->state_bytes);
    state->pid = pid;
    state->nthread = 1;
    told[0] = '\0';
    rc = program->start(program, state, err);
    while (!rc && event.kind != ACT_EVENT_END && used < sizeof told - 200) {
        rc = program->next(program, state, &event, err);
        if (rc || event.kind == ACT_EVENT_END)
            break;
        used += (size_t)snprintf(told + used, sizeof told - used, "%s%d",
                                 event.kind == ACT_EVENT_ELEMENT ? "" : "*",
                                 event.kind == ACT_EVENT_ELEMENT ? 0 : (int)event.kind);
        if (event.kind == ACT_EVENT_ELEMENT)
            used +=
                (size_t)snprintf(told + used - 1, sizeof told - used, "%s %.17g %ld %ld",
                                 model->elements[event.element]->name, event.cost_s,
                                 (long)event.peer, (long)event.bytes) -
                1;
        used += (size_t)snprintf(told + used, sizeof told - used, "; ");
    }
    free(state);
    act_interpret_free(program);
    act_model_free(model);
    return rc;
}

TEST(sample_of_the_paper)
{
    struct cca_error err = {0};
    struct act_model *model = act_model_load("examples/activity/sample.act", &err);
    char *text = model ? act_model_print(model) : NULL;

    assert_non_null(text);
    assert_int_equal(run(text, 2, 4, &err), 0);
    assert_string_equal(told, "A1 38.535031847133759 0 0; SA1 112 0 0; SA2 10 0 8; "
                              "A4 11.6494 0 0; ");
    free(text);
    act_model_free(model);
}

TEST(flow_goes_as_the_text_says)
{
    struct cca_error err = {0};

    assert_int_equal(
        run("model m global long n = 2 table long T = { 4, 5, 6 }"
            "cost F(long i) = i < 2 ? T[i] : 0.5 "
            "activity Main { loop i = 0..n { if i == 1 { action A } elif i == 2 {"
            "action B cost F(i) do { n = 0; } } else { call S } }"
            "while n < 2 { action C cost F(n) do { n = n + 1; } }"
            "send D to (pid + 1)%nproc bytes n*8 loop i = 1..0 { action N } }"
            "activity S { local long x = 7  action X cost x do { x = x + 1; }"
            "action Y cost x }",
            3, 4, &err),
        0);
    assert_string_equal(told, "X 8 0 0; Y 8 0 0; A 0 0 0; B 0.5 0 0; C 5 0 0; C 0.5 0 0; "
                              "D 0 0 16; ");
}

TEST(faults_are_told_with_their_place)
{
    static const struct {
        const char *body, *message;
        int code;
    } wrong[] = {
        {"action A cost 1/pid", "m.act:2:32: a division by zero (A, process 0)", -EDOM},
        {"action A cost 1.0/pid", "m.act:2:34: a division by zero (A, process 0)", -EDOM},
        {"action A cost 1%pid", "m.act:2:32: a division by zero (A, process 0)", -EDOM},
        {"action A cost 9223372036854775807 + 1",
         "m.act:2:51: a long that does not fit 64 bits (A, process 0)", -EDOM},
        {"action A cost sqrt(0.0 - 1)",
         "m.act:2:31: a root of a negative number (A, process "
         "0)",
         -EDOM},
        {"action A cost log(0.0)",
         "m.act:2:31: a logarithm of no positive number (A, "
         "process 0)",
         -EDOM},
        {"action A cost floor(1e300)",
         "m.act:2:31: a double that is no long (A, process 0)", -EDOM},
        {"action A cost T[2]", "m.act:2:31: an index beyond its table (A, process 0)",
         -EDOM},
        {"action A cost model(\"x\")",
         "m.act:2:31: a model of which no experiment was given (A, process 0)", -EDOM},
        {"while 1 { code { x = 1; } }",
         "m.act:2:17: found no end after 200,000,000 steps without an event (process 0)",
         -ELOOP},
    };
    char text[300];

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cca_error err = {0};

        snprintf(text, sizeof text,
                 "model m table long T = { 1, 2 } global long x\nactivity Main { %s }",
                 wrong[i].body);
        assert_int_equal(run(text, 0, 1, &err), wrong[i].code);
        assert_string_equal(err.text, wrong[i].message);
    }
}

TESTS(NULL, NULL)
