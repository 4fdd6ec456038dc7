/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h: read rows of a store's tables and views without SQL. */
#ifndef PROPERTIES_EVALUATE_ROWS_H
#define PROPERTIES_EVALUATE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

struct mm_store;
struct mm_rows;

/* Begin to read `columns`, names separated by ',', of a table or view. If the table has a
 * column experiment, only rows of the `experiments` are read; rows are sorted by
 * experiment, region and unit as far as the table has these, else by id. The store must
 * outlive it. Returns 0; -EINVAL with the nearest name: no such table or column; -EIO,
 * -ENOMEM. */
int mm_rows_open(struct mm_rows **rows, struct mm_store *store, const char *table,
                 const char *columns, const int64_t *experiments, size_t count,
                 struct cca_error *err);
/* Read the next row. Returns 1: it is there; 0: there is none; -EIO. */
int mm_rows_next(struct mm_rows *rows);
/* Values of columns, from 0; columns beyond the last one, and all columns without a row,
 * are NULL. */
/* number in a column; NaN: NULL or a text */
double mm_rows_number(const struct mm_rows *rows, int column);
/* id in a column; 0: NULL or a text */
int64_t mm_rows_id(const struct mm_rows *rows, int column);
/* text in a column, borrowed until mm_rows_next */
const char *mm_rows_text(struct mm_rows *rows, int column);
void mm_rows_close(struct mm_rows *rows);

/* Make the connection sort only in memory from now on, for processes that must not write
 * files. */
void mm_rows_stay_in_memory(struct mm_store *store);

/* Whether `experiment` has data that a property needs: a column of rs, a table, or
 * "counter.NAME". Returns 1: yes; 0: no, with the reason in `text`; -EINVAL with `err`:
 * there is no such name; -EIO, -ENOMEM. */
int mm_rows_has(struct mm_store *store, int64_t experiment, const char *what, char *text,
                size_t size, struct cca_error *err);

#endif
