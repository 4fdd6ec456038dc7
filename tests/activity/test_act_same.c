/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter and compiled C are the same: every span of every random model, bit for
 * bit, in both modes of the estimator; where a model is at fault, both say so.
 *
 * In a soak run 100,000 models, else 500; MODELS says another number, FIRST the first. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "activity/compile/compile.h"
#include "activity/compile/emit.h"
#include "activity/run/engine.h"
#include "activity/run/interpret.h"
#include "tests/activity/random_model.h"
#include "tests/lib/test.h"

enum { BATCH = 250, CONFIGS = 3 };

/* What a run gave, as one number and more to look at. */
struct outcome {
    int rc;
    uint64_t hash;
    int64_t spans;
    double makespan;
};

static int add(void *context, const struct act_span *span)
{
    struct outcome *out = context;
    struct act_span clean;

    memset(&clean, 0, sizeof clean);
    clean.kind = span->kind;
    clean.pid = span->pid;
    clean.tid = span->tid;
    clean.element = span->element;
    clean.start_s = span->start_s;
    clean.end_s = span->end_s;
    clean.busy_s = span->busy_s;
    clean.bytes = span->bytes;
    clean.peer = span->peer;
    clean.tag = span->tag;
    for (size_t i = 0; i < sizeof clean; i++)
        out->hash = (out->hash ^ ((const unsigned char *)&clean)[i]) * 0x100000001b3u;
    out->spans++;
    return 0;
}

static void run(struct act_program *program, struct outcome out[CONFIGS])
{
    static const struct act_config configs[CONFIGS] = {{2, 5, 0}, {1, 1, 2}, {1, 6, 0}};

    for (int i = 0; i < CONFIGS; i++) {
        struct cca_error err = {0};
        struct act_sink sink = {.context = &out[i], .span = add};
        struct act_run_options options = {
            .config = configs[i], .sink = &sink, .most_events = 200000};
        struct act_result result;

        act_machine_usual(&options.machine);
        options.machine.noise = 0.1;
        for (int n = 0; n < ACT_NETWORKS; n++)
            options.machine.networks[n] =
                (struct act_network){0.25, 0.5, 0.125, 0.75, 1e-4, 3000};
        out[i].hash = 0xcbf29ce484222325u;
        out[i].rc = act_run(program, &options, &result, &err);
        if (out[i].rc == 0) {
            out[i].makespan = result.makespan_s;
            act_result_free(&result);
        }
        if (out[i].rc)
            out[i].hash = 0; /* a fault may come when others have done more */
    }
}

static char *random_text(uint64_t number)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    random_model(number, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static struct act_model *make_model(uint64_t number)
{
    struct cca_error err = {0};
    char *text = random_text(number);
    struct act_model *model = act_model_read("random.act", text, strlen(text), &err);

    if (!model)
        fail_msg("model %ld: %s\n%s", (long)number, err.text, text);
    free(text);
    return model;
}

/* One object of many models. Its path. */
static char *compile(uint64_t first, int count, char **folder)
{
    struct cca_error err = {0};
    char *text = NULL, *path, suffix[32];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    act_emit_prelude(out);
    for (int i = 0; i < count; i++) {
        struct act_model *model = make_model(first + (uint64_t)i);

        snprintf(suffix, sizeof suffix, "_m%d", i);
        if (act_emit(model, suffix, 0, out, &err))
            fail_msg("%s", err.text);
        act_model_free(model);
    }
    fclose(out);
    if (act_compile("random", text, &path, folder, &err))
        fail_msg("%s", err.text);
    free(text);
    return path;
}

/* In a child, which a fault ends. Its signal, or 0. */
static int run_compiled(const char *path, int number, const struct act_model *model,
                        struct outcome *shared)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        const struct rlimit none = {0, 0};
        struct act_program program;
        struct cca_error err = {0};
        char suffix[32];
        void *handle;

        setrlimit(RLIMIT_CORE, &none);
        signal(SIGILL, SIG_DFL); /* not the test library's */
        snprintf(suffix, sizeof suffix, "_m%d", number);
        if (act_compile_load(path, suffix, model, NULL, &program, &handle, &err)) {
            fprintf(stderr, "%s\n", err.text);
            _exit(1);
        }
        run(&program, shared);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? -1 : 0;
}

static void compare(uint64_t number, const struct outcome *a, const struct outcome *b,
                    int signal, int faults[2])
{
    for (int c = 0; c < CONFIGS; c++) {
        /* the first fault ended the child: what it says from there on is nothing */
        if (signal) {
            int any = 0;

            for (int k = 0; k < CONFIGS; k++)
                any |= a[k].rc != 0;
            if (!any || signal != SIGILL)
                fail_msg("model %ld: signal %d, interpreted without fault", (long)number,
                         signal);
            faults[1]++;
            return;
        }
        if (a[c].rc != b[c].rc || a[c].hash != b[c].hash ||
            a[c].makespan != b[c].makespan)
            fail_msg("model %ld, configuration %d: interpreted %d, %.17g s, %ld spans; "
                     "compiled %d, %.17g s, %ld spans\n%s",
                     (long)number, c, a[c].rc, a[c].makespan, (long)a[c].spans, b[c].rc,
                     b[c].makespan, (long)b[c].spans, random_text(number));
        faults[0] += a[c].rc != 0;
    }
}

/* Every other batch goes through clang, where it is there. */
static void choose_compiler(int batch)
{
    static char usual[4096];
    static int has_clang = -1;

    if (has_clang < 0) {
        snprintf(usual, sizeof usual, "%s", getenv("CC") ? getenv("CC") : "");
        has_clang = system("command -v clang >/dev/null 2>&1") == 0;
    }
    setenv("CC", batch % 2 && has_clang ? "clang" : usual, 1);
}

TEST(interpreter_and_compiled_c_do_the_same)
{
    int count = test_count("MODELS", 25, 100000), faults[2] = {0, 0};
    uint64_t first = (uint64_t)test_count("FIRST", 1, 1);
    struct outcome *shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(shared != MAP_FAILED);
    for (int done = 0; done < count; done += BATCH) {
        int batch = count - done < BATCH ? count - done : BATCH;
        char *folder, *path;

        choose_compiler(done / BATCH);
        path = compile(first + (uint64_t)done, batch, &folder);

        for (int i = 0; i < batch; i++) {
            uint64_t number = first + (uint64_t)(done + i);
            struct act_model *model = make_model(number);
            struct cca_error err = {0};
            struct act_program *program = act_interpret_new(model, NULL, &err);
            struct outcome own[CONFIGS];

            memset(own, 0, sizeof own);
            memset(shared, 0, sizeof own);
            run(program, own);
            compare(number, own, shared, run_compiled(path, i, model, shared), faults);
            act_interpret_free(program);
            act_model_free(model);
        }
        act_compile_done(path, folder);
    }
    printf("%d models; runs at fault: %d told, %d by a trap\n", count, faults[0],
           faults[1]);
    assert_true(faults[1] < count / 4 && faults[0] < count * CONFIGS / 4);
    munmap(shared, 4096);
}

/* Objects go to no cache of the user's. */
static int no_cache(void **state)
{
    (void)state;
    setenv("ACTIVITY_CFLAGS", "-O0", 0); /* a third of the time to compile */
    unsetenv("XDG_CACHE_HOME");
    return unsetenv("HOME");
}

TESTS(no_cache, NULL)
