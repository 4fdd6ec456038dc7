/* SPDX-License-Identifier: BSD-3-Clause */
/* collect_steps.c: find out when a step of a profile is complete. */
#include "mesh/agent/collect_core.h"

#include <math.h>
#include <string.h>

#include "common/array.h"

/* Whether no rank can send further data of a step. */
static int step_is_over(const struct profile *p, int64_t step)
{
    int any_closed = 0;

    for (size_t i = 0; i < p->member_count; i++) {
        const struct member *m = &p->members[i];

        any_closed |= m->closed;
        if (!m->closed && !m->late && (!m->any || m->last < step))
            return 0;
    }
    return any_closed || p->ranks == 0 || (int)p->member_count >= p->ranks;
}

int collect_end_steps(struct profile *p, int all, struct cca_error *err)
{
    size_t done = 0;
    int rc = 0;

    while (!rc && done < p->open_count &&
           (all || step_is_over(p, p->open[done].number))) {
        const struct open_step *open = &p->open[done];
        uint32_t expected = (uint32_t)p->ranks;
        struct mm_mesh_step_end end = {.time_s = open->time_s, .ranks = open->ranks};

        if (expected < p->member_count)
            expected = (uint32_t)p->member_count;
        end.lost = expected > open->ranks ? expected - open->ranks : 0;
        /* ranks 0: the only sender died while it sent the step */
        if (open->ranks > 0 && !open->partial) {
            rc = mesh_writer_step(p->writer, open->number, &end, err);
            p->ended = open->number;
            p->any_ended = 1;
        }
        done++;
    }
    if (done > 0)
        memmove(p->open, p->open + done, (p->open_count - done) * sizeof *p->open);
    while (done-- > 0)
        p->open_count--;
    return rc;
}

int collect_has_ended(const struct profile *p, int64_t step)
{
    return p->any_ended && step <= p->ended;
}

struct open_step *collect_open_step(struct profile *p, int64_t number)
{
    size_t at = p->open_count;
    struct open_step *added;

    while (at > 0 && p->open[at - 1].number > number)
        at--;
    if (at > 0 && p->open[at - 1].number == number)
        return &p->open[at - 1];
    added = cca_array_add(&p->open, &p->open_count, sizeof *added);
    if (!added)
        return NULL;
    memmove(p->open + at + 1, p->open + at, (p->open_count - 1 - at) * sizeof *p->open);
    p->open[at] = (struct open_step){
        .number = number, .time_s = (double)NAN, .time_rank = INT32_MAX};
    return &p->open[at];
}

/* Mark open steps between a rank's last step and `end` as partial if the rank did not
 * record them, because they are no multiples of its stride: they are not lost, but
 * incomplete. */
static void mark_partial(struct profile *p, const struct member *m, int64_t end,
                         uint32_t every)
{
    for (size_t i = p->open_count; i-- > 0 && every > 1;) {
        struct open_step *open = &p->open[i];

        if (m->any && open->number <= m->last)
            return;
        if (open->number < end && open->number % (int64_t)every != 0)
            open->partial = 1;
    }
}

void collect_close_member(struct profile *p, struct member *m)
{
    if (m->any)
        mark_partial(p, m, INT64_MAX, m->every);
    m->closed = 1;
}

int collect_step_told(struct profile *p, struct member *m, const struct wire_step *step,
                      struct cca_error *err)
{
    struct open_step *open = collect_open_step(p, step->step);

    if (!open)
        return cca_no_memory(err);
    mark_partial(p, m, step->step, step->every > m->every ? step->every : m->every);
    open->ranks++;
    if (m->rank < open->time_rank) {
        open->time_rank = m->rank;
        open->time_s = step->time_s;
    }
    m->any = 1;
    m->last = step->step;
    m->every = step->every;
    return collect_end_steps(p, 0, err);
}
