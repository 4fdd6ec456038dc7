/* SPDX-License-Identifier: BSD-3-Clause */
/* confined.h: recording ends before the program confines itself (seccomp). */
#ifndef MASTERMIND_PRELOAD_PROCESS_CONFINED_H
#define MASTERMIND_PRELOAD_PROCESS_CONFINED_H

/* Choose the function to call immediately before system calls are forbidden. From then on
 * nothing of the recorder may make one. */
void mm_confined_call(void (*end)(void));

#endif
