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

/* Comments may move to the line before, but none is lost or doubled. */
TEST(each_comment_is_printed_once)
{
    static const char commented[] = "// c00\n"
                                    "model m // c01\n"
                                    "// c02\n"
                                    "global long x = 1 // c03\n"
                                    "// c04\n"
                                    "table double T = { 1, // c05\n"
                                    "  // c06\n"
                                    "  2 } // c07\n"
                                    "// c08\n"
                                    "cost F(double q, // c09\n"
                                    " double r) = q + // c10\n"
                                    " r // c11\n"
                                    "\n"
                                    "// c12\n"
                                    "activity Main { // c13\n"
                                    "  // c14\n"
                                    "  local long y = 2 // c15\n"
                                    "  // c16\n"
                                    "  action A // c17\n"
                                    "    // c18\n"
                                    "    cost F(T[0], T[1]) // c19\n"
                                    "    // c20\n"
                                    "    do { // c21\n"
                                    "    // c22\n"
                                    "    x = 1; // c23\n"
                                    "    // c24\n"
                                    "    if x == 1 { // c25\n"
                                    "      // c26\n"
                                    "      y = 2; // c27\n"
                                    "      // c28\n"
                                    "    } // c29\n"
                                    "    // c30\n"
                                    "    else { // c31\n"
                                    "      y = 3; // c32\n"
                                    "    } // c33\n"
                                    "    // c34\n"
                                    "  } // c35\n"
                                    "  code { // c36\n"
                                    "    x = 2; // c37\n"
                                    "    // c38\n"
                                    "  } // c39\n"
                                    "  if x == 1 { // c40\n"
                                    "    // c41\n"
                                    "  } // c42\n"
                                    "  // c43\n"
                                    "  elif x == 2 { // c44\n"
                                    "    // c45\n"
                                    "  } // c46\n"
                                    "  // c47\n"
                                    "  else { // c48\n"
                                    "    // c49\n"
                                    "  } // c50\n"
                                    "  loop i = 1.. // c51\n"
                                    "     2 // c52\n"
                                    "  { // c53\n"
                                    "    action B cost 1 // c54\n"
                                    "    // c55\n"
                                    "  } // c56\n"
                                    "  fork K { // c57\n"
                                    "    // c58\n"
                                    "    branch { // c59\n"
                                    "      // c60\n"
                                    "    } // c61\n"
                                    "    // c62\n"
                                    "  } // c63\n"
                                    "  // c64\n"
                                    "} // c65\n"
                                    "// c66\n"
                                    "activity SA { // c67\n"
                                    "} // c68\n"
                                    "// c69\n";
    struct cca_error err = {0};
    struct act_model *model = read_text(commented, &err);
    char *text = NULL, *again = NULL;

    if (!model)
        fail_msg("%s", err.text);
    text = act_model_print(model);
    for (int i = 0; i < 70; i++) {
        char comment[16];
        const char *at;

        snprintf(comment, sizeof comment, "// c%02d\n", i);
        at = strstr(text, comment);
        if (!at || strstr(at + 1, comment))
            fail_msg("c%02d is not there once:\n%s", i, text);
    }
    act_model_free(model);
    model = read_text(text, &err);
    assert_non_null(model);
    again = act_model_print(model);
    assert_string_equal(again, text);
    free(again);
    free(text);
    act_model_free(model);
}

TEST(a_long_number_of_a_table_is_printed_whole)
{
    static const char number[] =
        "-0.00000000000000000000000000000000000000000000000000000"
        "000000000000000000001";
    struct cca_error err = {0};
    struct act_model *model;
    char given[300], *text;

    snprintf(given, sizeof given,
             "model m\ntable double T = { %s }\nactivity Main {\n}\n", number);
    model = read_text(given, &err);
    assert_non_null(model);
    text = act_model_print(model);
    assert_non_null(strstr(text, number));
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
