/* SPDX-License-Identifier: BSD-3-Clause */
/* verify.h: generated code is compiled before it is written. */
#ifndef PROXYGEN_VERIFY_H
#define PROXYGEN_VERIFY_H

#include "tools/proxygen/read/header.h"

/* A generated file, to be written to options->directory. */
struct pg_file {
    const char *name, *text;
    size_t size;
};

/* Compile the first of `files`, which may include the others, with the options of the
 * header. Returns 0, also if proxygen's own headers are not found; -EINVAL with `err`: it
 * does not compile; -ENOMEM. */
int pg_verify(const struct pg_options *options, const struct pg_file *files, size_t count,
              struct cca_error *err);

#endif
