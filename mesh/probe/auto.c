/* SPDX-License-Identifier: BSD-3-Clause */
/* auto.c: keep the cost of a profile below 1 % of the CPU time.
 *
 * The cost of a call is measured once, when the mesh is opened; it includes the time that
 * a processor loses because cells do not overlap across a reading of its counter. Calls
 * are counted, so the library can compute the cost of recording a step; the agent writes
 * its packing cost into the segment. Compared with the CPU time of a step, these costs
 * give the smallest stride `every`, a power of two times the one of --cells, so that
 * ranks with different strides still have common steps. Cells are timed one by one if
 * that needs no larger stride, else in runs. Costs above LIMIT, for example at the start
 * of a short run, are compensated later by a larger stride. */
#include <stdlib.h>

#include "common/clock.h"
#include "mesh/probe/mesh.h"

#define TARGET .004 /* fraction of CPU time that recording the next steps may cost */
#define LIMIT .005  /* fraction of CPU time that recording all steps may cost */

enum { ROUNDS = 8, CALLS = 256, CHAIN = 64, SLOW_NS = 50, RISE = 8 };

uint32_t mesh_run_length(const struct mm_mesh *m)
{
    uint64_t most = PROBE_RUN, few = m->cells.total / 8;

    for (int p = 0; p < m->probe_count; p++)
        if (m->probes[p]->wanted && m->probes[p]->read_ns > SLOW_NS)
            most = PROBE_RUN_MOST;
    most = most < few ? most : few;
    return most > 1 ? (uint32_t)most : 1;
}

/* Return the cost of a recording call in ns, the minimum of some rounds. `which` is 0 for
 * cells, 1 for runs of cells, 2 for values. */
static double call_cost(const struct mm_mesh *m, struct mm_mesh *trial, int which)
{
    uint64_t least = UINT64_MAX;

    for (int r = 0; r < ROUNDS; r++) {
        uint64_t begin = mm_clock_ticks(m->origin.tsc), passed;

        trial->now.lane[0].held = 0;
        for (int c = 0; c < CALLS; c++)
            if (which < 2)
                mm_mesh_cell(trial, 0, c);
            else
                mm_mesh_value(trial, 0, c, c);
        passed = mm_clock_ticks(m->origin.tsc) - begin;
        least = passed < least ? passed : least;
    }
    return (double)least * m->ns_per_tick / CALLS;
}

/* Return the cost of a cell with some work and a recording call, in ns, the minimum of
 * some rounds. `which` is as in call_cost, or -1: without a call. Cells are independent,
 * so that a processor can overlap them. */
static double cell_cost(const struct mm_mesh *m, struct mm_mesh *trial, int which)
{
    uint64_t least = UINT64_MAX;
    float work[CALLS] = {0};

    for (int r = 0; r < ROUNDS; r++) {
        uint64_t begin = mm_clock_ticks(m->origin.tsc), passed;

        trial->now.lane[0].held = 0;
        for (int c = 0; c < CALLS; c++) {
            float x = work[c];

            for (int i = 0; i < CHAIN; i++)
                x = x * .5f + 1;
            work[c] = x;
            if (which >= 0 && which < 2)
                mm_mesh_cell(trial, 0, c);
            else if (which == 2)
                mm_mesh_value(trial, 0, c, c);
        }
        passed = mm_clock_ticks(m->origin.tsc) - begin;
        least = passed < least ? passed : least;
    }
    return (double)least * m->ns_per_tick / CALLS;
}

/* Return the cost of a recording call: measured alone, or as additional time of cells
 * with work, whichever is larger. */
static double added_cost(const struct mm_mesh *m, struct mm_mesh *trial, int which,
                         double cell_ns)
{
    double alone = call_cost(m, trial, which);
    double added = cell_cost(m, trial, which) - cell_ns;

    return alone > added ? alone : added;
}

