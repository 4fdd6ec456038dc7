/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h: an expression over arguments as a flat list of steps, in the order in which
 * they are done, so that a call allocates nothing and follows no tree. */
#ifndef PROXIES_FFI_PROGRAM_H
#define PROXIES_FFI_PROGRAM_H

#include "proxies/ffi/pool.h"
#include "tools/proxygen/perf/model.h"

struct fproxy_step;

struct fproxy_program {
    struct fproxy_step *steps;
    size_t count;
    enum monitor_type type; /* of its value */
};

/* 0; -ENOMEM; -E2BIG: it needs more room than a call has. Lives as long as the pool. */
int fproxy_program_make(struct fproxy_program *program, struct fproxy_pool *pool,
                        const struct pg_expr *expr, const struct pg_method *method);

/* Its value. args[i] points to argument i (without self). `*absent` becomes 1 where a
 * pointer that it follows is NULL; what it points to counts as 0 then. */
union monitor_value fproxy_program_run(const struct fproxy_program *program,
                                       void *const *args, int *absent);

#endif
