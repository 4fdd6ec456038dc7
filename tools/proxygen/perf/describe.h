/* SPDX-License-Identifier: BSD-3-Clause */
/* describe.h: write the model of a port as a JSON document, "mastermind/describe/1", and
 * read it back.
 *
 * docs/reference/proxygen.md has the schema. */
#ifndef PROXYGEN_PERF_DESCRIBE_H
#define PROXYGEN_PERF_DESCRIBE_H

#include "ports/cca_error.h"
#include "tools/proxygen/perf/model.h"

/* Return the document as a new text with a final newline, to be freed by the caller.
 * NULL: out of memory. */
char *pg_describe_write(const struct pg_port *port);

/* Read a document into a new model; NULL with `err`: -EINVAL for an invalid document
 * ("file:line: ..." for broken JSON, else the wrong member), -ENOMEM. Names, types and
 * expressions are checked as in headers. `file` is for messages. */
struct pg_port *pg_describe_read(const char *text, size_t size, const char *file,
                                 struct cca_error *err);

#endif