void mesh_account_open(struct mm_mesh *m)
{
    struct mm_mesh *trial = calloc(1, sizeof *trial);
    struct probe *probe = calloc(1, sizeof *probe);
    float *values = calloc(CALLS + 1, sizeof *values);
    struct run run = {.count = CALLS};
    double cell_ns;

    if (trial && probe && values) {
        trial->now.live = 1;
        trial->now.count = CALLS;
        trial->now.base = 1;
        trial->now.lane[0].value = values;
        trial->now.lane[0].hold = probe->hold;
        trial->now.lane[0].most = CALLS + 1;
        trial->probes[0] = probe;
        trial->probe_count = 1;
        trial->cells.runs = &run;
        trial->cells.run_count = 1;
        trial->origin = m->origin;
        cell_ns = cell_cost(m, trial, -1);
        probe->wanted = 1;
        trial->now.lane[0].serves = m->origin.tsc ? MM_MESH_TICKS : MM_MESH_CALLS;
        m->account.call_ns = call_cost(m, trial, 0);
        m->account.apart_ns = added_cost(m, trial, 0, cell_ns) - m->account.call_ns;
        trial->now.lane[0].serves = MM_MESH_HOLDS;
        m->account.hold_ns = added_cost(m, trial, 1, cell_ns);
        trial->now.lane[0].serves = MM_MESH_GIVEN;
        m->account.give_ns = added_cost(m, trial, 2, cell_ns);
    }
    free(trial);
    free(probe);
    free(values);
    m->account.start_ns = m->account.since_ns =
        (double)cca_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Return the cost of as many calls as in the last recorded step, if `most` cells are
 * timed together. */
static double calls_cost(const struct mm_mesh *m, uint32_t most)
{
    const struct account *a = &m->account;
    double ns = 0;

    for (int p = 0; p < m->probe_count; p++) {
        const struct probe *probe = m->probes[p];
        double read = (double)probe->read_ns + a->apart_ns, each;

        if (!probe->wanted)
            continue;
        if (probe->kind == PROBE_GIVEN)
            each = a->give_ns;
        else if (most > 1)
            each = a->hold_ns + read / most;
        else
            each = a->call_ns + (probe->kind > PROBE_CYCLES ? read : a->apart_ns);
        ns += each * m->account.visits[p] * (double)m->cells.total;
    }
    return ns;
}

void mesh_account_told(struct mm_mesh *m)
{
    for (int p = 0; p < m->probe_count; p++)
        if (!(m->now.lane[p].serves == MM_MESH_TICKS) && m->cells.total > 0)
            m->account.visits[p] = (float)m->now.lane[p].calls / (float)m->cells.total;
    m->account.told = 1;
    m->account.spent_ns += calls_cost(m, m->most);
}

/* Return the agent's CPU time on this mesh, total and per step. */
static double taker_cost(const struct mm_mesh *m, double *step)
{
    double ns, filled;

    *step = 0;
    if (!m->shared)
        return 0;
    ns = (double)atomic_load_explicit(&m->shared->taker_ns, memory_order_relaxed);
    filled = (double)atomic_load_explicit(&m->shared->filled, memory_order_relaxed);
    if (filled > 0)
        *step = ns / filled;
    return ns;
}

/* Return the smallest stride of at least `least` that is a power of two times the `every`
 * of
 * --cells. */
static int64_t power_of_two(const struct mm_mesh *m, double least)
{
    int64_t every = m->request.every;

    while ((double)every < least && every <= INT32_MAX / 2)
        every *= 2;
    return every;
}

void mesh_account_decide(struct mm_mesh *m)
{
    struct account *a = &m->account;
    double cpu = (double)cca_clock_ns(CLOCK_PROCESS_CPUTIME_ID), step_taker;
    double taker = taker_cost(m, &step_taker);
    double work = cpu - a->since_ns - (a->spent_ns - a->since_spent_ns);
    double fixed = a->step_ns + step_taker;
    uint32_t run = mesh_run_length(m), wish;
    int64_t every = m->every;

    m->most = run;
    if (a->told && a->steps > 0) {
        double room = TARGET * (work > 0 ? work : 0) / (double)a->steps;
        double cells = calls_cost(m, 1) + fixed, runs = calls_cost(m, run) + fixed;

        every = power_of_two(m, room > 0 ? runs / room : 2 * (double)m->every);
        /* Time single cells if this needs no larger stride than runs: often the agent's
         * packing costs more than either. */
        if (cells <= room * (double)every)
            m->most = 1;
        /* The CPU time of one step is a small difference of clocks, sometimes nearly 0.
         * The stride then grows by RISE at most until the next recorded step, which
         * decides again. */
        if (every > RISE * m->every)
            every = RISE * m->every;
        if (a->spent_ns + taker > LIMIT * (cpu - a->start_ns) && every <= m->every)
            every = power_of_two(m, 2 * (double)m->every);
    }
    if (m->shared) {
        wish = atomic_load_explicit(&m->shared->every_least, memory_order_relaxed);
        if ((int64_t)wish > every)
            every = power_of_two(m, wish);
    }
    m->every = every;
    a->steps = 0;
    a->since_ns = cpu;
    a->since_spent_ns = a->spent_ns;
}
