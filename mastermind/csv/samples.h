/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h: samples of a CSV file as the rows of an experiment. */
#ifndef MASTERMIND_CSV_SAMPLES_H
#define MASTERMIND_CSV_SAMPLES_H

#include "mastermind/csv/columns.h"
#include "mastermind/writer/given.h"

/* A CSV file, its columns, and the experiment to be written. */
struct mm_samples {
    struct mm_csv csv;
    struct mm_columns columns;
    long long time, method, class_name; /* indexes of these columns in `columns`; -1:
                                           the file has no such column */
    const char *unit;
    double ticks_per_ns;
    char *base; /* name of the file without folder and extension, used for names that
                   the file lacks */
    struct mm_given *given;
};

/* Declare the methods of the samples, add all rows and finish the experiment. Returns 0
 * or a negative errno. */
int mm_samples_write(struct mm_samples *in, struct cca_error *err);

#endif
