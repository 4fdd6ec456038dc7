/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_link.c: which regions vary by which, and by how much in a replicate. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "properties/evaluate/noise_run.h"

#define COVERED .5 /* of a region's time, by contexts with batches */

enum { DEEPEST = 1000 }; /* parents: a damaged file may have a circle */

static const char *leaf_name(const char *name)
{
    const char *leaf = name, *next;

    while ((next = strstr(leaf, " > ")))
        leaf = next + 3;
    return leaf;
}

static int is_kind(const struct mm_noise_region *r, const char *kind)
{
    return !strcmp(r->region->kind, kind);
}

static size_t find_place(const struct mm_noise_run *run, int64_t id)
{
    for (size_t i = 0; i < run->region_count; i++)
        if (run->regions[i].region->id == id)
            return i;
    return SIZE_MAX;
}

/* Of the regions that are no contexts, the one that a context is a context of. */
static size_t find_method(const struct mm_noise_run *run, const char *name)
{
    for (size_t i = 0; i < run->region_count; i++)
        if ((is_kind(&run->regions[i], "method") || is_kind(&run->regions[i], "go")) &&
            !strcmp(run->regions[i].region->name, name))
            return i;
    return SIZE_MAX;
}

static int has_blocks(const struct mm_noise_run *run, size_t at)
{
    return at != SIZE_MAX && run->regions[at].batches && run->regions[at].blocks.count;
}

/* The blocks of a method from its times in batches. */
static int choose_blocks(const struct mm_noise_run *run, struct mm_noise_region *r)
{
    double *times = malloc((run->unit_count * r->batch_count + 1) * sizeof *times);
    size_t units = 0;

    if (!times)
        return -ENOMEM;
    for (size_t u = 0; u < run->unit_count; u++) {
        if (isnan(r->calls[u]))
            continue;
        for (size_t b = 0; b < r->batch_count; b++)
            times[units * r->batch_count + b] =
                r->batches[(u * r->batch_count + b) * MM_NOISE_COLUMNS + MM_NOISE_EXEC];
        units++;
    }
    r->blocks = mm_blocks_choose(times, units, r->batch_count);
    free(times);
    return 0;
}

/* A go port's calls begin with its methods: driver.go and driver.go.go. */
static int is_of_go(const char *method, const char *go)
{
    size_t length = strlen(go);

    return !strncmp(method, go, length) && (!method[length] || method[length] == '.');
}

/* True where `at` is around context `inner`, or is its method or one around. */
static int is_around(const struct mm_noise_run *run, size_t at, size_t inner)
{
    int go = is_kind(&run->regions[at], "go");

    if (is_kind(&run->regions[at], "program"))
        return 1;
    for (int depth = 0; inner != SIZE_MAX && depth < DEEPEST; depth++) {
        const struct mm_noise_region *r = &run->regions[inner];

        if (inner == at || r->method == at)
            return 1;
        if (go && is_of_go(leaf_name(r->region->name), run->regions[at].region->name))
            return 1;
        inner = find_place(run, run->regions[inner].region->parent);
    }
    return 0;
}

static int has_blocks_around(const struct mm_noise_run *run, size_t at)
{
    int64_t parent = run->regions[at].region->parent;

    for (int depth = 0; parent && depth < DEEPEST; depth++) {
        size_t up = find_place(run, parent);

        if (up == SIZE_MAX)
            return 0;
        if (has_blocks(run, run->regions[up].method))
            return 1;
        parent = run->regions[up].region->parent;
    }
    return 0;
}

static double exec_sum(const struct mm_noise_run *run, size_t at)
{
    double sum = 0;

    for (size_t u = 0; u < run->unit_count; u++) {
        double x = run->regions[at].times[u * MM_NOISE_COLUMNS + MM_NOISE_EXEC];

        sum += isnan(x) ? 0 : x;
    }
    return sum;
}

/* The blocks of a region without batches: the fewest of the contexts in it, if they are
 * enough of its time. */
