/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h: the one place that includes cmocka, which needs four headers first. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* How often: FAULT_<name> in the environment, else `many` in a soak run, else `few`. */
static inline int test_count(const char *name, int few, int many)
{
    char variable[64] = "FAULT_";
    const char *text = getenv(strncat(variable, name, sizeof variable - 7));

    return text ? atoi(text) : getenv("SOAK") ? many : few;
}

#endif
