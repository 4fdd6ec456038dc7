/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.h: lines of a CSV file as fields.
 *
 * The first line that counts is the header. Fields are separated by commas; blanks around
 * a field are not part of it. A field in double quotes may hold commas, and a quote as
 * two; it ends in its line. Lines end with LF, CRLF or the file. Empty lines and lines
 * that begin with # do not count; a byte order mark at the start is skipped. */
#ifndef MASTERMIND_CSV_CSV_H
#define MASTERMIND_CSV_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum { MM_CSV_FIELDS = 4096 };

/* Bytes of a field; no NUL behind them, and NULs may be among them. */
struct mm_csv_field {
    const char *at;
    size_t length;
};

struct mm_csv {
    char *name;        /* of the file, for messages */
    char *text;        /* all of it */
    size_t size, next; /* `next`: where the next line begins */
    size_t line;       /* number of the line that was read, from 1 */
    const char *raw;   /* the line itself, without its end */
    size_t raw_length;
    struct mm_csv_field *header; /* [column_count] */
    size_t column_count, header_line;
    struct mm_csv_field *fields; /* [column_count] of the line that was read */
    char *header_text, *quoted;  /* fields with doubled quotes */
    size_t quoted_room;
};

/* What mm_csv_next has found. */
enum mm_csv_kind { MM_CSV_END = 0, MM_CSV_LINE = 1, MM_CSV_SKIPPED = 2 };

/* Read the file at `path` whole, "-": standard input, and its header. 0; -EBADMSG: the
 * header is missing or damaged ("file:line: found, expected"); -ENOMEM, or an I/O error.
 * mm_csv_done either way. */
int mm_csv_open(struct mm_csv *csv, const char *path, struct cca_error *err);
void mm_csv_done(struct mm_csv *csv);

/* Go on to the next line: MM_CSV_LINE has fields, valid until the next call;
 * MM_CSV_SKIPPED, if `skipped` asks for it, is an empty line or a comment; MM_CSV_END: no
 * line is left. -EBADMSG: another number of fields than the header, or a quote that does
 * not end. */
int mm_csv_next(struct mm_csv *csv, int skipped, struct cca_error *err);
/* Go back to the line behind the header. */
void mm_csv_rewind(struct mm_csv *csv);

/* The column with this name; -1: there is none. */
int mm_csv_column(const struct mm_csv *csv, const char *name);
/* -EBADMSG with the nearest column name: "file:1: found no column 'x'". */
int mm_csv_no_column(const struct mm_csv *csv, const char *name, struct cca_error *err);
/* -EBADMSG: "file:line: found 'x' in column 'Q', expected a number". */
int mm_csv_refuse(const struct mm_csv *csv, size_t column, const char *expected,
                  struct cca_error *err);

/* A number as C writes it, in decimals and finite, the whole field. 1, or 0. */
int mm_csv_number(const struct mm_csv_field *field, double *value);
/* A number that is an integer of 64 bits, also as "1e6" or "3.0"; not -2^63, which
 * stands for an absent value. 1, or 0. */
int mm_csv_integer(const struct mm_csv_field *field, int64_t *value);
/* A field as text for messages: at most 40 bytes, others than ASCII letters, signs and
 * UTF-8 escaped as \xNN. Returns `text`. */
const char *mm_csv_shown(const struct mm_csv_field *field, char *text, size_t size);

#endif
