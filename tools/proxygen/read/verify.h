/* SPDX-License-Identifier: BSD-3-Clause */
/* verify.h: what is going to be written compiles, or nothing is written. */
#ifndef PROXYGEN_VERIFY_H
#define PROXYGEN_VERIFY_H

#include "tools/proxygen/read/header.h"

/* A file of options->directory. */
struct pg_file {
    const char *name, *text;
    size_t size;
};

/* Let clang compile the first of `files`, which may include the others, as it was told to
 * compile the header. 0, also where the headers of ours are not to be found; -EINVAL with
 * `err`; -ENOMEM. */
int pg_verify(const struct pg_options *options, const struct pg_file *files, size_t count,
              struct cca_error *err);

#endif
