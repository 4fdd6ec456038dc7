/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose.h: write a library that interposes plain functions of another library and is
 * preloaded. */
#ifndef PROXYGEN_INTERPOSE_H
#define PROXYGEN_INTERPOSE_H

#include <stdio.h>

#include "tools/proxygen/read/read.h"
#include "tools/proxygen/read/sections.h"

/* First words of sidecar lines about the forwarding of variadic functions, up to a
 * NULL. */
extern const char *const pg_interpose_notes[];

/* The functions in `list` ("compress2,uncompress") as the header declares them, new, as a
 * port with `functions` set; `notes` (or NULL) are lines of the sidecar about code. NULL
 * with `err` as pg_header_read. */
struct pg_port *pg_interpose_read(const struct pg_options *options, const char *list,
                                  const struct pg_sections *notes, struct cca_error *err);

/* Write the C code of the interposition library. Returns 0 or -ENOMEM. */
int pg_interpose_emit(FILE *out, const struct pg_port *port, const char *include);

/* Compile directory/base.c to directory/base.so with $CC, else cc. Returns 0; 1: there is
 * no such compiler; with `err` -EINVAL: the code does not compile, and is removed;
 * another errno. */
int pg_interpose_compile(const struct pg_options *options, const char *base, int limit_s,
                         struct cca_error *err);

#endif
