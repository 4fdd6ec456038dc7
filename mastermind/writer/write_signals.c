/* SPDX-License-Identifier: BSD-3-Clause */
/* write_signals.c: block SIGXFSZ and SIGPIPE, and discard the signals that our own writes
 * have raised. */
#include "mastermind/writer/write_signals.h"

#include <errno.h>
#include <time.h>

static const int numbers[] = {SIGXFSZ, SIGPIPE};

void mm_write_signals_hold(struct mm_write_signals *held)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&set, numbers[i]);
    pthread_sigmask(SIG_BLOCK, &set, &held->before);
    sigpending(&held->pending);
}

void mm_write_signals_release(const struct mm_write_signals *held)
{
    const struct timespec now = {0, 0};
    int saved = errno;
    sigset_t pending, ours;

    sigpending(&pending);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigemptyset(&ours);
        sigaddset(&ours, numbers[i]);
        if (sigismember(&pending, numbers[i]) == 1 &&
            !sigismember(&held->pending, numbers[i]))
            sigtimedwait(&ours, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    errno = saved;
}
