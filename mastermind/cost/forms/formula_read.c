/* SPDX-License-Identifier: BSD-3-Clause */
/* formula_read.c: formulas that people write, as sums of basis functions. */
#include "mastermind/cost/forms/formula_read.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"

#define MOST_LOGS 8
#define MOST_POWER 100.

struct reader {
    const char *text, *at;
    const struct mm_method_info *method;
    int counts;
    struct cca_error *err;
};

/* A term under way. */
struct term {
    double number; /* product of the numbers; ns with a unit */
    int units;
    struct mm_basis basis;
};

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/* Complain about what stands at the reader. */
static int refuse_here(struct reader *r, const char *expected)
{
    int length;

    skip_blanks(r);
    length = (int)strcspn(r->at, " \t\r\n+*/()^,");
    if (!*r->at)
        return cca_error_set(r->err, -EBADMSG, "found the end of '%.100s', expected %s",
                             r->text, expected);
    return cca_error_set(r->err, -EBADMSG, "found '%.*s' in '%.100s', expected %s",
                         length > 60 ? 60
                         : length    ? length
                                     : 1,
                         r->at, r->text, expected);
}

/* Step over `sign` if it comes next. */
static int take_sign(struct reader *r, char sign)
{
    skip_blanks(r);
    if (*r->at != sign)
        return 0;
    r->at++;
    return 1;
}

static int is_name_letter(char letter)
{
    unsigned char c = (unsigned char)letter;

    return isalnum(c) || c == '_' || c == '.' || c >= 0x80;
}

/* Step over `word` if it comes next as a whole word. */
static int take_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(r);
    if (strncmp(r->at, word, length) != 0 || is_name_letter(r->at[length]))
        return 0;
    r->at += length;
    return 1;
}

static int read_number(struct reader *r, double *value)
{
    char *end;

    skip_blanks(r);
    if (!isdigit((unsigned char)*r->at) && *r->at != '.')
        return refuse_here(r, "a number");
    *value = strtod(r->at, &end);
    if (end == r->at || !isfinite(*value))
        return refuse_here(r, "a number");
    r->at = end;
    return 0;
}

/* A number that may have a sign, or a fraction in parentheses. */
static int read_power(struct reader *r, double *power)
{
    int open = take_sign(r, '('), minus = take_sign(r, '-');
    double below;

    if (read_number(r, power) < 0)
        return -EBADMSG;
    if (open && take_sign(r, '/')) {
        if (read_number(r, &below) < 0)
            return -EBADMSG;
        *power /= below;
    }
    if (open && !take_sign(r, ')'))
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
    size_t length = 0;

    skip_blanks(r);
    while (is_name_letter(r->at[length]))
        length++;
    for (size_t i = 0; i < method->in_count; i++) {
        if (method->values[i].kind != MONITOR_PARAM ||
            strncmp(method->values[i].name, r->at, length) != 0 ||
            method->values[i].name[length] || !length)
            continue;
        *index = i;
        r->at += length;
        return 0;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, r->at);
    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < method->in_count; i++)
        if (method->values[i].kind == MONITOR_PARAM)
            cca_nearest_offer(&nearest, method->values[i].name);
    snprintf(expected, sizeof expected, "a parameter of '%.60s'%s", method->method,
             cca_nearest_hint(nearest.best, hint, sizeof hint));
    return refuse_here(r, expected);
}

/* What a factor is of: a parameter, or with `place` the number of a break. */
static int read_operand(struct reader *r, size_t *index, double *place)
{
    return place ? read_number(r, place) : read_parameter(r, index);
}

