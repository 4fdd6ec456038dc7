/* SPDX-License-Identifier: BSD-3-Clause */
/* deadline.h: report the open calls of a run that exceeds its deadline. */
#ifndef MASTERMIND_COMPONENT_DEADLINE_H
#define MASTERMIND_COMPONENT_DEADLINE_H

#include "mastermind/recorder/recorder.h"

/* Names of methods by id; all zero at first. */
struct mm_deadline {
    char **names; /* names by id, such as "driver.go.go" */
    uint32_t count;
    size_t capacity;
};

/* Store the name of method `id`. 0 or -ENOMEM. Called from the recorder's callback
 * on_method. */
int mm_deadline_name(struct mm_deadline *deadline, uint32_t id,
                     const struct monitor_method_decl *decl);
/* Print the open calls of each thread to stderr, one line for each thread, with the
 * prefix `experiment SHOWN: `. Any thread; allocates no memory and uses no stdio stream.
 */
void mm_deadline_say(const struct mm_deadline *deadline, struct mm_recorder *recorder,
                     const char *shown);
void mm_deadline_done(struct mm_deadline *deadline);

#endif
