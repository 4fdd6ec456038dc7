/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c: work, times and moved cells of a run, of all ranks together. */
#include "examples/mrtd/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "examples/mrtd/comm.h"

enum { CPU, MOVE, WORK, CELLS, KINDS };

struct mrtd_report {
    struct mrtd_options o;
    int64_t *most, *sum; /* [KINDS][steps + 1] values of this rank; after the reduction,
                            maximum and sum over all ranks */
    /* [step]: number of cells moved before the step; -1: no redistribution */
    int64_t *moved;
    double *watched; /* [step]: mean E of the watched cell */
    double energy[2];
    uint64_t hash;
    time_t began;
    int shows; /* 0: show no progress; 1: show it; 2: some progress was shown */
};

struct mrtd_report *mrtd_report_new(const struct mrtd_options *o)
{
    struct mrtd_report *r = calloc(1, sizeof *r);
    size_t steps = (size_t)o->steps + 1;

    if (!r)
        return NULL;
    r->o = *o;
    r->most = calloc(KINDS * steps, sizeof *r->most);
    r->sum = calloc(KINDS * steps, sizeof *r->sum);
    r->moved = malloc(steps * sizeof *r->moved);
    r->watched = calloc(steps, 3 * sizeof *r->watched);
    if (!r->most || !r->sum || !r->moved || !r->watched) {
        mrtd_report_free(r);
        return NULL;
    }
    r->shows = mrtd_comm_rank() == 0 && isatty(STDERR_FILENO);
    r->began = time(NULL);
    for (size_t s = 0; s < steps; s++)
        r->moved[s] = -1;
    return r;
}

void mrtd_report_free(struct mrtd_report *report)
{
    if (!report)
        return;
    free(report->most);
    free(report->sum);
    free(report->moved);
    free(report->watched);
    free(report);
}

/* Show progress after the first second, on a terminal. */
static void show_progress(struct mrtd_report *r, int32_t step)
{
    int last = step + 1 == r->o.steps;

    if (last && r->shows == 2)
        fputs("\r\033[K", stderr);
    else if (!last && (step + 1) % (r->o.steps / 100 + 1) == 0 &&
             time(NULL) > r->began + 1) {
        fprintf(stderr, "\rstep %" PRId32 " of %" PRId32, step + 1, r->o.steps);
        r->shows = 2;
    }
}

void mrtd_report_step(struct mrtd_report *report, int32_t step, int64_t cpu_ns,
                      int64_t move_ns, int64_t work, int32_t cells)
{
    int64_t values[KINDS] = {
        [CPU] = cpu_ns, [MOVE] = move_ns, [WORK] = work, [CELLS] = cells};

    if (report->shows)
        show_progress(report, step);

    for (int k = 0; k < KINDS; k++)
        report->most[k * (int64_t)report->o.steps + step] = values[k];
}

void mrtd_report_move(struct mrtd_report *report, int32_t step, int64_t moved)
{
    report->moved[step] = moved;
}

void mrtd_report_watch(struct mrtd_report *report, int32_t step, const double mean[3])
{
    memcpy(report->watched + 3 * (int64_t)step, mean, 3 * sizeof *mean);
}

void mrtd_report_energy(struct mrtd_report *report, int last, double energy)
{
    report->energy[last] = energy;
}

/* Mix the bits of a number: the finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void mrtd_report_hash(struct mrtd_report *report, int32_t cell, const double *e,
                      const double *h)
{
    uint64_t hash = mix((uint64_t)cell + 0x9e3779b97f4a7c15u), bits;

    for (int i = 0; i < 48; i++) {
        memcpy(&bits, i < 24 ? e + i : h + i - 24, sizeof bits);
        hash = mix(hash + bits);
    }
    report->hash += hash;
}

/* Sums over steps: nanoseconds, and active coefficients. */
struct totals {
    int64_t most[KINDS]; /* sums over steps of the largest value of a rank; unused for
                            CELLS */
    double mean[KINDS];
    int64_t repartitions, moved;
};

static void find_totals(const struct mrtd_report *r, struct totals *t)
{
    int64_t steps = r->o.steps;

    *t = (struct totals){0};
    for (int k = 0; k < KINDS; k++)
        for (int64_t s = 0; s < steps; s++) {
            t->most[k] += r->most[k * steps + s];
            t->mean[k] += (double)r->sum[k * steps + s] / mrtd_comm_ranks();
        }
    for (int64_t s = 0; s < steps; s++) {
        t->repartitions += r->moved[s] >= 0;
        t->moved += r->moved[s] >= 0 ? r->moved[s] : 0;
    }
}

static void print_text(const struct mrtd_report *r, const struct totals *t)
{
    const struct mrtd_options *o = &r->o;

    printf("%d x %d x %d cells, %d steps, threshold %g, %d ranks\n", o->n[0], o->n[1],
           o->n[2], o->steps, o->threshold, mrtd_comm_ranks());
    printf("steps           %10.3f ms CPU of the slowest ranks, %.3f of the mean ones\n",
           (double)t->most[CPU] * 1e-6, t->mean[CPU] * 1e-6);
    printf("work            %10" PRId64 " active coefficients of the heaviest ranks, "
           "%.0f of the mean ones\n",
           t->most[WORK], t->mean[WORK]);
    printf("redistributions %10.3f ms CPU of the slowest ranks: %" PRId64
           " repartitions, %" PRId64 " cells moved\n",
           (double)t->most[MOVE] * 1e-6, t->repartitions, t->moved);
    printf("together        %10.3f ms\n", (double)(t->most[CPU] + t->most[MOVE]) * 1e-6);
    if (o->energy)
        printf("energy          %.15g at the first step, %.15g at the last\n",
               r->energy[0], r->energy[1]);
    printf("fields          %016" PRIx64 "\n", r->hash);
}

