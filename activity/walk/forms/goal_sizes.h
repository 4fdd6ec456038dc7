/* SPDX-License-Identifier: BSD-3-Clause */
/* goal_sizes.h: how many bytes each receive of a run takes. Senders alone know; the n-th
 * receive of a pair of processes and a tag takes what the n-th send of them sends. */
#ifndef ACTIVITY_WALK_FORMS_GOAL_SIZES_H
#define ACTIVITY_WALK_FORMS_GOAL_SIZES_H

#include <stddef.h>
#include <stdint.h>

struct act_sends {
    struct act_send {
        int64_t to, from, tag, bytes;
        size_t number; /* in the order of adding */
        size_t taken;  /* of the first one of a pair and tag: receives so far */
    } * all;
    size_t count;
};

/* Add a send: 0 or -ENOMEM. */
int act_sends_add(struct act_sends *sends, int64_t from, int64_t to, int64_t tag,
                  int64_t bytes);
/* When all are added, before the first is taken. */
void act_sends_sort(struct act_sends *sends);
/* The bytes of the next receive; -1: nobody sends it. */
int64_t act_sends_take(struct act_sends *sends, int64_t from, int64_t to, int64_t tag);
void act_sends_done(struct act_sends *sends);

#endif
