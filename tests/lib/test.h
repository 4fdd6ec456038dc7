/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h: the one place that includes cmocka, which needs four headers first. */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* How this was built: the compiler knows, and so does a test that is run by hand. */
#if defined(__has_feature) /* clang */
#define TEST_FEATURE(name) __has_feature(name)
#else
#define TEST_FEATURE(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || TEST_FEATURE(thread_sanitizer)
#define TEST_TSAN 1
#else
#define TEST_TSAN 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TEST_FEATURE(address_sanitizer)
#define TEST_ASAN 1
#else
#define TEST_ASAN 0
#endif
#if defined(__OPTIMIZE__)
#define TEST_DEBUG 0
#else
#define TEST_DEBUG 1
#endif

/* How often: FAULT_<name> in the environment, else `many` in a soak run, else `few`. */
static inline int test_count(const char *name, int few, int many)
{
    char variable[64] = "FAULT_";
    const char *text = getenv(strncat(variable, name, sizeof variable - 7));

    return text ? atoi(text) : getenv("SOAK") ? many : few;
}

#endif
