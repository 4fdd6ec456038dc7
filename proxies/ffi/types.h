/* SPDX-License-Identifier: BSD-3-Clause */
/* types.h: conversion of described values to libffi types. */
#ifndef PROXIES_FFI_TYPES_H
#define PROXIES_FFI_TYPES_H

#include <ffi.h>

#include "proxies/ffi/pool.h"
#include "tools/proxygen/perf/model.h"

/* Return the libffi type of an argument or result: of a number as `value` describes it,
 * of anything else as `layout` does. It lives as long as the pool. NULL: out of memory,
 * and `*why` is NULL; or libffi cannot pass such values, and `*why` is the reason. */
ffi_type *fproxy_type(struct fproxy_pool *pool, const struct pg_scalar *value,
                      const struct pg_layout *layout, const char **why);

/* True if libffi reads a result from other registers than compilers use. */
int fproxy_result_is_lost(const ffi_type *type);

#endif
