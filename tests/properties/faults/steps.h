/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.h: what one iteration of faults.c is made of; a library for `mastermind record`.
 */
#ifndef STEPS_H
#define STEPS_H

/* Sleep, for work that needs no core. */
int work(int microseconds);
/* Work that one rank does while the others wait. */
int serial(int microseconds);
/* MPI_Barrier. */
int agree(void);
/* MPI_Allreduce of one number. */
int total(void);
/* MPI_Bcast of one number from rank 0, who sleeps before. */
int spread(int microseconds);
/* Each odd rank sends to the even one before it, after a sleep; `large`: by MPI_Ssend,
 * and it is the receiver who sleeps. */
int exchange(int microseconds, int large);
/* MPI_Comm_dup, to which rank 0 comes so much later. */
int setup(int microseconds);
/* `count` messages of a byte from each odd rank to the even one before it and back. */
int chatter(int count);
/* Two threads that sleep one after the other, in a critical section. */
int locked(int microseconds);
/* Sleeps 100 us for each of `n`, and `extra` more. */
int solve(int n, int extra);

#endif
