/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c: the summary of the whole program on each unit.
 *
 * Rows begin with the recorder: under ccafe after MPI_Init, which only the MPI profile
 * contains. So the program's time is that of the clock plus MPI_Init before it, and its
 * MPI time is the time of all MPI functions, also outside of all methods. */
#include <math.h>
#include <string.h>

#include "mastermind/counts/counts.h"
#include "mastermind/reader/json.h"
#include "properties/load/sums/sums.h"
#include "properties/load/parts.h"

/* Times of a rank in MPI, ns, by class. */
struct rank_mpi {
    int known;
    double class_ns[MM_MPI_CLASSES], total_ns, init_ns;
};

static void read_rank(const struct mm_mpi_profile *profile, int rank,
                      struct rank_mpi *mpi)
{
    for (size_t i = 0; i < profile->count; i++) {
        const struct mm_mpi_function *f = &profile->functions[i];
        double ns = (double)f->ranks[rank].exclusive_ns;

        if (!f->ranks[rank].calls)
            continue;
        mpi->known = 1;
        mpi->total_ns += ns;
        mpi->class_ns[mm_mpi_class_of(f->name)] += ns;
        if (strncmp(f->name, "MPI_Init", 8) == 0 && strncmp(f->name + 8, "ialized", 7))
            mpi->init_ns += ns;
    }
}

/* A JSON number as a time in ns; NaN unless it is from 0 to about a hundred years. */
static double time_of(const json_t *number)
{
    double ns = json_is_number(number) ? json_number_value(number) : NAN;

    return ns >= 0 && ns < 3e18 ? ns : (double)NAN;
}

/* Wall time of a rank's clock from start to end, and the CPU time of its process; NaN if
 * it did not end regularly. */
static int wall_of(struct mm_load *load, int rank, double *wall_ns, double *cpu_ns)
{
    json_t *about = NULL;
    int result = mm_experiment_rank_about(load->e, rank, &about, load->err);
    const json_t *wall = json_object_get(json_object_get(about, "totals"), "wall_ns");
    const json_t *cpu = json_object_get(json_object_get(about, "cost"), "process_ns");

    *wall_ns = time_of(wall);
    *cpu_ns = time_of(cpu);
    json_decref(about);
    return result;
}

/* Wall time of a unit: the first thread of a rank has the rank's whole time, others the
 * time from their first call to their last. */
static double exec_of(const struct mm_load *load, const struct mm_load_unit *u, int first,
                      const struct rank_mpi *mpi, double wall_ns)
{
    double last_ns = u->last_ns > INT64_MIN ? (double)u->last_ns : 0;

    if (!first) {
        double calls_ns =
            u->first_ns < INT64_MAX ? (double)(u->last_ns - u->first_ns - u->host_ns) : 0;
        double teams_ns = (double)u->openmp.wall_ns;

        return calls_ns > teams_ns ? calls_ns : teams_ns;
    }
    if (last_ns < (double)u->openmp.wall_ns)
        last_ns = (double)u->openmp.wall_ns;
    if (!isfinite(wall_ns) || wall_ns < last_ns)
        wall_ns = last_ns;
    return wall_ns - (double)u->host_ns + (load->e->run.is_known ? mpi->init_ns : 0);
}

/* Split MPI time into classes by function names. For functions that complete requests,
 * only MPI_SPLIT has the split into receive and send, and only inside of methods. */
static void split_of(const struct mm_load *load, const struct rank_mpi *mpi,
                     const struct mm_load_sum *roots, double columns[MM_COLUMNS])
{
    double rest = mpi->class_ns[MM_MPI_COMPLETION];

    columns[MM_COLUMN_SYNC] = mpi->class_ns[MM_MPI_SYNC] / 1e9;
    columns[MM_COLUMN_COLL] = mpi->class_ns[MM_MPI_COLL] / 1e9;
    columns[MM_COLUMN_CTL] = mpi->class_ns[MM_MPI_CTL] / 1e9;
    if (rest > 0 && load->metrics.has_split &&
        !(roots->lacks & ((uint32_t)1 << load->metrics.at[MM_COLUMN_RECV]))) {
        double recv = columns[MM_COLUMN_RECV], send = columns[MM_COLUMN_SEND];
        double all =
            (rest + mpi->class_ns[MM_MPI_RECV] + mpi->class_ns[MM_MPI_SEND]) / 1e9;

        /* MPI time inside methods is split as it was measured; the small rest, outside of
         * methods, in the same proportions */
        columns[MM_COLUMN_RECV] =
            recv + send > 0 ? all * recv / (recv + send) : (double)NAN;
        columns[MM_COLUMN_SEND] =
            recv + send > 0 ? all * send / (recv + send) : (double)NAN;
        return;
    }
    columns[MM_COLUMN_RECV] = rest > 0 ? (double)NAN : mpi->class_ns[MM_MPI_RECV] / 1e9;
    columns[MM_COLUMN_SEND] = rest > 0 ? (double)NAN : mpi->class_ns[MM_MPI_SEND] / 1e9;
}

