/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c: dual and points of an experiment in one walk. */
#include "mastermind/counts/profile/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"

/* Serial number, from 1, of the row's call among the calls of its method by its thread.
 */
static uint32_t call_number(struct mm_profile *profile, const struct mm_row *row)
{
    uint32_t *numbers = profile->numbers;

    if (row->rank != profile->at_rank || row->thread != profile->at_thread)
        memset(numbers, 0, profile->source.method_count * sizeof *numbers);
    profile->at_rank = row->rank;
    profile->at_thread = row->thread;
    return ++numbers[row->method->index];
}

static int64_t began_ns(const struct mm_profile *profile, const struct mm_row *row)
{
    return profile->source.ends_at_0 ? row->began_ns : row->start_ns;
}

/* Choose one row in `n` at random, independently of the order of rows. */
static int is_drawn(struct mm_profile *profile, uint64_t n)
{
    return cca_random_next(&profile->random) % n == 0;
}

/* True if a row (call) becomes a point for models. Calls are numbered in any case. */
static int is_point(struct mm_profile *profile, const struct mm_row *row)
{
    const struct mm_profile_walk *walk = profile->walk;

    return !walk || !walk->one_in || walk->one_in[row->method->index] <= 1 ||
           is_drawn(profile, walk->one_in[row->method->index]);
}

static int on_joined(const struct mm_row *row, const struct mm_joined *joined,
                     void *context)
{
    struct mm_profile *profile = context;
    struct mm_points *points = &profile->points[row->method->index];
    int all = profile->source.inclusive,
        has_value = all ? !row->no_value : !row->no_exclusive;
    int timed = row->status == MM_ROW_DONE && has_value && !row->clock_back;
    int64_t lost_ns = all ? row->lost_ns : row->lost_exclusive_ns;
    struct mm_call call = {.ns = all ? (double)joined->wall_ns + row->wall_part_ns
                                     : (double)joined->exclusive_ns +
                                           row->exclusive_part_ns,
                           .start_ns = began_ns(profile, row),
                           .lost_ns = points->host_free ? -1 : (float)lost_ns,
                           .waited = (all ? row->waited : row->waited_exclusive) != 0};

    if (mm_ranks_row(&profile->ranks, row, joined->exclusive_ns,
                     mm_row_end_ns(&profile->source, row)))
        return -ENOMEM;
    if (profile->source.less_host && row->host_ns >= 0 && !row->counted)
        mm_stretch_windows_add(&profile->windows, joined->exclusive_ns,
                               row->host_exclusive_ns);
    if (profile->walk && profile->walk->row) {
        int result = profile->walk->row(row, joined, profile->walk->context);

        if (result)
            return result;
    }
    if (row->counted)
        return timed ? mm_points_add_sample(points, row->values, call.ns) : 0;
    if (!(profile->walk && profile->walk->one_in) && mm_counts_row(&profile->counts, row))
        return -ENOMEM;
    call.number = call_number(profile, row);
    if (!is_point(profile, row))
        return 0;
    return timed ? mm_points_add_call(points, row->values, &call)
                 : mm_points_add(points, row->values, 0, 0);
}

/* Add the calls of an aggregate, with its time less the recording cost shared evenly by
 * them. */
static int on_aggregate(const struct mm_aggregate *a, const struct mm_joined *joined,
                        void *context)
{
    struct mm_profile *profile = context;
    double calls = (double)a->calls;
    int all = profile->source.inclusive;
    const struct mm_sum *times = all ? &a->wall : &a->exclusive;
    struct mm_point sum = {
        .calls = a->calls,
        .n = a->unfinished || (all ? a->no_value : a->no_exclusive) ? 0 : a->calls,
        .mean_ns = (double)(all ? joined->wall_ns : joined->exclusive_ns) / calls,
        .m2_ns2 = times->m2_ns2,
        .sums_only = a->sums_only,
    };
    double less_ns = (double)times->sum_ns / calls - sum.mean_ns;

    if (mm_ranks_aggregate(&profile->ranks, a, joined->exclusive_ns) ||
        (!(profile->walk && profile->walk->one_in) &&
         mm_counts_aggregate(&profile->counts, a)))
        return -ENOMEM;
    if (profile->walk && profile->walk->aggregate) {
        int result = profile->walk->aggregate(a, joined, profile->walk->context);

        if (result)
            return result;
    }
    sum.min_ns = fmax(0, (double)times->min_ns - less_ns);
    sum.max_ns = fmax(0, (double)times->max_ns - less_ns);
    /* a sample has exclusive times */
    return mm_points_add_sum(&profile->points[a->method->index], a->values, &sum,
                             a->sample, all && a->callees ? 0 : a->sample_count, less_ns);
}

struct mm_profile *mm_profile_new(const struct mm_row_source *source,
                                  const struct mm_wiring *wiring, struct cca_error *err)
{
    return mm_profile_follow(source, wiring, NULL, err);
}

struct mm_profile *mm_profile_follow(const struct mm_row_source *source,
                                     const struct mm_wiring *wiring,
                                     const struct mm_profile_walk *walk,
                                     struct cca_error *err)
{
    struct mm_profile *profile = calloc(1, sizeof *profile);

    if (!profile) {
        cca_no_memory(err);
        return NULL;
    }
    profile->source = *source;
    profile->wiring = wiring;
    profile->walk = walk;
    profile->points = calloc(source->method_count + 1, sizeof *profile->points);
    profile->numbers = calloc(source->method_count + 1, sizeof *profile->numbers);
    profile->at_rank = profile->at_thread = -1;
    if (!profile->points || !profile->numbers) {
        cca_no_memory(err);
        goto fail;
    }
    profile->ranks.method_count = profile->counts.method_count = source->method_count;
    for (size_t i = 0; i < source->method_count; i++) {
        mm_points_init(&profile->points[i], source->methods[i]);
        profile->points[i].floor_ns = source->floor_ns;
        memcpy(profile->points[i].cache_bytes, source->cache_bytes,
               sizeof source->cache_bytes);
        profile->points[i].counts = source->counts;
        profile->points[i].host_free = source->counts || source->host_free;
        if (mm_points_run(&profile->points[i], profile) < 0) {
            cca_no_memory(err);
            goto fail;
        }
    }
    profile->dual = mm_dual_new(source, on_joined, on_aggregate, profile, err);
    if (!profile->dual)
        goto fail;
    if (mm_counts_end(&profile->counts)) {
        cca_no_memory(err);
        goto fail;
    }
    profile->walk = NULL;
    return profile;
fail:
    mm_profile_free(profile);
    return NULL;
}

void mm_profile_free(struct mm_profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; profile->points && i < profile->source.method_count; i++)
        mm_points_done(&profile->points[i]);
    free(profile->points);
    free(profile->numbers);
    mm_ranks_done(&profile->ranks);
    mm_counts_done(&profile->counts);
    mm_dual_free(profile->dual);
    free(profile);
}
