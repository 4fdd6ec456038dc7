/* SPDX-License-Identifier: BSD-3-Clause */
/* basis.h: the functions whose sums are costs: products of powers and logarithms of
 * parameters, hinges, jumps and exponentials.
 *
 * Cost models and scaling functions of counts use them. A tuple x has a number for each
 * in-value of a method, at the index of the in-value. */
#ifndef MASTERMIND_COST_FORMS_BASIS_H
#define MASTERMIND_COST_FORMS_BASIS_H

#include <stddef.h>

#define MM_BASIS_FACTORS 3
/* Largest exponent of a parameter. Error of synthetic cases 1.01 with half the value; one
 * result of the benchmark changes with double the value. */
#define MM_MAX_POWER 3.

/* x[parameter]^power * log2(x[parameter])^logs */
struct mm_factor {
    size_t parameter; /* index of the in-value */
    double power;
    int logs;
};

enum mm_basis_kind {
    MM_BASIS_ONE,        /* the constant 1 */
    MM_BASIS_PRODUCT,    /* product of the factors */
    MM_BASIS_HINGE,      /* max(0, factor[0](x) - factor[0](at)) */
    MM_BASIS_JUMP,       /* 1 where the parameter of factor[0] is above `at`, else 0 */
    MM_BASIS_EXPONENTIAL /* 2^(power * parameter) of factor[0] */
};

struct mm_basis {
    enum mm_basis_kind kind;
    struct mm_factor factor[MM_BASIS_FACTORS];
    size_t factors;
    double at; /* position of a hinge or jump, in units of the parameter */
};

/* Value at `x`; not finite where the function is not defined. */
double mm_basis_value(const struct mm_basis *basis, const double *x);
/* value[i] = x[i]^power */
void mm_power_values(const double *x, size_t count, double power, double *value);
/* True if two functions are equal. */
int mm_basis_equal(const struct mm_basis *a, const struct mm_basis *b);
/* Write a power as a fraction with a denominator up to 5; returns 0 where none is within
 * 1e-9. */
int mm_power_fraction(double power, int *numerator, int *denominator);

#endif
