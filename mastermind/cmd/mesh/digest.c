/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.c: compute sums, errors and loads of ranks from the heads of blocks. */
#include "mastermind/cmd/mesh/ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/convert/columns.h"

/* Sum and error of one rank in one step. */
struct load {
    double sum, error;
    int told;
};

static void add_block(struct mesh_digest_probe *to, const struct mm_mesh_frame *f,
                      struct load *load)
{
    double cells = 1;

    for (int d = 0; d < 3; d++)
        cells *= (double)(f->hi[d] - f->lo[d]);
    to->values += (uint64_t)cells;
    to->bytes += f->bytes;
    to->sum += f->sum;
    to->least = fmin(to->least, (double)f->least);
    to->greatest = fmax(to->greatest, (double)f->greatest);
    to->largest = fmax(to->largest, (double)f->largest);
    to->squares += cells * (double)f->rms * (double)f->rms;
    load->sum += f->sum;
    load->error += (double)f->sum_error;
    load->told = 1;
}

/* Add the imbalance of the ranks in a step; values of no rank are left out. */
static void add_imbalance(struct mesh_digest_probe *to, const struct load *loads,
                          int ranks, int64_t step)
{
    double sum = 0, most = 0;
    int with = 0;

    for (int r = 1; r < ranks; r++) {
        sum += loads[r].sum;
        most = fmax(most, loads[r].sum);
        with += loads[r].told;
    }
    if (!(sum > 0))
        return;
    to->imbalance += most * with / sum - 1;
    to->balanced++;
    if (most * with / sum - 1 > to->worst || to->balanced == 1) {
        to->worst = most * with / sum - 1;
        to->worst_step = step;
    }
}

/* Add a step to the probe's sum and errors. `loads` has an entry for values of no rank,
 * then one for each rank. */
static void end_step(struct mesh_digest_probe *to, const struct load *loads, int ranks,
                     int64_t step, double *sum)
{
    double error = 0;

    for (int r = 0; r < ranks; r++) {
        double share = loads[r].sum > 0 ? fabs(loads[r].error) / loads[r].sum : 0;

        *sum += loads[r].sum;
        error += loads[r].error;
        if (share > to->part_error) {
            to->part_error = share;
            to->part_step = step;
            to->part_rank = r - 1;
        }
    }
    if (*sum > 0)
        to->sum_error = fmax(to->sum_error, fabs(error) / *sum);
    add_imbalance(to, loads, ranks, step);
}

static void read_step(struct mesh_digest *digest, const struct mesh_ask *ask, size_t i,
                      struct load *loads)
{
    const struct mesh_step *step = mesh_profile_step(ask->profile, i);
    size_t probes = (size_t)mesh_profile_probes(ask->profile);
    /* the last entry is for values without a rank (-1) */
    size_t places = (size_t)digest->ranks + 1;

    memset(loads, 0, probes * places * sizeof *loads);
    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++) {
        const struct mm_mesh_frame *f = mesh_profile_block(ask->profile, b);

        add_block(&digest->probes[f->probe], f,
                  &loads[f->probe * places + (size_t)(f->rank + 1)]);
    }
    for (size_t p = 0; p < probes; p++)
        end_step(&digest->probes[p], loads + p * places, (int)places, step->number,
                 &digest->sums[(i - ask->first) * probes + p]);
}

int mesh_digest_read(struct mesh_digest *digest, struct mesh_ask *ask)
{
    size_t probes = (size_t)mesh_profile_probes(ask->profile);
    struct load *loads;

    memset(digest, 0, sizeof *digest);
    for (size_t p = 0; p < probes; p++)
        digest->probes[p].least = digest->probes[p].greatest = (double)NAN;
    digest->ranks = mesh_columns_ranks(ask->profile, &ask->err);
    if (digest->ranks < 0)
        return mm_complain(&ask->err);
    digest->sums = calloc((ask->end - ask->first) * probes + 1, sizeof *digest->sums);
    loads = calloc(probes * ((size_t)digest->ranks + 1) + 1, sizeof *loads);
    for (size_t i = ask->first; digest->sums && loads && i < ask->end; i++)
        read_step(digest, ask, i, loads);
    free(loads);
    return digest->sums && loads ? -1 : mm_no_memory();
}

void mesh_digest_done(struct mesh_digest *digest)
{
    free(digest->sums);
}
