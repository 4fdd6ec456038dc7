/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose.h: plain functions of a library's header, and the library that is preloaded
 * in front of them. */
#ifndef PROXYGEN_INTERPOSE_H
#define PROXYGEN_INTERPOSE_H

#include <stdio.h>

#include "tools/proxygen/read/header.h"
#include "tools/proxygen/read/sections.h"

/* Sidecar lines that tell how a variadic function is forwarded. */
extern const char *const pg_interpose_notes[];

/* The functions of `list` ("compress2,uncompress") as the header declares them, new, as a
 * port with `functions` set; `notes` (or NULL) are those of the sidecar. NULL with `err`
 * as pg_header_read. */
struct pg_port *pg_interpose_read(const struct pg_options *options, const char *list,
                                  const struct pg_sections *notes, struct cca_error *err);

/* Write the C of the interposition library. 0 or -ENOMEM. */
int pg_interpose_emit(FILE *out, const struct pg_port *port, const char *include);

/* Compile directory/base.c to directory/base.so with $CC, else cc. 0; 1: there is no such
 * compiler; with `err` -EINVAL: it cannot compile the code, which is removed; another
 * errno. */
int pg_interpose_compile(const struct pg_options *options, const char *base, int limit_s,
                         struct cca_error *err);

#endif
