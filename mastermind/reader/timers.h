/* SPDX-License-Identifier: BSD-3-Clause */
/* timers.h: the timers and events of a rank, which belong to no single method. */
#ifndef MASTERMIND_READER_TIMERS_H
#define MASTERMIND_READER_TIMERS_H

#include "mastermind/reader/experiment.h"

struct mm_timer {
    char *name, *group; /* name and group of the timer; "" if absent */
    int64_t calls, subroutines, inclusive_ns, exclusive_ns;
};

struct mm_event {
    char *name; /* name of the event; "" if absent */
    int64_t count;
    double min, max, mean, sd;
};

/* Timers and events of a rank. A struct of zeros has none. */
struct mm_timers {
    struct mm_timer *timers;
    size_t timer_count;
    struct mm_event *events;
    size_t event_count;
};

/* Read the timers and events written by a rank. For a rank that did not end normally, the
 * timers are its MPI calls, if any. Returns 0 or a negative errno with `err`; call
 * mm_timers_done in any case. */
int mm_experiment_timers(const struct mm_experiment *experiment, int rank,
                         struct mm_timers *timers, struct cca_error *err);
/* Append a timer, whose strings are copied. Returns 0 or -ENOMEM. */
int mm_timers_add(struct mm_timers *timers, const struct mm_timer *timer);
void mm_timers_done(struct mm_timers *timers);

/* Times of a rank's whole process, of which its recorded calls are a part. */
struct mm_process_times {
    int64_t elapsed_ns; /* elapsed time from the moment when recording was possible to
                           the end; 0: unknown */
    int64_t cpu_ns;     /* CPU time of all threads */
    int64_t load_ns;    /* time for loading libraries before recording was possible; 0:
                           unknown */
    /* CPU time of its threads for measuring, without the cost within recorded calls, and
     * without the helper thread. */
    int64_t measuring_ns;
    int threads; /* number of threads that called measured functions */
    /* largest resident memory, including the recorder's; 0: unknown */
    int64_t peak_bytes;
};

/* Read the times of a rank's process. Returns 0 or a negative errno with `err`. */
int mm_experiment_process(const struct mm_experiment *experiment, int rank,
                          struct mm_process_times *times, struct cca_error *err);

#endif
