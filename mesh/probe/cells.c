/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.c: the cells of this rank and the offsets of their values in a slot. Boxes are
 * split into runs of cells with consecutive numbers; a table from cell to run, if it is
 * not too large, finds the run by one load. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/probe/mesh.h"

/* a table is made if it has at most TABLE_ALWAYS entries, or TABLE_TIMES times as many as
 * this rank has cells */
enum { TABLE_ALWAYS = 1 << 16, TABLE_TIMES = 8 };

void mesh_cells_done(struct cells *cells)
{
    for (int l = 0; l < MM_MESH_LEVELS; l++)
        free(cells->boxes[l]);
    free(cells->runs);
    free(cells->table);
    memset(cells, 0, sizeof *cells);
}

/* Make the runs of a box: one for each row of hi[2] - lo[2] cells, or longer ones if the
 * cells of several rows have consecutive numbers. Only counts the runs if `runs` is NULL.
 */
static size_t box_runs(const struct mm_mesh_level *level, const struct mesh_slot_box *box,
                       struct run *runs)
{
    int64_t row = box->hi[2] - box->lo[2], rows = box->hi[1] - box->lo[1],
            planes = box->hi[0] - box->lo[0], together = 1;
    uint64_t base = box->first;
    size_t count = 0;

    if (row == level->n[2])
        together = rows == level->n[1] ? rows * planes : rows;
    for (int64_t r = 0; r < rows * planes; r += together, count++) {
        int64_t i = box->lo[0] + r / rows, j = box->lo[1] + r % rows;

        if (runs)
            runs[count] = (struct run){
                .first = level->first + (i * level->n[1] + j) * level->n[2] + box->lo[2],
                .count = (uint64_t)(row * together),
                .base = base};
        base += (uint64_t)(row * together);
    }
    return count;
}

static int run_order(const void *a, const void *b)
{
    int64_t x = ((const struct run *)a)->first, y = ((const struct run *)b)->first;

    return (x > y) - (x < y);
}

/* Make the table if it is worth its memory; without it runs are found by search. */
static void make_table(struct cells *c)
{
    uint64_t span;

    free(c->table);
    c->table = NULL;
    c->table_count = 0;
    if (c->run_count < 2)
        return;
    span = (uint64_t)(c->runs[c->run_count - 1].first - c->runs[0].first) +
           c->runs[c->run_count - 1].count;
    if (span > TABLE_ALWAYS && span / TABLE_TIMES > c->total)
        return;
    c->table = malloc(span * sizeof *c->table);
    if (!c->table)
        return;
    c->table_count = span;
    memset(c->table, 0, span * sizeof *c->table);
    for (size_t r = 0; r < c->run_count; r++)
        for (uint64_t i = 0; i < c->runs[r].count; i++)
            c->table[(uint64_t)(c->runs[r].first - c->runs[0].first) + i] =
                (uint32_t)(c->runs[r].base + i + 1);
}

int mesh_cells_lay(struct mm_mesh *m, struct cells *c)
{
    size_t count = 0;

    c->total = 0;
    c->boxes_total = 0;
    for (int l = 0; l < m->about.levels; l++)
        for (uint32_t b = 0; b < c->count[l]; b++, c->boxes_total++) {
            struct mesh_slot_box *box = &c->boxes[l][b];

            box->first = c->total;
            c->total += (uint64_t)((box->hi[0] - box->lo[0]) * (box->hi[1] - box->lo[1]) *
                                   (box->hi[2] - box->lo[2]));
            count += box_runs(&m->level[l], box, NULL);
        }
    if (c->total > (uint64_t)MM_MESH_CELLS || count > UINT32_MAX)
        return -EINVAL;
    free(c->runs);
    c->runs = malloc((count + 1) * sizeof *c->runs);
    c->run_count = 0;
    if (!c->runs)
        return -ENOMEM;
    for (int l = 0; l < m->about.levels; l++)
        for (uint32_t b = 0; b < c->count[l]; b++)
            c->run_count +=
                box_runs(&m->level[l], &c->boxes[l][b], c->runs + c->run_count);
    qsort(c->runs, c->run_count, sizeof *c->runs, run_order);
    for (size_t r = 1; r < c->run_count; r++)
        if (c->runs[r - 1].first + (int64_t)c->runs[r - 1].count > c->runs[r].first)
            return -EINVAL;
    make_table(c);
    return 0;
}

/* Return the run that has the cell, or NULL. */
static const struct run *find_run(const struct cells *c, int64_t cell)
{
    size_t low = 0, high = c->run_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (cell < c->runs[middle].first)
            high = middle;
        else if ((uint64_t)(cell - c->runs[middle].first) >= c->runs[middle].count)
            low = middle + 1;
        else
            return &c->runs[middle];
    }
    return NULL;
}

uint64_t mesh_cell_find(struct mm_mesh *m, int64_t cell, int64_t *more)
{
    const struct run *run;

    if (m->now.table && !more)
        return mm_mesh_place_of(&m->now, cell);
    run = find_run(&m->cells, cell);
    if (!run)
        return 0;
    if (!m->now.table) {
        m->now.first = (uint64_t)run->first;
        m->now.count = run->count;
        m->now.base = run->base + 1;
    }
    if (more)
        *more = run->first + (int64_t)run->count - cell;
    return run->base + 1 + (uint64_t)(cell - run->first);
}

const char *mesh_cell_words(const struct mm_mesh *m, int64_t cell, char *text)
{
    int l = m->about.levels - 1;
    const struct mm_mesh_level *level;
    int64_t at = cell, ijk[3];
    int length;

    while (l > 0 && cell < m->level[l].first)
        l--;
    level = &m->level[l];
    at -= level->first;
    if (at < 0 || at >= level->n[0] * level->n[1] * level->n[2]) {
        snprintf(text, 96, "cell number %" PRId64, cell);
        return text;
    }
    ijk[0] = at / (level->n[1] * level->n[2]);
    ijk[1] = at / level->n[2] % level->n[1];
    ijk[2] = at % level->n[2];
    if (m->about.kind == MM_MESH_UNSTRUCTURED)
        length = snprintf(text, 96, "element %" PRId64, at);
    else
        length = snprintf(text, 96, "cell %" PRId64, ijk[0]);
    for (int d = 1; d < m->about.dims && m->about.kind == MM_MESH_GRID; d++)
        length += snprintf(text + length, 96 - (size_t)length, ",%" PRId64, ijk[d]);
    if (m->about.levels > 1)
        snprintf(text + length, 96 - (size_t)length, " of level %d", l);
    return text;
}
