/* SPDX-License-Identifier: BSD-3-Clause */
/* average.h: cells of a level that the finer level covers, replaced by the means of the
 * finer cells. The arithmetic is behind the port `prolong_restrict`. */
#ifndef COMPONENTS_AMRMESH_AVERAGE_H
#define COMPONENTS_AMRMESH_AVERAGE_H

#include "components/AMRMesh/prolong.h"

struct average {
    struct scratch means; /* of each of this rank's fine tiles, in coarse cells */
    struct neighbours send;
};

/* Plan it. 0 or -ENOMEM. */
int average_init(struct average *a, const struct ranks *ranks, const struct layout *fine,
                 const struct layout *coarse, const struct space *coarse_space,
                 int ghost);
void average_done(struct average *a); /* also of a zeroed one */
/* Run it. 0 or a negative errno. Collective. */
int average_run(struct average *a, const struct ranks *ranks, int tag,
                struct prolong_restrict_port *port, const struct layout *fine,
                const struct store *from, struct store *to);

#endif
