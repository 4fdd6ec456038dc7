/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h: make an experiment of the samples in a CSV file. */
#ifndef MASTERMIND_CSV_SAMPLES_H
#define MASTERMIND_CSV_SAMPLES_H

#include "mastermind/csv/columns.h"
#include "mastermind/writer/given.h"

/* A CSV file, its columns, and the experiment that is written. */
struct mm_samples {
    struct mm_csv csv;
    struct mm_columns columns;
    /* indexes in `columns` of the columns with times, methods and classes; -1: the file
     * has no such column */
    long long time, method, class_name;
    const char *unit;
    double ticks_per_ns;
    /* name of the file without folder and extension; replaces names that the file does
     * not have */
    char *base;
    struct mm_given *given;
};

/* Declare the methods of the samples, add all rows and finish the experiment. Returns 0
 * or a negative errno. */
int mm_samples_write(struct mm_samples *in, struct cca_error *err);

#endif
