/* SPDX-License-Identifier: BSD-3-Clause */
/* swap.c: send fields to neighbouring ranks, and cells to new owners. */
#include "examples/mrtd/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "examples/mrtd/comm.h"

/* Make room in the buffers of both directions. */
static int reserve_words(struct mrtd_run *run, int64_t words)
{
    double *more;

    if (words <= run->word_capacity)
        return 0;
    more = realloc(run->words, (size_t)words * sizeof *more);
    if (!more)
        return -ENOMEM;
    run->words = more;
    run->word_capacity = words;
    return 0;
}

/* Convert offsets counted in slots to offsets counted in doubles. */
static void scale_first(int64_t *first, int32_t ranks, int64_t factor)
{
    for (int32_t r = 0; r <= ranks; r++)
        first[r] *= factor;
}

typedef void pack_fn(const struct mrtd_field *field, int which, const int32_t *slots,
                     int64_t count, double *words);
typedef void unpack_fn(struct mrtd_field *field, int which, const int32_t *slots,
                       int64_t count, const double *words);

static void pack_cells(const struct mrtd_field *field, int which, const int32_t *slots,
                       int64_t count, double *words)
{
    (void)which;
    mrtd_field_pack_cells(field, slots, count, words);
}

static void unpack_cells(struct mrtd_field *field, int which, const int32_t *slots,
                         int64_t count, const double *words)
{
    (void)which;
    mrtd_field_unpack_cells(field, slots, count, words);
}

static int swap_by_link(struct mrtd_run *run, struct mrtd_link *link, int which,
                        int64_t words, struct mrtd_field *to, pack_fn *pack,
                        unpack_fn *unpack)
{
    int32_t ranks = run->parts->ranks;
    int64_t out = link->first_out[ranks], in = link->first_in[ranks];
    int status = reserve_words(run, (out + in + 1) * words);

    if (status)
        return status;
    pack(run->field, which, link->out, out, run->words);
    scale_first(link->first_out, ranks, words);
    scale_first(link->first_in, ranks, words);
    mrtd_comm_swap(run->words, link->first_out, run->words + out * words, link->first_in);
    for (int32_t r = 0; r <= ranks; r++) {
        link->first_out[r] /= words;
        link->first_in[r] /= words;
    }
    unpack(to, which, link->in, in, run->words + out * words);
    return 0;
}

int mrtd_run_swap(struct mrtd_run *run, int which)
{
    return run->parts->ranks == 1
               ? 0
               : swap_by_link(run, &run->parts->all[which], which, MRTD_GHOST_WORDS,
                              run->field, mrtd_field_pack, mrtd_field_unpack);
}

/* Move cells from run->field to the field of new parts, which replaces it. */
static int move_cells(struct mrtd_run *run, struct mrtd_parts *to, int64_t *moved)
{
    struct mrtd_link link;
    struct mrtd_field *field = mrtd_field_new(&run->options, to);
    int32_t *kept = NULL;
    int status = field ? mrtd_parts_move(run->parts, to, &link, &kept, moved) : -ENOMEM;

    if (status) {
        mrtd_field_free(field);
        return status;
    }
    mrtd_field_keep(field, run->field, kept, to->own);
    status =
        swap_by_link(run, &link, 0, MRTD_CELL_WORDS, field, pack_cells, unpack_cells);
    mrtd_link_done(&link);
    free(kept);
    if (status) {
        mrtd_field_free(field);
        return status;
    }
    mrtd_field_free(run->field);
    mrtd_parts_free(run->parts);
    run->field = field;
    run->parts = to;
    return 0;
}

/* Gather the work of all cells, in the order of their numbers, from all ranks. */
static int gather_work(const struct mrtd_run *run, unsigned char *all)
{
    const struct mrtd_parts *p = run->parts;
    unsigned char *by_rank = malloc((size_t)p->cells);
    int32_t *counts = calloc((size_t)p->ranks + 1, sizeof *counts), *first = NULL;
    int status = -ENOMEM;

    first = calloc((size_t)p->ranks + 1, sizeof *first);
    if (by_rank && counts && first) {
        for (int32_t c = 0; c < p->cells; c++)
            counts[p->owner[c]]++;
        for (int32_t r = 0; r < p->ranks; r++)
            first[r + 1] = first[r] + counts[r];
        mrtd_comm_gather(run->field->work, p->own, by_rank, counts);
        for (int32_t c = 0; c < p->cells; c++)
            all[c] = by_rank[first[p->owner[c]]++];
        status = 0;
    }
    free(by_rank);
    free(counts);
    free(first);
    return status;
}

/* Ask the plan for the owners from `step` on. Returns 1 with *owner, which the caller
 * frees; 0: the owners stay; or a negative errno. */
static int ask_plan(struct mrtd_run *run, int32_t step, int32_t **owner)
{
    const struct mrtd_parts *p = run->parts;
    int asks = step > 0 ? mrtd_plan_asks(run->plan, step) : 0, status = 0;
    unsigned char *work = NULL;

    if (!asks)
        return 0;
    work = malloc((size_t)p->cells);
    *owner = malloc((size_t)p->cells * sizeof **owner);
    if (!work || !*owner)
        status = -ENOMEM;
    else {
        memcpy(*owner, p->owner, (size_t)p->cells * sizeof **owner);
        status = asks == 2 ? gather_work(run, work) : 0;
    }
    if (!status)
        status = mrtd_plan_next(run->plan, step, asks == 2 ? work : NULL, *owner);
    free(work);
    if (status != 1) {
        free(*owner);
        *owner = NULL;
    }
    return status;
}

int mrtd_run_repartition(struct mrtd_run *run, int32_t step)
{
    const struct mrtd_parts *p = run->parts;
    struct mrtd_parts *to;
    int32_t *owner = NULL;
    int64_t moved = 0;
    int status = ask_plan(run, step, &owner);

    if (status <= 0)
        return status;
    to = mrtd_parts_new(p->n, p->rank, p->ranks, owner);
    free(owner);
    status = to ? move_cells(run, to, &moved) : -ENOMEM;
    if (status) {
        mrtd_parts_free(to);
        return status;
    }
    mrtd_report_move(run->report, step, moved);
    mrtd_profile_parts(run->profile, run->parts);
    return mrtd_run_swap(run, MRTD_E);
}
