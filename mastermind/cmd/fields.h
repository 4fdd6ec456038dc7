/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.h: descriptions of the numbers in a record. One description serves as JSON
 * member and its schema, as table column with its sum, as sort key, and as help text. */
#ifndef MASTERMIND_CMD_FIELDS_H
#define MASTERMIND_CMD_FIELDS_H

#include <stddef.h>

#include "mastermind/cmd/cmd.h"

enum mm_field_kind {
    MM_INTEGER,
    MM_NUMBER
}; /* type of the number: int64_t or
    * uint64_t; double */

/* Documents that have a member: documents of own time, documents of another metric;
 * MAYBE: only for records that have the value. */
enum {
    MM_OWN = 1,
    MM_OWN_MAYBE = 2,
    MM_OTHER = 4,
    MM_OTHER_MAYBE = 8,
    MM_BOTH = MM_OWN | MM_OTHER
};

/* Format of a column: shares as "12.3" or "12%", counts, times in ms or us, or the
 * metric's own unit. */
enum mm_field_format {
    MM_NO_COLUMN,
    MM_PERCENT,
    MM_WHOLE_PERCENT,
    MM_COUNT,
    MM_MS,
    MM_US
};

struct mm_field {
    const char *name; /* JSON member and key of --sort; NULL ends a table */
    const char *unit; /* unit of the number, or NULL; with "ns" the member for own time
                       * is "NAME_ns" */
    unsigned documents;
    enum mm_field_kind kind;
    size_t offset;     /* offset of the number in the record, where there is no `value` */
    unsigned needs;    /* state bits that the record must have for the value to be
                        * known */
    const char *head;  /* head of the column; NULL: no column */
    const char *other; /* head of the column for a metric that is not a time; NULL: the
                        * same */
    enum mm_field_format format;
    unsigned hides, bound; /* `hides`: state bits that hide the column; `bound`: state
                              bits that make the value a lower bound */
    int has_sum;           /* true if the column has a number in the line of sums */
    const char *help;      /* help for the column; NULL: none */
    double (*value)(const void *record); /* function that computes a value that is no
                                          * member of the record; or NULL */
};

double mm_field_value(const struct mm_field *field, const void *record);
/* Set the members that are known for a record in this state. */
void mm_fields_put(json_t *object, const struct mm_field *fields, int is_own,
                   const void *record, unsigned state);
/* Write the name of a member to the caller's buffer. Returns 1: always present, 0: may be
 * absent, -1: not in such documents. */
int mm_field_key(const struct mm_field *field, int is_own, char key[64]);
/* True if a table in this state has a column for the field. */
int mm_field_is_column(const struct mm_field *field, unsigned state);
/* Write "1,234", ">12.3", or "-" for an unknown value. */
void mm_field_print(const struct mm_field *field, const void *record, unsigned state,
                    int is_time, char cell[MM_CELL]);
/* The field with this name, or NULL. */
const struct mm_field *mm_field_find(const struct mm_field *fields, const char *name);
/* The head of column i of a table and its help; NULL: there are no more. */
const char *mm_field_column(const void *fields, size_t i, const char **help);

#endif
