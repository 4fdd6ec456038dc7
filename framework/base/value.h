/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h: the value of a parameter, and its text. */
#ifndef FRAMEWORK_BASE_VALUE_H
#define FRAMEWORK_BASE_VALUE_H

#include "framework/cca.h"

/* A value with its type and canonical text. */
struct cca_param {
    union {
        int64_t i; /* value of type CCA_INT, CCA_LONG or CCA_BOOL */
        double d;  /* value of type CCA_DOUBLE or CCA_FLOAT */
    } value;
    char *text;
};

/* Read a value from text, without bounds: fills `param->value` (nothing for a string). 0;
 * -EINVAL not of this type; -ERANGE too large for it; -ENOMEM. */
int cca_param_read(enum cca_type type, const char *text, struct cca_param *param);
/* The canonical text of a value, new; for a string a copy of `text`. NULL: out of
 * memory. */
char *cca_param_write(enum cca_type type, const struct cca_param *param,
                      const char *text);

#endif
