/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.c: scaling functions of transfer and waiting. */
#include "mastermind/forecast/parts.h"

#include <math.h>
#include <stdlib.h>

/* only the addresses are used, as keys of quantities */
static const char transfer_key, waiting_key;

static int find_amount(struct mm_forecaster *f, struct mm_forecast *forecast,
                       const char *key, struct mm_amount *amount, struct cca_error *err)
{
    double *y = calloc(f->count + 1, sizeof *y);
    struct mm_quantity *quantity = NULL;

    for (size_t r = 0; r < f->count && y; r++)
        y[r] = key == &transfer_key ? f->runs[r].transfer_ns : f->runs[r].waiting_ns;
    if (y)
        quantity =
            mm_structure_numbers(&f->structure, MM_QUANTITY_GIVEN, key, SIZE_MAX, y);
    free(y);
    if (!quantity)
        return cca_no_memory(err);
    if (mm_structure_amount(&f->structure, quantity, &forecast->asked, amount, err))
        return err->code;
    if (amount->number.value < 0)
        amount->number.value = 0;
    return 0;
}

int mm_forecast_mpi(struct mm_forecaster *f, struct mm_forecast *forecast,
                    struct cca_error *err)
{
    const struct mm_axes *axes = &f->structure.axes;
    size_t ranks = mm_axes_find(axes, MM_AXIS_RANKS, "ranks");
    int measured = 0;

    for (size_t r = 0; r < f->count; r++)
        measured |= isfinite(f->runs[r].transfer_ns);
    if (!measured ||
        mm_axis_number(forecast->asked.text[axes->items[ranks].same_as]) <= 1)
        return 0;
    forecast->has_mpi = 1;
    if (find_amount(f, forecast, &transfer_key, &forecast->transfer, err) ||
        find_amount(f, forecast, &waiting_key, &forecast->waiting, err))
        return err->code;
    forecast->unknown += !isfinite(forecast->transfer.number.value);
    forecast->unknown += !isfinite(forecast->waiting.number.value);
    forecast->total_ns +=
        forecast->transfer.number.value + forecast->waiting.number.value;
    return 0;
}
