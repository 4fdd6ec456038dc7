/* SPDX-License-Identifier: BSD-3-Clause */
/* complain.c: print a message on standard error before the program ends early. */
#include <stdarg.h>
#include <stdio.h>

#include "framework/cmd/cmd.h"

int ccafe_complain(int status, const char *format, ...)
{
    va_list args;
    int taken;

    va_start(args, format);
    taken = ccafe_ranks_complain(format, args);
    va_end(args);
    if (taken)
        return status;
    fflush(stdout);
    fputs("ccafe: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
    return status;
}
