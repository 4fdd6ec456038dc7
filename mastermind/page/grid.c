/* SPDX-License-Identifier: BSD-3-Clause */
/* grid.c: count calls in cells, which are merged when there are too many cells. */
#include "mastermind/page/grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int64_t mm_grid_log_bin(double value)
{
    return (int64_t)floor(log2(value) * MM_GRID_OCTAVE);
}

static size_t first_place(const struct mm_grid *grid, int32_t x, int32_t y)
{
    uint64_t hash = ((uint32_t)x * 0x9e3779b97f4a7c15 + (uint32_t)y) * 0xc2b2ae3d27d4eb4f;

    return (size_t)(hash >> 40) & (grid->room - 1);
}

static struct mm_grid_cell *cell_place(const struct mm_grid *grid, int32_t x, int32_t y)
{
    size_t at = first_place(grid, x, y);

    while (grid->cells[at].calls > 0 &&
           (grid->cells[at].x != x || grid->cells[at].y != y))
        at = (at + 1) & (grid->room - 1);
    return &grid->cells[at];
}

void mm_grid_prefetch(const struct mm_grid *grid, int64_t x, int64_t y)
{
    if (grid->room)
        __builtin_prefetch(&grid->cells[first_place(grid, (int32_t)(x >> grid->shift_x),
                                                    (int32_t)(y >> grid->shift_y))],
                           1);
}

/* Add calls to a cell of a grid whose table has free slots. */
static void cell_add(struct mm_grid *grid, int32_t x, int32_t y, double calls)
{
    struct mm_grid_cell *cell = cell_place(grid, x, y);

    if (!(cell->calls > 0)) {
        *cell = (struct mm_grid_cell){x, y, 0};
        grid->count++;
    }
    cell->calls += calls;
}

/* Rebuild the table of cells with `room` slots and bins that are coarser by 2^by_x and
 * 2^by_y. Returns 0 or -ENOMEM. */
static int table_rebuild(struct mm_grid *grid, size_t room, int by_x, int by_y)
{
    struct mm_grid_cell *old = grid->cells, *cells = calloc(room, sizeof *cells);
    size_t old_room = grid->room;

    if (!cells)
        return -ENOMEM;
    grid->cells = cells;
    grid->room = room;
    grid->count = 0;
    grid->shift_x += by_x;
    grid->shift_y += by_y;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].calls > 0)
            cell_add(grid, old[i].x >> by_x, old[i].y >> by_y, old[i].calls);
    free(old);
    return 0;
}

/* Choose the axis to be made coarser, the axis with more cells. Returns 1 for x, 0 for
 * y. */
static int longer_is_x(const struct mm_grid *grid)
{
    int64_t low_x = INT64_MAX, high_x = INT64_MIN, low_y = INT64_MAX, high_y = INT64_MIN;

    for (size_t i = 0; i < grid->room; i++) {
        const struct mm_grid_cell *cell = &grid->cells[i];

        if (!(cell->calls > 0))
            continue;
        low_x = cell->x < low_x ? cell->x : low_x;
        high_x = cell->x > high_x ? cell->x : high_x;
        low_y = cell->y < low_y ? cell->y : low_y;
        high_y = cell->y > high_y ? cell->y : high_y;
    }
    return high_x - low_x > high_y - low_y;
}

/* True if a bin, shifted right by `shift`, does not fit into a cell's coordinate. */
static int is_far(int64_t bin, int shift)
{
    return bin >> shift > INT32_MAX || bin >> shift < INT32_MIN;
}

int mm_grid_add(struct mm_grid *grid, int64_t x, int64_t y, double calls)
{
    if (!(calls > 0))
        return 0;
    while (is_far(x, grid->shift_x) || is_far(y, grid->shift_y))
        if (table_rebuild(grid, grid->room ? grid->room : 64, is_far(x, grid->shift_x),
                          is_far(y, grid->shift_y)))
            return -ENOMEM;
    if (2 * (grid->count + 1) > grid->room &&
        table_rebuild(grid, grid->room ? 2 * grid->room : 64, 0, 0))
        return -ENOMEM;
    cell_add(grid, (int32_t)(x >> grid->shift_x), (int32_t)(y >> grid->shift_y), calls);
    grid->calls += calls;
    while (grid->count > MM_GRID_MOST) {
        int by_x = longer_is_x(grid);

        if (table_rebuild(grid, grid->room, by_x, !by_x))
            return -ENOMEM;
    }
    return 0;
}

static int compare_cells(const void *left, const void *right)
{
    const struct mm_grid_cell *a = left, *b = right;

    if (a->x != b->x)
        return (a->x > b->x) - (a->x < b->x);
    return (a->y > b->y) - (a->y < b->y);
}

/* Sort the `count` cells of a grid, and remove empty slots. */
static void cells_order(struct mm_grid *grid)
{
    size_t count = 0;

    for (size_t i = 0; i < grid->room; i++)
        if (grid->cells[i].calls > 0)
            grid->cells[count++] = grid->cells[i];
    grid->count = count;
    if (count)
        qsort(grid->cells, count, sizeof *grid->cells, compare_cells);
}

/* Merge pairs of neighbouring cells along one axis, in place. */
static void cells_halve(struct mm_grid *grid, int by_x, int by_y)
{
    size_t kept = 0;

    for (size_t i = 0; i < grid->count; i++) {
        grid->cells[i].x >>= by_x;
        grid->cells[i].y >>= by_y;
    }
    qsort(grid->cells, grid->count, sizeof *grid->cells, compare_cells);
    for (size_t i = 1; i < grid->count; i++) {
        if (compare_cells(&grid->cells[kept], &grid->cells[i]) == 0)
            grid->cells[kept].calls += grid->cells[i].calls;
        else
            grid->cells[++kept] = grid->cells[i];
    }
    grid->count = kept + 1;
    grid->shift_x += by_x;
    grid->shift_y += by_y;
}

void mm_grid_end(struct mm_grid *grid, size_t most)
{
    cells_order(grid);
    grid->room = grid->count;
    while (grid->count > most) {
        int by_x = longer_is_x(grid);

        cells_halve(grid, by_x, !by_x);
        grid->room = grid->count;
    }
}

void mm_grid_done(struct mm_grid *grid)
{
    free(grid->cells);
    *grid = (struct mm_grid){0};
}
