/* SPDX-License-Identifier: BSD-3-Clause */
/* goal_sizes.h: sizes of a run's receives. Only sends have sizes in a model; the n-th
 * receive of a pair of processes and a tag has the size of their n-th send. */
#ifndef ACTIVITY_WALK_FORMS_GOAL_SIZES_H
#define ACTIVITY_WALK_FORMS_GOAL_SIZES_H

#include <stddef.h>
#include <stdint.h>

struct act_sends {
    struct act_send {
        int64_t to, from, tag, bytes;
        size_t number; /* number of the send in the order of adding */
        size_t taken;  /* in the first send of a pair of processes and a tag: number of
                        * their receives so far */
    } * all;
    size_t count;
};

/* Add a send. Returns 0 or -ENOMEM. */
int act_sends_add(struct act_sends *sends, int64_t from, int64_t to, int64_t tag,
                  int64_t bytes);
/* Sort the sends, after the last is added and before the first is taken. */
void act_sends_sort(struct act_sends *sends);
/* The size of the next receive, bytes; -1: there is no send for it. */
int64_t act_sends_take(struct act_sends *sends, int64_t from, int64_t to, int64_t tag);
void act_sends_done(struct act_sends *sends);

#endif
