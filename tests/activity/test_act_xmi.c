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
        "activity Main id 7 type \"Driver\" method \"driver.go.go\" <<Part of = "
        "\"a<b\">> {\n"
        "  local long n = 32 - (4 - 2)\n"
        "  // before A1\n"
        "  // and again\n"
        "  action A1 id 351571381 type \"x\" method \"a.b.c\" <<Kernel flops = 1.5, "
        "author "
        "= \"me & you\">> time 3.5 cost FA1() memory 8*n do { GV = 1; if n > 2 { n = 1; "
        "} "
        "elif n == 2 { n = 0; } else { P = 2.0; } } {{ n++; if (n) { GV = 2; } }}  // "
        "behind A1\n"
        "  code {\n    n = n + 1;\n  }  // of code\n"
        "  call SA id 9\n"
        "  if GV == 1 {\n    action A2\n    // the end of this branch\n  } elif GV == 0 "
        "{\n"
        "    action A3 cost F(1, 2)\n  } else {\n    // nothing\n  }\n"
        "  if n > 1 {\n    // nothing at all\n  }\n"
        "  // a loop\n"
        "  loop i = 1..n - 1 {\n    while i < 0 {\n      action A4 cost min(i, 3)\n    "
        "}\n"
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

/* The text with comments before and behind some of its lines. */
static char *with_comments(const char *text, uint64_t seed)
{
    struct random_model r = {.state = seed};
    char *more = NULL;
    size_t size;
    FILE *out = open_memstream(&more, &size);

    for (int number = 0; *text; number++) {
        size_t length = strcspn(text, "\n");

        if (random_below(&r, 4) == 0)
            fprintf(out, "// <%d> & \"more\"\n%s", number,
                    random_below(&r, 2) ? "//   of it\n//\n" : "");
        fwrite(text, 1, length, out);
        if (random_below(&r, 4) == 0)
            fprintf(out, "  // behind %d", number);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
    fputs("// the end\n", out);
    fclose(out);
    return more;
}

TEST(comments_anywhere_survive)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct cca_error err = {0};
        struct act_model *model;
        char *text = NULL, *printed, *more;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        random_model(seed, out);
        fclose(out);
        model = act_model_read("random.act", text, size, &err);
        assert_non_null(model);
        printed = act_model_print(model);
        more = with_comments(printed, seed);
        check("commented.act", more);
        act_model_free(model);
        free(text);
        free(printed);
        free(more);
    }
}

TEST(shapes_that_look_alike_survive)
{
    check("shapes.act",
          "model m\nstereotype K of action { double f = -0.5 text who = \"a <b> & c\" "
          "long n = 3 text t }\nstereotype ActionPlus of call { text empty = \"\" }\n"
          "stereotype Region of parallel { long n = 1 }\n"
          "global double d = -1e-3\ntable long T = { -1, 2 }\n"
          "activity Main type \"T\" method \"a.b.c\" {\n"
          "local long n = 3*(4 - pid)\n"
          "action A type \"x'y\" time 3.5 <<K f = -1, who = \"&lt;\", t = \" s \">> cost "
          "d do { n = 1; if n > 2 { n = 3; } else { d = 2.5; } } {{ if (n < 3) { d++; } "
          "}}\n"
          "call S id 4 <<ActionPlus empty = \"z\">>\n"
          "parallel P <<Region>> threads 2 loop i = 0..n schedule static chunk 2 { }\n"
          "fork F id 7 { branch { } }\nfork G { branch { action B } branch { } }\n"
          "code { }\nif n == 1 { } else { }\nif n == 1 { } elif n == 2 { } else { action "
          "C }\n"
          "if n == 1 { } else { if n == 2 { action D } }\n"
          "while n < 1 { while n < 2 { if n == 3 { } } }\n"
          "while n < 1 { }\nwhile n < 1 { if n == 3 { action E } else { action F2 } }\n"
          "loop i = 1..2 { loop j = i..3 { } }\n}\nactivity S { }\n");
}

/* --- Files with some bytes changed. --- */

static char *read_whole(const char *name, size_t *size)
{
    FILE *in = fopen(name, "r");
    char *text = malloc(1 << 16);

    if (!in)
        fail_msg("%s", name);
    *size = fread(text, 1, 1 << 16, in);
    fclose(in);
    return text;
}

