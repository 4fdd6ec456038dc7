/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h: the one place that includes cmocka, which needs four headers first, and those
 * of the C library that most tests need.
 *
 * A test program is its cases, and TESTS at the end:
 *
 *     TEST(first_error_wins)
 *     {
 *         assert_int_equal(...);
 *     }
 *     TESTS(NULL, NULL)
 *
 * The name of a case states a claim. Cases run in the order of the file; each has the
 * argument `void **test_state`. TEST_WITH names functions that run before and after a
 * case, TESTS those around all. */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct CMUnitTest test_list[64] __attribute__((unused));
static size_t test_total __attribute__((unused));

#define TEST_WITH(name, set_up, tear_down)                                               \
    static void name(void **test_state);                                                 \
    __attribute__((constructor)) static void name##_is_listed(void)                      \
    {                                                                                    \
        if (test_total == sizeof test_list / sizeof *test_list)                          \
            abort();                                                                     \
        test_list[test_total++] =                                                        \
            (struct CMUnitTest){#name, name, set_up, tear_down, NULL};                   \
    }                                                                                    \
    static void name(void **test_state __attribute__((unused)))
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TESTS(set_up, tear_down)                                                         \
    int main(void)                                                                       \
    {                                                                                    \
        return cmocka_run_group_tests(test_list, set_up, tear_down);                     \
    }

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
