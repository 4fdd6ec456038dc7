/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.c: gaps, and the parts of them that lie in rows. */
#include "mastermind/reader/evidence.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"

/* A gap that a row closed, with sums over the gaps so far, this one included. */
struct mm_gap {
    uint64_t end;     /* ticks */
    int64_t lost_ns;  /* sum of what was lost, each at most the gap */
    uint32_t waits;   /* number of gaps with a wait */
    uint32_t long_us; /* length of this one */
};

/* A gap as far as no row seen so far had it: its first part. */
struct mm_owned_gap {
    uint64_t start, until, end; /* ticks; rows have it from `until` on */
    int64_t lost_ns;
    int waited;
};

/* What a row has lost. */
struct loss {
    int64_t ns;
    int waited;
};

void mm_evidence_reset(struct mm_evidence *e)
{
    e->has_last = e->closes = 0;
    e->end = 0;
    e->gap_count = e->owned_count = 0;
}

void mm_evidence_done(struct mm_evidence *e)
{
    free(e->gaps);
    free(e->owned);
    e->gaps = NULL;
    e->owned = NULL;
}

void mm_evidence_reading(struct mm_evidence *e, const uint64_t *words)
{
    uint64_t ticks = words[MM_READING_TICKS], cpu_ns = words[MM_READING_CPU];
    uint64_t switches = words[MM_READING_SWITCHES];
    double wall_ns = (double)(int64_t)(ticks - e->last_ticks) * e->ns_per_tick;
    double lost_ns = wall_ns - (double)(int64_t)(cpu_ns - e->last_cpu_ns);

    if (mm_reading_kind(words[0]) == MM_READING_ROW && e->has_last) {
        e->closes = 1;
        e->lost_ns = lost_ns > 0 && lost_ns < 9e18 ? (int64_t)lost_ns : 0;
        e->waited = (uint32_t)switches != (uint32_t)e->last_switches;
    }
    e->has_last = 1;
    e->last_ticks = ticks;
    e->last_cpu_ns = cpu_ns;
    e->last_switches = switches;
}

static int64_t span_ns(const struct mm_evidence *e, uint64_t from, uint64_t to)
{
    return to > from ? (int64_t)((double)(to - from) * e->ns_per_tick) : 0;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Add the gap that the row closes. A clock that went back has made none. */
static int add_gap(struct mm_evidence *e, const struct mm_row_times *t)
{
    uint64_t start = t->before > e->end ? t->before : e->end;
    int64_t long_ns = span_ns(e, start, t->end);
    struct mm_gap *gap;

    if (long_ns < MM_GAP_NS)
        return 0;
    if (cca_array_reserve(&e->gaps, e->gap_count, sizeof *e->gaps) ||
        cca_array_reserve(&e->owned, e->owned_count, sizeof *e->owned))
        return -ENOMEM;
    gap = &e->gaps[e->gap_count];
    *gap = (struct mm_gap){.end = t->end, .lost_ns = least(e->lost_ns, long_ns)};
    gap->waits = e->waited != 0;
    gap->long_us = long_ns / 1000 < UINT32_MAX ? (uint32_t)(long_ns / 1000) : UINT32_MAX;
    if (e->gap_count++) {
        gap->lost_ns += gap[-1].lost_ns;
        gap->waits += gap[-1].waits;
    }
    e->owned[e->owned_count++] =
        (struct mm_owned_gap){start, t->end, t->end, e->lost_ns, e->waited};
    e->end = t->end;
    return 0;
}

/* The first gap that ends behind `start`. */
static size_t first_gap(const struct mm_evidence *e, uint64_t start)
{
    size_t low = 0, high = e->gap_count, middle;

    while (low < high) {
        middle = low + (high - low) / 2;
        if (e->gaps[middle].end > start)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Losses in all gaps that end behind `start`; only the first can begin before it. */
static struct loss inclusive_loss(const struct mm_evidence *e, uint64_t start)
{
    size_t first = first_gap(e, start);
    const struct mm_gap *gap = &e->gaps[first], *last = &e->gaps[e->gap_count - 1];
    int64_t before_ns = first ? gap[-1].lost_ns : 0, part_ns;
    uint32_t waits = first ? gap[-1].waits : 0;
    struct loss loss = {last->lost_ns - gap->lost_ns, last->waits != gap->waits};

    part_ns = least(span_ns(e, start, gap->end), (int64_t)gap->long_us * 1000 + 1000);
    if (part_ns >= MM_GAP_NS) {
        loss.ns += least(gap->lost_ns - before_ns, part_ns);
        loss.waited |= gap->waits != waits;
    }
    return loss;
}

/* Losses in the parts of gaps behind `start` that no row before has had; this row has
 * them now. Parts shorter than a gap are of no use to rows further out. */
static struct loss exclusive_loss(struct mm_evidence *e, uint64_t start)
{
    struct loss loss = {0, 0};
    struct mm_owned_gap *gap;
    size_t i = e->owned_count, kept;
    int64_t part_ns;

    while (i && e->owned[i - 1].end > start)
        i--;
    for (kept = i; i < e->owned_count; i++) {
        gap = &e->owned[i];
        part_ns = span_ns(e, start > gap->start ? start : gap->start, gap->until);
        if (part_ns >= MM_GAP_NS) {
            loss.ns += least(gap->lost_ns, part_ns);
            loss.waited |= gap->waited;
        }
        if (start < gap->until)
            gap->until = start;
        if (span_ns(e, gap->start, gap->until) >= MM_GAP_NS)
            e->owned[kept++] = *gap;
    }
    e->owned_count = kept;
    return loss;
}

int mm_evidence_of_gaps(struct mm_evidence *e, const struct mm_row_times *t,
                        struct mm_row *row)
{
    uint64_t start = t->end - t->wall;
    struct loss all = {0, 0}, own = {0, 0};
    int code = e->closes ? add_gap(e, t) : 0;

    e->closes = 0;
    if (code)
        return code;
    if (e->gap_count && e->end > start) {
        all = inclusive_loss(e, start);
        own = exclusive_loss(e, start);
        all.ns = least(all.ns, row->wall_ns);
        if (row->cpu_ns >= 0)
            all.ns = least(all.ns,
                           row->cpu_ns < row->wall_ns ? row->wall_ns - row->cpu_ns : 0);
        own.ns = least(least(own.ns, all.ns), row->exclusive_ns);
        row->lost_ns = all.ns;
        row->waited = all.waited;
        row->lost_exclusive_ns = own.ns;
        row->waited_exclusive = own.waited;
    }
    if (t->outermost)
        e->gap_count = e->owned_count = 0;
    return 0;
}
