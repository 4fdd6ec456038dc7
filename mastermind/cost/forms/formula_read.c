/* SPDX-License-Identifier: BSD-3-Clause */
/* formula_read.c: parser of formulas as sums of basis functions. */
#include "mastermind/cost/forms/formula_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/expr/token.h"
#include "common/nearest.h"

#define MOST_LOGS 8
#define MOST_POWER 100.

struct reader {
    const char *text;
    struct cca_cursor cursor;
    struct cca_token token; /* the token read last, not consumed yet */
    enum cca_token_fault fault;
    const struct mm_method_info *method;
    int counts;
    struct cca_error *err;
};

/* The term of a formula that is being parsed. */
struct term {
    double number; /* product of the term's numbers so far; in ns if one had a unit */
    int units;
    struct mm_basis basis;
};

static void next_token(struct reader *r)
{
    static const struct cca_lexis lexis = {.pairs = "",
                                           .singles = "+-*/()^,>",
                                           .quotes = "",
                                           .options = CCA_LEX_POINT | CCA_LEX_DOTS};

    r->fault = cca_token_next(&lexis, &r->cursor, &r->token);
}

/* Report the current token as an error. */
static int refuse_here(const struct reader *r, const char *expected)
{
    if (r->token.kind == CCA_TOKEN_END)
        return cca_error_set(r->err, -EBADMSG, "found the end of '%.100s', expected %s",
                             r->text, expected);
    return cca_error_set(r->err, -EBADMSG, "found '%.*s' in '%.100s', expected %s",
                         r->token.length > 60 ? 60 : (int)r->token.length, r->token.start,
                         r->text, expected);
}

/* Consume a sign or a word if it is the current token. */
static int take(struct reader *r, const char *text)
{
    if (!cca_token_is(&r->token, text))
        return 0;
    next_token(r);
    return 1;
}

static int is_number(const struct reader *r)
{
    return r->token.kind == CCA_TOKEN_INTEGER || r->token.kind == CCA_TOKEN_REAL;
}

static int read_number(struct reader *r, double *value)
{
    if (!is_number(r) || r->fault > CCA_TOKEN_RANGE || !isfinite(r->token.d))
        return refuse_here(r, "a number");
    *value = r->token.d;
    next_token(r);
    return 0;
}

/* Parse a number, with an optional sign, or a fraction in parentheses. */
static int read_power(struct reader *r, double *power)
{
    int open = take(r, "("), minus = take(r, "-");
    double below;

    if (read_number(r, power) < 0)
        return -EBADMSG;
    if (open && take(r, "/")) {
        if (read_number(r, &below) < 0)
            return -EBADMSG;
        *power /= below;
    }
    if (open && !take(r, ")"))
        return refuse_here(r, "')'");
    if (minus)
        *power = -*power;
    if (!(fabs(*power) <= MOST_POWER))
        return cca_error_set(r->err, -EBADMSG, "found a power of %g, expected %g at most",
                             *power, MOST_POWER);
    return 0;
}

static int read_parameter(struct reader *r, size_t *index)
{
    const struct mm_method_info *method = r->method;
    struct cca_nearest nearest;
    char name[CCA_NEAREST_LONGEST + 1], hint[128], expected[300];

    for (size_t i = 0; i < method->in_count; i++) {
        if (method->values[i].kind != MONITOR_PARAM ||
            !cca_token_is(&r->token, method->values[i].name))
            continue;
        *index = i;
        next_token(r);
        return 0;
    }
    snprintf(name, sizeof name, "%.*s", (int)r->token.length, r->token.start);
    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < method->in_count; i++)
        if (method->values[i].kind == MONITOR_PARAM)
            cca_nearest_offer(&nearest, method->values[i].name);
    snprintf(expected, sizeof expected, "a parameter of '%.60s'%s", method->method,
             cca_nearest_hint(nearest.best, hint, sizeof hint));
    return refuse_here(r, expected);
}

/* Parse the operand of a factor: a parameter or, if `place` is not NULL, the position of
 * a break. */
static int read_operand(struct reader *r, size_t *index, double *place)
{
    return place ? read_number(r, place) : read_parameter(r, index);
}

