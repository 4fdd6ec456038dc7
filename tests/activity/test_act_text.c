/* SPDX-License-Identifier: BSD-3-Clause */
/* Models as text: what is read is printed, and what is wrong is refused at its place. */
#include <stdlib.h>
#include <string.h>

#include "activity/model/tree.h"
#include "tests/lib/test.h"

static const char whole[] =
    "// A model with all there is.\n"
    "model everything\n"
    "// of kernels\n"
    "stereotype Kernel of action { double flops = 0.5 text author long calls = -3 }\n"
    "stereotype Part of activity { text of }\n"
    "global long GV = 0\n"
    "global double P = -1e-3\n"
    "global long unset\n"
    "table double T = { 5, 4.5, -3, 1e3 }\n"
    "table long L = { -1 }\n"
    "cost FA1() = 121/P\n"
    "cost F(double a, long b) = a > 2 && b != 3 || !(b%2 == 1) ? -a*(b - 1) : pow(a, "
    "2) + T[b]\n"
    "cost M(long n) = model(\"flux.flux.compute\", axis = 0, Q = n*n)\n"
    "\n"
    "// where it begins\n"
    "activity Main id 7 type \"Driver\" method \"driver.go.go\" <<Part of = \"all\">> {\n"
    "  local long n = 32 - (4 - 2)\n"
    "  // before A1\n"
    "  action A1 id 351571381 type \"x\" method \"a.b.c\" <<Kernel flops = 1.5, author = "
    "\"me\">> "
    "time 3.5 cost FA1() memory 8*n do {\n"
    "    GV = 1;\n"
    "    if n > 2 {\n"
    "      n = 1;\n"
    "    } elif n == 2 {\n"
    "      n = 0;\n"
    "    } else {\n"
    "      P = 2.0;\n"
    "    }\n"
    "  } {{ n++; if (n) { GV = 2; } }}  // behind A1\n"
    "  code {\n"
    "    n = n + 1;\n"
    "  }\n"
    "  call SA id 9\n"
    "  if GV == 1 {\n"
    "    action A2\n"
    "    // the end of this branch\n"
    "  } elif GV == 0 {\n"
    "    action A3 cost F(1, 2)\n"
    "  } else {\n"
    "    // nothing\n"
    "  }\n"
    "  loop i = 1..n - 1 {\n"
    "    while i < 0 {\n"
    "      action A4 cost M(i) + min(i, 3) + log2(2.0)\n"
    "    }\n"
    "  }\n"
    "  send S to (pid + 1)%nproc bytes 8 tag 3\n"
    "  recv R from (pid + nproc - 1)%nproc tag 3\n"
    "  isend S2 to pid bytes 4\n"
    "  irecv R2 from pid\n"
    "  wait W for S2, R2\n"
    "  wait W2\n"
    "  exchange X with pid - 1, pid + 1 bytes 100 tag 1\n"
    "  bcast B root 0 cost 1 bytes 8 as expanded\n"
    "  reduce D root 0 bytes 8\n"
    "  allreduce SA2 id 1031993818 cost 2.5 bytes 8 as cost\n"
    "  barrier E\n"
    "  alltoall G bytes 8*nproc\n"
    "  parallel W3 threads 4 {\n"
    "    critical C {\n"
    "      action A5 cost tid\n"
    "    }\n"
    "  }\n"
    "  parallel W4 threads nthread loop i = 0..4 schedule dynamic chunk 2 {\n"
    "    action A6 cost T[i]\n"
    "  }\n"
    "  fork F1 {\n"
    "    branch {\n"
    "      action A7 cost uid\n"
    "    }\n"
    "    branch {\n"
    "    }\n"
    "  }\n"
    "}\n"
    "\n"
    "activity SA {\n"
    "  action SA1 cost nnode\n"
    "  // last words\n"
    "}\n"
    "// the end\n";

static struct act_model *read_text(const char *text, struct cca_error *err)
{
    return act_model_read("m.act", text, strlen(text), err);
}

