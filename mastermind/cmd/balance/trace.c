/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c: a probe of a profile as weights of the cells of level 0. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/balance/balance_verb.h"
#include "mesh/convert/gaps.h"
#include "mesh/pack/pack.h"

/* Add what a finer level has in a box of its own cells to the cells of level 0. */
static void add_fine(const struct mm_mesh_about *about, int level, const int64_t lo[3],
                     const int64_t hi[3], const float *fine, float *weights)
{
    int64_t factor[3] = {1, 1, 1};

    for (int d = 0; d < about->dims; d++)
        for (int l = 0; l < level; l++)
            factor[d] *= about->ratio;
    for (int64_t i = lo[0]; i < hi[0]; i++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            for (int64_t k = lo[2]; k < hi[2]; k++, fine++)
                if (!isnan(*fine))
                    weights[(i / factor[0] * about->n[1] + j / factor[1]) * about->n[2] +
                            k / factor[2]] += *fine;
}

/* Add all blocks of finer levels of a step, block by block. */
static int add_levels(struct balance_trace *trace, size_t index, float *weights,
                      struct cca_error *err)
{
    const struct mm_mesh_about *about = mesh_profile_about(trace->profile);
    const struct mesh_step *step = mesh_profile_step(trace->profile, index);

    for (size_t b = step->first_block; b < step->first_block + step->blocks; b++) {
        const struct mm_mesh_frame *frame = mesh_profile_block(trace->profile, b);
        int64_t rc;

        if (frame->probe != trace->probe || frame->level == 0)
            continue;
        rc = mesh_profile_values(trace->profile, index, trace->probe, frame->level,
                                 frame->lo, frame->hi, trace->fine, NULL, err);
        if (rc < 0)
            return (int)rc;
        add_fine(about, frame->level, frame->lo, frame->hi, trace->fine, weights);
    }
    return 0;
}

/* Weights of step t for the simulator. */
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
    if (missing == 0)
        return about->levels > 1 ? add_levels(trace, index, weights, err) : 0;
    while (!isnan(weights[cell]))
        cell++;
    mesh_source_place(&trace->source, t, cell, place, sizeof place);
    return cca_error_set(
        err, -EDOM,
        "%s: found no value of %s there and in %" PRId64
        " cells more of this step, expected one; --step A:B takes others",
        place, mesh_profile_probe(trace->profile, trace->probe)->name, missing - 1);
}

/* Whether whoever measured left out all steps between two, by intention. */
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

/* The steps that are not there, where the program gave equal distances: told, for a
 * policy sees the steps that are there one behind the other. */
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
