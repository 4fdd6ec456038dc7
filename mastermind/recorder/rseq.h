/* SPDX-License-Identifier: BSD-3-Clause */
/* rseq.h: a word of the calling thread that the kernel clears when it takes the thread
 * off its core (Linux 4.18, glibc 2.35; x86-64).
 *
 * The word is the field rseq_cs of the struct rseq that glibc has registered. It may hold
 * the address of the description of a critical section; when the thread comes back to its
 * core outside that section, the kernel clears the field. The descriptions here are of
 * sections in which no thread ever runs. They lie in memory of their own that is never
 * unmapped: the kernel would end a thread whose description is gone. */
#ifndef MASTERMIND_RECORDER_RSEQ_H
#define MASTERMIND_RECORDER_RSEQ_H

#include <stdint.h>

enum mm_rseq {
    MM_RSEQ_NONE,      /* there is no such word */
    MM_RSEQ_PREEMPTED, /* cleared where the thread was interrupted, not in its waits */
    MM_RSEQ_ALL
};

/* What this process has; found out once, by a wait of a microsecond. Any thread. */
enum mm_rseq mm_rseq_kind(void);
/* The calling thread's word, or NULL. */
volatile uint64_t *mm_rseq_word(void);
/* Arm the calling thread's word, unless it is armed. Returns what it holds now, 0: others
 * use it. `before`: what it held when it was armed last, 0: never; the new value differs.
 */
uint64_t mm_rseq_arm(volatile uint64_t *word, uint64_t before);

#endif
