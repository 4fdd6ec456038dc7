/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_link.c: find the regions with which another region varies, and compute its change
 * in a replicate. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/find.h"
#include "properties/evaluate/noise_run.h"

#define COVERED .5 /* minimum share of a region's time in contexts with batches */

enum { DEEPEST = 1000 }; /* limit of parents: a damaged file may contain a cycle */

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

/* Index of a region; regions ascend by id. */
static size_t find_place(const struct mm_noise_run *run, int64_t id)
{
    size_t at;

    CCA_FIND_FIRST(at, run->region_count, run->regions[at].region->id < id);
    return id && at < run->region_count && run->regions[at].region->id == id ? at
                                                                             : SIZE_MAX;
}

/* Index of the method of a context, among regions that are no contexts. */
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

/* Choose the blocks of a method from its times in batches. */
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

/* Whether a method is a go port's: driver.go.go belongs to driver.go. */
static int is_of_go(const char *method, const char *go)
{
    size_t length = strlen(go);

    return !strncmp(method, go, length) && (!method[length] || method[length] == '.');
}

/* Whether region `at` is context `inner`, a context that encloses it, or the method of
 * one of these. */
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
        inner = r->up;
    }
    return 0;
}

static int has_blocks_around(const struct mm_noise_run *run, size_t at)
{
    size_t up = run->regions[at].up;

    for (int depth = 0; up != SIZE_MAX && depth < DEEPEST; depth++) {
        if (has_blocks(run, run->regions[up].method))
            return 1;
        up = run->regions[up].up;
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

/* Give a region without batches the blocks of the outermost contexts in it: the fewest
 * blocks among them, if they cover enough of its time. */
static int borrow_blocks(struct mm_noise_run *run, size_t at)
{
    struct mm_noise_region *r = &run->regions[at];
    struct mm_blocks blocks = {0};
    double covered = 0;

    r->parts = malloc((run->region_count + 1) * sizeof *r->parts);
    if (!r->parts)
        return -ENOMEM;
    for (size_t i = 0; i < run->region_count; i++) {
        const struct mm_noise_region *c = &run->regions[i];

        if (!c->outermost || !is_around(run, at, i))
            continue;
        r->parts[r->part_count++] = i;
        covered += exec_sum(run, i);
        if (!blocks.count || c->blocks.count < blocks.count)
            blocks = (struct mm_blocks){c->blocks.length, c->blocks.count, blocks.lag};
        blocks.lag = fmax(blocks.lag, c->blocks.lag);
    }
    if (covered >= COVERED * exec_sum(run, at))
        r->blocks = blocks;
    return 0;
}

/* Find each context's method, and mark outermost contexts. */
static void link_contexts(struct mm_noise_run *run)
{
    for (size_t i = 0; i < run->region_count; i++) {
        struct mm_noise_region *r = &run->regions[i];

        r->up = find_place(run, r->region->parent);
        if (is_kind(r, "context"))
            r->method = find_method(run, leaf_name(r->region->name));
    }
    for (size_t i = 0; i < run->region_count; i++) {
        struct mm_noise_region *r = &run->regions[i];

        if (!has_blocks(run, r->method))
            continue;
        r->blocks = run->regions[r->method].blocks;
        r->outermost = !has_blocks_around(run, i);
    }
}

int mm_noise_run_link(struct mm_noise_run *run)
{
    for (size_t i = 0; i < run->region_count; i++)
        if (run->regions[i].batches && choose_blocks(run, &run->regions[i]))
            return -ENOMEM;
    link_contexts(run);
    for (size_t i = 0; i < run->region_count; i++) {
        struct mm_noise_region *r = &run->regions[i];

        if (r->asked && !r->blocks.count && !r->batches && !has_blocks(run, r->method) &&
            borrow_blocks(run, i))
            return -ENOMEM;
    }
    return 0;
}

/* Compute the columns of method `m` on a unit in a replicate, relative to the whole
 * run. */
static void find_factors(const struct mm_noise_run *run, struct mm_noise_region *m,
                         size_t unit, size_t replicate)
{
    double weighted[MM_NOISE_COLUMNS] = {0}, all[MM_NOISE_COLUMNS] = {0}, weights = 0;
    double *factors = m->factors + unit * MM_NOISE_COLUMNS;

    for (size_t b = 0; b < m->batch_count; b++) {
        const double *x = m->batches + (unit * m->batch_count + b) * MM_NOISE_COLUMNS;
        double w = mm_blocks_weight(&m->blocks, b, replicate, run->stream);

        weights += w;
        for (size_t c = 0; c < MM_NOISE_COLUMNS; c++) {
            weighted[c] += w * x[c];
            all[c] += x[c];
        }
    }
    for (size_t c = 0; c < MM_NOISE_COLUMNS; c++) {
        double mean = all[c] / (double)m->batch_count;

        factors[c] = isnan(mean) ? NAN : mean != 0 ? weighted[c] / weights / mean : 1;
    }
}

void mm_noise_run_vary(struct mm_noise_run *run, size_t replicate)
{
    for (size_t i = 0; i < run->region_count; i++)
        for (size_t u = 0; u < run->unit_count && has_blocks(run, i); u++)
            find_factors(run, &run->regions[i], u, replicate);
}

/* Add the changes of the contexts (parts) with which region `r`, which has no batches,
 * varies. */
static void add_parts(double *times, const struct mm_noise_run *run,
                      const struct mm_noise_region *r, size_t unit)
{
    times[MM_NOISE_OWN] = NAN;
    for (size_t i = 0; i < r->part_count; i++) {
        const struct mm_noise_region *o = &run->regions[r->parts[i]];
        const double *factors = run->regions[o->method].factors + unit * MM_NOISE_COLUMNS;

        if (isnan(o->calls[unit]))
            continue;
        for (size_t c = 0; c < MM_NOISE_COLUMNS; c++)
            times[c] += o->times[unit * MM_NOISE_COLUMNS + c] * (factors[c] - 1);
    }
}

void mm_noise_run_times(double *times, const struct mm_noise_run *run, size_t at,
                        size_t unit)
{
    const struct mm_noise_region *r = &run->regions[at], *m = r->batches ? r : NULL;

    memcpy(times, r->times + unit * MM_NOISE_COLUMNS, MM_NOISE_COLUMNS * sizeof *times);
    if (!r->blocks.count)
        return; /* the basis has no batches, so its time is the same in each replicate */
    if (!m && has_blocks(run, r->method))
        m = &run->regions[r->method];
    if (!m)
        add_parts(times, run, r, unit);
    for (size_t c = 0; m && c < MM_NOISE_COLUMNS; c++)
        times[c] *= m->factors[unit * MM_NOISE_COLUMNS + c];
}
