/* SPDX-License-Identifier: BSD-3-Clause */
/* read.h: read ports from headers, and put fences around headers in generated code. */
#ifndef TOOLS_PROXYGEN_READ_READ_H
#define TOOLS_PROXYGEN_READ_READ_H

#include <clang-c/Index.h>

#include "tools/proxygen/perf/layout.h"
#include "tools/proxygen/perf/model.h"

/* --- fence.c ------------------------------------------------------------- */

/* Put fences around the #include of the header `include` in generated code: if the header
 * defines a macro whose name is a word of the code, the macro gets back the definition,
 * or none, that it had before that line. `*text`, of `*size` bytes, is replaced by a new
 * text. Returns 0; -EINVAL with `err` if the header redefines a macro of the compiler;
 * -ENOMEM. */
int pg_fence_code(const struct pg_port *port, const char *include, char **text,
                  size_t *size, struct cca_error *err);

/* Like pg_fence_code, but for a generated header that includes `include`: at its end, the
 * macros get the definitions of `include` again, for the users of both. */
int pg_fence_header(const struct pg_port *port, const char *include, char **text,
                    size_t *size, struct cca_error *err);

/* --- header.c ------------------------------------------------------------ */

struct pg_options {
    const char *header;
    const char *directory;         /* of -o */
    const char *sidecar;           /* or NULL */
    const char *const *clang_args; /* arguments for clang: -I and -D as given, and options
                                      that proxygen adds */
    int clang_arg_count;
    const char *const *include_dirs; /* directories of -I, in order */
    int include_dir_count;
    int available; /* true to leave out functions that the header lacks or that cannot be
                      interposed */
    int library; /* true if the header belongs to a library: then _GNU_SOURCE is defined,
                    unless -U undefines it */
};

/* The ports of a header, in the order of the header. */
struct pg_ports {
    struct pg_port **list;
    size_t count;
};

/* Read the ports that the header itself declares. Returns 0; or, with `file:line:column:
 * error: ...` in `err` and no ports, -EINVAL for a port that proxygen cannot handle or a
 * header that clang cannot compile, -ENOENT (or another negative errno) for an unreadable
 * file, or -ENOMEM. */
int pg_header_read(const struct pg_options *options, struct pg_ports *ports,
                   struct cca_error *err);
void pg_ports_done(struct pg_ports *ports);

/* Apply a sidecar of one or several ports. Returns 0 or an error as in marks.h. */
int pg_ports_sidecar(struct pg_ports *ports, const char *file, const char *text,
                     size_t length, struct cca_error *err);

/* --- header_layout.c ----------------------------------------------------- */

/* Fill `layout`, which the caller has zeroed. Returns 0, also if the type has no known
 * layout (PG_LAYOUT_OTHER); or -ENOMEM. */
int pg_header_layout(CXType type, struct pg_layout *layout);

/* --- variadic.c ---------------------------------------------------------- */

/* True if `name` is the name of `variadic` with a 'v' inserted: vprintf, gzvprintf,
 * xmlStrVPrintf. */
int pg_variadic_named(const char *variadic, const char *name);

/* True if a function of type `other` takes the fixed arguments of a function of type
 * `variadic`, then a va_list, and has the same result type. */
int pg_variadic_fits(CXType variadic, CXType other);

/* --- verify.c ------------------------------------------------------------ */

/* A generated file, to be written to options->directory. */
struct pg_file {
    const char *name, *text;
    size_t size;
};

/* Compile the first of `files`, which may include the others, with the options of the
 * header. Returns 0, also if proxygen's own headers are not found; -EINVAL with `err` if
 * it does not compile; or -ENOMEM. */
int pg_verify(const struct pg_options *options, const struct pg_file *files, size_t count,
              struct cca_error *err);

#endif
