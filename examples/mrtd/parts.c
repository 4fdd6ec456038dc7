/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.c: slots of a rank's cells, their neighbours, and exchange lists with other
 * ranks. */
#include "examples/mrtd/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Find the neighbours of `cell` at its six sides; -1: outside of the box. */
static void cells_beside(const int32_t n[3], int32_t cell, int32_t beside[6])
{
    int32_t stride[3] = {n[1] * n[2], n[2], 1};
    int32_t row = cell / n[2], place[3] = {row / n[1], row % n[1], cell % n[2]};

    for (int d = 0; d < 3; d++) {
        beside[d] = place[d] > 0 ? cell - stride[d] : -1;
        beside[3 + d] = place[d] + 1 < n[d] ? cell + stride[d] : -1;
    }
}

static int link_init(struct mrtd_link *link, int32_t ranks)
{
    link->first_out = calloc((size_t)ranks + 1, sizeof *link->first_out);
    link->first_in = calloc((size_t)ranks + 1, sizeof *link->first_in);
    return link->first_out && link->first_in ? 0 : -ENOMEM;
}

void mrtd_link_done(struct mrtd_link *link)
{
    free(link->first_out);
    free(link->first_in);
    free(link->out);
    free(link->in);
    *link = (struct mrtd_link){0};
}

/* Convert the number of entries of each rank r, at first[r + 1], to the index of its
 * first entry, and allocate the list. */
static int32_t *list_new(int64_t *first, int32_t ranks)
{
    for (int32_t r = 0; r < ranks; r++)
        first[r + 1] += first[r];
    return malloc(((size_t)first[ranks] + 1) * sizeof(int32_t));
}

/* Restore first[] after a list was filled, which has moved each first[r] to the start of
 * the next rank. */
static void rewind_first(int64_t *first, int32_t ranks)
{
    memmove(first + 1, first, (size_t)ranks * sizeof *first);
    first[0] = 0;
}

/* Find other ranks that need a field of the own cell in slot s: the owners of its three
 * neighbours from `side` on, each once. Returns their number. */
static int ranks_in_need(const struct mrtd_parts *p, int32_t s, int side,
                         int32_t found[3])
{
    int count = 0;

    for (int i = side; i < side + 3; i++) {
        int32_t slot = p->beside[6 * (int64_t)s + i], r;
        int known = slot < p->own || slot == p->own + p->ghosts;

        if (known)
            continue;
        r = p->owner[p->cell[slot]];
        for (int k = 0; k < count; k++)
            known |= found[k] == r;
        if (!known)
            found[count++] = r;
    }
    return count;
}

static int link_out(struct mrtd_parts *p, int field)
{
    struct mrtd_link *link = &p->all[field];
    int side = field == MRTD_E ? 0 : 3; /* the neighbours at the - sides need E */
    int32_t r[3];

    for (int32_t s = 0; s < p->own; s++)
        for (int i = ranks_in_need(p, s, side, r); i > 0; i--)
            link->first_out[r[i - 1] + 1]++;
    link->out = list_new(link->first_out, p->ranks);
    if (!link->out)
        return -ENOMEM;
    for (int32_t s = 0; s < p->own; s++)
        for (int i = ranks_in_need(p, s, side, r); i > 0; i--)
            link->out[link->first_out[r[i - 1]]++] = s;
    rewind_first(link->first_out, p->ranks);
    return 0;
}

/* Make the receive list. Bit f of need[g] is set if ghost g needs field f. */
static int link_in(struct mrtd_parts *p, int field, const unsigned char *need)
{
    struct mrtd_link *link = &p->all[field];

    for (int32_t g = 0; g < p->ghosts; g++)
        link->first_in[p->owner[p->cell[p->own + g]] + 1] += need[g] >> field & 1;
    link->in = list_new(link->first_in, p->ranks);
    if (!link->in)
        return -ENOMEM;
    for (int32_t g = 0; g < p->ghosts; g++)
        if (need[g] >> field & 1)
            link->in[link->first_in[p->owner[p->cell[p->own + g]]]++] = p->own + g;
    rewind_first(link->first_in, p->ranks);
    return 0;
}

/* Find the slots of own cells and ghosts. mark[cell] must be 0; at the end it is slot
 * + 1. p->beside contains numbers of cells here, -1 outside of the box. */
