/* SPDX-License-Identifier: BSD-3-Clause */
/* Spoilt models and machine files: bytes flipped, words exchanged, pieces left out or
 * doubled, ends cut. Each is refused with its place, or it is a model: printed and read
 * again the same text, checked, run for some events, written as C. ACT_FUZZ says how
 * many (2000), ACT_FUZZ_FIRST where to begin. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activity/check/check.h"
#include "activity/compile/emit.h"
#include "activity/machine/machine.h"
#include "activity/run/engine.h"
#include "activity/run/interpret.h"
#include "activity/xmi/export.h"
#include "tests/activity/random_model.h"
#include "tests/lib/test.h"

/* --- Texts to spoil. --- */

static const char *const files[] = {
    "examples/activity/sample.act",    "examples/activity/pipeline.act",
    "examples/activity/schedules.act", "examples/activity/locks.act",
    "examples/activity/lapw0.act",     "tests/activity/everything.act"};

/* Words that a spoilt text gets from elsewhere. */
static const char *const words[] = {"action",
                                    "call",
                                    "if",
                                    "elif",
                                    "else",
                                    "loop",
                                    "while",
                                    "code",
                                    "send",
                                    "recv",
                                    "isend",
                                    "wait",
                                    "barrier",
                                    "bcast",
                                    "parallel",
                                    "critical",
                                    "fork",
                                    "branch",
                                    "do",
                                    "id",
                                    "cost",
                                    "bytes",
                                    "tag",
                                    "to",
                                    "from",
                                    "{",
                                    "}",
                                    "(",
                                    ")",
                                    "<<",
                                    ">>",
                                    "{{",
                                    "}}",
                                    "..",
                                    "\"",
                                    "//",
                                    "\n",
                                    "1",
                                    "1e308",
                                    "-1",
                                    "0",
                                    "%",
                                    "/",
                                    "9223372036854775807",
                                    "pid",
                                    "nproc",
                                    "model(\"a.b.c\", Q = 1)",
                                    "global long q = 1\n",
                                    "local long q = 1\n",
                                    "as expanded",
                                    "schedule dynamic chunk 0",
                                    "threads 1000000",
                                    "\0x",
                                    "\xff",
                                    ";"};

static unsigned below(uint64_t *state, unsigned n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return n ? (unsigned)((*state >> 33) % n) : 0;
}

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = calloc(1, 65536);

    if (!in || !text || fread(text, 1, 65535, in) == 0)
        fail_msg("%s", path);
    fclose(in);
    return text;
}

static char *some_text(uint64_t seed, uint64_t *state)
{
    unsigned which = below(state, 2 * sizeof files / sizeof *files);
    char *text = NULL;
    size_t size;
    FILE *out;

    if (which < sizeof files / sizeof *files)
        return read_file(files[which]);
    out = open_memstream(&text, &size);
    random_model(seed, out);
    fclose(out);
    return text;
}

/* Replace text[at..at + gone) by `more`. */
static char *replace(char *text, size_t at, size_t gone, const char *more, size_t length)
{
    size_t size = strlen(text);
    char *fresh = malloc(size - gone + length + 1);

    assert_non_null(fresh);
    memcpy(fresh, text, at);
    memcpy(fresh + at, more, length);
    memcpy(fresh + at + length, text + at + gone, size - at - gone + 1);
    free(text);
    return fresh;
}

static char *spoil(char *text, uint64_t *state)
{
    for (unsigned n = 1 + below(state, 2) * below(state, 3); n; n--) {
        size_t size = strlen(text), at = below(state, (unsigned)size + 1);
        size_t length = below(state, 30);
        const char *word = words[below(state, sizeof words / sizeof *words)];

        length = at + length > size ? size - at : length;
        switch (below(state, 6)) {
        case 0:
            if (at < size)
                text[at] = (char)(1 + below(state, 255));
            break;
        case 1:
            text = replace(text, at, length, "", 0);
            break;
        case 2: {
            char *piece = strndup(text + at, length);

            text = replace(text, below(state, (unsigned)size + 1), 0, piece, length);
            free(piece);
            break;
        }
        case 3:
            text[at] = '\0';
            break;
        default:
            text =
                replace(text, at, below(state, 2) ? length / 4 : 0, word, strlen(word));
        }
    }
    return text;
}

/* --- What must hold. --- */

