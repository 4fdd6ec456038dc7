/* SPDX-License-Identifier: BSD-3-Clause */
/* formula_read.h: parse formulas written by people.
 *
 *   formula   term, then "+ term" or "- term"; at most one constant and
 *             MM_FORM_TERMS terms
 *   term      factors joined by "*" or "/"; numbers, one of them with a unit (ns, us, ms,
 *             s) unless the model counts; of parameters at most MM_BASIS_FACTORS
 *   factor    Q    Q^2    Q^0.7    Q^-1    Q^(3/2)    sqrt(Q)    log2(Q)    log2(Q)^2
 *   break     in the place of the factors of parameters: max(0, Q - 42000), max(0, Q^2 -
 *             42000^2), or 1 above a size: (Q > 42000)
 *
 *       0.9 us + 0.0161 us * Q + 0.031 us * max(0, Q - 42000) */
#ifndef MASTERMIND_COST_FORMS_FORMULA_READ_H
#define MASTERMIND_COST_FORMS_FORMULA_READ_H

#include "mastermind/cost/forms/form.h"
#include "mastermind/reader/rows.h"

/* Parse `text` as a sum of basis functions over the parameters of `method`. With `counts`
 * numbers have no unit. Weight becomes 1, the covariance 0, score and error NaN.
 *
 * Returns 0; -EBADMSG with "found ..., expected ..." for a syntax error; `form` is then
 * undefined. */
int mm_formula_read(const char *text, const struct mm_method_info *method, int counts,
                    struct mm_form *form, struct cca_error *err);

#endif
