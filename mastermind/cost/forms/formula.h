/* SPDX-License-Identifier: BSD-3-Clause */
/* formula.h: print models as text for people, and as source code.
 *
 *   text    0.9 us + 0.0161 us * Q        three digits; readable by mm_formula_read
 *   C       a function, C11, needs math.h alone; ns, or counts, at full precision
 *   Python  a function, needs math alone; likewise
 *   LaTeX   an equation for the mathematics mode; us, or counts, six digits */
#ifndef MASTERMIND_COST_FORMS_FORMULA_H
#define MASTERMIND_COST_FORMS_FORMULA_H

#include <stdio.h>

#include "mastermind/cost/forms/form.h"
#include "mastermind/reader/rows.h"

enum mm_formula_language {
    MM_FORMULA_TEXT,
    MM_FORMULA_C,
    MM_FORMULA_PYTHON,
    MM_FORMULA_LATEX
};

/* Write the sum of a form to `to` on one line. In C and Python, mm_formula_variable gives
 * the names of the variables. */
void mm_formula_write(FILE *to, enum mm_formula_language language,
                      const struct mm_form *form, const struct mm_method_info *method,
                      int counts);
#define MM_FORMULA_NAME 80 /* size of the buffer for an identifier, including '\0' */

/* Make an identifier from any text, which is cut if long; it is no keyword and no
 * function called in formulas. */
void mm_formula_identifier(const char *text, char name[MM_FORMULA_NAME]);
/* The variable for in-value `index` in C and Python: a distinct identifier for each
 * in-value, no keyword and no function called in formulas. */
void mm_formula_variable(const struct mm_method_info *method, size_t index,
                         char name[MM_FORMULA_NAME]);

/* Print a cost with three digits and a unit, as in formulas; returns its length like
 * snprintf. */
int mm_formula_print_cost(int counts, double ns, char *text, size_t size);
/* Write a number that reads back as the same double in C and Python. */
void mm_formula_write_exact(FILE *to, double value);
/* Write a name in LaTeX notation. */
void mm_formula_write_latex_name(FILE *to, const char *name);
/* Print a form as text, like mm_formula_write. Returns its length, like snprintf. */
int mm_form_print(const struct mm_form *form, const struct mm_method_info *method,
                  int counts, char *text, size_t size);

#endif
