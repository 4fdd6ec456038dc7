/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.h: write the C code of a proxy from the model of a port. */
#ifndef PROXYGEN_EMIT_H
#define PROXYGEN_EMIT_H

#include <stddef.h>
#include <stdio.h>

#include "tools/proxygen/perf/model.h"
#include "ports/cca_error.h"

#define PG_VERSION "0.1"

/* Write the code of a proxy component for `port`. `include` is the header's name in the
 * code's #include. Returns 0 or -ENOMEM; the caller checks `out` for write errors. */
int pg_emit_proxy(FILE *out, const struct pg_port *port, const char *include);

/* Write a header named `base` with the prototypes of the ports in the header `include`:
 * for each port a macro <PORT>_SIGNATURE, which is to be an element of
 * cca_class.signatures. Returns 0 or -ENOMEM. */
int pg_emit_signatures(FILE *out, struct pg_port *const *ports, size_t count,
                       const char *include, const char *base);

/* --- emit_names.c -------------------------------------------------------- */

/* Identifiers that generated code uses itself. Both arrays end with NULL. */
struct pg_emit_words {
    const char *const *names;
    const char *const *beginnings; /* prefixes of identifiers that generated code uses
                                    * itself */
};

/* Choose the names of the method's arguments in generated code: the header's names, or
 * "pg_argN" where the header's name would be a keyword, or would hide a word of the
 * result type or an identifier in `words`. Returns a new array; NULL: out of memory. */
char **pg_emit_names(const struct pg_method *method, const struct pg_emit_words *words);
void pg_emit_names_free(char **names, const struct pg_method *method); /* or NULL */

/* --- output.c ------------------------------------------------------------ */

/* Write `text` to the file `name` (no slash) in `directory`, which is created if it does
 * not exist. The file is renamed to `name` when it is complete. A link of that name is
 * replaced, not followed. Returns 0 or a negative errno with `err`; on an error no file
 * is left. */
int pg_output_write(const char *directory, const char *name, const char *text,
                    size_t size, struct cca_error *err);

#endif
