/* SPDX-License-Identifier: BSD-3-Clause */
/* rseq.h: a word of the calling thread that the kernel clears when it takes the thread
 * off its core (Linux 4.18, glibc 2.35; x86-64).
 *
 * The word is the field rseq_cs of the struct rseq that glibc registers. It may hold the
 * address of the description of a critical section; when the thread returns to a core
 * outside that section, the kernel clears the field. The descriptions used here are of
 * sections in which no thread ever runs. They are in separate memory that is never
 * unmapped, because the kernel ends a thread whose description is missing. */
#ifndef MASTERMIND_RECORDER_RSEQ_H
#define MASTERMIND_RECORDER_RSEQ_H

#include <stdint.h>

enum mm_rseq {
    MM_RSEQ_NONE,      /* there is no word that the kernel clears */
    MM_RSEQ_PREEMPTED, /* the kernel clears the word when the thread was interrupted,
                          not when it waited */
    MM_RSEQ_ALL
};

/* The kind of word in this process; determined once, by a wait of a microsecond. Any
 * thread. */
enum mm_rseq mm_rseq_kind(void);
/* The calling thread's word that the kernel clears, or NULL. */
volatile uint64_t *mm_rseq_word(void);
/* Arm the calling thread's word, unless it is armed. Returns its value, 0: others use it.
 * `before`: its value when it was last armed, 0: never; the new value differs. */
uint64_t mm_rseq_arm(volatile uint64_t *word, uint64_t before);

#endif
