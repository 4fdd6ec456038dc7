/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h: a method of a port, created at run time: it accepts any call of its signature,
 * measures it and forwards it. */
#ifndef PROXIES_FFI_CALL_H
#define PROXIES_FFI_CALL_H

#include <ffi.h>

#include "proxies/ffi/pool.h"
#include "proxies/ffi/types.h"
#include "proxies/proxy.h"
#include "tools/proxygen/perf/expr.h"

struct fproxy_method {
    const struct proxy_link *link;    /* connection of the proxy to its target */
    struct monitor_method **measured; /* address of the pointer to the recorder's struct
                                         for the method; NULL: calls are only forwarded */
    size_t number; /* index of the method among those with `measured` */
    size_t offset; /* offset of the method's function pointer in the struct of the port */
    size_t arg_count; /* including self */
    const struct pg_method *model;
    /* all methods of the proxy, in the order of the port's description */
    const struct fproxy_method *methods;
    struct proxy_memory *memory;   /* memory of values about handles; NULL: no
                                    * values are remembered */
    const struct pg_value *values; /* in-values, then out-values of the method, from the
                                      port's description */
    size_t in_count, known_count, value_count;
    int gets_after;     /* true if getters are called after the call */
    int computes;       /* true if computing the method's values may raise floating-point
                         * exceptions */
    size_t result_size; /* 0: void */
    int result_is_integer;
    int result_is_error; /* true if the result is a signed integer, which can be -ENOTCONN
                          */
    ffi_cif cif;
    ffi_closure *closure;
    void *code; /* address that callers call */
};

/* Set all members except link, measured, number, offset, methods and memory, which must
 * be set before. Keeps pointers into `method`. Returns 0; -ENOTSUP: libffi cannot pass
 * such values; -ENOMEM. Free with fproxy_method_done, also after a failure. */
int fproxy_method_init(struct fproxy_method *made, struct fproxy_pool *pool,
                       const struct pg_method *method, struct cca_error *err);
void fproxy_method_done(struct fproxy_method *made);

#endif
