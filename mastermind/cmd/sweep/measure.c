/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c: read the times of a finished run from its experiment. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/reader/experiment.h"

struct measuring {
    double *own_ns;                  /* [ranks] own time of outermost calls */
    double cpu_ns, wait_ns, host_ns; /* sums over the outermost calls of all ranks */
    double seen_ns, lost_ns;         /* wall time of intervals between clock readings;
                                      * part of it that the host took */
    int has_cpu, has_losses, has_readings;
    uint64_t rows;
};

static void add_losses(struct measuring *m, int64_t host_ns, int64_t wait_ns)
{
    m->has_losses &= host_ns >= 0;
    m->host_ns += (double)host_ns;
    m->wait_ns += (double)wait_ns;
}

static int add_row(const struct mm_row *row, void *context)
{
    struct measuring *m = context;
    struct mm_row own = *row;

    m->rows++;
    if (row->caller || row->counted || row->thread != 0)
        return 0;
    mm_row_less_host(&own);
    m->own_ns[row->rank] += (double)own.wall_ns;
    m->has_cpu &= row->cpu_ns >= 0;
    m->cpu_ns += (double)row->cpu_ns;
    add_losses(m, row->host_ns, row->wait_ns);
    return 0;
}

static int add_aggregate(const struct mm_aggregate *aggregate, void *context)
{
    struct measuring *m = context;

    if (aggregate->context->parent || aggregate->thread != 0)
        return 0;
    m->own_ns[aggregate->rank] += (double)aggregate->wall.sum_ns;
    m->has_cpu &= aggregate->has_cpu;
    m->cpu_ns += (double)aggregate->cpu.sum_ns;
    add_losses(m, aggregate->host_ns, aggregate->wait_ns);
    return 0;
}

/* Time between two readings without running and without waiting was taken by the host. */
static int add_interval(const struct mm_interval *interval, void *context)
{
    struct measuring *m = context;

    m->has_readings = 1;
    m->seen_ns += (double)interval->wall_ns;
    if (!interval->voluntary && !interval->recording)
        m->lost_ns += fmax(0, (double)(interval->wall_ns - interval->cpu_ns));
    return 0;
}

static int walk(struct measuring *m, const struct mm_experiment *experiment,
                struct cca_error *err)
{
    int result;

    m->own_ns = calloc((size_t)experiment->ranks, sizeof *m->own_ns);
    if (!m->own_ns)
        return cca_no_memory(err);
    result = mm_experiment_rows(experiment, add_row, m, err);
    if (!result)
        result = mm_experiment_aggregates(experiment, add_aggregate, m, err);
    if (!result)
        result = mm_experiment_intervals(experiment, add_interval, m, err);
    return result;
}

/* Check the value of one axis against the experiment: 0 or -EINVAL. */
static int check_axis(const struct mm_experiment *experiment,
                      const struct sweep_axis *axis, const char *text,
                      struct cca_error *err)
{
    const char *found;

    if (axis->kind == SWEEP_RANKS && experiment->ranks != atoi(text))
        return cca_error_set(err, -EINVAL, "found %d rank%s, expected %s",
                             experiment->ranks, experiment->ranks == 1 ? "" : "s", text);
    if (axis->kind != SWEEP_VARIABLE || !experiment->run.is_known)
        return 0;
    found = mm_run_value(&experiment->run.variables, axis->name);
    if (!found)
        return cca_error_set(err, -EINVAL, "the script does not use the variable '%s'",
                             axis->name);
    if (strcmp(found, text) != 0)
        return cca_error_set(err, -EINVAL, "found '%s' for '%s', expected '%s'", found,
                             axis->name, text);
    return 0;
}

int sweep_check_run(const struct sweep *sweep, size_t at, const char *path,
                    struct cca_error *err)
{
    struct mm_experiment *experiment = mm_experiment_open(path, err);
    int result = experiment ? 0 : err->code;

    for (size_t a = 0; a < sweep->axis_count && !result; a++) {
        const struct sweep_axis *axis = &sweep->axes[a];
        size_t value = mm_plan_value(sweep->plan, sweep->plan->runs[at].point, a);

        result = check_axis(experiment, axis, axis->texts[value], err);
    }
    mm_experiment_free(experiment);
    return result;
}

int sweep_is_finished(const char *path)
{
    struct mm_experiment *experiment = mm_experiment_open(path, NULL);
    int finished = experiment && experiment->finished;

    mm_experiment_free(experiment);
    return finished;
}

int sweep_measure(const char *path, struct sweep_run *run, struct cca_error *err)
{
    struct cca_error own = {0};
    struct mm_experiment *experiment = mm_experiment_open(path, err ? err : (err = &own));
    struct measuring m = {.has_cpu = 1};
    double most = 0, sum = 0;
    int result;

    if (!experiment)
        return err->code;
    m.has_losses = experiment->has_losses;
    result = experiment->finished ? walk(&m, experiment, err) : -EBADMSG;
    if (!result) {
        for (int i = 0; i < experiment->ranks; i++) {
            most = fmax(most, m.own_ns[i]);
            sum += m.own_ns[i];
        }
        run->time_s = most / 1e9;
        run->cpu_s =
            m.has_cpu && (experiment->has_cpu || m.has_losses) ? m.cpu_ns / 1e9 : NAN;
        run->wait_s = m.has_losses ? m.wait_ns / 1e9 : NAN;
        if (m.has_losses) {
            m.seen_ns = sum + m.host_ns;
            m.lost_ns = m.host_ns;
        }
        run->seen_s = m.has_losses || m.has_readings ? m.seen_ns / 1e9 : NAN;
        run->lost_s = m.has_losses || m.has_readings ? m.lost_ns / 1e9 : NAN;
        run->rows = m.rows;
    }
    free(m.own_ns);
    mm_experiment_free(experiment);
    return result;
}
