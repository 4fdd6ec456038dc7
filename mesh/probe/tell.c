/* SPDX-License-Identifier: BSD-3-Clause */
/* tell.c: slow paths of the inline functions of mm_mesh.h: find the next run of this
 * rank's cells, end runs of cells that are timed together, read other clocks than the
 * counter, report wrong calls. */
#include <inttypes.h>
#include <math.h>

#include "mesh/probe/mesh.h"

struct probe *mesh_probe_find(struct mm_mesh *m, int p)
{
    if (p >= 0 && p < m->probe_count)
        return m->probes[p];
    mesh_fault(m, FAULT_PROBE, -EINVAL, "found probe number %d, expected 0 to %d", p,
               m->probe_count - 1);
    return NULL;
}

static uint64_t find_cell(struct mm_mesh *m, const struct probe *probe, int64_t cell)
{
    uint64_t at = mesh_cell_find(m, cell, NULL);
    char words[96];

    if (at == 0)
        mesh_fault(m, FAULT_CELL, -EINVAL,
                   "probe %s, step %" PRId64 ": found %s, expected one of the %" PRIu64
                   " cells of this rank",
                   probe->about.name, m->step, mesh_cell_words(m, cell, words),
                   m->cells.total);
    return at;
}

/* Check a reading of the counter. Returns it, or 0 after a fault. */
static double kept_reading(struct mm_mesh *m, const struct probe *probe, double value)
{
    if (isfinite(value))
        return value;
    mesh_fault(m, FAULT_COUNTER, -EINVAL,
               "probe %s, step %" PRId64 ": its counter gave %g, expected a number",
               probe->about.name, m->step, value);
    return 0;
}

/* Add `value` to each cell of the current run. */
static void share_run(struct mm_mesh *m, int p, double value)
{
    for (uint32_t h = 0; h < m->now.lane[p].held; h++)
        m->now.lane[p].value[m->now.lane[p].hold[h]] += (float)value;
    m->now.lane[p].calls += m->now.lane[p].held;
    m->now.lane[p].held = 0;
}

double mesh_run_end(struct mm_mesh *m, int p)
{
    struct probe *probe = m->probes[p];
    uint32_t held = m->now.lane[p].held;
    double mean = probe->mean;

    if (held == 0)
        return 0;
    if (isnan(mean))
        mean = kept_reading(m, probe, mesh_clock_lap(m, p)) / held;
    share_run(m, p, mean);
    return mean * held;
}

void mm_mesh_cell_call(struct mm_mesh *m, int p, int64_t cell)
{
    struct probe *probe;
    uint64_t at;

    if (!m || !m->now.live || !(probe = mesh_probe_find(m, p)) || !probe->wanted)
        return;
    if (probe->kind == PROBE_GIVEN) {
        mesh_fault(m, FAULT_KIND, -EINVAL,
                   "mm_mesh_cell: found probe %s of kind given, expected mm_mesh_value",
                   probe->about.name);
        return;
    }
    at = find_cell(m, probe, cell);
    if (at == 0) {
        mesh_run_end(m, p);
        mesh_clock_mark(m, p);
    } else if (m->now.lane[p].serves == MM_MESH_HOLDS) {
        m->now.lane[p].hold[m->now.lane[p].held++] = (uint32_t)at;
        if (m->now.lane[p].held >= m->now.lane[p].most) {
            probe->mean =
                kept_reading(m, probe, mesh_clock_lap(m, p)) / m->now.lane[p].held;
            share_run(m, p, probe->mean);
        }
    } else {
        m->now.lane[p].value[at] += (float)kept_reading(m, probe, mesh_clock_lap(m, p));
        m->now.lane[p].calls++;
    }
}

/* Whether a value can be recorded: the probe is of kind "given", and the value is in the
 * range of a float. */
static int can_give(struct mm_mesh *m, const struct probe *probe, int64_t cell,
                    double value)
{
    char words[96];

    if (probe->kind != PROBE_GIVEN) {
        mesh_fault(m, FAULT_KIND, -EINVAL,
                   "mm_mesh_value: found probe %s, whose clock gives its values, "
                   "expected one of kind given",
                   probe->about.name);
        return 0;
    }
    if (isfinite((float)value))
        return 1;
    mesh_fault(m, FAULT_VALUE, -EINVAL,
               "probe %s, step %" PRId64 ", %s: found %g, expected a number%s",
               probe->about.name, m->step,
               cell < 0 ? "a block" : mesh_cell_words(m, cell, words), value,
               isfinite(value) ? " below 3.4e38" : "");
    return 0;
}

static void give(struct mm_mesh *m, int p, int64_t cell, double value, int add)
{
    struct probe *probe;
    uint64_t at;

    if (!m || !m->now.live || !(probe = mesh_probe_find(m, p)) || !probe->wanted ||
        (at = find_cell(m, probe, cell)) == 0 || !can_give(m, probe, cell, value))
        return;
    m->now.lane[p].value[at] = (float)value + (add ? m->now.lane[p].value[at] : 0);
    m->now.lane[p].calls++;
}

void mm_mesh_value_call(struct mm_mesh *m, int p, int64_t cell, double value)
{
    give(m, p, cell, value, 0);
}