static void print_json(const struct mrtd_report *r, const struct totals *t)
{
    const struct mrtd_options *o = &r->o;
    const char *comma = "";

    printf("{\"cells\": [%d, %d, %d], \"steps\": %d, \"threshold\": %.17g, "
           "\"ranks\": %d,\n \"cpu_s\": {\"steps\": %.9f, \"steps_mean\": %.9f, "
           "\"redistributions\": %.9f},\n \"work\": {\"most\": %" PRId64
           ", \"mean\": %.17g},\n \"fields\": \"%016" PRIx64 "\",\n",
           o->n[0], o->n[1], o->n[2], o->steps, o->threshold, mrtd_comm_ranks(),
           (double)t->most[CPU] * 1e-9, t->mean[CPU] * 1e-9, (double)t->most[MOVE] * 1e-9,
           t->most[WORK], t->mean[WORK], r->hash);
    if (o->energy)
        printf(" \"energy\": [%.17g, %.17g],\n", r->energy[0], r->energy[1]);
    printf(" \"repartitions\": [");
    for (int32_t s = 0; s < o->steps; s++)
        if (r->moved[s] >= 0) {
            printf("%s\n  {\"step\": %d, \"cells_moved\": %" PRId64 ", \"cpu_s\": %.9f}",
                   comma, s, r->moved[s],
                   (double)r->most[MOVE * (int64_t)o->steps + s] * 1e-9);
            comma = ",";
        }
    printf("]}\n");
}

/* Close the file at `path`. Returns 0, or 3 with one line on standard error. */
static int end_file(FILE *file, const char *option, const char *path)
{
    int bad = !file || ferror(file);

    if (file)
        bad |= fclose(file) != 0;
    if (bad)
        fprintf(stderr, "mrtd: --%s '%s': %s\n", option, path, strerror(errno));
    return bad ? 3 : 0;
}

/* Write a sample for each redistribution: its cost and the number of cells that moved. */
static int write_moves(const struct mrtd_report *r)
{
    FILE *file = fopen(r->o.moves, "w");

    if (file)
        fprintf(file, "step,cells_moved,cpu_ns\n");
    for (int32_t s = 0; s < r->o.steps && file; s++)
        if (r->moved[s] >= 0)
            fprintf(file, "%d,%" PRId64 ",%" PRId64 "\n", s, r->moved[s],
                    r->most[MOVE * (int64_t)r->o.steps + s]);
    return end_file(file, "moves", r->o.moves);
}

/* Gather the times of each rank in each step. Collective. */
static int64_t *gather_times(const struct mrtd_report *r)
{
    int32_t bytes = (int32_t)(KINDS * (size_t)r->o.steps * sizeof(int64_t));
    int32_t ranks = mrtd_comm_ranks();
    int32_t *counts = malloc((size_t)ranks * sizeof *counts);
    int64_t *all = malloc((size_t)ranks * (size_t)bytes + 1);

    for (int32_t i = 0; i < ranks && counts; i++)
        counts[i] = bytes;
    if (!counts || !all)
        mrtd_comm_abort("out of memory");
    mrtd_comm_gather((const unsigned char *)r->most, bytes, (unsigned char *)all, counts);
    free(counts);
    return all;
}

static int write_times(const struct mrtd_report *r, const int64_t *all)
{
    FILE *file = fopen(r->o.times, "w");
    int64_t steps = r->o.steps;

    if (file)
        fprintf(file, "step,rank,cpu_ns,move_ns,work,cells\n");
    for (int64_t s = 0; s < steps && file; s++)
        for (int64_t i = 0; i < mrtd_comm_ranks(); i++) {
            const int64_t *own = all + i * KINDS * steps + s;

            fprintf(file,
                    "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                    "\n",
                    s, i, own[CPU * steps], own[MOVE * steps], own[WORK * steps],
                    own[CELLS * steps]);
        }
    return end_file(file, "times", r->o.times);
}

int mrtd_report_print(struct mrtd_report *r)
{
    int32_t steps = r->o.steps;
    int64_t hash = (int64_t)r->hash, status = 0;
    int64_t *times = r->o.times[0] ? gather_times(r) : NULL;
    struct totals totals;

    memcpy(r->sum, r->most, KINDS * (size_t)steps * sizeof *r->sum);
    mrtd_comm_max(r->most, KINDS * steps);
    mrtd_comm_sum(r->sum, KINDS * steps);
    mrtd_comm_sum(&hash, 1);
    mrtd_comm_sum_real(r->watched, 3 * steps);
    mrtd_comm_sum_real(r->energy, 2);
    r->hash = (uint64_t)hash;
    find_totals(r, &totals);
    if (mrtd_comm_rank() == 0) {
        for (int32_t s = 0; s < steps && r->o.watch[0] >= 0; s++)
            printf("watch %d %.17g %.17g %.17g\n", s, r->watched[3 * s],
                   r->watched[3 * s + 1], r->watched[3 * s + 2]);
        (r->o.json ? print_json : print_text)(r, &totals);
        status = r->o.moves[0] ? write_moves(r) : 0;
        if (times && !status)
            status = write_times(r, times);
    }
    free(times);
    mrtd_comm_max(&status, 1);
    return (int)status;
}
