/* SPDX-License-Identifier: BSD-3-Clause */
/* write_signals.h: keep SIGXFSZ and SIGPIPE from killing the process when it writes.
 *
 * The kernel sends SIGXFSZ beyond the file size limit, and SIGPIPE on a pipe without a
 * reader. Measurement output must not end the program. Between hold and release a
 * write fails with EFBIG or EPIPE instead. */
#ifndef MASTERMIND_WRITER_WRITE_SIGNALS_H
#define MASTERMIND_WRITER_WRITE_SIGNALS_H

#include <signal.h>

struct mm_write_signals {
    sigset_t before;  /* signal mask before hold */
    sigset_t pending; /* signals that were pending for the program before hold */
};

/* Block the signals in the calling thread, until mm_write_signals_release, which
 * preserves errno. Pairs of the two calls may be nested. Any thread. */
void mm_write_signals_hold(struct mm_write_signals *held);
void mm_write_signals_release(const struct mm_write_signals *held);

#endif
