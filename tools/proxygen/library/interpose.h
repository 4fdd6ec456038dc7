/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose.h: write a library that interposes plain functions of another library and is
 * preloaded. */
#ifndef PROXYGEN_INTERPOSE_H
#define PROXYGEN_INTERPOSE_H

#include <stdio.h>

#include "tools/proxygen/read/read.h"
#include "tools/proxygen/read/sections.h"

/* First words of the sidecar lines that are about the forwarding of variadic functions;
 * ends with NULL. */
extern const char *const pg_interpose_notes[];

/* Read the functions named in `list` ("compress2,uncompress") from the header, as the
 * methods of a new port with `functions` set. `notes` (or NULL) has the sidecar's lines
 * that are about code. NULL with `err` like pg_header_read. */
struct pg_port *pg_interpose_read(const struct pg_options *options, const char *list,
                                  const struct pg_sections *notes, struct cca_error *err);

/* Write the C code of the interposition library. Returns 0 or -ENOMEM. */
int pg_interpose_emit(FILE *out, const struct pg_port *port, const char *include);

/* Compile directory/base.c to directory/base.so with $CC, else cc. Returns 0; 1: there is
 * no such compiler; -EINVAL with `err`: the code does not compile, and is removed; or
 * another negative errno with `err`. */
int pg_interpose_compile(const struct pg_options *options, const char *base, int limit_s,
                         struct cca_error *err);

#endif