/* `first`: 1 for the first unit of a rank; `alone`: 1 for the only unit of a rank. */
/* OpenMP times of the whole program: of all regions, plus the time outside of methods. A
 * thread that opens regions loses the time of all other threads while no region is
 * open. */
static void openmp_of(const struct mm_load_unit *u, int first, double exec_ns,
                      double columns[MM_COLUMNS])
{
    const struct mm_load_openmp *o = &u->openmp;
    double outside_ns = exec_ns - (double)o->wall_ns;

    if (!o->threads)
        return;
    columns[MM_COLUMN_OMP_SYNC] = (double)o->sync_ns / 1e9;
    columns[MM_COLUMN_OMP_CTL] = (double)o->control_ns / 1e9;
    columns[MM_COLUMN_LOSS] = o->loss_ns / 1e9;
    if (first && outside_ns > 0)
        columns[MM_COLUMN_LOSS] += outside_ns / 1e9 * (1 - 1.0 / (double)o->threads);
}

static int put_unit(struct mm_load *load, struct mm_load_rows *rows,
                    const struct mm_load_unit *u, int first, int alone,
                    const struct rank_mpi *mpi)
{
    struct mm_load_sum sum = u->roots;
    double columns[MM_COLUMNS], wall_ns = NAN, cpu_ns = NAN;
    int result = first ? wall_of(load, u->rank, &wall_ns, &cpu_ns) : 0;

    mm_load_columns(load, &u->roots, columns);
    sum.calls = 1;
    sum.open = !mm_experiment_rank_finished(load->e, u->rank) && !load->e->origin;
    sum.all[MM_LOAD_EXEC] =
        (int64_t)exec_of(load, u, first, mpi, wall_ns) - sum.all[MM_LOAD_RECORDING];
    if (sum.all[MM_LOAD_EXEC] < u->roots.all[MM_LOAD_EXEC])
        sum.all[MM_LOAD_EXEC] = u->roots.all[MM_LOAD_EXEC];
    sum.own[MM_LOAD_EXEC] = sum.all[MM_LOAD_EXEC] - u->roots.all[MM_LOAD_EXEC];
    sum.own[MM_LOAD_MPI] = 0;
    if (first && mpi->known) {
        if (mpi->total_ns > (double)sum.all[MM_LOAD_MPI])
            sum.all[MM_LOAD_MPI] = (int64_t)mpi->total_ns;
        sum.own[MM_LOAD_MPI] = sum.all[MM_LOAD_MPI] - u->roots.all[MM_LOAD_MPI];
        split_of(load, mpi, &u->roots, columns);
    }
    sum.own_lacks = ~(uint32_t)0; /* no column is known for the time outside of methods */
    sum.lacks |= (uint32_t)1 << MM_LOAD_CPU;
    if (alone && isfinite(cpu_ns)) {
        sum.all[MM_LOAD_CPU] = (int64_t)cpu_ns;
        sum.lacks &= ~((uint32_t)1 << MM_LOAD_CPU);
    }
    openmp_of(u, first, (double)sum.all[MM_LOAD_EXEC], columns);
    return result ? result : mm_load_rows_put(rows, load->program, u, &sum, columns);
}

int mm_load_program(struct mm_load *load)
{
    struct mm_mpi_profile profile = {0};
    struct mm_load_rows *rows = mm_load_rows_new(load);
    int result =
        rows ? mm_mpi_profile_read(&profile, load->e, -1, load->err) : load->err->code;

    for (size_t i = 0; i < load->unit_count && !result; i++) {
        const struct mm_load_unit *u = &load->units[i];
        int first = !i || u[-1].rank != u->rank;
        int last = i + 1 == load->unit_count || u[1].rank != u->rank;
        struct rank_mpi mpi = {0};

        read_rank(&profile, u->rank, &mpi);
        result = put_unit(load, rows, u, first, first && last, &mpi);
    }
    mm_mpi_profile_done(&profile);
    mm_load_rows_free(rows);
    return result;
}
