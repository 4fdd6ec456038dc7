/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.c: counts of one thread: its stack of timers, its timers and its events. */
#include "tau_port/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int meas_tally_reserve_timer(struct meas_tally *tally, int timer)
{
    return cca_array_extend(&tally->timers, &tally->timer_count, sizeof *tally->timers,
                            (size_t)timer + 1);
}

int meas_tally_reserve_event(struct meas_tally *tally, int event)
{
    return cca_array_extend(&tally->events, &tally->event_count, sizeof *tally->events,
                            (size_t)event + 1);
}

int meas_tally_reserve_frame(struct meas_tally *tally)
{
    return cca_array_extend(&tally->frames, &tally->frame_capacity, sizeof *tally->frames,
                            tally->depth + 1);
}

/* The counted frame that is the caller of the frame at `depth`, or NULL. */
static struct meas_frame *caller_of(const struct meas_tally *tally, size_t depth)
{
    while (depth > 0) {
        if (tally->frames[--depth].counted)
            return &tally->frames[depth];
    }
    return NULL;
}

struct meas_frame *meas_tally_push(struct meas_tally *tally,
                                   const struct meas_name *timer, int counted)
{
    struct meas_frame *caller = caller_of(tally, tally->depth);
    struct meas_frame *frame = &tally->frames[tally->depth++];
    struct meas_count *count = &tally->timers[timer->id];

    count->timer = timer;
    if (counted) {
        count->values.calls++;
        count->active++;
        if (caller && caller->timer != timer->id)
            tally->timers[caller->timer].values.subroutines++;
    }
    *frame = (struct meas_frame){.timer = timer->id, .counted = counted};
    return frame;
}

void meas_tally_pop(struct meas_tally *tally, int64_t now_ns)
{
    struct meas_frame *frame = &tally->frames[--tally->depth];
    struct meas_frame *below = tally->depth ? frame - 1 : NULL;
    struct meas_count *count = &tally->timers[frame->timer];
    int64_t elapsed_ns = now_ns > frame->start_ns ? now_ns - frame->start_ns : 0;

    if (!frame->counted) {
        if (below)
            below->below_ns += frame->below_ns;
        return;
    }
    if (--count->active == 0)
        count->values.inclusive_ns += elapsed_ns;
    count->values.exclusive_ns += elapsed_ns - frame->below_ns;
    if (below)
        below->below_ns += elapsed_ns;
}

void meas_tally_enter(struct meas_tally *tally, int event, double value)
{
    struct meas_moments *moments = &tally->events[event];
    double deviation = value - moments->mean;

    if (moments->count == 0 || value < moments->min)
        moments->min = value;
    if (moments->count == 0 || value > moments->max)
        moments->max = value;
    moments->count++;
    moments->mean += deviation / (double)moments->count;
    moments->squares += deviation * (value - moments->mean);
}

static void add_values(struct measurement_timer_values *sum,
                       const struct measurement_timer_values *values)
{
    sum->calls += values->calls;
    sum->subroutines += values->subroutines;
    sum->inclusive_ns += values->inclusive_ns;
    sum->exclusive_ns += values->exclusive_ns;
}

/* Add the running frames of a timer up to now, as if all were popped. */
static void add_running(const struct meas_tally *tally, int timer, int64_t now_ns,
                        struct measurement_timer_values *sum)
{
    int64_t above_ns =
        0; /* the amount that meas_tally_pop would have added to below_ns of this frame */
    int left = tally->timers[timer].active;

    for (size_t i = tally->depth; i-- > 0;) {
        const struct meas_frame *frame = &tally->frames[i];
        int64_t elapsed_ns = now_ns > frame->start_ns ? now_ns - frame->start_ns : 0;
        int64_t below_ns = frame->below_ns + above_ns;

        if (frame->counted && frame->timer == timer) {
            sum->exclusive_ns += elapsed_ns - below_ns;
            if (--left == 0)
                sum->inclusive_ns += elapsed_ns;
        }
        above_ns = frame->counted ? elapsed_ns : below_ns;
    }
}

void meas_tally_sum_timer(const struct meas_tally *tally, int timer, int64_t now_ns,
                          struct measurement_timer_values *sum)
{
    if ((size_t)timer >= tally->timer_count)
        return;
    add_values(sum, &tally->timers[timer].values);
    if (now_ns >= 0)
        add_running(tally, timer, now_ns, sum);
}

static void add_moments(struct meas_moments *sum, const struct meas_moments *moments)
{
    double n = (double)sum->count, m = (double)moments->count;
    double apart = moments->mean - sum->mean;

    if (moments->count == 0)
        return;
    if (sum->count == 0) {
        *sum = *moments;
        return;
    }
    sum->count += moments->count;
    sum->mean += apart * (m / (n + m));
    sum->squares += moments->squares + apart * apart * (n * m / (n + m));
    sum->min = moments->min < sum->min ? moments->min : sum->min;
    sum->max = moments->max > sum->max ? moments->max : sum->max;
}

void meas_tally_sum_event(const struct meas_tally *tally, int event,
                          struct meas_moments *sum)
{
    if ((size_t)event < tally->event_count)
        add_moments(sum, &tally->events[event]);
}

int meas_tally_fold(struct meas_tally *into, const struct meas_tally *from)
{
    if (from->timer_count && meas_tally_reserve_timer(into, (int)from->timer_count - 1))
        return -ENOMEM;
    if (from->event_count && meas_tally_reserve_event(into, (int)from->event_count - 1))
        return -ENOMEM;
    for (size_t i = 0; i < from->timer_count; i++)
        add_values(&into->timers[i].values, &from->timers[i].values);
    for (size_t i = 0; i < from->event_count; i++)
        add_moments(&into->events[i], &from->events[i]);
    return 0;
}

void meas_tally_done(struct meas_tally *tally)
{
    free(tally->frames);
    free(tally->timers);
    free(tally->events);
    memset(tally, 0, sizeof *tally);
}
