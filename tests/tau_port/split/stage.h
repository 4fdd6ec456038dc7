/* SPDX-License-Identifier: BSD-3-Clause */
/* stage.h: a library for `mastermind record`: stage.c. */
#ifndef STAGE_H
#define STAGE_H

/* Of two ranks, rank 1 waits for rank 0 in one class of calls; `ms`: for how long. */
int stage(int which, int ms);

#endif