/* "fuzz.act:3:17: found ..": place and words. */
static void check_refusal(const struct cca_error *err, const char *text)
{
    int line, column, used = 0;

    if (err->code != -EINVAL ||
        sscanf(err->text, "fuzz.act:%d:%d: %n", &line, &column, &used) != 2 || !used ||
        line < 1 || column < 1 || !strstr(err->text, "found ") ||
        !strstr(err->text, "expected"))
        fail_msg("%s\n%s", err->text, text);
}

static void check_run(const struct act_model *model, const char *text)
{
    struct act_run_options options = {.config = {2, 3, 0}, .most_events = 3000};
    struct cca_error err = {0};
    struct act_program *program;
    struct act_result result;

    if (model->has_raw)
        return;
    act_machine_usual(&options.machine);
    program = act_interpret_new(model, NULL, &err);
    assert_non_null(program);
    if (act_run(program, &options, &result, &err) == 0)
        act_result_free(&result);
    else if (strncmp(err.text, "fuzz.act:", 9) != 0 ||
             (err.code != -EDOM && err.code != -ELOOP))
        fail_msg("%d %s\n%s", err.code, err.text, text);
    act_interpret_free(program);
}

static void check_model(const struct act_model *model, const char *text)
{
    struct act_rules rules;
    struct act_findings findings = {.rules = &rules};
    struct cca_error err = {0};
    char *printed = act_model_print(model), *again;
    struct act_model *second;
    FILE *nowhere = fopen("/dev/null", "w");

    assert_non_null(nowhere);
    second = act_model_read("again.act", printed, strlen(printed), &err);
    if (!second)
        fail_msg("%s\n%s\n--- of\n%s", err.text, printed, text);
    again = act_model_print(second);
    if (strcmp(printed, again) != 0)
        fail_msg("printed again it is another text:\n%s\n--- of\n%s", printed, again);
    act_model_free(second);
    free(again);
    free(printed);
    act_rules_usual(&rules);
    act_check_text(&findings, model);
    assert_int_equal(findings.failed, 0);
    act_findings_done(&findings);
    act_emit(model, "", 1, nowhere, &err);
    assert_int_equal(act_xmi_write(model, nowhere, &err), 0);
    fclose(nowhere);
    check_run(model, text);
}

static uint64_t number_of(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : usual;
}

TEST(spoilt_models_are_refused_or_models)
{
    uint64_t first = number_of("ACT_FUZZ_FIRST", 1), count = number_of("ACT_FUZZ", 2000);
    uint64_t models = 0;

    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t state = seed * 0x9e3779b97f4a7c15u;
        char *text = spoil(some_text(seed, &state), &state);
        struct cca_error err = {0};
        struct act_model *model = act_model_read("fuzz.act", text, strlen(text), &err);

        if (model)
            check_model(model, text);
        else
            check_refusal(&err, text);
        models += model != NULL;
        act_model_free(model);
        free(text);
    }
    printf("%llu of %llu were models\n", (unsigned long long)models,
           (unsigned long long)count);
    assert_true(models > count / 40 && models < count);
}

static char path[] = "/tmp/test_act_fuzz.XXXXXX";

TEST(spoilt_machine_files_are_refused_or_machines)
{
    static const char whole[] =
        "# a cluster\n[machine]\nnodes = 16\nthreads = 1\nplacement = block\n"
        "collectives = cost\nnoise = 0.02\n[node]\ncores = 4\nspeed = 1\nmemory = 2e10\n"
        "[inside]\nlatency = 1e-6\nsend = 2e-7\nreceive = 2e-7\ngap = 0\nbyte = 1e-10\n"
        "eager = 65536\n[between]\nlatency = 5e-6\nbyte = 1e-9\n";
    uint64_t first = number_of("ACT_FUZZ_FIRST", 1), count = number_of("ACT_FUZZ", 2000);
    uint64_t machines = 0;

    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t state = seed * 0xc2b2ae3d27d4eb4fu;
        char *text = spoil(strdup(whole), &state), expected[60];
        struct act_machine machine;
        struct cca_error err = {0};
        FILE *out = fopen(path, "w");
        int rc;

        assert_non_null(out);
        fputs(text, out);
        fclose(out);
        rc = act_machine_load(&machine, path, &err);
        snprintf(expected, sizeof expected, "%s:", path);
        if (rc && (rc != -EINVAL || strncmp(err.text, expected, strlen(expected)) != 0 ||
                   !strstr(err.text, "found ")))
            fail_msg("%d %s\n%s", rc, err.text, text);
        if (!rc)
            assert_true(machine.cores >= 1 && machine.speed > 0 && machine.noise >= 0);
        machines += !rc;
        free(text);
    }
    assert_true(machines > 0 && machines < count);
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
