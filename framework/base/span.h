/* SPDX-License-Identifier: BSD-3-Clause */
/* span.h: find the address range of a loaded shared object. */
#ifndef FRAMEWORK_BASE_SPAN_H
#define FRAMEWORK_BASE_SPAN_H

#include <stdint.h>

/* Addresses from `start` to `end`, without `end`. An address in memory is `base` plus the
 * address in the file. */
struct cca_span {
    uintptr_t base, start, end;
};

/* The range of the object that contains `address`; zeros: there is none. */
struct cca_span cca_span_of(const void *address);

#endif