/* Parse one factor: x, x^p, sqrt(x), log2(x), log2(x)^k. */
static int read_factor(struct reader *r, struct mm_factor *factor, double *place)
{
    int root = take(r, "sqrt"), log = !root && take(r, "log2");
    double power = 1;

    *factor = (struct mm_factor){0};
    if ((root || log) && !take(r, "("))
        return refuse_here(r, "'('");
    if (read_operand(r, &factor->parameter, place) < 0)
        return -EBADMSG;
    if ((root || log) && !take(r, ")"))
        return refuse_here(r, "')'");
    if (take(r, "^") && read_power(r, &power) < 0)
        return -EBADMSG;
    if (log && (power != floor(power) || power < 1 || power > MOST_LOGS))
        return cca_error_set(r->err, -EBADMSG,
                             "found a power %g of a logarithm, expected 1 to %d", power,
                             MOST_LOGS);
    factor->power = log ? 0 : root ? power / 2 : power;
    factor->logs = log ? (int)power : 0;
    return 0;
}

static int add_factor(struct reader *r, struct mm_basis *basis,
                      const struct mm_factor *factor)
{
    for (size_t i = 0; i < basis->factors; i++) {
        if (basis->factor[i].parameter != factor->parameter)
            continue;
        basis->factor[i].power += factor->power;
        basis->factor[i].logs += factor->logs;
        if (basis->factor[i].logs <= MOST_LOGS)
            return 0;
        return cca_error_set(r->err, -EBADMSG, "found more than %d logarithms in a term",
                             MOST_LOGS);
    }
    if (basis->factors == MM_BASIS_FACTORS)
        return cca_error_set(r->err, -EBADMSG, "found more than %d parameters in a term",
                             MM_BASIS_FACTORS);
    basis->kind = MM_BASIS_PRODUCT;
    basis->factor[basis->factors++] = *factor;
    return 0;
}

/* Parse factors with one operand joined by "*", such as x^2 * log2(x), into one
 * factor. */
static int read_shape(struct reader *r, struct mm_factor *shape, double *place)
{
    struct mm_factor factor;
    double first = 0;
    int result = read_factor(r, shape, place);

    if (place)
        first = *place;
    while (!result && take(r, "*")) {
        result = read_factor(r, &factor, place);
        if (result)
            break;
        if (factor.parameter != shape->parameter || (place && *place != first))
            return refuse_here(r, "the same in all factors of a break");
        shape->power += factor.power;
        shape->logs += factor.logs;
    }
    return result;
}

/* Parse the rest of "max(0, x - at)". */
static int read_hinge(struct reader *r, struct mm_basis *basis)
{
    struct mm_factor place = {0};
    double zero;

    if (!take(r, "("))
        return refuse_here(r, "'('");
    if (read_number(r, &zero) < 0 || zero != 0 || !take(r, ","))
        return refuse_here(r, "'max(0, x - at)'");
    if (read_shape(r, &basis->factor[0], NULL) < 0)
        return -EBADMSG;
    if (!take(r, "-"))
        return refuse_here(r, "'-' and the place of the break");
    if (read_shape(r, &place, &basis->at) < 0)
        return -EBADMSG;
    if (place.power != basis->factor[0].power || place.logs != basis->factor[0].logs)
        return refuse_here(r, "the same function of the parameter and of its place");
    if (!take(r, ")"))
        return refuse_here(r, "')'");
    basis->kind = MM_BASIS_HINGE;
    basis->factors = 1;
    return 0;
}

/* Parse the rest of "(x > at)". */
static int read_jump(struct reader *r, struct mm_basis *basis)
{
    basis->factor[0] = (struct mm_factor){.power = 1};
    if (read_parameter(r, &basis->factor[0].parameter) < 0)
        return -EBADMSG;
    if (!take(r, ">"))
        return refuse_here(r, "'>'");
    if (read_number(r, &basis->at) < 0)
        return -EBADMSG;
    if (!take(r, ")"))
        return refuse_here(r, "')'");
    basis->kind = MM_BASIS_JUMP;
    basis->factors = 1;
    return 0;
}

static int read_unit(struct reader *r, struct term *term)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

    for (size_t i = 0; i < 4 && !r->counts; i++) {
        if (!take(r, units[i].name))
            continue;
        term->number *= units[i].ns;
        if (term->units++)
            return cca_error_set(r->err, -EBADMSG,
                                 "found two units in a term of '%.100s', expected one",
                                 r->text);
        return 0;
    }
    return 0;
}

