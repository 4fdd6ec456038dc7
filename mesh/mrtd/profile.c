/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c: the probes of mrtd. */
#include "mesh/mrtd/profile.h"

#include <stddef.h>

struct mrtd_profile *mrtd_profile_open(const struct mrtd_options *o)
{
    (void)o;
    return NULL;
}

void mrtd_profile_close(struct mrtd_profile *profile)
{
    (void)profile;
}

void mrtd_profile_parts(struct mrtd_profile *profile, const struct mrtd_parts *parts)
{
    (void)profile, (void)parts;
}

void mrtd_profile_step(struct mrtd_profile *profile, int32_t step, double time_s)
{
    (void)profile, (void)step, (void)time_s;
}

void mrtd_profile_update(struct mrtd_profile *profile, struct mrtd_field *field,
                         const struct mrtd_parts *parts, int which)
{
    (void)profile;
    for (int32_t s = 0; s < parts->own; s++)
        mrtd_field_update(field, parts, which, s);
}
