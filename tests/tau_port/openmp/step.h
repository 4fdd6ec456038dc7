/* SPDX-License-Identifier: BSD-3-Clause */
/* step.h: a library for `mastermind record`: step.c. */
#ifndef STEP_H
#define STEP_H

/* Work alone for `ms`; then, if `threads` is not 0, with so many for 20 ms, 40 ms ... */
int step(int ms, int threads);

#endif
