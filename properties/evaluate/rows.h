/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h: rows of a store's tables and views, for those who know no SQL. */
#ifndef PROPERTIES_EVALUATE_ROWS_H
#define PROPERTIES_EVALUATE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

struct mm_store;
struct mm_rows;

/* Begin to read `columns`, names with ',' between, of a table or view. Only rows of the
 * `experiments` are read, where the table has such a column; they come in the order of
 * experiment, region, unit, as far as the table has these, else of id. The store must
 * stay. 0; -EINVAL with the nearest name: no such table or column; -EIO, -ENOMEM. */
int mm_rows_open(struct mm_rows **rows, struct mm_store *store, const char *table,
                 const char *columns, const int64_t *experiments, size_t count,
                 struct cca_error *err);
/* 1: the next row is there; 0: there is none; -EIO. */
int mm_rows_next(struct mm_rows *rows);
/* Columns from 0; beyond the last, and without a row, NULL. */
double mm_rows_number(const struct mm_rows *rows, int column); /* NaN: NULL or a text */
int64_t mm_rows_id(const struct mm_rows *rows, int column);    /* 0: NULL or a text */
const char *mm_rows_text(struct mm_rows *rows, int column);    /* borrowed until next */
void mm_rows_close(struct mm_rows *rows);

/* From now on this connection sorts in memory alone, for who may not write files. */
void mm_rows_stay_in_memory(struct mm_store *store);

/* Whether `experiment` has what a property needs: a column of rs, a table, or
 * "counter.NAME". 1 it has; 0 it has not, with the reason in `text`; -EINVAL with `err`:
 * there is nothing of that name; -EIO, -ENOMEM. */
int mm_rows_has(struct mm_store *store, int64_t experiment, const char *what, char *text,
                size_t size, struct cca_error *err);

#endif
