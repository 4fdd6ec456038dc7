/* SPDX-License-Identifier: BSD-3-Clause */
/* mm_reader.c: the library libmm_reader, for programs that read experiments. */
#include "mastermind/open/mm_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/counts/counts.h"
#include "mastermind/reader/experiment.h"

#define OPEN __attribute__((visibility("default")))

struct mmr_experiment {
    struct mm_experiment *inside;
    struct mm_dual *dual; /* call graph with times; NULL: not computed yet */
};

static void tell(char *error, const struct cca_error *err)
{
    if (error)
        snprintf(error, MMR_ERROR, "%s", *err->text ? err->text : strerror(-err->code));
}

static int refuse(char *error, const char *words)
{
    if (error)
        snprintf(error, MMR_ERROR, "%s", words);
    return -1;
}

OPEN int mmr_version(void)
{
    return MMR_VERSION;
}

OPEN struct mmr_experiment *mmr_open(const char *path, char *error)
{
    struct mmr_experiment *experiment = calloc(1, sizeof *experiment);
    struct cca_error err = {0};

    if (!experiment) {
        refuse(error, "out of memory");
        return NULL;
    }
    experiment->inside = mm_experiment_open(path, &err);
    if (!experiment->inside) {
        tell(error, &err);
        free(experiment);
        return NULL;
    }
    return experiment;
}

OPEN void mmr_close(struct mmr_experiment *experiment)
{
    if (!experiment)
        return;
    mm_dual_free(experiment->dual);
    mm_experiment_free(experiment->inside);
    free(experiment);
}

OPEN const char *mmr_name(const struct mmr_experiment *experiment)
{
    return experiment->inside->name;
}

OPEN const char *mmr_host(const struct mmr_experiment *experiment)
{
    return experiment->inside->host;
}

OPEN const char *mmr_cpu(const struct mmr_experiment *experiment)
{
    return experiment->inside->cpu;
}

OPEN const char *mmr_command(const struct mmr_experiment *experiment, size_t index)
{
    return index < experiment->inside->command_count ? experiment->inside->command[index]
                                                     : NULL;
}

OPEN int mmr_ranks(const struct mmr_experiment *experiment)
{
    return experiment->inside->ranks;
}

OPEN int mmr_finished(const struct mmr_experiment *experiment)
{
    return experiment->inside->finished;
}

/* --- Methods -------------------------------------------------------------- */

OPEN size_t mmr_methods(const struct mmr_experiment *experiment)
{
    return experiment->inside->method_count;
}

static const struct mm_method_info *method_of(const struct mmr_experiment *experiment,
                                              size_t method)
{
    return method < experiment->inside->method_count ? experiment->inside->methods[method]
                                                     : NULL;
}

OPEN const char *mmr_method(const struct mmr_experiment *experiment, size_t method,
                            enum mmr_text text)
{
    const struct mm_method_info *info = method_of(experiment, method);

    if (!info)
        return NULL;
    switch (text) {
    case MMR_NAME:
        return info->name;
    case MMR_INSTANCE:
        return info->instance;
    case MMR_PORT:
        return info->port;
    case MMR_METHOD:
        return info->method;
    case MMR_CLASS:
        return info->class_name;
    case MMR_BUILD_ID:
        return info->build_id;
    case MMR_PORT_TYPE:
        return info->port_type;
    }
    return NULL;
}

OPEN size_t mmr_values(const struct mmr_experiment *experiment, size_t method)
{
    const struct mm_method_info *info = method_of(experiment, method);

    return info ? info->value_count : 0;
}

static const struct mm_value_info *value_of(const struct mmr_experiment *experiment,
                                            size_t method, size_t value)
{
    const struct mm_method_info *info = method_of(experiment, method);

    return info && value < info->value_count ? &info->values[value] : NULL;
}

OPEN const char *mmr_value_name(const struct mmr_experiment *experiment, size_t method,
                                size_t value)
{
    const struct mm_value_info *info = value_of(experiment, method, value);

    return info ? info->name : NULL;
}

OPEN enum mmr_kind mmr_value_kind(const struct mmr_experiment *experiment, size_t method,
                                  size_t value)
{
    const struct mm_value_info *info = value_of(experiment, method, value);

    return info && info->kind == MONITOR_MODE        ? MMR_MODE
           : info && monitor_kind_is_out(info->kind) ? MMR_OUT
                                                     : MMR_PARAMETER;
}