static int find_slots(struct mrtd_parts *p, int32_t *mark)
{
    for (int32_t c = 0; c < p->cells; c++)
        p->own += p->owner[c] == p->rank;
    p->beside = malloc(((size_t)p->own + 1) * 6 * sizeof *p->beside);
    if (!p->beside)
        return -ENOMEM;
    for (int32_t c = 0, *beside = p->beside; c < p->cells; c++) {
        if (p->owner[c] != p->rank)
            continue;
        cells_beside(p->n, c, beside);
        for (int side = 0; side < 6; side++, beside++)
            if (*beside >= 0 && p->owner[*beside] != p->rank && !mark[*beside]) {
                mark[*beside] = -1;
                p->ghosts++;
            }
    }
    p->cell = malloc(((size_t)p->own + (size_t)p->ghosts + 1) * sizeof *p->cell);
    if (!p->cell)
        return -ENOMEM;
    for (int32_t c = 0, s = 0, g = p->own; c < p->cells; c++)
        if (p->owner[c] == p->rank || mark[c]) {
            int32_t slot = mark[c] ? g++ : s++;

            p->cell[slot] = c;
            mark[c] = slot + 1;
        }
    return 0;
}

static int find_neighbours(struct mrtd_parts *p, int32_t *mark)
{
    unsigned char *need;
    int status = find_slots(p, mark);

    if (status)
        return status;
    need = calloc((size_t)p->ghosts + 1, 1);
    if (!need)
        return -ENOMEM;
    for (int64_t i = 0; i < 6 * (int64_t)p->own; i++) {
        int32_t cell = p->beside[i];
        int32_t slot = cell < 0 ? p->own + p->ghosts : mark[cell] - 1;

        p->beside[i] = slot;
        /* own cells need H of neighbours at the - sides */
        if (cell >= 0 && slot >= p->own)
            need[slot - p->own] |= 1u << (i % 6 < 3 ? MRTD_H : MRTD_E);
    }
    for (int f = 0; f < 2 && !status; f++)
        status = link_out(p, f) ? -ENOMEM : link_in(p, f, need);
    free(need);
    return status;
}

struct mrtd_parts *mrtd_parts_new(const int32_t n[3], int32_t rank, int32_t ranks,
                                  const int32_t *owner)
{
    struct mrtd_parts *p = calloc(1, sizeof *p);
    int32_t *mark = NULL;

    if (!p)
        return NULL;
    memcpy(p->n, n, sizeof p->n);
    p->rank = rank;
    p->ranks = ranks;
    p->cells = n[0] * n[1] * n[2];
    p->owner = malloc((size_t)p->cells * sizeof *p->owner);
    mark = calloc((size_t)p->cells, sizeof *mark);
    if (!p->owner || !mark || link_init(&p->all[0], ranks) ||
        link_init(&p->all[1], ranks))
        goto fail;
    memcpy(p->owner, owner, (size_t)p->cells * sizeof *owner);
    if (find_neighbours(p, mark))
        goto fail;
    free(mark);
    return p;
fail:
    free(mark);
    mrtd_parts_free(p);
    return NULL;
}

void mrtd_parts_free(struct mrtd_parts *parts)
{
    if (!parts)
        return;
    free(parts->owner);
    free(parts->cell);
    free(parts->beside);
    mrtd_link_done(&parts->all[0]);
    mrtd_link_done(&parts->all[1]);
    free(parts);
}

static int fill_move(const struct mrtd_parts *old, const struct mrtd_parts *to,
                     struct mrtd_link *link)
{
    for (int32_t s = 0; s < old->own; s++)
        link->first_out[to->owner[old->cell[s]] + 1] +=
            to->owner[old->cell[s]] != old->rank;
    for (int32_t s = 0; s < to->own; s++)
        link->first_in[old->owner[to->cell[s]] + 1] +=
            old->owner[to->cell[s]] != old->rank;
    link->out = list_new(link->first_out, old->ranks);
    link->in = list_new(link->first_in, old->ranks);
    if (!link->out || !link->in)
        return -ENOMEM;
    for (int32_t s = 0; s < old->own; s++)
        if (to->owner[old->cell[s]] != old->rank)
            link->out[link->first_out[to->owner[old->cell[s]]]++] = s;
    for (int32_t s = 0; s < to->own; s++)
        if (old->owner[to->cell[s]] != old->rank)
            link->in[link->first_in[old->owner[to->cell[s]]]++] = s;
    rewind_first(link->first_out, old->ranks);
    rewind_first(link->first_in, old->ranks);
    return 0;
}

int mrtd_parts_move(const struct mrtd_parts *old, const struct mrtd_parts *to,
                    struct mrtd_link *link, int32_t **kept, int64_t *moved)
{
    int32_t *from = malloc(((size_t)to->own + 1) * sizeof *from);

    *link = (struct mrtd_link){0};
    if (!from || link_init(link, old->ranks) || fill_move(old, to, link)) {
        mrtd_link_done(link);
        free(from);
        return -ENOMEM;
    }
    for (int32_t s = 0, o = 0; s < to->own; s++) { /* both lists of cells ascend */
        while (o < old->own && old->cell[o] < to->cell[s])
            o++;
        from[s] = o < old->own && old->cell[o] == to->cell[s] ? o : -1;
    }
    *moved = 0;
    for (int32_t c = 0; c < old->cells; c++)
        *moved += old->owner[c] != to->owner[c];
    *kept = from;
    return 0;
}
