/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h: counts of one thread: its stack of timers, its timers and its events. */
#ifndef TAU_PORT_TALLY_H
#define TAU_PORT_TALLY_H

#include "ports/measurement_port.h"
#include "tau_port/names.h"

/* Counts of a timer in one thread, or summed over threads that have ended. */
struct meas_count {
    /* the timer; NULL: it was not started in this thread */
    const struct meas_name *timer;
    int active; /* number of counted frames of the timer on the stack */
    /* sums over frames of the timer that have ended */
    struct measurement_timer_values values;
};

/* An event: Welford's running mean and sum of squared deviations. */
struct meas_moments {
    int64_t count;
    double min, max, mean, squares;
};

/* A started timer. Timers of a disabled group are stacked, too, so that stop finds
 * them even if the group is switched in between. They are not counted; time below such
 * a frame belongs to the nearest counted frame. */
struct meas_frame {
    int timer;
    int counted;
    int64_t start_ns;
    int64_t below_ns; /* inclusive time of counted timers that were started directly
                       * inside this one */
};

/* Timers and events of one thread. A struct of zeros is empty. One thread writes; the
 * caller serialises it with readers. */
struct meas_tally {
    struct meas_frame *frames;
    size_t depth, frame_capacity;
    struct meas_count *timers; /* counts by id of the timer */
    size_t timer_count;
    struct meas_moments *events; /* statistics by id of the event */
    size_t event_count;
};

/* Reserve memory for the next start of a timer, or the next value of an event. Returns 0
 * or -ENOMEM. */
int meas_tally_reserve_timer(struct meas_tally *tally, int timer);
int meas_tally_reserve_event(struct meas_tally *tally, int event);
int meas_tally_reserve_frame(struct meas_tally *tally);

/* Push a frame and return it; the caller sets start_ns, last of all. The memory must
 * be reserved. */
struct meas_frame *meas_tally_push(struct meas_tally *tally,
                                   const struct meas_name *timer, int counted);
/* Pop the topmost frame, stopped at `now_ns`. */
void meas_tally_pop(struct meas_tally *tally, int64_t now_ns);
void meas_tally_enter(struct meas_tally *tally, int event, double value);

/* Add a tally's counts of a timer, or its statistics of an event, to `*sum`. With
 * `now_ns` >= 0 running timers count up to then. */
void meas_tally_sum_timer(const struct meas_tally *tally, int timer, int64_t now_ns,
                          struct measurement_timer_values *sum);
void meas_tally_sum_event(const struct meas_tally *tally, int event,
                          struct meas_moments *sum);

/* Add all of `from`, whose stack is empty, to `*into`. Returns 0; -ENOMEM: nothing is
 * changed. */
int meas_tally_fold(struct meas_tally *into, const struct meas_tally *from);
void meas_tally_done(struct meas_tally *tally);

#endif