/* Parse the rest of "2^n" or "2^(n/4)" after the base. */
static int read_exponential(struct reader *r, double base, struct mm_basis *basis)
{
    int open = take(r, "(");
    double steps = 1;

    if (basis->kind != MM_BASIS_ONE || !(base > 0))
        return refuse_here(r, "an exponential with only numbers as other factors");
    basis->factor[0] = (struct mm_factor){0};
    if (read_parameter(r, &basis->factor[0].parameter) < 0)
        return -EBADMSG;
    if (open && take(r, "/") && read_number(r, &steps) < 0)
        return -EBADMSG;
    if (open && !take(r, ")"))
        return refuse_here(r, "')'");
    basis->factor[0].power = log2(base) / steps;
    if (!(fabs(basis->factor[0].power) <= MOST_POWER))
        return cca_error_set(r->err, -EBADMSG,
                             "found an exponential of %g a step, "
                             "expected 2^%g at most",
                             base, MOST_POWER);
    basis->kind = MM_BASIS_EXPONENTIAL;
    basis->factors = 1;
    return 0;
}

/* Parse one factor of a term; `divide`: the factor follows "/". */
static int read_part(struct reader *r, struct term *term, int divide)
{
    struct mm_factor factor;
    double number;
    int hinge;

    if (is_number(r)) {
        if (read_number(r, &number) < 0)
            return -EBADMSG;
        if (!divide && take(r, "^"))
            return read_exponential(r, number, &term->basis);
        term->number *= divide ? 1 / number : number;
        return divide ? 0 : read_unit(r, term);
    }
    hinge = take(r, "max");
    if (hinge || take(r, "(")) {
        if (divide || term->basis.kind != MM_BASIS_ONE)
            return refuse_here(r, "a break with only numbers as other factors");
        return hinge ? read_hinge(r, &term->basis) : read_jump(r, &term->basis);
    }
    if (term->basis.kind != MM_BASIS_ONE && term->basis.kind != MM_BASIS_PRODUCT)
        return refuse_here(r, "a break with only numbers as other factors");
    if (read_factor(r, &factor, NULL) < 0)
        return -EBADMSG;
    if (divide && factor.logs)
        return refuse_here(r, "no division by a logarithm");
    if (divide)
        factor.power = -factor.power;
    return add_factor(r, &term->basis, &factor);
}

static int read_term(struct reader *r, struct term *term)
{
    int divide = 0;

    *term = (struct term){.number = 1};
    do {
        if (read_part(r, term, divide) < 0)
            return -EBADMSG;
        divide = take(r, "/");
    } while (divide || take(r, "*"));
    if (!r->counts && !term->units)
        return refuse_here(r, "a unit in each term: ns, us, ms or s");
    if (!isfinite(term->number))
        return refuse_here(r, "a coefficient that is finite");
    return 0;
}

static int add_term(struct reader *r, struct mm_form *form, const struct term *term)
{
    for (size_t i = 0; i < form->count; i++) {
        if (!mm_basis_equal(&form->basis[i], &term->basis))
            continue;
        form->a[i] += term->number;
        return 0;
    }
    if (form->count == MM_FORM_TERMS)
        return cca_error_set(r->err, -EBADMSG, "found more than %d terms in '%.100s'",
                             MM_FORM_TERMS, r->text);
    form->a[form->count] = term->number;
    form->basis[form->count++] = term->basis;
    return 0;
}

/* Move the constant to the end, as forms require. */
static void constant_last(struct mm_form *form)
{
    for (size_t i = 0; i + 1 < form->count; i++) {
        struct mm_basis basis = form->basis[i];
        double a = form->a[i];

        if (basis.kind != MM_BASIS_ONE)
            continue;
        form->basis[i] = form->basis[i + 1];
        form->a[i] = form->a[i + 1];
        form->basis[i + 1] = basis;
        form->a[i + 1] = a;
    }
}

int mm_formula_read(const char *text, const struct mm_method_info *method, int counts,
                    struct mm_form *form, struct cca_error *err)
{
    struct reader r = {.text = text,
                       .cursor = {text, text + strlen(text), 1, 1},
                       .method = method,
                       .counts = counts,
                       .err = err};
    struct term term;
    int minus;

    next_token(&r);
    minus = take(&r, "-");
    *form = (struct mm_form){.weight = 1, .score = NAN, .error = NAN};
    for (;;) {
        if (read_term(&r, &term) < 0)
            return -EBADMSG;
        if (minus)
            term.number = -term.number;
        if (add_term(&r, form, &term) < 0)
            return -EBADMSG;
        minus = take(&r, "-");
        if (!minus && !take(&r, "+"))
            break;
    }
    if (r.token.kind != CCA_TOKEN_END)
        return refuse_here(&r, "'+', '-', '*' or '/'");
    constant_last(form);
    return 0;
}
