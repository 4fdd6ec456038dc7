/* SPDX-License-Identifier: BSD-3-Clause */
/* open_calls.h: which invocations are open now, in all threads. */
#ifndef MASTERMIND_RECORDER_OPEN_CALLS_H
#define MASTERMIND_RECORDER_OPEN_CALLS_H

#include "mastermind/recorder/recorder.h"

struct mm_open_call {
    uint32_t thread; /* as its files are named */
    uint32_t depth;  /* 0: outermost of its thread */
    uint32_t method; /* id */
    double for_s;    /* seconds since it began */
};

/* Visit the open calls of each thread, outermost first. From any thread, while others
 * record: what begins or ends meanwhile may be seen or not. Threads and methods do not
 * come or go until it returns; `visit` may not call the recorder. Returns 0, or -EBUSY
 * where a lock that is never held while a call is bracketed could not be had within a
 * second. */
int mm_recorder_open_calls(struct mm_recorder *recorder,
                           void (*visit)(void *context, const struct mm_open_call *call),
                           void *context);

/* The process ends now, with calls open: keep the time in their rings. Signal handlers
 * may call it. */
void mm_recorder_ends(struct mm_recorder *recorder);

#endif
