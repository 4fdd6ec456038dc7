/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.h: make ranks agree on a failure: either all have it, or none. */
#ifndef COMPONENTS_CHECKPOINT_AGREE_H
#define COMPONENTS_CHECKPOINT_AGREE_H

#include "ports/exchange_port.h"

/* Copy the failure of the lowest failed rank, code and text, to all ranks.
 *
 *   ranks  in       NULL: there is one rank
 *   code   in       this rank's result, 0 or a negative errno
 *   err    in, out  its text; not NULL
 *
 * Returns the common code, or -ECANCELED if another rank has failed elsewhere.
 * Collective. */
int agree(struct exchange_port *ranks, int code, struct cca_error *err);

/* Copy `size` bytes from rank 0 to all ranks. Returns 0 or a negative errno with `err`.
 * Collective. */
int share(struct exchange_port *ranks, void *bytes, size_t size, struct cca_error *err);

#endif
