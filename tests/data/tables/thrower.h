/* SPDX-License-Identifier: BSD-3-Clause */
/* thrower.h: a table whose function may throw. */
struct thrower {
    int (*call)(void *context, int n);
};