/* Words that mean something stand where others did; bytes change; pieces move. */
static size_t spoil(struct random_model *r, char *text, size_t size)
{
    static const char *const words[] = {"MergeNode", "ForkNode", "JoinNode", "<!--",
                                        "xmi:id",    "\" } {",   "&#10;}",   "LoopNode",
                                        "behavior",  "source",   "idref",    "&amp;"};
    size_t at = random_below(r, (unsigned)size), from = random_below(r, (unsigned)size);
    size_t piece = 1 + random_below(r, 60);
    const char *word = words[random_below(r, sizeof words / sizeof *words)];

    switch (random_below(r, 5)) {
    case 0:
        text[at] = (char)random_below(r, 256);
        break;
    case 1:
        text[at] = (char)(' ' + random_below(r, 95));
        break;
    case 2:
        if (from + piece < size && at + piece < size)
            memmove(text + at, text + from, piece);
        break;
    case 3:
        if (at + strlen(word) < size)
            memcpy(text + at, word, strlen(word));
        break;
    default: /* from one id to another: well-formed, of another shape */
        for (int tries = 0; tries < 200; tries++, at = random_below(r, (unsigned)size)) {
            char *a = memchr(text + at, '=', size - at);
            size_t left = a ? size - (size_t)(a - text) : 0;
            char *b = memchr(text + from, '=', size - from);
            size_t i = 2;

            from = random_below(r, (unsigned)size);
            if (!a || !b || left < 80 || size - (size_t)(b - text) < 80)
                continue;
            while (i < 70 && a[i] != '"' && b[i] != '"' && a[i] != '\'' && b[i] != '\'')
                i++;
            if (i < 3 || a[i] != b[i] || a[1] != b[1])
                continue;
            memcpy(a + 2, b + 2, i - 2);
            break;
        }
    }
    return random_below(r, 40) ? size : at;
}

/* Read, or refused at a line of the file: the language takes what was read. */
static int import_spoilt(const char *text, size_t size)
{
    struct cca_error err = {0};
    struct xmi_document *document;
    struct xmi_text *texts = NULL;
    size_t count = 0;
    FILE *out = fopen(path, "w");
    int rc;

    assert_non_null(out);
    fwrite(text, 1, size, out);
    fclose(out);
    document = xmi_read(path, &err);
    rc = document ? xmi_texts(document, &texts, &count, &err) : err.code;
    if (rc) {
        size_t length = strlen(path);

        if (rc != -EINVAL || strncmp(err.text, path, length) != 0 ||
            err.text[length] != ':' || atoi(err.text + length + 1) < 1)
            fail_msg("%d: %s", rc, err.text);
    }
    for (size_t i = 0; i < count; i++) {
        struct act_model *model =
            act_model_read("again", texts[i].text, strlen(texts[i].text), &err);

        if (!model)
            fail_msg("%s\n%s", err.text, texts[i].text);
        act_model_free(model);
    }
    xmi_texts_free(texts, count);
    xmi_document_free(document);
    return rc;
}

static char *exported(uint64_t seed, size_t *size)
{
    struct cca_error err = {0};
    struct act_model *model;
    char *text = NULL, *xmi = NULL;
    FILE *out = open_memstream(&text, size);

    random_model(seed, out);
    fclose(out);
    model = act_model_read("random.act", text, *size, &err);
    assert_non_null(model);
    out = open_memstream(&xmi, size);
    assert_int_equal(act_xmi_write(model, out, &err), 0);
    fclose(out);
    act_model_free(model);
    free(text);
    return xmi;
}

TEST(spoilt_files_are_refused_or_read)
{
    static const char *const files[] = {
        "tests/activity/xmi/papyrus.uml", "tests/activity/xmi/magicdraw.xml",
        "tests/activity/xmi/ea.xml", "tests/activity/xmi/staruml.xml",
        "tests/activity/xmi/structured.uml"};
    int turns = test_count("XMI", 300, 100000), refused = 0;
    uint64_t seed = (uint64_t)test_count("XMI_SEED", 1, 1);

    for (int turn = 0; turn < turns; turn++) {
        struct random_model r = {.state = seed * 1000003 + (uint64_t)turn};
        size_t size, kinds = sizeof files / sizeof *files;
        unsigned which = random_below(&r, (unsigned)kinds + 1);
        char *text = which < kinds ? read_whole(files[which], &size)
                                   : exported(random_below(&r, 1000), &size);

        for (unsigned n = 1 + random_below(&r, 3); n-- > 0 && size > 100;)
            size = spoil(&r, text, size);
        refused += import_spoilt(text, size) != 0;
        free(text);
    }
    assert_in_range(refused, turns / 10, turns - turns / 100);
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
