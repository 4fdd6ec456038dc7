/* SPDX-License-Identifier: BSD-3-Clause */
/* variadic.h: find the function that takes the arguments of a variadic one as a va_list.
 */
#ifndef PROXYGEN_VARIADIC_H
#define PROXYGEN_VARIADIC_H

#include <clang-c/Index.h>

/* True if `name` is the name of `variadic` with a 'v' inserted: vprintf, gzvprintf,
 * xmlStrVPrintf. */
int pg_variadic_named(const char *variadic, const char *name);

/* True if a function of type `other` takes the fixed arguments of type `variadic`, then a
 * va_list, and returns the same type. */
int pg_variadic_fits(CXType variadic, CXType other);

#endif
