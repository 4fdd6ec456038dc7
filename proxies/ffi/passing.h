/* SPDX-License-Identifier: BSD-3-Clause */
/* passing.h: check that the arguments of a signature arrive unchanged through libffi. */
#ifndef PROXIES_FFI_PASSING_H
#define PROXIES_FFI_PASSING_H

#include <ffi.h>

/* Call `closure`, whose code is at `code`, once by ffi_call with known arguments, and
 * compare them with the arguments that arrive. The closure must be prepared again
 * afterwards.
 *
 * Before 3.4.7 libffi for x86-64 overwrites the first floating-point argument with the
 * second half of a struct whose first half takes the sixth integer register.
 *
 * Returns -1 if all arguments arrive; else the index of the first argument that does not,
 * or the number of arguments if the index is unknown; or -ENOMEM. */
int fproxy_first_lost(ffi_cif *cif, ffi_closure *closure, void *code);

#endif
