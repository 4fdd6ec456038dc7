/* SPDX-License-Identifier: BSD-3-Clause */
/* grid.h: a two-dimensional histogram: any number of calls in few cells.
 *
 *   y |  . : .          a cell is 2^shift_x bins wide and 2^shift_y bins high; bins are
 *     | . # : .         integers; mm_grid_log_bin makes them for a logarithmic axis
 *     +---------- x
 *
 * Cells are one bin wide at first. When there are too many, pairs along the longer axis
 * are merged, repeatedly if needed. */
#ifndef MASTERMIND_PAGE_GRID_H
#define MASTERMIND_PAGE_GRID_H

#include <stddef.h>
#include <stdint.h>

enum {
    /* number of bins between a value and twice the value: a bin is 1.1 % wide */
    MM_GRID_OCTAVE = 64,
    /* largest number of cells while calls are added: half of 8192 slots */
    MM_GRID_MOST = 4000
};

struct mm_grid_cell {
    /* position of the cell: its first bins, shifted right by `shift_x` and `shift_y` */
    int32_t x, y;
    double calls; /* number of calls; 0: an unused slot */
};

/* Numbers of calls by two coordinates. A struct of zeros is empty. */
struct mm_grid {
    /* [room] cells in a hash table with open addressing; after mm_grid_end [count] cells
     * in order */
    struct mm_grid_cell *cells;
    size_t room, count;
    int shift_x, shift_y;
    double calls; /* number of calls in all cells */
};

/* Return the bin of a value > 0 on a logarithmic scale. */
int64_t mm_grid_log_bin(double value);
/* Add calls to the cell that contains the bins x, y. Returns 0 or -ENOMEM. */
int mm_grid_add(struct mm_grid *grid, int64_t x, int64_t y, double calls);
/* Prefetch the cell of these bins into a cache for mm_grid_add. */
void mm_grid_prefetch(const struct mm_grid *grid, int64_t x, int64_t y);
/* Merge cells until there are at most `most` (> 0), and sort them by x, y. No calls may
 * be added afterwards. */
void mm_grid_end(struct mm_grid *grid, size_t most);
void mm_grid_done(struct mm_grid *grid);

#endif
