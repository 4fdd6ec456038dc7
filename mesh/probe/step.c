/* SPDX-License-Identifier: BSD-3-Clause */
/* step.c: choose the steps to record, and begin them. */
#include <inttypes.h>
#include <string.h>

#include "common/clock.h"
#include "mesh/probe/mesh.h"

/* Calibrate the clock again each time the time since its origin has doubled. */
static void calibrate(struct mm_mesh *m)
{
    uint64_t passed = mm_clock_ticks(m->origin.tsc) - m->origin.ticks;
    struct mm_clock clock;

    if (passed < 2 * m->calibrated)
        return;
    m->calibrated = passed;
    mm_clock_calibrate(&m->origin, &clock);
    m->ns_per_tick = clock.ns_per_tick;
}

/* Begin a recorded step. Returns like mm_mesh_step. */
static int tell_step(struct mm_mesh *m, int64_t step, double time_s)
{
    int rc;

    calibrate(m);
    rc = mesh_slot_begin(m, step, time_s);
    if (rc <= 0)
        return rc;
    m->now.live = 1;
    for (int p = 0; p < m->probe_count; p++)
        if (m->probes[p]->wanted)
            mesh_clock_mark(m, p);
    return 0;
}

/* Like tell_step, in mode `auto`: also account for the cost of recording and decide about
 * the next steps. `begin`: the thread's CPU time at the start of mm_mesh_step; `ended`:
 * true if that call has ended a recorded step. */
static int tell_step_auto(struct mm_mesh *m, int64_t step, double time_s, double begin,
                          int ended)
{
    double made = m->account.made_ns, cost;
    int rc = 0;

    if (ended)
        mesh_account_told(m);
    if (step % m->every == 0)
        mesh_account_decide(m);
    if (step % m->every == 0)
        rc = tell_step(m, step, time_s);
    cost = (double)cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    m->account.spent_ns += cost;
    cost -= m->account.made_ns - made;
    if (m->now.live)
        m->account.step_ns = cost;
    else if (ended)
        m->account.step_ns += cost;
    for (int p = 0; p < m->probe_count && m->now.live; p++)
        if (m->probes[p]->wanted)
            mesh_clock_mark(m, p);
    return rc;
}

/* At the first step: report probes named in --cells that the program has not declared. */
static void begin_steps(struct mm_mesh *m)
{
    m->closed_set = 1;
    for (int n = 0; n < m->request.count; n++) {
        const char *name = m->request.names[n];
        int found = 0;

        for (int p = 0; p < m->probe_count; p++)
            found |= !strcmp(m->probes[p]->about.name, name);
        if (!found)
            mesh_fault(m, FAULT_NAME, -EINVAL,
                       "--cells: found probe %s, which the program does not declare",
                       name);
    }
    for (int p = 0; p < m->probe_count; p++)
        m->wanted += m->probes[p]->wanted;
}

int mm_mesh_step(struct mm_mesh *m, int64_t step, double time_s)
{
    double begin = 0;
    int ended, counts;

    if (!m || m->off)
        return 0;
    ended = m->slot != NULL;
    counts = m->request.grain == MESH_CELLS_AUTO && (ended || step % m->every == 0);
    if (counts)
        begin = (double)cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    mesh_slot_end(m);
    if (step <= m->step)
        return mesh_fault(m, FAULT_STEP, -EINVAL,
                          "found step %" PRId64 " after %" PRId64
                          ", expected a larger one",
                          step, m->step);
    m->step = step;
    if (!m->closed_set)
        begin_steps(m);
    if (m->wanted == 0)
        return 0;
    m->begun++;
    m->account.steps++;
    if (m->shared)
        atomic_store_explicit(&m->shared->begun, m->begun, memory_order_relaxed);
    if (counts)
        return tell_step_auto(m, step, time_s, begin, ended);
    if (step % m->every != 0)
        return 0;
    m->most = m->request.grain == MESH_CELLS_BLOCKS ? mesh_run_length(m) : 1;
    return tell_step(m, step, time_s);
}
