/* SPDX-License-Identifier: BSD-3-Clause */
/* fields.h: the numbers of a record, each described once: as member of a document and of
 * its schema, as column of a table with its sum, as key to sort by, with its help. */
#ifndef MASTERMIND_CMD_FIELDS_H
#define MASTERMIND_CMD_FIELDS_H

#include <stddef.h>

#include "mastermind/cmd/cmd.h"

enum mm_field_kind { MM_INTEGER, MM_NUMBER }; /* int64_t or uint64_t; double */

/* Documents that have a member: of own time, of another metric; MAYBE: where its record
 * has it. */
enum {
    MM_OWN = 1,
    MM_OWN_MAYBE = 2,
    MM_OTHER = 4,
    MM_OTHER_MAYBE = 8,
    MM_BOTH = MM_OWN | MM_OTHER
};

/* A column of shares as "12.3" or "12%", of counts, of times in ms or us, or of a metric
 * as it is. */
enum mm_field_format {
    MM_NO_COLUMN,
    MM_PERCENT,
    MM_WHOLE_PERCENT,
    MM_COUNT,
    MM_MS,
    MM_US
};

struct mm_field {
    const char *name; /* member "exclusive" and key of --sort; NULL ends a table */
    const char *unit; /* "ns": the member of own time is exclusive_ns; or NULL */
    unsigned documents;
    enum mm_field_kind kind;
    size_t offset;     /* in the record */
    unsigned needs;    /* bits of the record's state without which it is not known */
    const char *head;  /* of its column, NULL: it has none */
    const char *other; /* the head where the metric is no time; NULL: the same */
    enum mm_field_format format;
    unsigned hides, bound; /* bits with which the column is not there; is a lower bound */
    int has_sum;           /* the line of sums has it */
    const char *help;      /* of the column, NULL: none */
};

double mm_field_value(const struct mm_field *field, const void *record);
/* Set the members that a record in this state has. */
void mm_fields_put(json_t *object, const struct mm_field *fields, int is_own,
                   const void *record, unsigned state);
/* The name of a member in the caller's buffer. 1: it is always there, 0: it may be
 * absent, -1: such documents have none. */
int mm_field_key(const struct mm_field *field, int is_own, char key[64]);
/* True if a table in this state has the column. */
int mm_field_is_column(const struct mm_field *field, unsigned state);
/* "1,234", ">12.3", or "-": not known. */
void mm_field_print(const struct mm_field *field, const void *record, unsigned state,
                    int is_time, char cell[MM_CELL]);
/* The field of that name, or NULL. */
const struct mm_field *mm_field_find(const struct mm_field *fields, const char *name);
/* Print "calls     invocations" for each column with a help. */
void mm_fields_print_help(const struct mm_field *fields);

#endif
