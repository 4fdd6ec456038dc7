/* SPDX-License-Identifier: BSD-3-Clause */
/* average.h: cells of a level that the finer level covers, replaced by the mean of the
 * finer cells. */
#ifndef COMPONENTS_AMRMESH_AVERAGE_H
#define COMPONENTS_AMRMESH_AVERAGE_H

#include "components/AMRMesh/prolong.h"

struct average {
    struct layout under; /* each fine tile in coarse cells, on the same rank */
    struct transfer send;
};

/* Plan it. 0 or -ENOMEM. */
int average_init(struct average *a, const struct ranks *ranks, const struct layout *fine,
                 const struct layout *coarse, const struct space *coarse_space);
void average_done(struct average *a); /* also of a zeroed one */
/* Run it. 0 or a negative errno. Collective. */
int average_run(struct average *a, const struct ranks *ranks, int tag,
                const struct layout *fine, const struct store *from,
                const struct layout *coarse, struct store *to);

#endif
