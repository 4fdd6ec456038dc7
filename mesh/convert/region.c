/* SPDX-License-Identifier: BSD-3-Clause */
/* region.c: read values of a part of a mesh. */
#include "mesh/convert/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* State of reading the values of a region. */
struct reading {
    struct mesh_profile *profile;
    size_t step;
    int probe;
    const struct mesh_region *region;
    int64_t n[3], first[3], size[3]; /* [dimension]: number of coarse cells, the first
                                        coarse cell, fine cells per coarse cell */
    double *sums;
    uint64_t *counts;
    int32_t *ranks; /* owner of each cell, may be NULL; -2: not set yet */
    struct cca_error *err;
};

void mesh_region_whole(const struct mm_mesh_about *about, int level,
                       struct mesh_region *region)
{
    memset(region, 0, sizeof *region);
    region->level = level;
    region->coarse = 1;
    for (int d = 0; d < 3; d++) {
        region->hi[d] = about->n[d];
        for (int l = 0; l < level && d < about->dims; l++)
            region->hi[d] *= about->ratio;
    }
}

static int is_used(const struct mm_mesh_about *about, int d)
{
    return d < (about->kind == MM_MESH_GRID ? about->dims : 1);
}

void mesh_region_size(const struct mm_mesh_about *about, const struct mesh_region *region,
                      int64_t n[3], int64_t first[3])
{
    for (int d = 0; d < 3; d++) {
        int64_t size = is_used(about, d) ? region->coarse : 1;

        first[d] = region->lo[d] / size;
        n[d] = (region->hi[d] - 1) / size - first[d] + 1;
    }
}

static int64_t place_of(const struct reading *r, const int64_t cell[3])
{
    int64_t at = 0;

    for (int d = 0; d < 3; d++)
        at = at * r->n[d] + cell[d] / r->size[d] - r->first[d];
    return at;
}

static void add(struct reading *r, const int64_t cell[3], double sum, uint64_t count,
                int32_t rank)
{
    int64_t at = place_of(r, cell);

    r->sums[at] += sum;
    r->counts[at] += count;
    if (r->ranks)
        r->ranks[at] = r->ranks[at] == -2 || r->ranks[at] == rank ? rank : -1;
}

/* Whether a block lies in the region and inside one coarse cell. */
static int is_inside(const struct reading *r, const struct mm_mesh_frame *f)
{
    for (int d = 0; d < 3; d++)
        if (f->lo[d] < r->region->lo[d] || f->hi[d] > r->region->hi[d] ||
            f->lo[d] / r->size[d] != (f->hi[d] - 1) / r->size[d])
            return 0;
    return isfinite(f->sum) && isfinite(f->least);
}

/* Decode the intersection of block and region. */
static int add_decoded(struct reading *r, const struct mm_mesh_frame *f,
                       const int64_t lo[3], const int64_t hi[3])
{
    size_t cells = (size_t)((hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]));
    float *values = malloc(cells * sizeof *values), *at = values;
    int64_t missing, c[3];

    if (!values)
        return cca_no_memory(r->err);
    missing = mesh_profile_values(r->profile, r->step, r->probe, r->region->level, lo, hi,
                                  values, NULL, r->err);
    for (c[0] = lo[0]; missing >= 0 && c[0] < hi[0]; c[0]++)
        for (c[1] = lo[1]; c[1] < hi[1]; c[1]++)
            for (c[2] = lo[2]; c[2] < hi[2]; c[2]++, at++)
                if (isfinite(*at))
                    add(r, c, (double)*at, 1, f->rank);
    free(values);
    return missing < 0 ? (int)missing : 0;
}

static int add_block(struct reading *r, const struct mm_mesh_frame *f)
{
    int64_t lo[3], hi[3], cells = 1;

    for (int d = 0; d < 3; d++) {
        lo[d] = f->lo[d] > r->region->lo[d] ? f->lo[d] : r->region->lo[d];
        hi[d] = f->hi[d] < r->region->hi[d] ? f->hi[d] : r->region->hi[d];
        if (lo[d] >= hi[d])
            return 0;
        cells *= hi[d] - lo[d];
    }
    if (!is_inside(r, f))
        return add_decoded(r, f, lo, hi);
    add(r, f->lo, f->sum, (uint64_t)cells, f->rank);
    return 0;
}

static int64_t read_coarse(struct reading *r, double *values)
{
    const struct mesh_step *step = mesh_profile_step(r->profile, r->step);
    size_t cells = (size_t)(r->n[0] * r->n[1] * r->n[2]);
    int64_t missing = 0;
    int result = 0;

    r->sums = calloc(cells, sizeof *r->sums);
    r->counts = calloc(cells, sizeof *r->counts);
    if (!r->sums || !r->counts)
        result = cca_no_memory(r->err);
    for (size_t c = 0; r->ranks && c < cells; c++)
        r->ranks[c] = -2;
    for (size_t b = step->first_block; !result && b < step->first_block + step->blocks;
         b++) {
        const struct mm_mesh_frame *f = mesh_profile_block(r->profile, b);

        if (f->probe == r->probe && f->level == r->region->level)
            result = add_block(r, f);
    }
    for (size_t c = 0; !result && c < cells; c++) {
        values[c] = r->counts[c] ? r->sums[c] / (double)r->counts[c] : (double)NAN;
        missing += !r->counts[c];
        if (r->ranks && r->ranks[c] == -2)
            r->ranks[c] = -1;
    }
    free(r->sums);
    free(r->counts);
    return result ? result : missing;
}

int64_t mesh_region_values(struct mesh_profile *p, size_t i, int probe,
                           const struct mesh_region *region, double *values,
                           int32_t *ranks, struct cca_error *err)
{
    struct reading r = {.profile = p,
                        .step = i,
                        .probe = probe,
                        .region = region,
                        .ranks = ranks,
                        .err = err};
    const struct mm_mesh_about *about = mesh_profile_about(p);
    int64_t missing, cells;
    float *own;

    mesh_region_size(about, region, r.n, r.first);
    for (int d = 0; d < 3; d++)
        r.size[d] = is_used(about, d) ? region->coarse : 1;
    if (region->coarse > 1)
        return read_coarse(&r, values);
    cells = r.n[0] * r.n[1] * r.n[2];
    own = malloc((size_t)cells * sizeof *own);
    if (!own)
        return cca_no_memory(err);
    missing = mesh_profile_values(p, i, probe, region->level, region->lo, region->hi, own,
                                  ranks, err);
    for (int64_t c = 0; missing >= 0 && c < cells; c++)
        values[c] = (double)own[c];
    free(own);
    return missing;
}
