/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.c: map counters of an experiment to columns of a summary. */
#include "properties/load/sums/sums.h"

#include <string.h>

static const char *const metrics[MM_COLUMNS] = {
    [MM_COLUMN_RECV] = "MPI_RECV_TIME",        [MM_COLUMN_SEND] = "MPI_SEND_TIME",
    [MM_COLUMN_SYNC] = "MPI_SYNC_TIME",        [MM_COLUMN_COLL] = "MPI_COLL_TIME",
    [MM_COLUMN_CTL] = "MPI_CTL_TIME",          [MM_COLUMN_OMP_SYNC] = "OMP_SYNC_TIME",
    [MM_COLUMN_OMP_CTL] = "OMP_CONTROL_TIME",  [MM_COLUMN_LOSS] = "OMP_LOSS_TIME",
    [MM_COLUMN_INSTRUCTIONS] = "PAPI_TOT_INS",
};

static int has_all(const struct mm_load_metrics *m, int from, int to)
{
    for (int i = from; i <= to; i++)
        if (m->at[i] < 0)
            return 0;
    return 1;
}

/* Whether the run had no MPI: a single process whose MPI recording was not switched off.
 * Imported rows are measurements of another program. */
static int had_no_mpi(const struct mm_experiment *e)
{
    for (size_t i = 0; i < e->missing_count; i++)
        if (strcmp(e->missing[i].name, "MPI_TIME") == 0 &&
            strstr(e->missing[i].why ? e->missing[i].why : "", "switched off"))
            return 0;
    return !e->has_mpi && e->ranks == 1 && !e->origin;
}

void mm_load_metrics_find(struct mm_load_metrics *m, const struct mm_experiment *e)
{
    *m = (struct mm_load_metrics){.count = MM_LOAD_COUNTERS + e->counter_count,
                                  .has_mpi = e->has_mpi,
                                  .has_cpu = e->has_cpu};
    for (int c = 0; c < MM_COLUMNS; c++) {
        m->at[c] = -1;
        for (size_t i = 0; i < e->counter_count; i++)
            if (strcmp(e->counters[i], metrics[c]) == 0)
                m->at[c] = MM_LOAD_COUNTERS + (int)i;
    }
    m->no_mpi = had_no_mpi(e);
    m->has_split = has_all(m, MM_COLUMN_RECV, MM_COLUMN_CTL);
    m->has_omp = has_all(m, MM_COLUMN_OMP_SYNC, MM_COLUMN_LOSS);
}

void mm_load_sum_add(struct mm_load_sum *sum, const struct mm_load_sum *more,
                     size_t count)
{
    sum->calls += more->calls;
    sum->open += more->open;
    sum->lacks |= more->lacks;
    sum->own_lacks |= more->own_lacks;
    for (size_t i = 0; i < count; i++) {
        sum->all[i] += more->all[i];
        sum->own[i] += more->own[i];
    }
}
