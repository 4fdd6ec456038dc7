/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.h: read the columns of a CSV file of samples, which has a line for each
 * invocation. */
#ifndef MASTERMIND_CSV_COLUMNS_H
#define MASTERMIND_CSV_COLUMNS_H

#include "mastermind/csv/csv.h"
#include "mastermind/csv/names.h"
#include "ports/monitor_port.h"

enum mm_column_role {
    MM_COLUMN_TIME,  /* times, not negative; read as ns into .d */
    MM_COLUMN_PARAM, /* numbers; int64 if all are integers, else double; may be absent */
    MM_COLUMN_GUESS, /* like MM_COLUMN_PARAM, but the column is dropped if a field is
                        not a number */
    MM_COLUMN_OUT,   /* out-values, numbers like MM_COLUMN_PARAM */
    MM_COLUMN_MODE,  /* integers, as int64; if a field is not an integer, all fields are
                        texts, and a value is the text's number in alphabetical order, so
                        that files with the same texts agree */
    MM_COLUMN_NAME   /* texts; a value is the number of its text; never absent */
};

enum { MM_COLUMN_MODES = 10000 }; /* largest number of different texts in a mode column */

struct mm_column {
    enum mm_column_role role;
    size_t at;              /* index of the column's field in each line */
    char *name;             /* name of the column in the header */
    double unit_ns;         /* unit of the times of a MM_COLUMN_TIME column */
    enum monitor_type type; /* type of the values */
    int texts; /* true for a mode whose fields are texts; values are the numbers of the
                  texts */
    struct mm_names names; /* different texts of the column */
    size_t left_out; /* for a MM_COLUMN_GUESS that was dropped: the line of the field that
                        is no number; 0: not dropped */
    char found[200]; /* text of that field, for messages */
    union monitor_value *values; /* [row_count] values of the column; an absent value is
                                    MONITOR_ABSENT or MONITOR_ABSENT_DOUBLE */
};

struct mm_columns {
    struct mm_column *columns;
    size_t count;
    size_t row_count;
};

/* Add a column for a field of the file's lines; NULL: out of memory. */
struct mm_column *mm_columns_add(struct mm_columns *columns, const struct mm_csv *csv,
                                 size_t at, enum mm_column_role role);
/* Return the column that was added for the field with index `at`, or NULL. */
struct mm_column *mm_columns_of(const struct mm_columns *columns, size_t at);
/* Read all lines of the file into the columns. Returns 0; -EBADMSG: a field has the wrong
 * type, or there are no lines; -ENOMEM. */
int mm_columns_read(struct mm_columns *columns, struct mm_csv *csv,
                    struct cca_error *err);
void mm_columns_done(struct mm_columns *columns);

#endif
