/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.c: the host's share of a row, from gaps: long times in which no call of the
 * thread ended, with a reading of CPU time at the end.
 *
 * Calls are nested, so rows with one caller lie within the same outer rows. Their gaps
 * are summed in one group, but the first gap is kept apart, because the caller may have
 * begun in it. */
#include "mastermind/reader/evidence.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"

/* Time that a thread lost in a gap, or that a row lost in all its gaps. */
struct loss {
    int64_t ns;
    int waited;
};

struct gap {
    uint64_t start, end; /* first and last time of the gap, in ticks */
    uint64_t until; /* rows that ended before this time, in ticks, contain the loss */
    struct loss loss;
};

/* The gaps of finished rows with the same caller. */
struct mm_gap_group {
    uint64_t caller; /* invocation number of the caller */
    uint64_t end;    /* end of the last gap of the group, in ticks */
    struct gap first;
    struct loss rest; /* loss in the gaps other than `first` */
    struct loss own;  /* loss in these gaps outside of the caller's callees */
};

enum {
    MOST_GROUPS = 4096
}; /* largest number of groups of gaps; groups of callers without rows are never
    * removed */

void mm_evidence_reset(struct mm_evidence *e)
{
    e->has_last = e->closes = 0;
    e->end = 0;
    e->group_count = 0;
}

void mm_evidence_done(struct mm_evidence *e)
{
    free(e->groups);
    e->groups = NULL;
}

int mm_evidence_reading(struct mm_evidence *e, const uint64_t *words,
                        struct mm_interval *interval)
{
    uint64_t ticks = words[MM_READING_TICKS], cpu_ns = words[MM_READING_CPU];
    uint64_t switches = words[MM_READING_SWITCHES];
    double wall_ns = (double)(int64_t)(ticks - e->last_ticks) * e->ns_per_tick;
    double lost_ns = wall_ns - (double)(int64_t)(cpu_ns - e->last_cpu_ns);
    int is_first = !e->has_last;

    if (!is_first) {
        *interval = (struct mm_interval){
            .start_ns = (int64_t)e->last_ticks,
            .wall_ns = wall_ns > 0 && wall_ns < 9e18 ? (int64_t)wall_ns : 0,
            .cpu_ns = (int64_t)(cpu_ns - e->last_cpu_ns),
            .voluntary = (uint32_t)switches - (uint32_t)e->last_switches,
            .involuntary =
                (uint32_t)(switches >> 32) - (uint32_t)(e->last_switches >> 32),
            .recording = mm_reading_kind(words[0]) == MM_READING_BEGINS};
    }
    if (!is_first && mm_reading_kind(words[0]) == MM_READING_ROW) {
        e->closes = 1;
        e->lost_ns = lost_ns > 0 && lost_ns < 9e18 ? (int64_t)lost_ns : 0;
        e->waited = interval->voluntary != 0;
    }
    e->has_last = 1;
    e->last_ticks = ticks;
    e->last_cpu_ns = cpu_ns;
    e->last_switches = switches;
    return !is_first;
}

static void add_loss(struct loss *sum, struct loss loss)
{
    sum->ns += loss.ns;
    sum->waited |= loss.waited;
}

/* Return the loss of a gap, limited to the part between two times; 0 if this part is too
 * short. */
static struct loss loss_between(const struct mm_evidence *e, const struct gap *gap,
                                uint64_t from, uint64_t to)
{
    double part_ns;

    if (from < gap->start)
        from = gap->start;
    part_ns = to > from ? (double)(to - from) * e->ns_per_tick : 0;
    if (part_ns < MM_GAP_NS)
        return (struct loss){0, 0};
    return (struct loss){part_ns < (double)gap->loss.ns ? (int64_t)part_ns : gap->loss.ns,
                         gap->loss.waited};
}

/* Merge a group of gaps into an earlier group; both lie within the same outer rows. */
static void join_groups(const struct mm_evidence *e, struct mm_gap_group *group,
                        const struct mm_gap_group *later)
{
    const struct gap *gap = &later->first;

    add_loss(&group->rest, loss_between(e, gap, gap->start, gap->end));
    add_loss(&group->rest, later->rest);
    add_loss(&group->own, loss_between(e, gap, gap->start, gap->until));
    add_loss(&group->own, later->own);
    group->end = later->end;
}