TEST(all_there_is_is_printed_as_it_was)
{
    struct cca_error err = {0};
    struct act_model *model = read_text(whole, &err);
    char *text = NULL;

    if (!model)
        fail_msg("%s", err.text);
    text = act_model_print(model);
    assert_string_equal(text, whole);
    assert_int_equal(model->elements[model->element_count - 1]->number,
                     model->element_count - 1);
    assert_string_equal(model->main->name, "Main");
    assert_true(model->has_threads && model->has_raw);
    free(text);
    act_model_free(model);
}

TEST(globals_begin_with_other_values)
{
    struct cca_error err = {0};
    struct act_model *model = read_text(whole, &err);

    assert_non_null(model);
    assert_int_equal(act_model_set(model, "GV", "-12", &err), 0);
    assert_int_equal(model->globals->value->number.whole, -12);
    assert_int_equal(act_model_set(model, "P", "12", &err), 0);
    assert_true(model->globals->next->value->number.real == 12);
    assert_int_equal(act_model_set(model, "GV", "1.5", &err), -EINVAL);
    assert_string_equal(err.text,
                        "GV: found '1.5', expected a whole number: it is a long");
    assert_int_equal(act_model_set(model, "P", "x", &err), -EINVAL);
    assert_int_equal(act_model_set(model, "GW", "1", &err), -ENOENT);
    assert_non_null(strstr(err.text, "GV"));
    act_model_free(model);
}

TEST(what_is_wrong_is_refused_at_its_place)
{
    static const struct {
        const char *body, *message;
    } wrong[] = {
        {"action", "m.act:2:23: found '}', expected a name of the element"},
        {"action A cost", "m.act:2:30: found '}', expected an expression"},
        {"action A cost 1 cost 2", "m.act:2:33: found 'cost', expected each clause once"},
        {"action A cost x", "m.act:2:31: found x, expected a variable that was declared "
                            "before, pid, tid, uid, nproc, nnode or nthread"},
        {"action A cost f(1)", "m.act:2:31: found the function f, expected one that was "
                               "declared before"},
        {"action A cost T[0]", "m.act:2:31: found T[, expected a table that was declared "
                               "before"},
        {"action A cost min(1)", "m.act:2:31: found 1 arguments of min, expected 2"},
        {"send S", "m.act:2:23: found '}', expected to and a process"},
        {"send S to 1.5",
         "m.act:2:27: found a double, expected a long for to; floor(x) and "
         "ceil(x) make one"},
        {"wait W for S",
         "m.act:2:17: found a wait for S, expected an isend or irecv of the "
         "model"},
        {"call Other",
         "m.act:2:17: found a call of Other, expected an activity of the model"},
        {"call Main",
         "m.act:2:17: found a call of Main within itself, expected no recursion"},
        {"fork F { action A }", "m.act:2:26: found 'action', expected branch or }"},
        {"parallel P threads 2 { barrier B }",
         "m.act:2:40: found barrier within parallel or fork, expected messages outside "
         "of "
         "threads"},
        {"if model(\"x\") > 1 { }",
         "m.act:2:20: found model, expected it in costs alone"},
        {"loop i = 1..2.5 { }",
         "m.act:2:29: found a double, expected a long for a bound; "
         "floor(x) and ceil(x) make one"},
        {"action A <<K>>",
         "m.act:2:28: found 'K', expected a stereotype of this kind that "
         "was declared before"},
        {"action A type \"x",
         "m.act:2:31: found a text without end, expected '\"' in its line"},
        {"action A cost 99999999999999999999",
         "m.act:2:31: found the number 99999999999999999999, expected one that fits 64 "
         "bits"},
        {"action A cost 1 $", "m.act:2:33: found the character 0x24, expected a word"},
        {"local long pid", "m.act:2:28: found 'pid', expected a name that is free"},
    };
    char text[300];

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cca_error err = {0};
        struct act_model *model;

        snprintf(text, sizeof text, "model m\nactivity Main {%s%s}\n", " ",
                 wrong[i].body);
        model = read_text(text, &err);
        assert_null(model);
        if (strcmp(err.text, wrong[i].message) != 0)
            printf("%s\n", wrong[i].body);
        assert_string_equal(err.text, wrong[i].message);
    }
}

TESTS(NULL, NULL)
