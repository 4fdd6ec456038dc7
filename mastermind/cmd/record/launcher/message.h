/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h: the message of `mastermind record` to its launcher, of the same build. */
#ifndef MASTERMIND_CMD_RECORD_LAUNCHER_MESSAGE_H
#define MASTERMIND_CMD_RECORD_LAUNCHER_MESSAGE_H

#include <stdint.h>

struct launch_head {
    /* numbers of arguments, and of variables "NAME=VALUE" */
    uint32_t word_count, variable_count;
    uint64_t bytes; /* size of all strings, which follow */
};

#endif
