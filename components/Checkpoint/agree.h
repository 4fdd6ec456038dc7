/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.h: ranks agree on a failure: all of them have it, or none. */
#ifndef COMPONENTS_CHECKPOINT_AGREE_H
#define COMPONENTS_CHECKPOINT_AGREE_H

#include "ports/exchange_port.h"

/* Give each rank the failure of the lowest rank that has one, code and text.
 *
 *   ranks  in       NULL: there is one rank
 *   code   in       this rank's result, 0 or a negative errno
 *   err    in, out  its text; not NULL
 *
 * Returns the common code, or -ECANCELED where another rank has failed elsewhere.
 * Collective. */
int agree(struct exchange_port *ranks, int code, struct cca_error *err);

/* Give `size` bytes of rank 0 to all ranks. 0 or a negative errno with `err`. Collective.
 */
int share(struct exchange_port *ranks, void *bytes, size_t size, struct cca_error *err);

#endif
