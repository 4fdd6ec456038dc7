/* SPDX-License-Identifier: BSD-3-Clause */
/* rseq.h: a word of the calling thread that the kernel clears when it takes the thread
 * off its core (Linux 4.18, glibc 2.35; x86-64).
 *
 * The word is the field rseq_cs of the struct rseq that glibc registers. It may hold the
 * address of the description of a critical section; when the thread returns to a core
 * outside that section, the kernel clears the field. The descriptions used here are of
 * sections in which no thread ever runs. They are in memory that is never unmapped,
 * because the kernel kills a process whose description it cannot read. */
#ifndef MASTERMIND_RECORDER_RSEQ_H
#define MASTERMIND_RECORDER_RSEQ_H

#include <stdint.h>

enum mm_rseq {
    MM_RSEQ_NONE,      /* there is no word that the kernel clears */
    MM_RSEQ_PREEMPTED, /* the kernel clears the word after the thread was interrupted, but
                          not after it waited */
    MM_RSEQ_ALL
};

/* Return the kind of word in this process. It is determined once, by a wait of a
 * microsecond. Any thread. */
enum mm_rseq mm_rseq_kind(void);
/* The calling thread's word that the kernel clears, or NULL. */
volatile uint64_t *mm_rseq_word(void);
/* Arm the calling thread's word (store an address in it that the kernel will clear),
 * unless it is armed. Returns the word's value, or 0 if others use the word. `before` is
 * its value when it was last armed, 0 if never; the new value differs from it. */
uint64_t mm_rseq_arm(volatile uint64_t *word, uint64_t before);

#endif
