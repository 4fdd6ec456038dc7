/* SPDX-License-Identifier: BSD-3-Clause */
/* term.h: the functions of one parameter in models: x^(p/q) log2(x)^j. */
#ifndef MASTERMIND_ANALYSIS_MODELS_FORMS_TERM_H
#define MASTERMIND_ANALYSIS_MODELS_FORMS_TERM_H

#include <stddef.h>

struct mm_term {
    int numerator, denominator; /* of the exponent of x; denominator > 0 */
    int logs;                   /* exponent of log2(x) */
    double surprise;            /* its price in the choice; a coefficient has 1 */
};

/* The family, simplest first. */
extern const struct mm_term mm_terms[];
extern const size_t mm_term_count;

/* True where the term is finite and not negative for all x from `low` to `high`. */
int mm_term_defined(const struct mm_term *term, double low, double high);
double mm_term_value(const struct mm_term *term, double x);
/* Print "Q", "Q^2", "Q^(2/3) * log2(Q)". Returns the length that was wanted, like
 * snprintf. */
int mm_term_print(const struct mm_term *term, const char *x, char *text, size_t size);

#endif
