/* SPDX-License-Identifier: BSD-3-Clause */
/* header.h: a port header, read with libclang. */
#ifndef PROXYGEN_HEADER_H
#define PROXYGEN_HEADER_H

#include "tools/proxygen/perf/model.h"

struct pg_options {
    const char *header;
    const char *directory;         /* -o */
    const char *sidecar;           /* or NULL */
    const char *const *clang_args; /* -I and -D as given, and what proxygen adds */
    int clang_arg_count;
    const char *const *include_dirs; /* of -I, in order */
    int include_dir_count;
    int available; /* leave out functions that the header lacks or that cannot be served
                    */
    int library; /* the header is of a library: _GNU_SOURCE is defined, unless -U takes it
                  back */
};

/* The ports of a header, in its order. */
struct pg_ports {
    struct pg_port **list;
    size_t count;
};

/* Read the ports in the header itself. 0; with `file:line:column: error: ...` in `err`
 * and no ports: -EINVAL what proxygen cannot serve or clang cannot compile, -ENOENT (or
 * another errno) cannot be read, -ENOMEM. */
int pg_header_read(const struct pg_options *options, struct pg_ports *ports,
                   struct cca_error *err);
void pg_ports_done(struct pg_ports *ports);

/* Apply a sidecar of one or several ports. 0 or as marks.h. */
int pg_ports_sidecar(struct pg_ports *ports, const char *file, const char *text,
                     size_t length, struct cca_error *err);

#endif
