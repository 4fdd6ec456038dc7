/* SPDX-License-Identifier: BSD-3-Clause */
/* step.h: a library for `mastermind record`: step.c. */
#ifndef STEP_H
#define STEP_H

/* Work for `ms` alone, then 4 threads for 20, 40, 60 and 80 ms where `parallel` is true. */
int step(int ms, int parallel);

#endif
