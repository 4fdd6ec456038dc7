/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c: dual and points of an experiment in one walk. */
#include "mastermind/analysis/profile.h"

#include <errno.h>
#include <stdlib.h>

static int on_joined(const struct mm_row *row, const struct mm_joined *joined,
                     void *context)
{
    struct mm_profile *profile = context;

    return mm_points_add(&profile->points[row->method->index], row->values,
                         row->status == MM_ROW_DONE, (double)joined->exclusive_ns);
}

struct mm_profile *mm_profile_new(const struct mm_row_source *source,
                                  const json_t *wiring, struct cca_error *err)
{
    struct mm_profile *profile = calloc(1, sizeof *profile);
    char where[512];

    if (!profile) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    profile->source = *source;
    profile->points = calloc(source->method_count + 1, sizeof *profile->points);
    if (!profile->points) {
        cca_error_set(err, -ENOMEM, "out of memory");
        goto fail;
    }
    for (size_t i = 0; i < source->method_count; i++)
        mm_points_init(&profile->points[i], source->methods[i]);
    snprintf(where, sizeof where, "%s/wiring.json", source->name);
    if (wiring && !(profile->wiring = mm_wiring_new(wiring, where, err)))
        goto fail;
    profile->dual = mm_dual_new(source, on_joined, profile, err);
    if (!profile->dual)
        goto fail;
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
    mm_dual_free(profile->dual);
    mm_wiring_free(profile->wiring);
    free(profile);
}