OPEN enum mmr_type mmr_value_type(const struct mmr_experiment *experiment, size_t method,
                                  size_t value)
{
    const struct mm_value_info *info = value_of(experiment, method, value);

    return info && info->type == MONITOR_DOUBLE ? MMR_REAL : MMR_INTEGER;
}

OPEN int mmr_method_sums(struct mmr_experiment *experiment, size_t method,
                         struct mmr_sums *sums, char *error)
{
    struct mm_row_source source = mm_row_source_of(experiment->inside);
    struct cca_error err = {0};
    const struct mm_vertex *vertex;
    struct mmr_sums all = {.size = sums->size};

    if (!method_of(experiment, method))
        return refuse(error, "there is no such method");
    if (!experiment->dual &&
        !(experiment->dual = mm_dual_new(&source, NULL, NULL, NULL, &err))) {
        tell(error, &err);
        return -1;
    }
    vertex = &experiment->dual->vertices[method];
    all.calls = vertex->calls;
    all.inclusive_ns = vertex->inclusive_ns;
    all.exclusive_ns = vertex->exclusive_ns;
    all.without_row = vertex->folded - vertex->sampled;
    all.host_ns = vertex->off_inclusive.host_ns;
    all.host_exclusive_ns = vertex->off.host_ns;
    all.wait_ns = vertex->off_inclusive.wait_ns;
    all.wait_exclusive_ns = vertex->off.wait_ns;
    memcpy(sums, &all, sums->size < sizeof all ? sums->size : sizeof all);
    return 0;
}

/* --- Rows ----------------------------------------------------------------- */

/* Indexes of the times off the core, in the order of struct mmr_table. */
enum { HOST, HOST_OWN, WAIT, WAIT_OWN, OFF_CORE };

/* A table of rows while it is made. */
struct table {
    struct mmr_table shown;
    const struct mm_method_info *method;
    int has_mpi;
    int32_t *rank, *thread, *status;
    uint64_t *invocation, *caller;
    int64_t *start_ns, *wall_ns, *exclusive_ns, *mpi_ns, *cpu_ns;
    int64_t *off_core[OFF_CORE];
    struct mmr_column *columns;
    union monitor_value **values; /* [values] values of the rows, by column */
};

static int reserve_row(struct table *table)
{
    size_t rows = table->shown.rows;

    if (cca_array_reserve(&table->rank, rows, sizeof *table->rank) ||
        cca_array_reserve(&table->thread, rows, sizeof *table->thread) ||
        cca_array_reserve(&table->status, rows, sizeof *table->status) ||
        cca_array_reserve(&table->invocation, rows, sizeof *table->invocation) ||
        cca_array_reserve(&table->caller, rows, sizeof *table->caller) ||
        cca_array_reserve(&table->start_ns, rows, sizeof *table->start_ns) ||
        cca_array_reserve(&table->wall_ns, rows, sizeof *table->wall_ns) ||
        cca_array_reserve(&table->exclusive_ns, rows, sizeof *table->exclusive_ns) ||
        cca_array_reserve(&table->mpi_ns, rows, sizeof *table->mpi_ns) ||
        cca_array_reserve(&table->cpu_ns, rows, sizeof *table->cpu_ns))
        return -ENOMEM;
    for (int i = 0; i < OFF_CORE; i++)
        if (cca_array_reserve(&table->off_core[i], rows, sizeof *table->off_core[i]))
            return -ENOMEM;
    for (size_t v = 0; v < table->shown.values; v++)
        if (cca_array_reserve(&table->values[v], rows, sizeof *table->values[v]))
            return -ENOMEM;
    return 0;
}

static void take_off_core(struct table *table, const struct mm_row *row, size_t at)
{
    const int64_t ns[OFF_CORE] = {[HOST] = row->host_ns,
                                  [HOST_OWN] = row->host_exclusive_ns,
                                  [WAIT] = row->wait_ns,
                                  [WAIT_OWN] = row->wait_exclusive_ns};

    for (int i = 0; i < OFF_CORE; i++)
        table->off_core[i][at] = ns[i] < 0 ? MMR_ABSENT : ns[i];
}

