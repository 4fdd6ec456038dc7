/* SPDX-License-Identifier: BSD-3-Clause */
/* missing.c: note data that an experiment lacks, and why. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "properties/load/parts.h"

int mm_load_missing(struct mm_load *load, const char *what, const char *format, ...)
{
    char reason[400];
    va_list values;

    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    return mm_put_once(load->store, NULL, load->err,
                       "INSERT INTO missing VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                       "itt", load->experiment, what, reason);
}

/* The reason that the run itself recorded for a metric without values, or NULL. */
static const char *reason_of(const struct mm_load *load, const char *metric)
{
    const struct mm_experiment *e = load->e;

    for (size_t i = 0; i < e->missing_count; i++)
        if (strcmp(e->missing[i].name, metric) == 0)
            return e->missing[i].why;
    return NULL;
}

static int lacks_group(struct mm_load *load, const char *metric,
                       const char *const *columns)
{
    const char *reason = reason_of(load, metric);
    int result = 0;

    for (; *columns && !result; columns++)
        result = reason ? mm_load_missing(load, *columns, "%s", reason)
                        : mm_load_missing(load, *columns,
                                          "the run was without --metrics %s", metric);
    return result;
}

static int lacks_mpi(struct mm_load *load)
{
    static const char *const times[] = {"mpi_time", "own_mpi_time", "useful_time", NULL};
    static const char *const split[] = {"recv_time",     "send_time", "comm_time",
                                        "mpi_sync_time", "sync_time", "coll_time",
                                        "mpi_ctl_time",  "ctl_par",   "io_time",
                                        "identified",    NULL};
    const char *reason = reason_of(load, "MPI_TIME");
    int result = 0;

    if (load->metrics.no_mpi)
        return 0;
    if (!load->metrics.has_mpi)
        for (const char *const *t = times; *t && !result; t++)
            result = mm_load_missing(load, *t, "%s",
                                     reason ? reason : "time inside MPI is not measured");
    if (result || load->metrics.has_split)
        return result;
    return lacks_group(load, load->metrics.has_mpi ? "MPI_SPLIT" : "MPI_TIME", split);
}

static int lacks_counters(struct mm_load *load)
{
    static const char *const times[] = {"cpu_time", "own_cpu_time", NULL};
    static const char *const omp[] = {"omp_sync_time", "omp_ctl_time", "loss_par", NULL};
    static const char *const instructions[] = {"instructions", NULL};
    const char *hardware = reason_of(load, "hardware counters");
    int result = 0;

    if (!load->metrics.has_cpu)
        result = lacks_group(load, "CPU_TIME", times);
    if (!result && !load->metrics.has_omp)
        result = lacks_group(load, "OPENMP", omp);
    if (!result && hardware)
        result = mm_load_missing(load, "instructions", "%s", hardware);
    if (!result && hardware)
        result = mm_load_missing(load, "cache", "%s", hardware);
    if (!result && load->metrics.at[MM_COLUMN_INSTRUCTIONS] < 0)
        result = lacks_group(load, "PAPI_TOT_INS", instructions);
    return result;
}

int mm_load_lacking(struct mm_load *load)
{
    int result = lacks_mpi(load);

    if (!result)
        result = lacks_counters(load);
    for (size_t i = 0; i < load->e->missing_count && !result; i++)
        if (load->e->missing[i].why &&
            !(load->metrics.no_mpi && strcmp(load->e->missing[i].name, "MPI_TIME") == 0))
            result = mm_load_missing(load, load->e->missing[i].name, "%s",
                                     load->e->missing[i].why);
    return result;
}
