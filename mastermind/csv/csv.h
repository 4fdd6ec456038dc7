/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.h: split the lines of a CSV file into fields.
 *
 * The first line is the header. Fields are separated by commas; blanks around a field are
 * not part of it. A field in double quotes may contain commas, and a quote written twice;
 * it cannot span lines. Lines end with LF, CRLF or the end of the file. Empty lines and
 * lines that begin with # are skipped; so is a byte order mark at the start. */
#ifndef MASTERMIND_CSV_CSV_H
#define MASTERMIND_CSV_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum { MM_CSV_FIELDS = 4096 };

/* The bytes of a field, without a NUL at the end. A field may contain NULs. */
struct mm_csv_field {
    const char *at;
    size_t length;
};

struct mm_csv {
    char *name;        /* file name, for messages */
    char *text;        /* contents of the whole file */
    size_t size, next; /* `size`: length of the text; `next`: offset of the next line */
    size_t line;       /* number of the current line, from 1 */
    const char *raw;   /* text of the current line without its line end */
    size_t raw_length;
    struct mm_csv_field *header; /* [column_count] names of the columns */
    size_t column_count, header_line;
    struct mm_csv_field *fields; /* [column_count] fields of the current line */
    /* memory for header and fields that have doubled quotes */
    char *header_text, *quoted;
    size_t quoted_room;
};

/* Results of mm_csv_next. */
enum mm_csv_kind { MM_CSV_END = 0, MM_CSV_LINE = 1, MM_CSV_SKIPPED = 2 };

/* Read the whole file at `path` ("-": standard input) and parse its header. Returns 0;
 * -EBADMSG: the header is missing or damaged ("file:line: found, expected"); -ENOMEM, or
 * an I/O error. Call mm_csv_done in any case. */
int mm_csv_open(struct mm_csv *csv, const char *path, struct cca_error *err);
void mm_csv_done(struct mm_csv *csv);

/* Go to the next line. Returns MM_CSV_LINE: the line has fields, which are valid until
 * the next call; MM_CSV_SKIPPED, only if `skipped` is set: an empty line or a comment;
 * MM_CSV_END: there are no more lines; or -EBADMSG: the number of fields differs from the
 * header's, or a quote does not end. */
int mm_csv_next(struct mm_csv *csv, int skipped, struct cca_error *err);
/* Go back to the line after the header of the file. */
void mm_csv_rewind(struct mm_csv *csv);

/* Return the index of the column with this name; -1: there is none. */
int mm_csv_column(const struct mm_csv *csv, const char *name);
/* Report a missing column, with the most similar column name: "file:1: found no column
 * 'x'". Returns -EBADMSG. */
int mm_csv_no_column(const struct mm_csv *csv, const char *name, struct cca_error *err);
/* Report a wrong field: "file:line: found 'x' in column 'Q', expected a number". Returns
 * -EBADMSG. */
int mm_csv_refuse(const struct mm_csv *csv, size_t column, const char *expected,
                  struct cca_error *err);

/* Parse the whole field as a finite decimal number in C syntax. Returns 1 or 0. */
int mm_csv_number(const struct mm_csv_field *field, double *value);
/* Parse a number that is a 64-bit integer, also as "1e6" or "3.0"; -2^63 is refused,
 * because it represents an absent value. Returns 1 or 0. */
int mm_csv_integer(const struct mm_csv_field *field, int64_t *value);
/* Write at most 40 bytes of a field to `text`, for messages; bytes other than printable
 * ASCII and UTF-8 are escaped as \xNN. Returns `text`. */
const char *mm_csv_shown(const struct mm_csv_field *field, char *text, size_t size);

#endif
