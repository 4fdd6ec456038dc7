/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.c: the slot of a step in shared memory, from FREE to FULL. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "mesh/probe/mesh.h"

static struct mesh_slot *slot_at(const struct mm_mesh *m, uint32_t s)
{
    return (struct mesh_slot *)(void *)((char *)m->shared + m->layout.slot_first +
                                        s * m->layout.slot_bytes);
}

/* Take a free slot of the segment and make it FILLING; NULL: no slot is free. */
static struct mesh_slot *take_free(struct mm_mesh *m)
{
    for (uint32_t i = 0; i < m->layout.slots; i++) {
        uint32_t s = (m->slot_next + i) % m->layout.slots;
        struct mesh_slot *slot = slot_at(m, s);
        uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);

        if (word % MESH_SLOT_STATES == MESH_SLOT_FREE) {
            m->slot_next = s + 1;
            atomic_store_explicit(&slot->word,
                                  ++m->fillings * MESH_SLOT_STATES + MESH_SLOT_FILLING,
                                  memory_order_relaxed);
            return slot;
        }
    }
    return NULL;
}

/* Set the members of m->now that locate this rank's cells for the inline functions. */
static void aim(struct mm_mesh *m)
{
    m->now.count = 0;
    m->now.table = m->cells.table;
    if (m->now.table) {
        m->now.first = (uint64_t)m->cells.runs[0].first;
        m->now.count = m->cells.table_count;
    } else if (m->cells.run_count > 0) {
        mesh_cell_find(m, m->cells.runs[0].first, NULL);
    }
}

/* Fill in the slot's boxes, and 0 for all values. */
static void lay_slot(struct mm_mesh *m)
{
    struct mesh_slot *slot = m->slot;
    struct mesh_slot_box *boxes =
        (struct mesh_slot_box *)(void *)((char *)slot + m->layout.box_first);
    float *values = (float *)(void *)((char *)slot + m->layout.value_first);

    slot->cells = m->cells.total;
    slot->boxes = m->cells.boxes_total;
    for (int l = 0; l < m->about.levels; l++)
        for (uint32_t b = 0; b < m->cells.count[l]; b++)
            *boxes++ = m->cells.boxes[l][b];
    for (int p = 0; p < m->probe_count; p++)
        if (m->probes[p]->wanted) {
            m->now.lane[p].value = values - 1;
            memset(values, 0, m->cells.total * sizeof *values);
            values += m->layout.cell_room;
        }
    aim(m);
}

static void count_dropped(struct mm_mesh *m, int64_t step)
{
    struct mesh_shared *h = m->shared;

    if (atomic_load_explicit(&h->dropped, memory_order_relaxed) == 0)
        atomic_store_explicit(&h->dropped_first, step, memory_order_relaxed);
    atomic_store_explicit(&h->dropped_last, step, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->dropped, 1, memory_order_release);
}

/* Leave a segment that is too small, and make a new one if there is none. Returns 0 or a
 * negative errno.
 */
