/* SPDX-License-Identifier: BSD-3-Clause */
/* contexts.c: CPU time and memory of the dual, the calling contexts and the structure.
 *
 *     contexts [--rows N] [--most S] [--write DIR]
 *
 * The rows are those of an adaptive mesh: a driver, steps of three levels, a right-hand
 * side, fluxes in two directions and ghost cells on four ranks, and a recursion of random
 * depth. They are written as an experiment (DIR, or a temporary one) and read back.
 *
 * Exit 0; 1: more than S CPU seconds (5) for 10^7 rows; 2: misuse; 5: an error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/models/cpu_time.h"
#include "bench/models/random.h"
#include "mastermind/counts/contexts/core.h"
#include "mastermind/counts/structure.h"
#include "mastermind/reader/experiment.h"
#include "mastermind/writer/given.h"

enum { METHODS = 8, RANKS = 4, DEEPEST = 12 };
enum { GO, ADVANCE, EXCHANGE, START, EVALUATE, STATES, FLUX, TREE };

static struct cca_error err;

struct maker {
    struct mm_given *given;
    uint32_t ids[METHODS];
    uint64_t next, clock, rows;
    int rank;
};

static void fail(void)
{
    fprintf(stderr, "contexts: %s\n", err.text);
    exit(5);
}

static void declare_methods(struct maker *m)
{
    static const char *const names[METHODS] = {"go",       "advance", "exchange", "start",
                                               "evaluate", "states",  "flux",     "tree"};
    static const struct monitor_value_decl values[] = {
        {.name = "mode", .type = MONITOR_INT64, .kind = MONITOR_MODE},
        {.name = "Q", .type = MONITOR_INT64, .kind = MONITOR_PARAM}};

    for (int i = 0; i < METHODS; i++) {
        struct monitor_method_decl decl = {.instance = names[i],
                                           .port = "p",
                                           .method = names[i],
                                           .class_name = "C",
                                           .build_id = "b",
                                           .port_type = "t/1",
                                           .values = values,
                                           .in_count = 2};
        int id = mm_given_method(m->given, &decl, &err);

        if (id < 0)
            fail();
        m->ids[i] = (uint32_t)id;
    }
}

/* A call that has begun. */
struct call {
    uint64_t number, caller, start;
    int method, mode;
};

static struct call begin(struct maker *m, int method, int mode, uint64_t caller)
{
    struct call call = {++m->next, caller, m->clock, method, mode};

    m->clock += 20 + random_word() % 100;
    return call;
}

static void end(struct maker *m, const struct call *call)
{
    union monitor_value in[2] = {{.i = call->mode},
                                 {.i = 1 + (int64_t)(random_word() % 8) * 64}};
    struct mm_given_row row = {.method = m->ids[call->method],
                               .rank = m->rank,
                               .invocation = call->number,
                               .caller = call->caller,
                               .start = call->start,
                               .wall = m->clock - call->start,
                               .in = in};

    m->rows++;
    if (mm_given_row(m->given, &row, &err))
        fail();
}

static void leaf(struct maker *m, int method, int mode, uint64_t caller)
{
    struct call call = begin(m, method, mode, caller);

    end(m, &call);
}

static void tree(struct maker *m, uint64_t caller, int depth)
{
    struct call call = begin(m, TREE, 0, caller);

    for (int i = 0; i < 2 && depth < DEEPEST; i++)
        if (random_word() % 2)
            tree(m, call.number, depth + 1);
    end(m, &call);
}

static void level(struct maker *m, uint64_t caller, int at)
{
    for (int stage = 0; stage < 2; stage++) {
        struct call exchange = begin(m, EXCHANGE, at, caller);

        leaf(m, START, at, exchange.number);
        end(m, &exchange);
        for (int patch = 0; patch < 8 << at; patch++) {
            struct call evaluate = begin(m, EVALUATE, 0, caller);

            for (int axis = 0; axis < 2; axis++) {
                leaf(m, STATES, axis, evaluate.number);
                leaf(m, FLUX, axis, evaluate.number);
            }
            end(m, &evaluate);
        }
    }
    for (int i = 0; i < 2 && at < 2; i++)
        level(m, caller, at + 1);
}

static void write_rows(const char *path, uint64_t rows)
{
    struct mm_given_about about = {
        .origin = "simulated", .ns_per_tick = 1, .ranks = RANKS};
    struct maker m = {.given = mm_given_new(path, &about, &err)};

    if (!m.given)
        fail();
    declare_methods(&m);
    for (m.rank = 0; m.rank < RANKS; m.rank++) {
        struct call go;

        m.next = m.clock = 0;
        go = begin(&m, GO, 0, 0);
        while (m.rows < rows / RANKS * (uint64_t)(m.rank + 1)) {
            struct call advance = begin(&m, ADVANCE, 0, go.number);

            level(&m, advance.number, 0);
            end(&m, &advance);
            tree(&m, go.number, 0);
        }
        end(&m, &go);
    }
    if (mm_given_finish(m.given, &err))
        fail();
    mm_given_free(m.given);
}

