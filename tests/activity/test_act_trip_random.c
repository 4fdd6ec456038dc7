/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs, with recursion, modes, sizes, ranks and threads, there and back: the
 * simulated dual has each vertex, edge and count, and the sum of times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activity/run/engine.h"
#include "activity/run/interpret.h"
#include "activity/trace/experiment.h"
#include "activity/trip/trip.h"
#include "mastermind/counts/dual/dual.h"
#include "mastermind/format/layout.h"
#include "mastermind/writer/given.h"
#include "tests/lib/test.h"

enum { METHODS = 5, ITEMS = 4, MOST_ROWS = 3000, DEEPEST = 6 };

static uint64_t state;

static int below(int most)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)most);
}

/* What a method does: some callees in turn, each as often as `how` says. */
struct item {
    int callee, count, how; /* 0: count, 1: by rank, 2: by chance, 3: by the turn */
    int mode;
};

struct program {
    struct item items[METHODS][ITEMS];
    int counts[METHODS], again[METHODS]; /* the whole body so often */
    struct mm_given *given;
    int ids[METHODS];
    int rank, thread, rows;
    uint64_t next, now, done[METHODS];
};

static void make_program(struct program *p)
{
    memset(p, 0, sizeof *p);
    for (int m = 0; m < METHODS; m++) {
        p->counts[m] = below(ITEMS + 1);
        p->again[m] = 1 + (below(3) == 0) * below(4);
        for (int i = 0; i < p->counts[m]; i++)
            p->items[m][i] = (struct item){.callee = below(METHODS),
                                           .count = 1 + below(3),
                                           .how = below(4),
                                           .mode = below(2)};
    }
}

static void grow(struct program *p, int method, int mode, uint64_t caller, int depth);

static int times_of(const struct program *p, const struct item *item, uint64_t turn)
{
    return item->how == 0   ? item->count
           : item->how == 1 ? (p->rank + item->count) % 3
           : item->how == 2 ? below(3)
                            : (int)(turn % (uint64_t)(item->count + 1));
}

static void grow(struct program *p, int method, int mode, uint64_t caller, int depth)
{
    union monitor_value in[2] = {{.i = mode}, {.i = 10 + below(2)}};
    struct mm_given_row row = {.method = (uint32_t)p->ids[method],
                               .rank = p->rank,
                               .thread = p->thread,
                               .invocation = p->next++,
                               .caller = caller,
                               .status = MM_STATUS_DONE,
                               .in = in};
    struct cca_error err = {0};
    uint64_t turn = p->done[method]++;

    row.start = p->now;
    p->now += (uint64_t)(10000 + below(90000));
    p->rows++;
    for (int again = 0; again < p->again[method] && depth < DEEPEST; again++)
        for (int i = 0; i < p->counts[method]; i++)
            for (int k = times_of(p, &p->items[method][i], turn + (uint64_t)again); k > 0;
                 k--)
                if (p->rows < MOST_ROWS)
                    grow(p, p->items[method][i].callee, p->items[method][i].mode,
                         row.invocation, depth + 1);
    row.wall = p->now - row.start;
    if (mm_given_row(p->given, &row, &err))
        fail_msg("%s", err.text);
}

static void measure(struct program *p, const char *path, int ranks, int threads)
{
    struct mm_given_about about = {
        .origin = "imported", .ns_per_tick = 1, .ranks = ranks};
    struct monitor_value_decl values[2] = {
        {.name = "mode", .type = MONITOR_INT64, .kind = MONITOR_MODE},
        {.name = "Q", .type = MONITOR_INT64, .kind = MONITOR_PARAM}};
    struct cca_error err = {0};

    p->given = mm_given_new(path, &about, &err);
    if (!p->given)
        fail_msg("%s", err.text);
    for (int m = 0; m < METHODS; m++) {
        char name[8];
        struct monitor_method_decl decl = {.instance = m % 2 ? "a" : "b",
                                           .port = "p",
                                           .method = name,
                                           .class_name = "Class",
                                           .build_id = "",
                                           .port_type = "",
                                           .values = values,
                                           .in_count = 2};

        snprintf(name, sizeof name, "m%d", m);
        p->ids[m] = mm_given_method(p->given, &decl, &err);
        assert_true(p->ids[m] >= 0);
    }
    for (p->rank = 0; p->rank < ranks; p->rank++) {
        for (p->thread = 0; p->thread < threads; p->thread++) {
            int roots = 1 + below(3);

            p->next = 1;
            p->now = 0;
            p->rows = 0;
            memset(p->done, 0, sizeof p->done);
            for (int i = 0; i < roots; i++)
                grow(p, below(METHODS), below(2), 0, 0);
        }
    }
    assert_int_equal(mm_given_finish(p->given, &err), 0);
    mm_given_free(p->given);
}

