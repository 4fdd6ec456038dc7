/* SPDX-License-Identifier: BSD-3-Clause */
/* domain.h: check the domain and the fields that a mesh component accepts. */
#ifndef COMPONENTS_DOMAIN_H
#define COMPONENTS_DOMAIN_H

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "ports/mesh_port.h"

enum { DOMAIN_GHOST_MAX = 16, DOMAIN_COMPONENTS_MAX = 64 };

/* Check a domain. Returns 0, or -EINVAL with `err`. */
static inline int domain_check(const struct mesh_domain *d, int ghost,
                               struct cca_error *err)
{
    if (d->nx < 1 || d->ny < 1)
        return cca_error_set(err, -EINVAL,
                             "a mesh of %" PRId64 " x %" PRId64
                             " cells; at least 1 x 1 is needed",
                             d->nx, d->ny);
    if (!isfinite(d->xlo) || !isfinite(d->ylo) || !isfinite(d->xhi) ||
        !isfinite(d->yhi) || !(d->xlo < d->xhi) || !(d->ylo < d->yhi))
        return cca_error_set(err, -EINVAL, "the domain [%g, %g] x [%g, %g] is empty",
                             d->xlo, d->xhi, d->ylo, d->yhi);
    if (ghost < 0 || ghost > DOMAIN_GHOST_MAX)
        return cca_error_set(err, -EINVAL, "%d ghost layers; 0 to %d are served", ghost,
                             DOMAIN_GHOST_MAX);
    return 0;
}

/* Check a new field with `components` components. `defined`: true if the mesh is defined.
 * Returns like domain_check. */
static inline int domain_field_check(int defined, const char *name, int components,
                                     struct cca_error *err)
{
    if (!defined)
        return cca_error_set(err, -EINVAL, "field '%s' on a mesh that is not defined",
                             name);
    if (components < 1 || components > DOMAIN_COMPONENTS_MAX)
        return cca_error_set(err, -EINVAL,
                             "field '%s' of %d components; 1 to %d are served", name,
                             components, DOMAIN_COMPONENTS_MAX);
    return 0;
}

#endif