static int fit_segment(struct mm_mesh *m)
{
    struct cca_error err = {0};
    int64_t begin;
    int rc;

    if (m->shared && (m->cells.total > m->layout.cell_room ||
                      m->cells.boxes_total > m->layout.box_room))
        mesh_segment_leave(m, MESH_SHARED_MOVED);
    if (m->shared)
        return 0;
    begin = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    rc = mesh_segment_make(m, &err);
    m->account.made_ns += (double)(cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
    if (rc) {
        m->off = 1;
        mesh_fault(m, FAULT_SHARED, rc, "%s; no longer profiled", err.text);
    }
    return rc;
}

void mesh_tell_nothing(struct mm_mesh *m)
{
    m->now.live = 0;
    m->now.count = 0;
    for (int p = 0; p < MM_MESH_PROBES; p++)
        m->now.lane[p].serves = MM_MESH_IDLE;
}

/* Set how probes are served in this step; unused probe numbers are served by functions,
 * which report an error. */
static void set_probes(struct mm_mesh *m)
{
    for (int p = m->probe_count; p < MM_MESH_PROBES; p++)
        m->now.lane[p].serves = MM_MESH_CALLS;
    for (int p = 0; p < m->probe_count; p++) {
        struct probe *probe = m->probes[p];
        struct mm_mesh_lane *lane = &m->now.lane[p];

        probe->mean = NAN;
        lane->calls = lane->held = 0;
        lane->most = m->most;
        lane->serves = MM_MESH_IDLE;
        m->begun_ticks[p] = lane->last;
        if (!probe->wanted)
            continue;
        lane->serves = MM_MESH_CALLS;
        if (probe->kind == PROBE_GIVEN)
            lane->serves = MM_MESH_GIVEN;
        else if (m->most > 1)
            lane->serves = MM_MESH_HOLDS;
        else if (m->origin.tsc && probe->kind <= PROBE_CYCLES)
            lane->serves = MM_MESH_TICKS;
    }
}

/* Take and fill a slot. Returns like mesh_slot_begin. */
static int fill_slot(struct mm_mesh *m, int64_t step, double time_s)
{
    int rc = fit_segment(m);

    if (rc)
        return rc;
    atomic_store_explicit(&m->shared->every, (uint32_t)m->every, memory_order_relaxed);
    m->slot = take_free(m);
    if (!m->slot) {
        count_dropped(m, step);
        return 0;
    }
    m->slot->step = step;
    m->slot->time_s = time_s;
    m->slot->every = (uint32_t)m->every;
    lay_slot(m);
    return 1;
}

int mesh_slot_begin(struct mm_mesh *m, int64_t step, double time_s)
{
    int rc = fill_slot(m, step, time_s);

    if (rc > 0)
        set_probes(m);
    return rc;
}

/* Convert a mask of all declared probes to a mask of the selected probes, as the
 * segment's header numbers them. */
static uint64_t wanted_bits(const struct mm_mesh *m, uint64_t bits)
{
    uint64_t packed = 0;
    int to = 0;

    for (int p = 0; p < m->probe_count; p++)
        if (m->probes[p]->wanted)
            packed |= (bits >> p & 1) << to++;
    return packed;
}

/* End the step for a probe: its ticks are converted to ns. Returns whether the probe has
 * values in this step. */
static int end_probe(struct mm_mesh *m, int p)
{
    struct mm_mesh_lane *lane = &m->now.lane[p];
    float scale = (float)m->ns_per_tick;

    if (!m->probes[p]->wanted)
        return 0;
    mesh_run_end(m, p);
    if (m->probes[p]->kind == PROBE_TIME && m->origin.tsc)
        for (uint64_t c = 1; c <= m->cells.total; c++)
            lane->value[c] *= scale;
    /* Calls of probes that read the counter inline are not counted, to save time. */
    return lane->calls > 0 ||
           (lane->serves == MM_MESH_TICKS && lane->last != m->begun_ticks[p]);
}

void mesh_slot_end(struct mm_mesh *m)
{
    struct mesh_slot *slot = m->slot;
    uint64_t told = 0, blocks = 0;

    if (!slot)
        return;
    for (int p = 0; p < m->probe_count; p++) {
        told |= (uint64_t)end_probe(m, p) << p;
        blocks |= (uint64_t)(m->now.lane[p].serves == MM_MESH_HOLDS) << p;
    }
    slot->told = wanted_bits(m, told);
    slot->blocks = wanted_bits(m, blocks);
    slot->faults = m->faults;
    mesh_tell_nothing(m);
    m->slot = NULL;
    atomic_store_explicit(&slot->word, m->fillings * MESH_SLOT_STATES + MESH_SLOT_FULL,
                          memory_order_release);
    atomic_fetch_add_explicit(&m->shared->filled, 1, memory_order_release);
}

/* Copy values of cells that stayed into the slot: `from` has the old values at the
 * offsets of `before`. */
static void keep_values(struct mm_mesh *m, int p, const struct cells *before,
                        const float *from)
{
    const struct run *a = before->runs, *b = m->cells.runs;
    const struct run *a_end = a + before->run_count, *b_end = b + m->cells.run_count;

    while (a < a_end && b < b_end) {
        int64_t a_last = a->first + (int64_t)a->count;
        int64_t b_last = b->first + (int64_t)b->count;
        int64_t first = a->first > b->first ? a->first : b->first;
        int64_t last = a_last < b_last ? a_last : b_last;

        if (first < last)
            memcpy(m->now.lane[p].value + 1 + b->base + (first - b->first),
                   from + a->base + (first - a->first),
                   (size_t)(last - first) * sizeof *from);
        if (a_last <= b_last)
            a++;
        else
            b++;
    }
}

/* Fill the slot of the current step again after cells moved: its values are copied out
 * first, because the new cells may need another segment. Returns 0, or -ENOMEM: the step
 * is lost. */
static int move_values(struct mm_mesh *m, const struct cells *before)
{
    float *values[MM_MESH_PROBES] = {0};
    size_t bytes = before->total * sizeof(float);
    struct mesh_slot head = {.step = m->slot->step, .time_s = m->slot->time_s};
    int rc = 0;

    for (int p = 0; p < m->probe_count && !rc; p++)
        if (m->probes[p]->wanted) {
            mesh_run_end(m, p);
            values[p] = malloc(bytes + 1);
            rc = values[p] ? 0 : -ENOMEM;
            if (!rc)
                memcpy(values[p], m->now.lane[p].value + 1, bytes);
        }
    if (!rc && m->cells.total <= m->layout.cell_room &&
        m->cells.boxes_total <= m->layout.box_room) {
        lay_slot(m);
    } else {
        atomic_store_explicit(&m->slot->word, m->fillings * MESH_SLOT_STATES,
                              memory_order_release);
        m->slot = NULL;
        if (rc || fill_slot(m, head.step, head.time_s) <= 0)
            mesh_tell_nothing(m);
    }
    for (int p = 0; p < m->probe_count; p++) {
        if (values[p] && m->slot)
            keep_values(m, p, before, values[p]);
        free(values[p]);
    }
    return rc;
}

int mesh_cells_replace(struct mm_mesh *m, struct cells *cells)
{
    struct cells before = m->cells;
    int rc = 0;

    m->cells = *cells;
    memset(cells, 0, sizeof *cells);
    if (m->slot)
        rc = move_values(m, &before);
    mesh_cells_done(&before);
    return rc;
}
