/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c: read a probe of a profile as weights of the cells of level 0. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/balance/balance_verb.h"
#include "mesh/convert/gaps.h"
#include "mesh/pack/pack.h"

/* Set slightly negative values to 0: packing may have moved a zero below 0 by up to the
 * probe's bound on errors, and weights must not be negative. */
static void lift_zeros(const struct balance_trace *trace, int64_t cells, float *values)
{
    float eps = (float)mesh_profile_probe(trace->profile, trace->probe)->eps;

    for (int64_t c = 0; eps > 0 && c < cells; c++)
        if (values[c] < 0 && values[c] >= -eps)
            values[c] = 0;
}

/* Add the values of a finer level in a box of that level's cells to the cells of level 0.
 * Returns -1, or the cell of level 0 under the first value that cannot be a weight, with
 * the value in *wrong. */
static int64_t add_fine(const struct mm_mesh_about *about, int level, const int64_t lo[3],
                        const int64_t hi[3], const float *fine, float *weights,
                        float *wrong)
{
    int64_t factor[3] = {1, 1, 1};

    for (int d = 0; d < about->dims; d++)
        for (int l = 0; l < level; l++)
            factor[d] *= about->ratio;
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            for (int64_t k = lo[2]; k < hi[2]; k++, fine++) {
                int64_t cell =
                    (i / factor[0] * about->n[1] + j / factor[1]) * about->n[2] +
                    k / factor[2];

                if (!(*fine >= 0 && *fine <= FLT_MAX)) {
                    *wrong = *fine;
                    return cell;
                }
                weights[cell] += *fine;
            }
    return -1;
}

/* Add all blocks of finer levels in a step, block by block. */
static int add_levels(struct balance_trace *trace, int64_t t, size_t index,
                      float *weights, struct cca_error *err)
{
    const struct mm_mesh_about *about = mesh_profile_about(trace->profile);
    const struct mesh_step *step = mesh_profile_step(trace->profile, index);

    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++) {
        const struct mm_mesh_frame *frame = mesh_profile_block(trace->profile, b);
        char place[96];
        float wrong;
        int64_t rc, cells = 1;

        if (frame->probe != trace->probe || frame->level == 0)
            continue;
        rc = mesh_profile_values(trace->profile, index, trace->probe, frame->level,
                                 frame->lo, frame->hi, trace->fine, NULL, err);
        if (rc < 0)
            return (int)rc;
        for (int d = 0; d < 3; d++)
            cells *= frame->hi[d] - frame->lo[d];
        lift_zeros(trace, cells, trace->fine);
        rc = add_fine(about, frame->level, frame->lo, frame->hi, trace->fine, weights,
                      &wrong);
        if (rc >= 0)
            return cca_error_set(
                err, -EDOM,
                "%s: found weight %g in level %d above it, expected at least 0",
                mesh_source_place(&trace->source, t, rc, place, sizeof place),
                (double)wrong, frame->level);
    }
    return 0;
}

/* Callback of the simulator: the weights of step t. */
static int give_weights(void *context, int64_t t, float *weights, struct cca_error *err)
{
    struct balance_trace *trace = context;
    const struct mm_mesh_about *about = mesh_profile_about(trace->profile);
    size_t index = trace->back ? trace->end - 1 - (size_t)t : trace->first + (size_t)t;
    static const int64_t lo[3];
    int64_t missing = mesh_profile_values(trace->profile, index, trace->probe, 0, lo,
                                          about->n, weights, NULL, err);
    int64_t cell = 0;
    char place[96];

    if (missing < 0)
        return (int)missing;
    lift_zeros(trace, mesh_source_cells(&trace->source), weights);
    if (missing == 0 && about->levels > 1) {
        /* check before values of finer levels can hide a negative one */
        int rc = mesh_weights_check(&trace->source, t, weights, err);

        return rc ? rc : add_levels(trace, t, index, weights, err);
    }
    if (missing == 0)
        return 0;
    while (!isnan(weights[cell]))
        cell++;
    mesh_source_place(&trace->source, t, cell, place, sizeof place);
    return cca_error_set(
        err, -EDOM,
        "%s: found no value of %s there and in %" PRId64
        " cells more of this step, expected one; --step A:B takes others",
        place, mesh_profile_probe(trace->profile, trace->probe)->name, missing - 1);
}

/* True if the measurement skipped all steps between two on purpose (--cells every=). */
static int is_skipped(const struct mesh_profile *profile, int64_t before, int64_t after)
{
    int64_t skipped = 0;

    for (size_t i = 0; i < mesh_profile_losses(profile); i++) {
        int rank;
        const struct mm_mesh_lost *lost = mesh_profile_loss(profile, i, &rank);

        if (rank < 0 && strcmp(lost->why, MESH_SKIPPED) == 0 && lost->first > before &&
            lost->last < after && lost->last >= lost->first)
            skipped += lost->last - lost->first + 1;
    }
    return skipped == after - before - 1;
}

/* Refuse a trace with a missing step where steps are equally spaced: a policy would see
 * the steps around it as neighbours. */
static int check_gaps(const struct balance_trace *trace)
{
    int64_t usual = 0;

    for (size_t i = trace->first + 1; i < trace->end; i++) {
        int64_t gap = mesh_profile_step(trace->profile, i)->number -
                      mesh_profile_step(trace->profile, i - 1)->number;

        if (usual == 0 || gap < usual)
            usual = gap;
    }
    for (size_t i = trace->first + 1; i < trace->end; i++) {
        int64_t before = mesh_profile_step(trace->profile, i - 1)->number;
        int64_t after = mesh_profile_step(trace->profile, i)->number;

        if (after != before + usual && !is_skipped(trace->profile, before, after))
            return mm_refuse(MM_EXIT_INPUT,
                             "%s: found no step %" PRId64 " behind step %" PRId64
                             "; --step A:B takes others",
                             mesh_profile_path(trace->profile), before + usual, before);
    }
    return -1;
}

int balance_trace_open(struct balance_trace *trace)
{
    const struct mm_mesh_about *about = mesh_profile_about(trace->profile);
    size_t steps = trace->end - trace->first;
    int result = check_gaps(trace);

    if (result >= 0)
        return result;
    trace->numbers = calloc(steps, sizeof *trace->numbers);
    if (about->levels > 1)
        trace->fine = malloc(MESH_PACK_CELLS * sizeof *trace->fine);
    if (!trace->numbers || (about->levels > 1 && !trace->fine))
        return mm_no_memory();
    for (size_t i = 0; i < steps; i++)
        trace->numbers[i] =
            mesh_profile_step(trace->profile,
                              trace->back ? trace->end - 1 - i : trace->first + i)
                ->number;
    trace->source =
        (struct mesh_source){.dims = about->dims,
                             .n = {about->n[0], about->n[1], about->n[2]},
                             .centres = about->kind == MM_MESH_UNSTRUCTURED
                                            ? mesh_profile_centres(trace->profile)
                                            : NULL,
                             .steps = (int64_t)steps,
                             .numbers = trace->numbers,
                             .weights = give_weights,
                             .context = trace};
    if (about->kind == MM_MESH_UNSTRUCTURED && !trace->source.centres)
        return mm_refuse(MM_EXIT_INPUT, "%s: found elements without coordinates",
                         mesh_profile_path(trace->profile));
    return -1;
}

void balance_trace_done(struct balance_trace *trace)
{
    mesh_profile_close(trace->profile);
    free(trace->numbers);
    free(trace->fine);
}
