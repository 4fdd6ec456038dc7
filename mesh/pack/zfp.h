/* SPDX-License-Identifier: BSD-3-Clause */
/* zfp.h: blocks of 4 x 4 x 4 values by zfp with fixed accuracy, if zfp is installed. */
#ifndef MESH_PACK_ZFP_H
#define MESH_PACK_ZFP_H

#include "mesh/pack/form.h"

/* Whether this build has zfp. */
int mesh_zfp_here(void);

/* Append the job's values; afterwards `bytes` is full if this is not possible. The
 * accuracy found is stored in job->zfp and used by later calls. */
void mesh_zfp_put(struct mesh_job *job, struct mesh_bytes *bytes);

/* Unpack the cells lo <= c < hi, aligned like the shape, into values, in C order of the
 * box. If `previous` (of the box, too) is not NULL, the stored differences are added to
 * it. *at moves behind the last block that was read. 0, -EBADMSG, -ENOMEM. */
int mesh_zfp_get(const unsigned char **at, const unsigned char *end,
                 const struct mesh_shape *shape, const int64_t lo[3], const int64_t hi[3],
                 const float *previous, float *values);

#endif
