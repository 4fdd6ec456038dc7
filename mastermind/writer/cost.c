/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.c: compute the CPU time that a process has spent on measuring. */
#include "mastermind/writer/parts.h"

#include <math.h>

#include "common/clock.h"
#include "mastermind/format/clock.h"
#include "mastermind/writer/openmp.h"

int64_t mm_cost_thread_ns(void)
{
    return cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int64_t wrappers_ns(const struct meas_mpi *mpi)
{
    int64_t calls, ns, sum = 0;

    for (int i = 0; mpi->name(i); i++) {
        mpi->values(i, &calls, &ns);
        sum += calls;
    }
    return sum ? (int64_t)((double)sum * mpi->wrapper_ns()) : 0;
}

/* Estimate the cost of recording all calls as if each was a call of a method with two
 * integers, the most usual kind. */
static double recorded_ns(const struct mm_recorder_stats *stats, enum mm_entry_kind entry)
{
    const struct mm_call_costs *costs = &stats->costs;
    struct mm_call_cost row = mm_call_costs_of(costs, entry, MM_ROW_PAIR, 2, 0),
                        sum = mm_call_costs_of(costs, entry, MM_ROW_PAIR, 2, 1);

    return ((double)stats->rows * row.cold_ns + (double)stats->folded * sum.cold_ns) *
           costs->pace;
}

struct mm_cost mm_cost_now(const struct mm_recorder_stats *stats,
                           enum mm_entry_kind entry, int64_t setup_ns,
                           const struct meas_mpi *mpi)
{
    double calls_ns = recorded_ns(stats, entry);
    struct mm_cost cost = {.files_ns = stats->files_ns,
                           .helper_ns = stats->helper_ns,
                           .setup_ns = setup_ns,
                           .mpi_ns = mpi ? wrappers_ns(mpi) : 0,
                           .openmp_ns = mm_openmp_cost(),
                           .process_ns = cca_clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
    double left = (double)(cost.process_ns - mm_cost_sum(&cost));

    /* The estimate is limited by the CPU time that is left, because calls in rapid
     * succession find the recorder's data in the cache and cost less. */
    cost.calls_ns = (int64_t)fmin(calls_ns, fmax(left, 0));
    return cost;
}

int64_t mm_cost_sum(const struct mm_cost *cost)
{
    return cost->calls_ns + cost->files_ns + cost->helper_ns + cost->setup_ns +
           cost->mpi_ns + cost->openmp_ns;
}

json_t *mm_cost_json(const struct mm_cost *cost)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "calls_ns",
                     (json_int_t)cost->calls_ns, "files_ns", (json_int_t)cost->files_ns,
                     "helper_ns", (json_int_t)cost->helper_ns, "setup_ns",
                     (json_int_t)cost->setup_ns, "mpi_ns", (json_int_t)cost->mpi_ns,
                     "openmp_ns", (json_int_t)cost->openmp_ns, "process_ns",
                     (json_int_t)cost->process_ns);
}
