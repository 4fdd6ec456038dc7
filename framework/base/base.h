/* SPDX-License-Identifier: BSD-3-Clause */
/* base.h: lists, names, spans of text and exit codes. */
#ifndef FRAMEWORK_BASE_BASE_H
#define FRAMEWORK_BASE_BASE_H

#include <stdint.h>

#include "framework/cca.h"

/* --- exit ---------------------------------------------------------------- */

/* The exit statuses of all programs of this project. */

/* Exit status of ccafe; also the result of a command. */
enum cca_exit {
    CCA_EXIT_DONE = 0,
    CCA_EXIT_NO = 1,        /* the answer of the command is no */
    CCA_EXIT_MISUSE = 2,    /* wrong command line */
    CCA_EXIT_BAD_INPUT = 3, /* mistakes in the script or the wiring */
    CCA_EXIT_COMPONENT = 4, /* a component failed or refused */
    CCA_EXIT_IO_OR_MEMORY = 5
};

/* --- name.c -------------------------------------------------------------- */

enum { CCA_NAME_LONGEST = 127 };

/* True for 1 to CCA_NAME_LONGEST letters, digits, '_' and '-'. */
int cca_name_valid(const char *name);

/* --- span.c -------------------------------------------------------------- */

/* Addresses from `start` to `end`, without `end`. `base`: difference between an address
 * in memory and in the file of a shared object. */
struct cca_span {
    uintptr_t base, start, end;
};

/* Return the range of the object that contains `address`; zeros: there is none. */
struct cca_span cca_span_of(const void *address);

/* --- value.c ------------------------------------------------------------- */

/* A value with its type and canonical text. */
struct cca_param {
    union {
        int64_t i; /* value of type CCA_INT, CCA_LONG or CCA_BOOL */
        double d;  /* value of type CCA_DOUBLE or CCA_FLOAT */
    } value;
    char *text;
};

/* Read a value from text, without bounds: fills `param->value` (nothing for a string).
 * Returns 0; -EINVAL not of this type; -ERANGE too large for the type; -ENOMEM. */
int cca_param_read(enum cca_type type, const char *text, struct cca_param *param);
/* Return the canonical text of a value, new; for a string a copy of `text`. NULL: out of
 * memory. */
char *cca_param_write(enum cca_type type, const struct cca_param *param,
                      const char *text);

#endif
