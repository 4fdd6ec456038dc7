/* SPDX-License-Identifier: BSD-3-Clause */
/* weights.c: cost of patches, as reported by components. */
#include "mesh/component/Balancer/parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/array.h"
#include "common/clock.h"

/* Return the entry of the patch that has just begun, added if it is new; NULL: out of
 * memory. Patches come in the same order in each step, so the search begins after the
 * patch that was found last. */
static struct weight *weight_of(struct weights *w, const struct mesh_patch *patch)
{
    for (size_t i = w->count; i-- > 0;)
        if (w->all[i].level == patch->level && w->all[i].number == patch->number)
            return &w->all[i];
    if (cca_array_extend(&w->all, &w->room, sizeof *w->all, w->count + 1))
        return NULL;
    w->all[w->count] = (struct weight){patch->level, patch->number, 0, 0};
    return &w->all[w->count++];
}

void weights_begin(struct weights *w, const struct mesh_patch *patch)
{
    w->patch = *patch;
    w->told = 0;
    if (w->depth++ == 0)
        w->begun_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void weights_end(struct weights *w)
{
    struct weight *weight = w->depth > 0 ? weight_of(w, &w->patch) : NULL;

    if (!weight)
        return;
    if (!w->told)
        weight->work += 2 * (int64_t)w->patch.nx * w->patch.ny;
    w->told = 1;
    if (--w->depth == 0)
        weight->cpu_ns += cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - w->begun_ns;
}

void weights_faces(struct weights *w, int axis, int nx, int ny, const int32_t *work)
{
    struct weight *weight = w->depth > 0 ? weight_of(w, &w->patch) : NULL;

    (void)axis;
    if (!weight)
        return;
    w->told = 1;
    for (int64_t f = 0; f < (int64_t)nx * ny; f++)
        weight->work += work[f];
}

int32_t *weights_room(struct weights *w, int64_t count)
{
    if (w->depth == 0)
        return NULL;
    if (count > w->faces_room) {
        free(w->faces);
        w->faces = malloc((size_t)count * sizeof *w->faces);
        w->faces_room = w->faces ? count : 0;
    }
    return w->faces;
}

void weights_take(const struct weights *w, enum weights_kind kind,
                  const struct balance_mesh *mesh, const struct balance_patch *patches,
                  int count, int rank, int64_t *weights)
{
    for (int i = 0; i < count; i++) {
        weights[i] = 0;
        if (patches[i].rank != rank)
            continue;
        if (kind == WEIGHTS_CELLS)
            weights[i] = patch_updates(mesh, &patches[i]);
        for (size_t k = 0; k < w->count && kind != WEIGHTS_CELLS; k++)
            if (w->all[k].level == patches[i].level &&
                w->all[k].number == patches[i].number)
                weights[i] = kind == WEIGHTS_WORK ? w->all[k].work : w->all[k].cpu_ns;
    }
}

void weights_sum(const struct weights *w, int64_t *work, int64_t *cpu_ns)
{
    *work = *cpu_ns = 0;
    for (size_t k = 0; k < w->count; k++) {
        *work += w->all[k].work;
        *cpu_ns += w->all[k].cpu_ns;
    }
}

void weights_forget(struct weights *w)
{
    w->count = 0;
    w->depth = 0;
}

void weights_done(struct weights *w)
{
    free(w->all);
    free(w->faces);
    memset(w, 0, sizeof *w);
}