void mm_mesh_add_call(struct mm_mesh *m, int p, int64_t cell, double value)
{
    give(m, p, cell, value, 1);
}

void mm_mesh_start(struct mm_mesh *m, int p)
{
    struct probe *probe;

    if (!m || !m->now.live || !(probe = mesh_probe_find(m, p)) || !probe->wanted)
        return;
    mesh_run_end(m, p);
    mesh_clock_mark(m, p);
}

/* Add `value` to the `count` cells from `cell` on. If `value` is NULL, only check whether
 * all are this rank's cells. Returns 1; 0: some cell is not this rank's. */
static int add_row(struct mm_mesh *m, int p, int64_t cell, int64_t count,
                   const float *value)
{
    while (count > 0) {
        int64_t some = 0;
        uint64_t at = mesh_cell_find(m, cell, &some);

        if (at == 0)
            return 0;
        some = some < count ? some : count;
        for (uint64_t c = 0; value && c < (uint64_t)some; c++)
            m->now.lane[p].value[at + c] += *value;
        cell += some;
        count -= some;
    }
    return 1;
}

/* Like add_row, for the cells of a box. */
static int add_box(struct mm_mesh *m, int p, const struct mesh_slot_box *box,
                   const float *value)
{
    for (int64_t i = box->lo[0]; i < box->hi[0]; i++)
        for (int64_t j = box->lo[1]; j < box->hi[1]; j++)
            if (!add_row(m, p, mm_mesh_index(m, box->level, i, j, box->lo[2]),
                         box->hi[2] - box->lo[2], value))
                return 0;
    return 1;
}

/* Check that all cells lo <= c < hi are this rank's, and store them as a box. Returns the
 * number of cells, or a negative errno. */
static int64_t find_block(struct mm_mesh *m, int level, const int64_t *lo,
                          const int64_t *hi, struct mesh_slot_box *box)
{
    int64_t cells = 1;

    *box = (struct mesh_slot_box){.level = level, .hi = {1, 1, 1}};
    if (level < 0 || level >= m->about.levels)
        return mesh_fault(m, FAULT_BOX, -EINVAL,
                          "a block: found level %d, expected 0 to %d", level,
                          m->about.levels - 1);
    for (int d = 0; d < m->about.dims; d++) {
        box->lo[d] = lo[d];
        box->hi[d] = hi[d];
        if (lo[d] < 0 || hi[d] <= lo[d] || hi[d] > m->level[level].n[d])
            return mesh_fault(m, FAULT_BOX, -EINVAL,
                              "a block, dimension %d: found cells %" PRId64 ":%" PRId64
                              ", expected some of 0:%" PRId64,
                              d, lo[d], hi[d], m->level[level].n[d]);
        cells *= hi[d] - lo[d];
    }
    if (!add_box(m, 0, box, NULL))
        return mesh_fault(m, FAULT_CELL, -EINVAL,
                          "step %" PRId64 ": found a block from %" PRId64 ",%" PRId64
                          ",%" PRId64 " of level %d, which has cells that are not this "
                          "rank's",
                          m->step, box->lo[0], box->lo[1], box->lo[2], level);
    return cells;
}

/* Return the number of calls of mm_mesh_cell that cost as much as a block, for
 * mesh_account_told. */
static uint32_t block_calls(int64_t cells)
{
    return (uint32_t)(1 + cells / 16);
}

int mm_mesh_block(struct mm_mesh *m, int p, int level, const int64_t *lo,
                  const int64_t *hi)
{
    struct mesh_slot_box box;
    struct probe *probe;
    int64_t cells;
    double value;
    float each;

    if (!m || !m->now.live)
        return 0;
    if (!(probe = mesh_probe_find(m, p)))
        return -EINVAL;
    if (!probe->wanted)
        return 0;
    if (probe->kind == PROBE_GIVEN)
        return mesh_fault(m, FAULT_KIND, -EINVAL,
                          "mm_mesh_block: found probe %s of kind given, expected "
                          "mm_mesh_block_value",
                          probe->about.name);
    value = mesh_run_end(m, p);
    value =
        kept_reading(m, probe, mesh_clock_lap(m, p)) - (isnan(probe->mean) ? 0 : value);
    cells = find_block(m, level, lo, hi, &box);
    if (cells > 0) {
        each = (float)(value / (double)cells);
        add_box(m, p, &box, &each);
        m->now.lane[p].calls += block_calls(cells);
    }
    mesh_clock_mark(m, p);
    return cells < 0 ? (int)cells : 0;
}

int mm_mesh_block_value(struct mm_mesh *m, int p, int level, const int64_t *lo,
                        const int64_t *hi, double value)
{
    struct mesh_slot_box box;
    struct probe *probe;
    int64_t cells;
    float each;

    if (!m || !m->now.live)
        return 0;
    if (!(probe = mesh_probe_find(m, p)))
        return -EINVAL;
    if (!probe->wanted)
        return 0;
    if (!can_give(m, probe, -1, value))
        return -EINVAL;
    cells = find_block(m, level, lo, hi, &box);
    if (cells < 0)
        return (int)cells;
    each = (float)(value / (double)cells);
    add_box(m, p, &box, &each);
    m->now.lane[p].calls += block_calls(cells);
    return 0;
}
