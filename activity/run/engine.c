/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c: a simulation from start to end. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/run/ordered_core.h"

enum { TOLD_PROCESSES = 100000, MOST_PROCESSES = 100000000 };

/* Set `node_shift` if all nodes have the same number of processes, a power of two. */
static void choose_shift(struct act_engine *g)
{
    int64_t each = g->processes / g->nodes;

    g->node_shift = -1;
    if (g->options->machine.placement != ACT_BLOCK || g->processes % g->nodes ||
        (each & (each - 1)))
        return;
    g->node_shift = __builtin_ctzll((unsigned long long)each);
}

/* Whether events must be taken in order of time: a node may have more threads than cores,
 * or processes share other resources. */
static int is_ordered(const struct act_engine *g)
{
    return g->result->shared || g->program->model->has_threads ||
           g->options->machine.memory > 0;
}

static int check(const struct act_engine *g)
{
    const struct act_config *c = &g->options->config;
    int64_t most = g->options->machine.nodes;

    if (most && c->nodes > most)
        return cca_error_set(g->err, -EINVAL,
                             "found a configuration of %lld nodes, expected at most the "
                             "machine's %lld",
                             (long long)c->nodes, (long long)most);
    if (c->nodes < 1 || c->processes < 1 || c->processes > MOST_PROCESSES)
        return cca_error_set(g->err, -EINVAL,
                             "found a configuration of %lld nodes and %lld processes, "
                             "expected at least 1 and at most %d",
                             (long long)c->nodes, (long long)c->processes,
                             MOST_PROCESSES);
    return 0;
}

static int make(struct act_engine *g)
{
    size_t processes = (size_t)g->processes;
    uint32_t buckets = 64;

    while (buckets < processes && buckets < 1u << 30)
        buckets *= 2;
    g->actors = malloc(processes * sizeof *g->actors);
    g->states = calloc(processes, g->program->state_bytes);
    g->queue = malloc(processes * sizeof *g->queue);
    g->buckets = malloc(buckets * sizeof *g->buckets);
    g->bucket_mask = buckets - 1;
    g->result->elements =
        calloc((size_t)g->program->model->element_count + 1, sizeof *g->result->elements);
    if (processes < TOLD_PROCESSES)
        g->result->process_s = calloc(processes, sizeof(double));
    if (!g->actors || !g->states || !g->queue || !g->buckets || !g->result->elements ||
        (processes < TOLD_PROCESSES && !g->result->process_s))
        return cca_no_memory(g->err);
    memset(g->buckets, 0xff, buckets * sizeof *g->buckets);
    return 0;
}

static int begin(struct act_engine *g)
{
    int threads = (int)g->program->system.nthread, rc = 0;

    for (int64_t pid = 0; pid < g->processes && !rc; pid++) {
        struct act_state *state =
            (struct act_state *)(void *)(g->states +
                                         (size_t)pid * g->program->state_bytes);

        g->actors[pid] = (struct act_actor){
            .pid = (int32_t)pid, .element = -1, .requests = -1, .peer = -1, .line = -1};
        state->pid = (int32_t)pid;
        state->nthread = threads;
        rc = g->program->start(g->program, state, g->err);
    }
    return rc;
}

static void end(struct act_engine *g)
{
    for (int64_t pid = 0; pid < g->processes; pid++) {
        if (g->actors[pid].clock > g->result->makespan_s)
            g->result->makespan_s = g->actors[pid].clock;
        if (g->result->process_s)
            g->result->process_s[pid] = g->actors[pid].clock;
    }
}

int act_run(struct act_program *program, const struct act_run_options *options,
            struct act_result *result, struct cca_error *err)
{
    const struct act_config *c = &options->config;
    const struct act_machine *machine = &options->machine;
    struct act_engine g = {.program = program,
                           .options = options,
                           .result = result,
                           .err = err,
                           .sink = options->sink,
                           .elements =
                               (const struct act_element **)program->model->elements,
                           .processes = c->processes,
                           .nodes = c->nodes < c->processes ? c->nodes : c->processes,
                           .speed = 1 / machine->speed,
                           .sigma = sqrt(log1p(machine->noise * machine->noise)),
                           .current = -1,
                           .posted = {.free = -1, .size = sizeof(struct act_posted)},
                           .requests = {.free = -1, .size = sizeof(struct act_request)}};
    int rc;

    memset(result, 0, sizeof *result);
    program->system.nproc = c->processes;
    program->system.nnode = c->nodes;
    program->system.nthread = c->threads ? c->threads : machine->threads;
    rc = check(&g);
    if (!rc)
        choose_shift(&g);
    g.next_look = ACT_LOOKS;
    if (options->most_events && options->most_events < ACT_LOOKS)
        g.next_look = options->most_events + 1;
    if (!rc)
        result->shared = (g.processes + g.nodes - 1) / g.nodes > machine->cores;
    rc = rc ? rc : make(&g);
    rc = rc ? rc : begin(&g);
    rc = rc ? rc : is_ordered(&g) ? act_engine_ordered(&g) : act_engine_ahead(&g);
    if (!rc && g.ended < g.processes)
        rc = act_engine_blocked(&g);
    rc = rc ? rc : act_engine_gathered(&g);
    if (!rc)
        end(&g);
    free(g.actors);
    free(g.states);
    free(g.queue);
    free(g.buckets);
    free(g.posted.all);
    free(g.requests.all);
    free(g.gatherings);
    if (rc)
        act_result_free(result);
    return rc;
}

void act_result_free(struct act_result *result)
{
    free(result->elements);
    free(result->process_s);
    memset(result, 0, sizeof *result);
}