static void borrow_blocks(struct mm_noise_run *run, size_t at)
{
    struct mm_noise_region *r = &run->regions[at];
    struct mm_blocks blocks = {0};
    double covered = 0;

    for (size_t i = 0; i < run->region_count; i++) {
        const struct mm_noise_region *c = &run->regions[i];

        if (!c->outermost || !is_around(run, at, i))
            continue;
        covered += exec_sum(run, i);
        if (!blocks.count || c->blocks.count < blocks.count)
            blocks = c->blocks;
        blocks.lag = fmax(blocks.lag, c->blocks.lag);
    }
    if (covered >= COVERED * exec_sum(run, at))
        r->blocks = blocks;
}

int mm_noise_run_link(struct mm_noise_run *run)
{
    for (size_t i = 0; i < run->region_count; i++)
        if (run->regions[i].batches && choose_blocks(run, &run->regions[i]))
            return -ENOMEM;
    for (size_t i = 0; i < run->region_count; i++)
        if (is_kind(&run->regions[i], "context"))
            run->regions[i].method =
                find_method(run, leaf_name(run->regions[i].region->name));
    for (size_t i = 0; i < run->region_count; i++) {
        struct mm_noise_region *r = &run->regions[i];

        if (!has_blocks(run, r->method))
            continue;
        r->blocks = run->regions[r->method].blocks;
        r->outermost = !has_blocks_around(run, i);
    }
    for (size_t i = 0; i < run->region_count; i++)
        if (!run->regions[i].blocks.count && !run->regions[i].batches &&
            !has_blocks(run, run->regions[i].method))
            borrow_blocks(run, i);
    return 0;
}

/* Columns of a method in a replicate, those of the whole run being 1. */
static void find_factors(double *factors, const struct mm_noise_run *run,
                         const struct mm_noise_region *m, size_t unit, size_t replicate)
{
    double weighted[MM_NOISE_COLUMNS] = {0}, all[MM_NOISE_COLUMNS] = {0}, weights = 0;

    for (size_t b = 0; b < m->batch_count; b++) {
        const double *x = m->batches + (unit * m->batch_count + b) * MM_NOISE_COLUMNS;
        double w = mm_blocks_weight(&m->blocks, b, replicate, run->stream);

        weights += w;
        for (size_t c = 0; c < MM_NOISE_COLUMNS; c++) {
            weighted[c] += w * x[c];
            all[c] += x[c];
        }
    }
    for (size_t c = 0; c < MM_NOISE_COLUMNS; c++)
        factors[c] = isnan(all[c]) ? NAN
                     : all[c] != 0
                         ? weighted[c] / weights / (all[c] / (double)m->batch_count)
                         : 1;
}

/* What region `at`, which has no batches, varies by. */
static void add_contexts(double *times, const struct mm_noise_run *run, size_t at,
                         size_t unit, size_t replicate)
{
    double factors[MM_NOISE_COLUMNS];

    times[MM_NOISE_OWN] = NAN;
    for (size_t i = 0; i < run->region_count; i++) {
        const struct mm_noise_region *o = &run->regions[i];

        if (!o->outermost || !is_around(run, at, i) || isnan(o->calls[unit]))
            continue;
        find_factors(factors, run, &run->regions[o->method], unit, replicate);
        for (size_t c = 0; c < MM_NOISE_COLUMNS; c++)
            times[c] += o->times[unit * MM_NOISE_COLUMNS + c] * (factors[c] - 1);
    }
}

void mm_noise_run_times(double *times, const struct mm_noise_run *run, size_t at,
                        size_t unit, size_t replicate)
{
    const struct mm_noise_region *r = &run->regions[at], *m = r->batches ? r : NULL;
    double factors[MM_NOISE_COLUMNS];

    memcpy(times, r->times + unit * MM_NOISE_COLUMNS, MM_NOISE_COLUMNS * sizeof *times);
    if (!r->blocks.count)
        return; /* a basis that does not vary */
    if (!m && has_blocks(run, r->method))
        m = &run->regions[r->method];
    if (!m) {
        add_contexts(times, run, at, unit, replicate);
        return;
    }
    find_factors(factors, run, m, unit, replicate);
    for (size_t c = 0; c < MM_NOISE_COLUMNS; c++)
        times[c] *= factors[c];
}
