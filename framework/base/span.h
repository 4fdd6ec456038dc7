/* SPDX-License-Identifier: BSD-3-Clause */
/* span.h: where in memory a loaded shared object lies. */
#ifndef FRAMEWORK_BASE_SPAN_H
#define FRAMEWORK_BASE_SPAN_H

#include <stdint.h>

/* `start` to `end`, the latter outside; `base` is what is added to addresses of the file.
 */
struct cca_span {
    uintptr_t base, start, end;
};

/* That of the object which holds `address`; all 0: none does. */
struct cca_span cca_span_of(const void *address);

#endif
