/* SPDX-License-Identifier: BSD-3-Clause */
/* variadic.h: find the function that takes the arguments of a variadic one as a va_list.
 */
#ifndef PROXYGEN_VARIADIC_H
#define PROXYGEN_VARIADIC_H

#include <clang-c/Index.h>

/* True where `name` is that of `variadic` with a 'v' in it: vprintf, gzvprintf,
 * xmlStrVPrintf. */
int pg_variadic_named(const char *variadic, const char *name);

/* True where a function of type `other` takes the arguments of one of type `variadic`,
 * and a va_list behind them, and returns the same. */
int pg_variadic_fits(CXType variadic, CXType other);

#endif
