/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: mrtd: electromagnetic waves in 3-D by Haar wavelets, on cells that move between
 * ranks. */
#include <errno.h>
#include <stdlib.h>

#include "examples/mrtd/comm.h"
#include "examples/mrtd/run.h"

static int run_begin(struct mrtd_run *run)
{
    const struct mrtd_options *o = &run->options;
    int64_t cells = (int64_t)o->n[0] * o->n[1] * o->n[2];
    int32_t *owner = malloc((size_t)cells * sizeof *owner);

    if (owner && !mrtd_plan_first(run->plan, owner))
        run->parts = mrtd_parts_new(o->n, mrtd_comm_rank(), mrtd_comm_ranks(), owner);
    free(owner);
    if (!run->parts || !(run->field = mrtd_field_new(o, run->parts)) ||
        !(run->report = mrtd_report_new(o)))
        return -ENOMEM;
    if (o->mode[0] >= 0)
        mrtd_field_mode(run->field, o, run->parts);
    run->profile = mrtd_profile_open(o);
    mrtd_profile_parts(run->profile, run->parts);
    return mrtd_run_swap(run, MRTD_E);
}

static void run_done(struct mrtd_run *run)
{
    mrtd_profile_close(run->profile);
    mrtd_report_free(run->report);
    mrtd_field_free(run->field);
    mrtd_parts_free(run->parts);
    mrtd_plan_free(run->plan);
    free(run->words);
}

/* Copy H of the previous half step, which the energy needs; NULL if the energy is not
 * reported. */
static double *copy_h(const struct mrtd_run *run, int32_t step)
{
    const struct mrtd_options *o = &run->options;
    int64_t count = (int64_t)run->parts->own * MRTD_COEFFICIENTS;
    double *copy;

    if (!o->energy || (step != 0 && step != o->steps - 1))
        return NULL;
    copy = malloc((size_t)(count + 1) * sizeof *copy);
    for (int64_t i = 0; copy && i < count; i++)
        copy[i] = run->field->half[MRTD_H].value[i];
    return copy;
}

/* Return the energy that leapfrog conserves: E.E + H(before).H(after), summed over half
 * cells. */
static double find_energy(const struct mrtd_run *run, const double *before)
{
    int64_t count = (int64_t)run->parts->own * MRTD_COEFFICIENTS;
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += run->field->half[MRTD_E].value[i] * run->field->half[MRTD_E].value[i] +
               before[i] * run->field->half[MRTD_H].value[i];
    return 8.0 * sum;
}

static int update_fields(struct mrtd_run *run, int32_t step)
{
    double *before = copy_h(run, step);
    int status;

    mrtd_profile_update(run->profile, run->field, run->parts, MRTD_H);
    if (before)
        mrtd_report_energy(run->report, step != 0, find_energy(run, before));
    free(before);
    status = mrtd_run_swap(run, MRTD_H);
    if (status)
        return status;
    mrtd_profile_update(run->profile, run->field, run->parts, MRTD_E);
    mrtd_field_source(run->field, &run->options, run->parts, step);
    return mrtd_run_swap(run, MRTD_E);
}

static void watch_cell(const struct mrtd_run *run, int32_t step)
{
    const struct mrtd_options *o = &run->options;
    int32_t cell = (o->watch[0] * o->n[1] + o->watch[1]) * o->n[2] + o->watch[2];

    if (o->watch[0] < 0 || run->parts->owner[cell] != run->parts->rank)
        return;
    for (int32_t s = 0; s < run->parts->own; s++)
        if (run->parts->cell[s] == cell) {
            const double *e =
                run->field->half[MRTD_E].value + MRTD_COEFFICIENTS * (int64_t)s;

            mrtd_report_watch(run->report, step, (double[3]){e[0], e[8], e[16]});
        }
}

static int run_step(struct mrtd_run *run, int32_t step)
{
    const struct mrtd_options *o = &run->options;
    int64_t begin, moved, load = 0;
    int status;

    mrtd_comm_pause(o->pace_ms);
    /* end the step in the profile before cells move: it needs the owners of that step */
    mrtd_profile_step(run->profile, step,
                      step * (.5 * mrtd_options_step(o) * o->cell_m / 299792458.0));
    begin = mrtd_comm_cpu_ns();
    status = mrtd_run_repartition(run, step);
    if (status)
        return status;
    moved = mrtd_comm_cpu_ns();
    status = update_fields(run, step);
    if (status)
        return status;
    for (int32_t s = 0; s < run->parts->own; s++)
        load += run->field->work[s];
    watch_cell(run, step);
    mrtd_report_step(run->report, step, mrtd_comm_cpu_ns() - moved, moved - begin, load,
                     run->parts->own);
    return 0;
}

static int run_end(struct mrtd_run *run)
{
    const struct mrtd_half *half = run->field->half;
    int status;

    for (int32_t s = 0; s < run->parts->own; s++)
        mrtd_report_hash(run->report, run->parts->cell[s],
                         half[MRTD_E].value + MRTD_COEFFICIENTS * (int64_t)s,
                         half[MRTD_H].value + MRTD_COEFFICIENTS * (int64_t)s);
    status = mrtd_report_print(run->report);
    if (!status && run->options.dump[0])
        status = mrtd_run_dump(run);
    return status;
}

static int run_all(struct mrtd_run *run)
{
    int status = run_begin(run);

    for (int32_t step = 0; step < run->options.steps && !status; step++)
        status = run_step(run, step);
    return status ? status : run_end(run);
}

/* Open the plan on all ranks. A schedule may be wrong or missing on some ranks only: the
 * first of these ranks prints the error. */
static int open_plan(struct mrtd_run *run)
{
    int32_t first;

    run->plan = mrtd_plan_new(&run->options, mrtd_comm_ranks(), 0);
    first = mrtd_comm_first(!run->plan);
    if (first == mrtd_comm_rank())
        run->plan = mrtd_plan_new(&run->options, mrtd_comm_ranks(), 1);
    return first >= 0;
}

int main(int argc, char **argv)
{
    struct mrtd_run run = {0};
    int status;

    mrtd_comm_begin();
    status = mrtd_options_read(&run.options, argc, argv, mrtd_comm_rank() == 0);
    if (status)
        status = status == 1 ? 0 : 2;
    else if (open_plan(&run))
        status = 3;
    else if ((status = run_all(&run)) < 0)
        mrtd_comm_abort("out of memory");
    run_done(&run);
    mrtd_comm_end();
    return status;
}
