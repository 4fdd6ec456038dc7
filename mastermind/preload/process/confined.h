/* SPDX-License-Identifier: BSD-3-Clause */
/* confined.h: recording ends before the program confines itself (seccomp), or makes a
 * process that shares its memory and its thread-local storage. */
#ifndef MASTERMIND_PRELOAD_PROCESS_CONFINED_H
#define MASTERMIND_PRELOAD_PROCESS_CONFINED_H

/* Choose the function to call immediately before that, with the reason, a whole clause.
 * From then on the recorder may make no system call. */
void mm_confined_call(void (*end)(const char *why));

#endif
