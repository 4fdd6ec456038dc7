/* SPDX-License-Identifier: BSD-3-Clause */
/* import.h: an import under way: a CSV file, its columns, and the experiment to be. */
#ifndef MASTERMIND_CMD_IMPORT_H
#define MASTERMIND_CMD_IMPORT_H

#include "mastermind/cmd/cmd.h"
#include "mastermind/csv/columns.h"
#include "mastermind/writer/given.h"

struct mm_import {
    struct mm_csv csv;
    struct mm_columns columns;
    long long time, method, class_name; /* indices in `columns`; -1: none */
    const char *unit;
    double ticks_per_ns;
    char *base; /* of the file's name; stands for names that the file does not have */
    struct mm_given *given;
};

/* Declare the methods, add all rows and finish the experiment. 0 or a negative errno. */
int mm_import_write(struct mm_import *in, struct cca_error *err);

#endif
