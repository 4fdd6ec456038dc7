/* SPDX-License-Identifier: BSD-3-Clause */
/* summaries.c: write rows of summary for methods, go ports and calling contexts. */
#include <stdio.h>
#include <string.h>

#include "ports/go_port.h"
#include "properties/load/parts.h"

static int put_sum(struct mm_load *load, struct mm_load_rows *rows, int64_t region,
                   const struct mm_load_unit *unit, const struct mm_load_sum *sum)
{
    double columns[MM_COLUMNS];

    mm_load_columns(load, sum, columns);
    return mm_load_rows_put(rows, region, unit, sum, columns);
}

static int put_methods(struct mm_load *load, struct mm_load_rows *rows,
                       const struct mm_load_unit *unit)
{
    int result = 0;

    for (size_t i = 0; i < load->e->method_count && !result; i++) {
        int64_t region = 0;

        if (!unit->sums || !unit->sums[i].calls)
            continue;
        result = mm_load_method(load, load->e->methods[i], &region);
        if (!result)
            result = put_sum(load, rows, region, unit, &unit->sums[i]);
    }
    return result;
}

/* A driver's go port is a region: the time while it runs. */
static int put_gos(struct mm_load *load, struct mm_load_rows *rows,
                   const struct mm_load_unit *unit)
{
    int result = 0;

    for (size_t i = 0; i < load->e->method_count && !result; i++) {
        const struct mm_method_info *m = load->e->methods[i];
        char name[512];
        int64_t region = 0;

        if (!unit->sums || !unit->sums[i].calls ||
            strcmp(m->port_type ? m->port_type : "", GO_PORT_TYPE) != 0)
            continue;
        snprintf(name, sizeof name, "%s.%s", m->instance, m->port);
        result = mm_load_region(load, "go", name, m, load->program, &region);
        if (!result)
            result = put_sum(load, rows, region, unit, &unit->sums[i]);
    }
    return result;
}

int mm_load_summaries(struct mm_load *load)
{
    struct mm_load_rows *rows = mm_load_rows_new(load);
    int result = rows ? 0 : load->err->code;

    for (size_t i = 0; i < load->unit_count && !result; i++) {
        result = put_methods(load, rows, &load->units[i]);
        if (!result)
            result = put_gos(load, rows, &load->units[i]);
    }
    mm_load_rows_free(rows);
    return result;
}
