/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h: a method of a port made while the program runs: it takes any call of its
 * signature, brackets it and forwards it. */
#ifndef PROXIES_FFI_CALL_H
#define PROXIES_FFI_CALL_H

#include <ffi.h>

#include "proxies/ffi/pool.h"
#include "proxies/ffi/types.h"
#include "proxies/proxy.h"
#include "tools/proxygen/perf/expr.h"

struct fproxy_method {
    const struct proxy_link *link;    /* of the proxy */
    struct monitor_method **measured; /* where its method is, or NULL: only forward */
    size_t offset;                    /* of its pointer in the struct of the port */
    size_t arg_count;                 /* with self */
    const struct pg_method *model;
    const struct fproxy_method *methods; /* of the proxy, as in the model */
    struct proxy_memory *memory;         /* of the proxy; NULL: nothing is remembered */
    const struct pg_value *values;       /* in-values, then out-values; of the model */
    size_t in_count, out_count;
    int gets_after;     /* it gets numbers after the call */
    int computes;       /* its values may raise floating-point exceptions */
    size_t result_size; /* 0: void */
    int result_is_integer;
    int result_is_error; /* a signed integer that can say -ENOTCONN */
    ffi_cif cif;
    ffi_closure *closure;
    void *code; /* what callers call */
};

/* Fill all but link, measured, offset, methods and memory, which are set before. Keeps
 * pointers into `method`. 0; -ENOTSUP libffi cannot pass such values; -ENOMEM. Done with
 * fproxy_method_done, also after a failure. */
int fproxy_method_init(struct fproxy_method *made, struct fproxy_pool *pool,
                       const struct pg_method *method, struct cca_error *err);
void fproxy_method_done(struct fproxy_method *made);

#endif
