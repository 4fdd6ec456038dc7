/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.c: load OpenMP regions, with a summary for each thread of their teams.
 *
 * Thread 0 of a team is assumed to be the first unit of its rank, thread i the unit with
 * number i: a rank has as many units as its largest team has threads. */
#include "mastermind/reader/openmp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "messages/read/names.h"
#include "properties/load/parts.h"
#include "properties/load/sums/sums.h"

int mm_load_openmp_threads(struct mm_load *load, int rank, int *threads)
{
    struct mm_openmp openmp = {0};
    int result = mm_experiment_openmp(load->e, rank, &openmp, load->err);

    *threads = 0;
    for (size_t i = 0; i < openmp.region_count && !result; i++)
        for (size_t k = 0; k < openmp.regions[i].thread_count; k++)
            if (*threads <= openmp.regions[i].threads[k].number)
                *threads = openmp.regions[i].threads[k].number + 1;
    mm_openmp_done(&openmp);
    return result;
}

/* --- Regions -------------------------------------------------------------- */

/* Append "compute team.c:53", the function that contains the region and its line; without
 * a line "compute team+0x1234". */
static void add_name(struct mm_text *name, const struct mm_openmp_region *r,
                     const char *site)
{
    const char *end = strstr(r->function, "._omp_fn."), *blank = strchr(site, ' ');
    int length = end ? (int)(end - r->function) : (int)strlen(r->function);

    if (length)
        mm_text_add(name, "%.*s %s", length, r->function, blank ? blank + 1 : site);
    else
        mm_text_add(name, "%s", site);
}

/* Get the id of an OpenMP region in the store. */
static int region_of(struct mm_load *load, struct mm_names *names,
                     const struct mm_openmp_region *r, int64_t *region)
{
    struct mm_text name = {0};
    uint8_t id[20];
    uint32_t bytes = mm_load_id_bytes(r->build_id, id);
    const char *site = mm_names_site(names, r->path, id, bytes, r->offset);
    int result;

    add_name(&name, r, site);
    if (r->level > 1)
        mm_text_add(&name, " (level %d)", r->level);
    if (name.failed)
        result = cca_no_memory(load->err);
    else
        result = mm_load_region(load, "openmp", name.text, NULL, load->program, region);
    if (!result)
        result = mm_load_place_of(load, *region, site);
    free(name.text);
    return result;
}

/* --- Summaries ------------------------------------------------------------ */

/* Time that threads outside of the team could have worked meanwhile, charged to the
 * thread that opens the region. */
static double loss_of(const struct mm_openmp_region *r, const struct mm_openmp_thread *t,
                      double wall_ns, int threads)
{
    if (r->level != 1 || t->number != 0 || threads < 1)
        return 0;
    return wall_ns * (1 - (double)r->thread_count / (double)threads);
}

static int put_thread(struct mm_load *load, struct mm_load_rows *rows, int64_t region,
                      const struct mm_openmp_region *r, int rank, size_t at)
{
    const struct mm_openmp_thread *t = &r->threads[at];
    struct mm_load_unit *unit = mm_load_unit_of(load, rank, t->number);
    int64_t sync_ns = t->barrier_ns + t->mutex_ns;
    int64_t wall_ns = t->busy_ns + sync_ns + t->control_ns;
    struct mm_load_sum sum = {
        .calls = (uint64_t)t->calls, .lacks = UINT32_MAX, .own_lacks = UINT32_MAX};
    double columns[MM_COLUMNS], loss_ns;

    if (!unit || t->calls <= 0)
        return 0;
    loss_ns = loss_of(r, t, (double)wall_ns, unit->openmp.threads);
    if (r->level == 1) {
        struct mm_load_openmp *p = &unit->openmp;

        p->wall_ns += wall_ns;
        p->sync_ns += sync_ns;
        p->control_ns += t->control_ns;
        p->loss_ns += loss_ns;
    }
    sum.all[MM_LOAD_EXEC] = sum.own[MM_LOAD_EXEC] = wall_ns;
    sum.open = t->number == 0 && r->begun > r->ended ? 1 : 0;
    for (int c = 0; c < MM_COLUMNS; c++)
        columns[c] = c <= MM_COLUMN_CTL && load->metrics.no_mpi ? 0 : (double)NAN;
    columns[MM_COLUMN_OMP_SYNC] = (double)sync_ns / 1e9;
    columns[MM_COLUMN_OMP_CTL] = (double)t->control_ns / 1e9;
    columns[MM_COLUMN_LOSS] = loss_ns / 1e9;
    return mm_load_rows_put(rows, region, unit, &sum, columns);
}