static int ignore_row(const struct mm_row *row, void *context)
{
    (void)row, (void)context;
    return 0;
}

static long memory_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* CPU time of the profile, with its dual, and of the structure. */
static double measure_structure(const struct mm_row_source *source)
{
    const struct mm_run run = {.ranks = RANKS, .is_known = 1}, *runs[] = {&run};
    double start = cpu_seconds(), profiled, structured;
    struct mm_profile *profile = mm_profile_new(source, NULL, &err);
    const struct mm_profile *profiles[] = {profile};
    struct mm_structure structure;
    size_t sums = 0;

    if (!profile)
        fail();
    profiled = cpu_seconds() - start;
    start = cpu_seconds();
    if (mm_structure_init(&structure, runs, profiles, 1, 0, &err))
        fail();
    for (size_t i = 0; i < structure.cells.count; i++)
        for (int power = 0; power < 4; power++) {
            struct mm_basis basis = {.kind = MM_BASIS_PRODUCT,
                                     .factor[0] = {.parameter = 1, .power = power / 2.},
                                     .factors = 1};

            if (!mm_structure_quantity(&structure, MM_QUANTITY_SUM, i, &basis))
                fail();
            sums++;
        }
    structured = cpu_seconds() - start;
    printf("profile with its dual %.2f s, structure of %zu cells with %zu sums %.2f s; "
           "%ld KiB\n",
           profiled, structure.cells.count, sums, structured, memory_kib());
    mm_structure_done(&structure);
    mm_profile_free(profile);
    return profiled + structured;
}

static int measure(const char *path, double most)
{
    struct mm_contexts_options none = {0};
    struct mm_core_options prune = {.1, .1};
    struct mm_contexts *contexts;
    struct mm_dual *dual;
    struct mm_core core;
    struct mm_row_source source;
    struct mm_experiment *experiment = mm_experiment_open(path, &err);
    double start = cpu_seconds(), read, walked, alone;

    if (!experiment)
        fail();
    source = mm_row_source_of(experiment);
    if (mm_experiment_rows(experiment, ignore_row, NULL, &err))
        fail();
    read = cpu_seconds() - start;
    start = cpu_seconds();
    dual = mm_dual_new(&source, NULL, NULL, NULL, &err);
    if (!dual)
        fail();
    alone = cpu_seconds() - start;
    mm_dual_free(dual);
    start = cpu_seconds();
    if (mm_contexts_walk(&source, &none, &dual, &contexts, &err) ||
        mm_core_find(&core, contexts, &prune))
        fail();
    walked = cpu_seconds() - start;
    printf("%llu rows, %zu contexts, %zu in the core\n", (unsigned long long)dual->rows,
           contexts->count, contexts->count - core.contexts);
    printf("reading %.2f s, with the dual %.2f s, with dual and contexts %.2f s, at most "
           "%.2f s; %ld KiB\n",
           read, alone, walked, most * (double)dual->rows / 1e7, memory_kib());
    most *= (double)dual->rows / 1e7;
    mm_core_done(&core);
    mm_contexts_free(contexts);
    mm_dual_free(dual);
    if (measure_structure(&source) > most)
        walked = INFINITY;
    mm_experiment_free(experiment);
    return walked > most;
}

int main(int argc, char **argv)
{
    double rows = 1e7, most = 5;
    const char *path = NULL;
    char folder[] = "/tmp/contexts-XXXXXX", own[64], command[128];
    int result;

    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "--rows"))
            rows = atof(argv[i + 1]);
        else if (i + 1 < argc && !strcmp(argv[i], "--most"))
            most = atof(argv[i + 1]);
        else if (i + 1 < argc && !strcmp(argv[i], "--write"))
            path = argv[i + 1];
        else
            rows = 0;
    }
    if (!(rows >= 1000)) {
        fprintf(stderr, "contexts: expected --rows N, --most S, --write DIR\n");
        return 2;
    }
    if (!path && !mkdtemp(folder)) {
        perror("contexts");
        return 5;
    }
    snprintf(own, sizeof own, "%s/rows.mm", folder);
    write_rows(path ? path : own, (uint64_t)rows);
    result = measure(path ? path : own, most);
    if (!path) {
        snprintf(command, sizeof command, "rm -rf %s", folder);
        if (system(command))
            result = 5;
    }
    return result;
}
