/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.c: cut one axis of the domain into parts, and find the sources of a part's ghost
 * cells. */
#include "components/UniformMesh/cut.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Return the part that owns a cell. */
static int cut_owner(const struct cut *cut, int64_t cell)
{
    int low = 0, high = cut->parts;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (cut->start[middle] <= cell)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void cut_find_runs(struct cut *cut, int part, int ghost, int periodic)
{
    int64_t cells = cut->start[cut->parts];
    int64_t first = cut->start[part];
    int64_t end = cut->start[part + 1] + ghost;
    struct cut_run *run = cut->runs + (size_t)part * (size_t)cut->runs_per_part;
    int count = 0;

    for (int64_t cell = first - ghost, next; cell < end; cell = next) {
        /* an axis with fewer cells than ghost layers wraps around more than once */
        int64_t inside = ((cell % cells) + cells) % cells;
        int owner = cut_owner(cut, inside);
        int64_t left_over = cut->start[owner + 1] - inside;

        next = end - cell < left_over ? end : cell + left_over;
        if (!periodic && cell != inside) {
            next = cell + 1;
            continue;
        }
        run[count].part = owner;
        run[count].begin = (int)(cell - first);
        run[count].count = (int)(next - cell);
        run[count].from = (int)(inside - cut->start[owner]);
        run[count].interior = cell == first;
        count++;
    }
    cut->run_count[part] = count;
}

int cut_init(struct cut *cut, char axis, int64_t cells, int64_t parts, int64_t most,
             int ghost, int periodic, struct cca_error *err)
{
    memset(cut, 0, sizeof *cut);
    if (most > 0 && (cells - 1) / most + 1 > parts)
        parts = (cells - 1) / most + 1;
    if (parts > cells)
        return cca_error_set(err, -EINVAL,
                             "%" PRId64 " patches in %c, but only %" PRId64 " cells",
                             parts, axis, cells);
    if ((cells - 1) / parts + 1 > INT_MAX / 4 || parts > INT_MAX / 4)
        return cca_error_set(
            err, -EINVAL, "%" PRId64 " cells in %c are too many for %" PRId64 " patches",
            cells, axis, parts);
    /* Next to a part at the border that is thinner than the ghost layers, a part would
     * have ghost cells outside the domain that nothing fills. */
    if (!periodic && parts > 1 && cells / parts < ghost)
        return cca_error_set(err, -EINVAL,
                             "patches of %" PRId64
                             " cells in %c are thinner than their %d ghost layers",
                             cells / parts, axis, ghost);
    cut->parts = (int)parts;
    cut->runs_per_part = 2 * ghost + 1;
    cut->start = malloc(((size_t)parts + 1) * sizeof *cut->start);
    cut->run_count = malloc((size_t)parts * sizeof *cut->run_count);
    cut->runs = malloc((size_t)parts * (size_t)cut->runs_per_part * sizeof *cut->runs);
    if (!cut->start || !cut->run_count || !cut->runs) {
        cut_done(cut);
        return cca_error_set(err, -ENOMEM, "out of memory");
    }
    /* The first (cells % parts) parts have one more cell. Products cannot overflow. */
    for (int64_t part = 0; part <= parts; part++)
        cut->start[part] =
            cells / parts * part + (part < cells % parts ? part : cells % parts);
    for (int part = 0; part < cut->parts; part++)
        cut_find_runs(cut, part, ghost, periodic);
    return 0;
}

void cut_done(struct cut *cut)
{
    free(cut->start);
    free(cut->run_count);
    free(cut->runs);
    memset(cut, 0, sizeof *cut);
}
