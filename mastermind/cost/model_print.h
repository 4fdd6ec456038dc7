/* SPDX-License-Identifier: BSD-3-Clause */
/* model_print.h: models as text, functions and equations. */
#ifndef MASTERMIND_COST_MODEL_PRINT_H
#define MASTERMIND_COST_MODEL_PRINT_H

#include "mastermind/cost/forms/decide.h"
#include "mastermind/cost/forms/formula.h"
#include "mastermind/cost/model.h"

/* Write the typical cost of a model as a function, an equation, or a line of text. `name`
 * is any text, from which an identifier is made. A program includes math.h, or imports
 * math, once before the first function. Where the formula is not positive or not defined,
 * the function returns the least measured cost, as the model does. */
void mm_formula_write_model(FILE *to, enum mm_formula_language language,
                            const struct mm_model *model, const char *name);

/* Print the typical cost as text, "0.9 us + 0.0161 us * Q". Returns its length, like
 * snprintf. */
int mm_model_print(const struct mm_model *model, char *text, size_t size);
/* Print the spread of calls about the typical cost: "0.031 * mean", "1.2 us", or
 * "unknown". */
int mm_spread_print(const struct mm_model *model, char *text, size_t size);
/* The sizes to which the model was fitted; borrows from the model. */
struct mm_sizes mm_model_sizes(const struct mm_model *model);

/* The exponent with which the cost grows with parameter `k` over the upper part of its
 * measured values: from a fourth of the largest value or from the middle of the range.
 * NaN: none. */
double mm_model_growth(const struct mm_model *model, size_t k);

#endif
