/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h: the value of a parameter, and its text. */
#ifndef FRAMEWORK_BASE_VALUE_H
#define FRAMEWORK_BASE_VALUE_H

#include "framework/cca.h"

/* One value: what it means, and its canonical text. */
struct cca_param {
    union {
        int64_t i; /* CCA_INT, CCA_LONG, CCA_BOOL */
        double d;  /* CCA_DOUBLE, CCA_FLOAT */
    } value;
    char *text;
};

/* A value from its text, whatever its bounds: fills `param->value` (nothing for a
 * string). 0, -EINVAL no such value, -ERANGE does not fit, -ENOMEM. */
int cca_param_read(enum cca_type type, const char *text, struct cca_param *param);
/* Its canonical text, new, of a string that of `text`; NULL: out of memory. */
char *cca_param_write(enum cca_type type, const struct cca_param *param,
                      const char *text);

#endif
