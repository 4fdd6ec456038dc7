/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.h: the probes of mrtd: `work`, the active coefficients of a cell in a step, and
 * `cost`, the time of its updates. A NULL profile means that the run is not profiled;
 * every function accepts it. One thread. */
#ifndef EXAMPLES_MRTD_PROFILE_H
#define EXAMPLES_MRTD_PROFILE_H

#include "examples/mrtd/field.h"

struct mrtd_profile;

/* Make the profile of a run; NULL if the run is not profiled. */
struct mrtd_profile *mrtd_profile_open(const struct mrtd_options *o);
void mrtd_profile_close(struct mrtd_profile *profile);

/* Set the cells of this rank. */
void mrtd_profile_parts(struct mrtd_profile *profile, const struct mrtd_parts *parts);

/* Begin a step at time `time_s`. */
void mrtd_profile_step(struct mrtd_profile *profile, int32_t step, double time_s);

/* Update E or H of all cells of this rank by mrtd_field_update, and record them. */
void mrtd_profile_update(struct mrtd_profile *profile, struct mrtd_field *field,
                         const struct mrtd_parts *parts, int which);

#endif
