/* SPDX-License-Identifier: BSD-3-Clause */
/* span.h: where in memory a loaded shared object lies. */
#ifndef FRAMEWORK_BASE_SPAN_H
#define FRAMEWORK_BASE_SPAN_H

#include <stdint.h>

/* Addresses from `start` up to, not including, `end`. An address in memory is `base` plus
 * the address in the file. */
struct cca_span {
    uintptr_t base, start, end;
};

/* The span of the object that holds `address`; zeros: no object does. */
struct cca_span cca_span_of(const void *address);

#endif
