/* SPDX-License-Identifier: BSD-3-Clause */
/* Models written as XMI and read again are the same text: all elements, comments, 300
 * random models. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activity/xmi/export.h"
#include "activity/xmi/graph.h"
#include "tests/activity/random_model.h"
#include "tests/lib/test.h"

static char path[] = "/tmp/test_act_xmi.XXXXXX";

/* The model's text by way of a file of XMI. NULL with `err`. */
static char *by_xmi(const struct act_model *model, struct cca_error *err)
{
    struct xmi_document *document;
    struct xmi_text *texts = NULL;
    struct act_model *again = NULL;
    size_t count = 0;
    char *text = NULL;
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_int_equal(act_xmi_write(model, out, err), 0);
    fclose(out);
    document = xmi_read(path, err);
    if (document && xmi_texts(document, &texts, &count, err) == 0) {
        assert_int_equal(count, 1);
        again = act_model_read("again", texts[0].text, strlen(texts[0].text), err);
        if (again)
            text = act_model_print(again);
    }
    act_model_free(again);
    xmi_texts_free(texts, count);
    xmi_document_free(document);
    return text;
}

static void check(const char *name, const char *source)
{
    struct cca_error err = {0};
    struct act_model *model = act_model_read(name, source, strlen(source), &err);
    char *wanted, *found;

    if (!model)
        fail_msg("%s\n%s", err.text, source);
    wanted = act_model_print(model);
    found = by_xmi(model, &err);
    if (!found)
        fail_msg("%s\n%s", err.text, source);
    assert_string_equal(found, wanted);
    free(found);
    free(wanted);
    act_model_free(model);
}

TEST(all_there_is_survives)
{
    static const char whole[] =
        "// A model with all there is.\n"
        "model everything\n"
        "// of kernels\n"
        "stereotype Kernel of action { double flops = 0.5 text author long calls = -3 }\n"
        "stereotype Part of activity { text of }\n"
        "global long GV = 0\n"
        "global double P = -1e-3\n"
        "table double T = { 5, 4.5, -3, 1e3 }\n"
        "cost FA1() = 121/P\n"
        "cost F(double a, long b) = a > 2 && b != 3 || !(b%2 == 1) ? -a*(b - 1) : T[b]\n"
        "\n"
        "// where it begins\n"
        "activity Main id 7 type \"Driver\" method \"driver.go.go\" <<Part of = \"a<b\">> {\n"
        "  local long n = 32 - (4 - 2)\n"
        "  // before A1\n"
        "  // and again\n"
        "  action A1 id 351571381 type \"x\" method \"a.b.c\" <<Kernel flops = 1.5, author "
        "= \"me & you\">> time 3.5 cost FA1() memory 8*n do { GV = 1; if n > 2 { n = 1; } "
        "elif n == 2 { n = 0; } else { P = 2.0; } } {{ n++; if (n) { GV = 2; } }}  // "
        "behind A1\n"
        "  code {\n    n = n + 1;\n  }  // of code\n"
        "  call SA id 9\n"
        "  if GV == 1 {\n    action A2\n    // the end of this branch\n  } elif GV == 0 {\n"
        "    action A3 cost F(1, 2)\n  } else {\n    // nothing\n  }\n"
        "  if n > 1 {\n    // nothing at all\n  }\n"
        "  // a loop\n"
        "  loop i = 1..n - 1 {\n    while i < 0 {\n      action A4 cost min(i, 3)\n    }\n"
        "    // end of turns\n  }\n"
        "  send S to (pid + 1)%nproc bytes 8 tag 3\n"
        "  recv R from (pid + nproc - 1)%nproc tag 3\n"
        "  isend S2 to pid bytes 4\n  irecv R2 from pid\n  wait W for S2, R2\n  wait W2\n"
        "  exchange X with pid - 1, pid + 1 bytes 100 tag 1\n"
        "  bcast B root 0 cost 1 bytes 8 as expanded\n"
        "  parallel W4 threads nthread loop i = 0..4 schedule dynamic chunk 2 {\n"
        "    critical C {\n      action A6 cost T[i]\n    }\n  }\n"
        "  fork F1 {\n    branch {\n      action A7 cost uid\n      // of one\n    }\n"
        "    branch {\n    }\n  }\n"
        "  fork F2 {\n    branch {\n      action A8\n    }\n  }\n"
        "  fork F3 {\n    // the second\n    branch {\n    }\n    branch {\n    }\n  }\n"
        "}\n"
        "\n"
        "activity SA {\n  action SA1 cost nnode\n  // last words\n}\n"
        "// the end\n";
    check("whole.act", whole);
    check("empty.act", "model m\nactivity Main {\n}\n");
}

TEST(random_models_survive)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        random_model(seed, out);
        fclose(out);
        check("random.act", text);
        free(text);
    }
}

static int make_path(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int drop_path(void **state)
{
    (void)state;
    return unlink(path);
}

TESTS(make_path, drop_path)