static void simulate(const char *text, const char *path, int ranks)
{
    struct cca_error err = {0};
    struct act_model *model = act_model_read("trip.act", text, strlen(text), &err);
    struct act_program *program = model ? act_interpret_new(model, NULL, &err) : NULL;
    struct act_experiment *experiment =
        program ? act_experiment_new(path, model, ranks, &err) : NULL;
    struct act_run_options options = {.config = {ranks, ranks, 0}};
    /* a node each: no two share a core */
    struct act_result result;

    if (!experiment)
        fail_msg("%s", err.text);
    act_machine_usual(&options.machine);
    options.sink = act_experiment_sink(experiment);
    if (act_run(program, &options, &result, &err))
        fail_msg("%s\n%s", err.text, text);
    act_result_free(&result);
    assert_int_equal(act_experiment_finish(experiment, &err), 0);
    act_experiment_free(experiment);
    act_interpret_free(program);
    act_model_free(model);
}

static const struct mm_vertex *find(const struct mm_dual *dual, const char *name)
{
    for (size_t i = 0; i < dual->vertex_count; i++)
        if (strcmp(dual->vertices[i].name, name) == 0 && dual->vertices[i].calls)
            return &dual->vertices[i];
    return NULL;
}

/* Calls from one name to another. */
static uint64_t calls_of(const struct mm_dual *dual, const char *from, const char *to)
{
    uint64_t calls = 0;

    for (size_t i = 0; i < dual->edge_count; i++)
        if (strcmp(dual->vertices[dual->edges[i].caller].name, from) == 0 &&
            strcmp(dual->vertices[dual->edges[i].callee].name, to) == 0)
            calls += dual->edges[i].calls;
    return calls;
}

static void compare(const struct mm_dual *a, const struct mm_dual *b, const char *text)
{
    uint64_t left = 0, right = 0;
    double own_a = 0, own_b = 0;

    for (size_t i = 0; i < a->vertex_count; i++) {
        const struct mm_vertex *v = &a->vertices[i], *w = find(b, v->name);

        left += v->calls;
        own_a += (double)v->exclusive_ns;
        if (v->calls && (!w || w->calls != v->calls))
            fail_msg("%s: %d calls, simulated %d\n%s", v->name, (int)v->calls,
                     w ? (int)w->calls : 0, text);
    }
    for (size_t i = 0; i < b->vertex_count; i++) {
        right += b->vertices[i].calls;
        own_b += (double)b->vertices[i].exclusive_ns;
    }
    assert_int_equal(left, right);
    for (size_t i = 0; i < a->edge_count; i++) {
        const char *from = a->vertices[a->edges[i].caller].name;
        const char *to = a->vertices[a->edges[i].callee].name;

        if (calls_of(b, from, to) != a->edges[i].calls)
            fail_msg("%s > %s: %d calls, simulated %d\n%s", from, to,
                     (int)a->edges[i].calls, (int)calls_of(b, from, to), text);
    }
    if (!(fabs(own_a - own_b) < 1e-3 * own_a))
        fail_msg("%.0f ns, simulated %.0f\n%s", own_a, own_b, text);
}

static void remove_folder(const char *path)
{
    char command[600];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

TEST(random_programs_come_back)
{
    int programs = getenv("FAULT_ASSEMBLIES") ? atoi(getenv("FAULT_ASSEMBLIES")) : 40;
    struct act_trip_options options = {.name = "trip", .costs = ACT_TRIP_MEANS};
    char folder[] = "/tmp/trip-XXXXXX", measured[100], simulated[100];

    assert_non_null(mkdtemp(folder));
    snprintf(measured, sizeof measured, "%s/measured.mm", folder);
    snprintf(simulated, sizeof simulated, "%s/simulated.mm", folder);
    for (int i = 0; i < programs; i++) {
        struct cca_error err = {0};
        struct program program;
        struct mm_experiment *experiments[2];
        struct mm_dual *duals[2];
        int ranks, threads;
        char *text;

        state = (uint64_t)i + 1;
        ranks = 1 + below(3);
        threads = 1 + (below(3) == 0);
        make_program(&program);
        measure(&program, measured, ranks, threads);
        experiments[0] = mm_experiment_open(measured, &err);
        assert_non_null(experiments[0]);
        text = act_trip_text(experiments, 1, &options, &err);
        if (!text)
            fail_msg("program %d: %s", i, err.text);
        simulate(text, simulated, ranks);
        experiments[1] = mm_experiment_open(simulated, &err);
        assert_non_null(experiments[1]);
        for (int k = 0; k < 2; k++) {
            struct mm_row_source source = mm_row_source_of(experiments[k]);

            duals[k] = mm_dual_new(&source, NULL, NULL, NULL, &err);
            assert_non_null(duals[k]);
        }
        compare(duals[0], duals[1], text);
        for (int k = 0; k < 2; k++) {
            mm_dual_free(duals[k]);
            mm_experiment_free(experiments[k]);
        }
        free(text);
        remove_folder(measured);
        remove_folder(simulated);
    }
    assert_int_equal(rmdir(folder), 0);
}

TESTS(NULL, NULL)