static int take_row(const struct mm_row *row, void *context)
{
    struct table *table = context;
    const struct mm_method_info *method = table->method;
    size_t at = table->shown.rows;

    if (row->method != method)
        return 0;
    /* the arrays grow when the number of rows is a power of two */
    if (!(at & (at - 1)) && reserve_row(table))
        return -ENOMEM;
    table->rank[at] = row->rank;
    table->thread[at] = row->thread;
    table->status[at] = (int32_t)row->status;
    table->invocation[at] = row->invocation;
    table->caller[at] = row->caller;
    table->start_ns[at] = row->start_ns;
    table->wall_ns[at] = row->wall_ns;
    table->exclusive_ns[at] = row->exclusive_ns;
    table->mpi_ns[at] = table->has_mpi ? row->mpi_ns : MMR_ABSENT;
    table->cpu_ns[at] = row->cpu_ns < 0 ? MMR_ABSENT : row->cpu_ns;
    take_off_core(table, row, at);
    for (size_t v = 0; v < table->shown.values; v++) {
        int there = v < method->in_count || row->status == MM_ROW_DONE;
        int real = method->values[v].type == MONITOR_DOUBLE;
        union monitor_value *value = &table->values[v][at];

        if (there && !monitor_value_absent(row->values[v], method->values[v].type))
            *value = row->values[v];
        else if (real)
            value->d = NAN;
        else
            value->i = MMR_ABSENT;
    }
    table->shown.rows++;
    return 0;
}

static void show(struct table *table)
{
    struct mmr_table *shown = &table->shown;

    shown->rank = table->rank;
    shown->thread = table->thread;
    shown->status = table->status;
    shown->invocation = table->invocation;
    shown->caller = table->caller;
    shown->start_ns = table->start_ns;
    shown->wall_ns = table->wall_ns;
    shown->exclusive_ns = table->exclusive_ns;
    shown->mpi_ns = table->mpi_ns;
    shown->cpu_ns = table->cpu_ns;
    shown->host_ns = table->off_core[HOST];
    shown->host_exclusive_ns = table->off_core[HOST_OWN];
    shown->wait_ns = table->off_core[WAIT];
    shown->wait_exclusive_ns = table->off_core[WAIT_OWN];
    shown->value = table->columns;
    /* Both members of the union have 8 bytes, so the column's memory can be given out as
     * an array of either type. */
    for (size_t v = 0; v < shown->values; v++)
        if (table->method->values[v].type == MONITOR_DOUBLE)
            table->columns[v].real = (const double *)(const void *)table->values[v];
        else
            table->columns[v].integer = (const int64_t *)(const void *)table->values[v];
}

OPEN void mmr_table_free(struct mmr_table *shown)
{
    /* `shown` is the first member of struct table */
    struct table *table = (struct table *)(void *)shown;

    if (!table)
        return;
    for (size_t v = 0; table->values && v < table->shown.values; v++)
        free(table->values[v]);
    free(table->values);
    free(table->columns);
    free(table->rank);
    free(table->thread);
    free(table->status);
    free(table->invocation);
    free(table->caller);
    free(table->start_ns);
    free(table->wall_ns);
    free(table->exclusive_ns);
    free(table->mpi_ns);
    free(table->cpu_ns);
    for (int i = 0; i < OFF_CORE; i++)
        free(table->off_core[i]);
    free(table);
}

OPEN struct mmr_table *mmr_table_new(struct mmr_experiment *experiment, size_t method,
                                     char *error)
{
    const struct mm_method_info *info = method_of(experiment, method);
    struct table *table = info ? calloc(1, sizeof *table) : NULL;
    struct cca_error err = {0};
    int status;

    if (!table) {
        refuse(error, info ? "out of memory" : "there is no such method");
        return NULL;
    }
    table->shown.size = sizeof table->shown;
    table->method = info;
    table->has_mpi = experiment->inside->has_mpi;
    table->values = calloc(info->value_count + 1, sizeof *table->values);
    table->columns = calloc(info->value_count + 1, sizeof *table->columns);
    table->shown.values = table->values ? info->value_count : 0;
    status = table->values && table->columns
                 ? mm_experiment_rows(experiment->inside, take_row, table, &err)
                 : -ENOMEM;
    if (status) {
        if (!err.code)
            cca_no_memory(&err);
        tell(error, &err);
        mmr_table_free(&table->shown);
        return NULL;
    }
    show(table);
    return &table->shown;
}
