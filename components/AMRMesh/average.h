/* SPDX-License-Identifier: BSD-3-Clause */
/* average.h: replace the values of cells under a finer level by means over the finer
 * cells. The port `prolong_restrict` does the arithmetic. */
#ifndef COMPONENTS_AMRMESH_AVERAGE_H
#define COMPONENTS_AMRMESH_AVERAGE_H

#include "components/AMRMesh/prolong.h"

struct average {
    struct scratch means; /* means of each of this rank's fine tiles, in coarse cells */
    struct neighbours send;
};

/* Plan the messages. Returns 0 or -ENOMEM. */
int average_init(struct average *a, const struct ranks *ranks, const struct layout *fine,
                 const struct layout *coarse, const struct space *coarse_space,
                 int ghost);
/* free the members of the struct; a zeroed struct is accepted */
void average_done(struct average *a);
/* Compute the means and send them. Returns 0 or a negative errno. Collective. */
int average_run(struct average *a, const struct ranks *ranks, int tag,
                struct prolong_restrict_port *port, const struct layout *fine,
                const struct store *from, struct store *to);

#endif