/* --- Regions of one name -------------------------------------------------- */

static struct mm_openmp_thread *thread_of(struct mm_openmp_region *r, int number)
{
    for (size_t i = 0; i < r->thread_count; i++)
        if (r->threads[i].number == number)
            return &r->threads[i];
    return NULL;
}

/* Add the times of a thread in another region of the same name. Returns 0 or -ENOMEM. */
static int add_thread(struct mm_openmp_region *r, const struct mm_openmp_thread *t)
{
    struct mm_openmp_thread *sum = thread_of(r, t->number);

    if (!sum) {
        sum = cca_array_add(&r->threads, &r->thread_count, sizeof *sum);
        if (!sum)
            return -ENOMEM;
        *sum = *t;
        return 0;
    }
    sum->calls += t->calls;
    sum->busy_ns += t->busy_ns;
    sum->barrier_ns += t->barrier_ns;
    sum->mutex_ns += t->mutex_ns;
    sum->control_ns += t->control_ns;
    return 0;
}

/* Merge regions of one source line: instances of a template, code of a header in several
 * objects, a function that the compiler has duplicated. */
static int join_regions(struct mm_load *load, struct mm_openmp *openmp,
                        const int64_t *rows)
{
    int failed = 0;

    for (size_t i = 0; i < openmp->region_count; i++)
        for (size_t j = i + 1; j < openmp->region_count; j++) {
            struct mm_openmp_region *r = &openmp->regions[i], *other = r + (j - i);

            if (rows[i] != rows[j])
                continue;
            for (size_t k = 0; k < other->thread_count; k++)
                failed |= add_thread(r, &other->threads[k]);
            r->begun += other->begun;
            r->ended += other->ended;
            r->wall_ns += other->wall_ns;
            other->begun = other->ended = 0;
            other->thread_count = 0;
        }
    return failed ? cca_no_memory(load->err) : 0;
}

static int put_rank(struct mm_load *load, struct mm_load_rows *rows,
                    struct mm_names *names, int rank)
{
    struct mm_openmp openmp = {0};
    int result = mm_experiment_openmp(load->e, rank, &openmp, load->err);
    int64_t *regions = calloc(openmp.region_count + 1, sizeof *regions);

    if (!regions && !result)
        result = cca_no_memory(load->err);
    for (size_t i = 0; i < openmp.region_count && !result; i++)
        result = region_of(load, names, &openmp.regions[i], &regions[i]);
    if (!result)
        result = join_regions(load, &openmp, regions);
    for (size_t i = 0; i < openmp.region_count && !result; i++)
        for (size_t k = 0; k < openmp.regions[i].thread_count && !result; k++)
            result = put_thread(load, rows, regions[i], &openmp.regions[i], rank, k);
    free(regions);
    mm_openmp_done(&openmp);
    return result;
}

int mm_load_openmp(struct mm_load *load)
{
    struct mm_load_rows *rows;
    struct mm_names *names;
    int result = 0;

    if (!load->has_openmp)
        return 0;
    rows = mm_load_rows_new(load);
    names = mm_names_new();
    if (!rows || !names)
        result = cca_no_memory(load->err);
    for (int rank = 0; rank < load->e->ranks && !result; rank++)
        result = put_rank(load, rows, names, rank);
    mm_names_free(names);
    mm_load_rows_free(rows);
    return result;
}
