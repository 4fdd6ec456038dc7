/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c: positions of breaks between the values of each parameter, and shapes of
 * slopes. */
#include "mastermind/cost/search/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sort.h"
#include "mastermind/cost/calls/numbers.h"

int mm_places_init(struct mm_places *places, const struct mm_sheet *sheet)
{
    size_t n = sheet->rows;

    *places = (struct mm_places){
        .memory = malloc((sheet->axes * n + 1) * sizeof *places->memory)};
    if (!places->memory)
        return -ENOMEM;
    for (size_t k = 0; k < sheet->axes; k++) {
        double *sorted = places->memory + k * n;
        size_t count = 0;

        memcpy(sorted, sheet->axis[k].x, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, cca_order_double);
        for (size_t i = 0; i < n; i++)
            if (!count || sorted[i] > sorted[count - 1])
                sorted[count++] = sorted[i];
        places->sorted[k] = sorted;
        places->distinct[k] = count;
    }
    return 0;
}

void mm_places_done(struct mm_places *places)
{
    free(places->memory);
    *places = (struct mm_places){0};
}

double mm_place_between(double low, double high, double part)
{
    if (low > 0)
        return exp2(log2(low) * (1 - part) + log2(high) * part);
    return low + (high - low) * part;
}

size_t mm_place_kinds(const struct mm_sheet *sheet, const struct mm_candidate *lead,
                      const struct mm_axis *axis, struct mm_factor *kind, double *price)
{
    static const double usual[] = {1, 2, .5, 1.5};
    int constant = lead->count == 1 && lead->basis[0].kind == MM_BASIS_ONE;
    size_t count = 0;

    for (size_t i = 0; i < lead->count; i++) {
        const struct mm_basis *basis = &lead->basis[i];

        if (basis->kind != MM_BASIS_PRODUCT || basis->factors != 1 ||
            basis->factor[0].parameter != axis->parameter || basis->factor[0].power < 0)
            continue;
        price[count] = MM_HINGE_PRICE;
        kind[count++] = basis->factor[0];
    }
    for (size_t i = 0; i < (sheet->axes > 1 ? 1 : sizeof usual / sizeof *usual); i++) {
        size_t k = 0;

        while (k < count && (kind[k].power != usual[i] || kind[k].logs))
            k++;
        if (k < count || (axis->low < 0 && usual[i] != 1))
            continue;
        price[count] = MM_HINGE_PRICE + (usual[i] == 1 ? 0 : .5) +
                       (constant ? 0 : MM_OTHER_KIND_PRICE);
        kind[count++] = (struct mm_factor){axis->parameter, usual[i], 0};
    }
    return count;
}
