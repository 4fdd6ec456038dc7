/* SPDX-License-Identifier: BSD-3-Clause */
/* header.h: a port header, read with libclang. */
#ifndef PROXYGEN_HEADER_H
#define PROXYGEN_HEADER_H

#include "tools/proxygen/perf/model.h"

struct pg_options {
    const char *header;
    const char *directory;          /* -o */
    const char *sidecar;            /* or NULL */
    const char *const *clang_args;  /* -I and -D as given, and what proxygen adds */
    int clang_arg_count;
    const char *const *include_dirs; /* of -I, in order */
    int include_dir_count;
    int library; /* the header is of a library: _GNU_SOURCE is defined, unless -U takes it back */
};

/* The port in the header, new; NULL with `file:line:column: error: ...` in `err`: -EINVAL what
 * proxygen cannot serve or clang cannot compile, -ENOENT (or another errno) cannot be read,
 * -ENOMEM. */
struct pg_port *pg_header_read(const struct pg_options *options, struct cca_error *err);

#endif
