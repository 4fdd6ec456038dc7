/* SPDX-License-Identifier: BSD-3-Clause */
/* price.c: prices of terms. */
#include "mastermind/cost/search/price.h"

#include <math.h>

#include "mastermind/cost/calls/numbers.h"

#define GROWTH .3 /* price of each power above 1 of a parameter */
#define EXPONENTIAL 12.
/* share of a cost; a term with a smaller share at all sizes is surprising */
#define SMALL_SHARE .02
#define SMALL 2.
#define NEGATIVE 2.
/* price of a falling term that is visible at one size; half of it at two sizes */
#define FALLING 6.
#define TERM 3.       /* price of a second term of a sum */
#define MORE_TERMS 3. /* price of each further term of a sum */

/* Usual costs are areas, volumes, surfaces of volumes, sorting, transforms. Shapes with
 * equal prices are about equally usual. */
static double power_price(double power)
{
    int numerator, denominator;

    if (power == 0 || power == 1)
        return 0;
    if (!mm_power_fraction(power, &numerator, &denominator))
        return MM_FREE_POWER_PRICE;
    switch (denominator) {
    case 1:
        return power > 0 ? .4 : 1;
    case 2:
        return power == .5 || power == 1.5 ? 1 : 2.2;
    case 3:
        return power == 1. / 3 || power == 2. / 3 ? 2 : 3;
    default:
        return 3;
    }
}

/* Price (penalty) of the factor x^power log2(x)^logs, where x is an axis of degree 1. */
static double mm_price_factor(double power, int logs)
{
    double price = power_price(power);

    if (logs == 1)
        price += power == 1 || power == 0 ? .6 : 1.5;
    else if (logs)
        price += 2;
    if (power < 0)
        price += .4;
    return price;
}

double mm_price_share(double share)
{
    return share < SMALL_SHARE ? SMALL * log(SMALL_SHARE / fmax(share, 1e-12)) : 0;
}

double mm_price_negative(double share)
{
    return NEGATIVE * log(1 + fmin(share, 1e12));
}

double mm_price_growth(const struct mm_sheet *sheet, const struct mm_basis *basis)
{
    double growth = 0;

    for (size_t i = 0; basis->kind != MM_BASIS_JUMP && i < basis->factors; i++) {
        const struct mm_axis *axis = mm_sheet_axis(sheet, basis->factor[i].parameter);

        if (axis && basis->kind == MM_BASIS_EXPONENTIAL)
            return log(2) * basis->factor[i].power * axis->high;

        growth += axis ? basis->factor[i].power * axis->degree : 0;
    }
    return growth;
}

double mm_price_falling(size_t seen)
{
    return seen < 2 ? FALLING : seen < 3 ? FALLING / 2 : 0;
}

double mm_price_terms(size_t terms)
{
    return terms > 1 ? TERM + MORE_TERMS * (double)(terms - 2) : 0;
}

/* True if a parameter has enough values, and range, to distinguish a curve from a line.
 */
static int is_tellable(const struct mm_sheet *s, const struct mm_axis *axis,
                       const struct mm_factor *factor)
{
    double price = mm_price_factor(factor->power, factor->logs);

    if (factor->power == 1 && factor->logs == 0)
        return 1;
    if (!axis->wide || axis->distinct < 3)
        return 0;
    if (axis->distinct < 4 || s->rows < 5)
        return price <= .7;
    return 1;
}

double mm_price_basis(const struct mm_sheet *s, const struct mm_basis *basis,
                      double max_power)
{
    double price = 0, growth[MONITOR_MAX_IN] = {0}, own = 0;

    if (basis->kind == MM_BASIS_ONE)
        return 0;
    for (size_t i = 0; i < basis->factors; i++) {
        const struct mm_factor *factor = &basis->factor[i];
        const struct mm_axis *axis = mm_sheet_axis(s, factor->parameter);

        if (!axis || (s->rows < 6 && axis->price > 0) ||
            (basis->kind == MM_BASIS_EXPONENTIAL && axis->distinct < 5) ||
            ((basis->kind == MM_BASIS_PRODUCT || basis->kind == MM_BASIS_HINGE) &&
             !is_tellable(s, axis, factor)))
            return INFINITY;
        price += axis->price;
        if (basis->kind == MM_BASIS_JUMP)
            continue;
        if (basis->kind == MM_BASIS_EXPONENTIAL) {
            price += EXPONENTIAL;
            continue;
        }
        price += mm_price_factor(factor->power, factor->logs);
        growth[axis->group] += factor->power * axis->degree;
        own = fmax(own, factor->power);
        if (factor->power > fmax(max_power, 1))
            return INFINITY;
    }
    for (size_t i = 0; i < s->axes; i++) {
        if (growth[i] > max_power + 1e-9 && (own > 1 || basis->factors > 1))
            return INFINITY;
        price += GROWTH * fmax(0, growth[i] - 1);
    }
    /* add the price of choosing some among several parameters */
    if (s->axes > 1)
        price += (double)basis->factors * 2 * log((double)s->axes) - 2 * log(2) +
                 MM_INTERACTION_PRICE * ((double)basis->factors - 1);
    return price;
}

double mm_price_shape(const struct mm_basis *basis)
{
    double price = 0;

    for (size_t i = 0; basis->kind == MM_BASIS_PRODUCT && i < basis->factors; i++)
        price += mm_price_factor(basis->factor[i].power, basis->factor[i].logs);
    return price;
}

double mm_price_sum(const struct mm_sheet *sheet, const struct mm_basis *basis,
                    size_t count, double max_power)
{
    double price = 0, shapes = 0;
    size_t terms = 0;

    for (size_t i = 0; i < count; i++) {
        price += mm_price_basis(sheet, &basis[i], max_power);
        shapes += mm_price_shape(&basis[i]);
        terms += basis[i].kind != MM_BASIS_ONE;
    }
    return price + mm_price_terms(terms) + (terms > 1 ? shapes : 0);
}
