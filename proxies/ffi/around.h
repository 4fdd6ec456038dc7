/* SPDX-License-Identifier: BSD-3-Clause */
/* around.h: what is done around a call: numbers that are got from other methods of the
 * target, and what is remembered about handles. */
#ifndef PROXIES_FFI_AROUND_H
#define PROXIES_FFI_AROUND_H

#include "proxies/ffi/call.h"

enum { FPROXY_GETS = 8, FPROXY_NAMES = 8 };

/* What one call has got; frame->got points into it. */
struct fproxy_got {
    const union monitor_value *got[FPROXY_GETS]; /* NULL: missing */
    union monitor_value values[FPROXY_GETS][FPROXY_NAMES];
};

/* Make the calls that get numbers before or after the call; `kept_only`: those that what
 * is remembered needs. Preserves errno and the floating-point environment, as do the
 * others. */
void fproxy_get_numbers(const struct fproxy_method *made, void *target, int after,
                        int kept_only, struct pg_frame *frame, struct fproxy_got *got);

void fproxy_forget(const struct fproxy_method *made, struct pg_frame *frame);
void fproxy_remember(const struct fproxy_method *made, struct pg_frame *frame);

#endif