static int push_group(struct mm_evidence *e, const struct mm_gap_group *group)
{
    struct mm_gap_group *top;

    if (e->group_count) {
        top = &e->groups[e->group_count - 1];
        if (top->caller == group->caller || e->group_count == MOST_GROUPS) {
            join_groups(e, top, group);
            return 0;
        }
    }
    if (cca_array_reserve(&e->groups, e->group_count, sizeof *e->groups))
        return -ENOMEM;
    e->groups[e->group_count++] = *group;
    return 0;
}

/* If a gap ends with the row, make a group of it and return 1. If the clock went
 * backwards, there is no gap. */
static int close_gap(struct mm_evidence *e, const struct mm_row_place *p,
                     struct mm_gap_group *group)
{
    uint64_t start = p->before > e->end ? p->before : e->end;

    if (!e->closes || p->end <= start ||
        (double)(p->end - start) * e->ns_per_tick < MM_GAP_NS)
        return 0;
    *group = (struct mm_gap_group){.end = p->end};
    group->first = (struct gap){start, p->end, p->end, {e->lost_ns, e->waited}};
    e->end = p->end;
    return 1;
}

/* Sum over the gaps in which a row (call) may have lost time. */
struct account {
    struct mm_gap_group group; /* sum of all groups of gaps that were added */
    size_t count;
    struct loss all, own;
};

/* Add a group of gaps whose last gap ends in the row that began at `start`. */
static void add_group(const struct mm_evidence *e, struct account *a, uint64_t start,
                      const struct mm_gap_group *group)
{
    const struct gap *gap = &group->first;

    add_loss(&a->all, loss_between(e, gap, start, gap->end));
    add_loss(&a->all, group->rest);
    add_loss(&a->own, loss_between(e, gap, start, gap->until));
    add_loss(&a->own, group->own);
    if (a->count++)
        join_groups(e, &a->group, group);
    else
        a->group = *group;
}

/* Give the gaps that a row lies in to its caller, because the row is finished. */
static void settle(struct account *a, const struct mm_row_place *p)
{
    struct gap *first = &a->group.first;
    uint64_t start = p->end - p->wall;

    a->group.caller = p->caller;
    a->group.own = (struct loss){0, 0};
    if (first->until > start)
        first->until = start > first->start ? start : first->start;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Set the lost time of a row. MPI libraries may wait by yielding the core repeatedly,
 * which the kernel does not count as voluntary switches; so a long time inside MPI counts
 * as waiting. */
static void set_losses(const struct account *a, struct mm_row *row)
{
    int64_t off_cpu_ns = row->wall_ns;
    int yields = row->mpi_ns >= MM_GAP_NS;

    if (row->cpu_ns >= 0)
        off_cpu_ns = row->cpu_ns < row->wall_ns ? row->wall_ns - row->cpu_ns : 0;
    row->lost_ns = least(a->all.ns, off_cpu_ns);
    row->lost_exclusive_ns = least(least(a->own.ns, row->lost_ns), row->exclusive_ns);
    row->waited = a->all.waited || (yields && row->lost_ns > 0);
    row->waited_exclusive = a->own.waited || (yields && row->lost_exclusive_ns > 0);
}

int mm_evidence_of_gaps(struct mm_evidence *e, const struct mm_row_place *p,
                        struct mm_row *row)
{
    uint64_t start = p->end - p->wall;
    struct account account = {.count = 0};
    struct mm_gap_group fresh;
    int closes = close_gap(e, p, &fresh);
    size_t i = e->group_count;

    e->closes = 0;
    while (i && e->groups[i - 1].end > start)
        i--;
    for (size_t at = i; at < e->group_count; at++)
        add_group(e, &account, start, &e->groups[at]);
    e->group_count = i;
    if (closes)
        add_group(e, &account, start, &fresh);
    if (account.count) {
        set_losses(&account, row);
        settle(&account, p);
        if (p->caller)
            return push_group(e, &account.group);
    }
    if (!p->caller)
        e->group_count = 0;
    return 0;
}
