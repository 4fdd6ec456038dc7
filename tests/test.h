/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h: the one place that includes cmocka, which needs four headers first. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
