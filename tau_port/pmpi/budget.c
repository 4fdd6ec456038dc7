/* SPDX-License-Identifier: BSD-3-Clause */
/* budget.c: budget=PERCENT: a process lowers the threshold of its sends while the time
 * spent on samples, plus an estimate for counting, exceeds its part of the run time; and
 * raises it again, never above the request's threshold. Receivers keep the samples of the
 * request's threshold, which include those of any lower threshold. */
#include "tau_port/pmpi/messages.h"
#include "tau_port/pmpi/pmpi.h"

/* Estimate for counting a message at one end, with its hash: 2 to 9 ns were measured. */
enum { COUNT_NS = 10 };

/* Interval between changes of the threshold: enough messages to measure, and a small part
 * of a run. */
static const double stands_ns = 5e6;

/* Below this part of the budget p may double: samples are independent, and a doubled rate
 * must still fit. */
static const double room = 0.4, least_p = 1e-6;

static struct {
    uint64_t spent; /* ticks spent by sampling since `from`; accessed with __atomic */
    uint64_t from;  /* start of the current interval of the budget, ticks; 0: none yet */
    unsigned hooks; /* value of pmpi_ticks at the time `from` */
} state;

void pmpi_budget_spend(uint64_t ticks)
{
    /* longer work is not added, because the thread lost its core meanwhile */
    const uint64_t most = 1 << 20;

    if (ticks < most)
        __atomic_fetch_add(&state.spent, ticks, __ATOMIC_RELAXED);
}

double pmpi_budget_next(double p, double asked, double share, double budget)
{
    double next = share > budget ? p / 2 : share < budget * room ? 2 * p : p;

    if (next > asked)
        next = asked;
    return next < least_p ? (asked < least_p ? asked : least_p) : next;
}

void pmpi_budget_seldom(uint64_t now)
{
    struct pmpi_messages *m = &pmpi_messages;
    unsigned hooks = __atomic_load_n(&pmpi_ticks, __ATOMIC_RELAXED);
    double elapsed = (double)(now - state.from) * m->clock.ns_per_tick;

    if (state.from && now > state.from) {
        if (elapsed < stands_ns)
            return;

        uint64_t spent = __atomic_exchange_n(&state.spent, 0, __ATOMIC_RELAXED);
        double cost = (double)spent * m->clock.ns_per_tick +
                      (double)(hooks - state.hooks) * COUNT_NS;
        double p = pmpi_budget_next(mm_engine_p(m->engine), m->request.x, cost / elapsed,
                                    m->request.budget_percent / 100);

        mm_engine_set_p(m->engine, p);
        m->head->p_now = p;
    }
    state.from = now;
    state.hooks = hooks;
}
