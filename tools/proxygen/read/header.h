/* SPDX-License-Identifier: BSD-3-Clause */
/* header.h: read a port header with libclang. */
#ifndef PROXYGEN_HEADER_H
#define PROXYGEN_HEADER_H

#include "tools/proxygen/perf/model.h"

struct pg_options {
    const char *header;
    const char *directory;         /* of -o */
    const char *sidecar;           /* or NULL */
    const char *const *clang_args; /* -I and -D as given, and what proxygen adds */
    int clang_arg_count;
    const char *const *include_dirs; /* directories of -I, in order */
    int include_dir_count;
    int available; /* 1: leave out functions that the header lacks or that cannot be
                    * interposed */
    int library;   /* 1: the header belongs to a library: define _GNU_SOURCE, unless -U
                    * undefines it */
};

/* The ports of a header, in the order of the header. */
struct pg_ports {
    struct pg_port **list;
    size_t count;
};

/* Read the ports that the header itself declares. Returns 0; or with `file:line:column:
 * error: ...` in `err` and no ports: -EINVAL for a port that proxygen cannot handle or a
 * header that clang cannot compile, -ENOENT (or another errno) for an unreadable file,
 * -ENOMEM. */
int pg_header_read(const struct pg_options *options, struct pg_ports *ports,
                   struct cca_error *err);
void pg_ports_done(struct pg_ports *ports);

/* Apply a sidecar of one or several ports. Returns 0 or as marks.h. */
int pg_ports_sidecar(struct pg_ports *ports, const char *file, const char *text,
                     size_t length, struct cca_error *err);

#endif
