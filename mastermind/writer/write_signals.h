/* SPDX-License-Identifier: BSD-3-Clause */
/* write_signals.h: write without dying of it.
 *
 * Beyond the program's limit of file size the system sends SIGXFSZ, on a pipe that nobody
 * reads SIGPIPE: what measuring writes must not end a program that would go on without.
 * Between hold and release a write fails with EFBIG or EPIPE instead. */
#ifndef MASTERMIND_WRITER_WRITE_SIGNALS_H
#define MASTERMIND_WRITER_WRITE_SIGNALS_H

#include <signal.h>

struct mm_write_signals {
    sigset_t before;  /* that were blocked */
    sigset_t pending; /* the program's own */
};

/* For the calling thread; any thread; pairs may nest. release keeps errno. */
void mm_write_signals_hold(struct mm_write_signals *held);
void mm_write_signals_release(const struct mm_write_signals *held);

#endif
