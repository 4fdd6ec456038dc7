/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h: the message of `mastermind` to its launcher, of the same build. */
#ifndef MASTERMIND_LIBRARY_LAUNCH_LAUNCHER_MESSAGE_H
#define MASTERMIND_LIBRARY_LAUNCH_LAUNCHER_MESSAGE_H

#include <stdint.h>

struct launch_head {
    uint32_t word_count, variable_count; /* arguments, and "NAME=VALUE" */
    int32_t death_signal; /* signal that the program gets when `mastermind` ends */
    uint64_t bytes;       /* size of all strings, which follow */
};

#endif
