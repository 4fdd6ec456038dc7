/* SPDX-License-Identifier: BSD-3-Clause */
/* reader.h: parse headers with libclang and report errors, for all readers of headers. */
#ifndef PROXYGEN_READER_H
#define PROXYGEN_READER_H

#include <clang-c/Index.h>

#include "tools/proxygen/read/read.h"

struct pg_reader {
    const struct pg_options *options;
    CXTranslationUnit unit;
    struct cca_error *err;
    int status;
};

/* A CXString that is freed when its variable goes out of scope (CLANG_TEXT). */
struct clang_text {
    CXString string;
    const char *text;
};

struct clang_text pg_clang_text(CXString string);
void pg_clang_text_done(struct clang_text *text);
#define CLANG_TEXT __attribute__((cleanup(pg_clang_text_done))) struct clang_text

/* Set the error `file:line:column: error: ...` at `location` and the reader's status.
 * Returns -EINVAL. */
int pg_reader_fail(struct pg_reader *reader, CXSourceLocation location,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));
int pg_reader_no_memory(struct pg_reader *reader); /* returns -ENOMEM */

/* Return the class (integer, floating, other), width and sign of a type in expressions.
 */
struct pg_scalar pg_reader_scalar(CXType type);

/* Replace control and non-ASCII characters in `text` by '?', for terminals. */
void pg_reader_printable(char *text);

struct pg_clang_input {
    const char *file;
    const char *const *before; /* arguments for clang that precede options->clang_args,
                                  ending with NULL */
    const char *search_last;   /* folder that is searched for headers last, or NULL */
    struct CXUnsavedFile *unsaved;
    unsigned unsaved_count, flags;
};

/* Call clang_parseTranslationUnit2, without clang's own messages if it crashes. */
enum CXErrorCode pg_reader_clang(const struct pg_options *options, CXIndex index,
                                 const struct pg_clang_input *input,
                                 CXTranslationUnit *unit);

/* Check that the header is a readable regular file. Returns 0 or an errno with `err`. */
int pg_reader_check_file(const struct pg_options *options, struct cca_error *err);
/* Parse options->header into `unit`. Returns 0; -EINVAL at clang's first error. */
int pg_reader_parse(struct pg_reader *reader, CXIndex index);

#endif