/* One factor: x, x^p, sqrt(x), log2(x), log2(x)^k. */
static int read_factor(struct reader *r, struct mm_factor *factor, double *place)
{
    int root = take_word(r, "sqrt"), log = !root && take_word(r, "log2");
    double power = 1;

    *factor = (struct mm_factor){0};
    if ((root || log) && !take_sign(r, '('))
        return refuse_here(r, "'('");
    if (read_operand(r, &factor->parameter, place) < 0)
        return -EBADMSG;
    if ((root || log) && !take_sign(r, ')'))
        return refuse_here(r, "')'");
    if (take_sign(r, '^') && read_power(r, &power) < 0)
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

/* Factors of one operand joined by "*", as one factor. */
static int read_shape(struct reader *r, struct mm_factor *shape, double *place)
{
    struct mm_factor factor;
    double first = 0;
    int result = read_factor(r, shape, place);

    if (place)
        first = *place;
    while (!result && take_sign(r, '*')) {
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

/* The rest of "max(0, x - at)". */
static int read_hinge(struct reader *r, struct mm_basis *basis)
{
    struct mm_factor place = {0};
    double zero;

    if (!take_sign(r, '('))
        return refuse_here(r, "'('");
    if (read_number(r, &zero) < 0 || zero != 0 || !take_sign(r, ','))
        return refuse_here(r, "'max(0, x - at)'");
    if (read_shape(r, &basis->factor[0], NULL) < 0)
        return -EBADMSG;
    if (!take_sign(r, '-'))
        return refuse_here(r, "'-' and the place of the break");
    if (read_shape(r, &place, &basis->at) < 0)
        return -EBADMSG;
    if (place.power != basis->factor[0].power || place.logs != basis->factor[0].logs)
        return refuse_here(r, "the same function of the parameter and of its place");
    if (!take_sign(r, ')'))
        return refuse_here(r, "')'");
    basis->kind = MM_BASIS_HINGE;
    basis->factors = 1;
    return 0;
}

/* The rest of "(x > at)". */
static int read_jump(struct reader *r, struct mm_basis *basis)
{
    basis->factor[0] = (struct mm_factor){.power = 1};
    if (read_parameter(r, &basis->factor[0].parameter) < 0)
        return -EBADMSG;
    if (!take_sign(r, '>'))
        return refuse_here(r, "'>'");
    if (read_number(r, &basis->at) < 0)
        return -EBADMSG;
    if (!take_sign(r, ')'))
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
        if (!take_word(r, units[i].name))
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

/* The rest of "2^n" or "2^(n/4)", whose base is read. */
static int read_exponential(struct reader *r, double base, struct mm_basis *basis)
{
    int open = take_sign(r, '(');
    double steps = 1;

    if (basis->kind != MM_BASIS_ONE || !(base > 0))
        return refuse_here(r, "an exponential that nothing but a number is a factor of");
    basis->factor[0] = (struct mm_factor){0};
    if (read_parameter(r, &basis->factor[0].parameter) < 0)
        return -EBADMSG;
    if (open && take_sign(r, '/') && read_number(r, &steps) < 0)
        return -EBADMSG;
    if (open && !take_sign(r, ')'))
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

/* One part of a term; with `divide` it stands behind "/". */
static int read_part(struct reader *r, struct term *term, int divide)
{
    struct mm_factor factor;
    double number;
    int hinge;

    skip_blanks(r);
    if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        if (read_number(r, &number) < 0)
            return -EBADMSG;
        if (!divide && take_sign(r, '^'))
            return read_exponential(r, number, &term->basis);
        term->number *= divide ? 1 / number : number;
        return divide ? 0 : read_unit(r, term);
    }
    hinge = take_word(r, "max");
    if (hinge || take_sign(r, '(')) {
        if (divide || term->basis.kind != MM_BASIS_ONE)
            return refuse_here(r, "a break that nothing but a number is a factor of");
        return hinge ? read_hinge(r, &term->basis) : read_jump(r, &term->basis);
    }
    if (term->basis.kind != MM_BASIS_ONE && term->basis.kind != MM_BASIS_PRODUCT)
        return refuse_here(r, "a break that nothing but a number is a factor of");
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
        divide = take_sign(r, '/');
    } while (divide || take_sign(r, '*'));
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

/* Move the constant behind the other terms, where forms have it. */
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
    struct reader r = {text, text, method, counts, err};
    struct term term;
    int minus = take_sign(&r, '-');

    *form = (struct mm_form){.weight = 1, .score = NAN, .error = NAN};
    for (;;) {
        if (read_term(&r, &term) < 0)
            return -EBADMSG;
        if (minus)
            term.number = -term.number;
        if (add_term(&r, form, &term) < 0)
            return -EBADMSG;
        minus = take_sign(&r, '-');
        if (!minus && !take_sign(&r, '+'))
            break;
    }
    skip_blanks(&r);
    if (*r.at)
        return refuse_here(&r, "'+', '-', '*' or '/'");
    constant_last(form);
    return 0;
}
