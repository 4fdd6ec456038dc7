/* SPDX-License-Identifier: BSD-3-Clause */
/* many.c: the procedure of Benjamini and Hochberg, applied to questions that may be
 * findings. */
#include "properties/confidence/many.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* a question with a smaller error (1 - confidence) may be a finding */
#define MAY_BE .5

struct error {
    double p;
    size_t question;
};

static int by_error(const void *a, const void *b)
{
    double x = ((const struct error *)a)->p, y = ((const struct error *)b)->p;

    return (x > y) - (x < y);
}

int mm_many_adjust(double *adjusted, const double *confidence, size_t n, unsigned looks)
{
    struct error *errors = malloc((n ? n : 1) * sizeof *errors);
    size_t count = 0;
    double least = 1;

    if (!errors)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        double p = 1 - confidence[i];

        if (p < MAY_BE)
            errors[count++] = (struct error){p / MAY_BE * fmax(looks, 1), i};
        adjusted[i] = isnan(p) ? NAN : 0;
    }
    if (count)
        qsort(errors, count, sizeof *errors, by_error);
    for (size_t k = count; k-- > 0;) {
        least = fmin(least, errors[k].p * (double)count / (double)(k + 1));
        adjusted[errors[k].question] = 1 - least;
    }
    free(errors);
    return 0;
}
