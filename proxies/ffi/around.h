/* SPDX-License-Identifier: BSD-3-Clause */
/* around.h: work before and after a call: numbers from getters (other methods of the
 * target), and values remembered for handles. */
#ifndef PROXIES_FFI_AROUND_H
#define PROXIES_FFI_AROUND_H

#include "proxies/ffi/call.h"

enum { FPROXY_GETS = 8, FPROXY_NAMES = 8 };

/* Numbers from the getters of one call; frame->got points to them. */
struct fproxy_got {
    const union monitor_value *got[FPROXY_GETS]; /* NULL: missing */
    union monitor_value values[FPROXY_GETS][FPROXY_NAMES];
};

/* Call the getters before or after the call; `kept_only`: only the getters whose numbers
 * will be remembered. Like the other functions of this file, it preserves errno and the
 * floating-point environment. */
void fproxy_get_numbers(const struct fproxy_method *made, void *target, int after,
                        int kept_only, struct pg_frame *frame, struct fproxy_got *got);

void fproxy_forget(const struct fproxy_method *made, struct pg_frame *frame);
void fproxy_remember(const struct fproxy_method *made, struct pg_frame *frame);

#endif
