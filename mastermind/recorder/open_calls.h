/* SPDX-License-Identifier: BSD-3-Clause */
/* open_calls.h: the open invocations of all threads. */
#ifndef MASTERMIND_RECORDER_OPEN_CALLS_H
#define MASTERMIND_RECORDER_OPEN_CALLS_H

#include "mastermind/recorder/recorder.h"

struct mm_open_call {
    uint32_t thread; /* number of the thread, as in its file names */
    uint32_t depth; /* number of open calls that contain this call; 0: it is the outermost
                       of its thread */
    uint32_t method; /* id of the method */
    double for_s;    /* seconds since the start of the call */
};

/* Visit the open calls of each thread, outermost first. Any thread may call it while
 * others record; calls that begin or end meanwhile may be visited or not. No threads or
 * methods are added or removed until it returns; `visit` may not call the recorder.
 * Returns 0, or -EBUSY: the recorder's lock was not free within a second. */
int mm_recorder_open_calls(struct mm_recorder *recorder,
                           void (*visit)(void *context, const struct mm_open_call *call),
                           void *context);

/* Store the current time, at which the process ends, in the rings of threads with open
 * calls. May be called from a signal handler. */
void mm_recorder_ends(struct mm_recorder *recorder);

#endif
