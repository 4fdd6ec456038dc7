/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h: properties that are components, with a PropertyPort (ports/property_port.h).
 *
 *   class path ──descriptors──▶ classes ──child: describe──▶ struct mm_property
 *                                             child: evaluate ──▶ answers
 *
 * Libraries are read as data here; code of a component runs in children alone. One that
 * dies, hangs, floods or writes nonsense is named in the answers "not evaluated", and
 * nothing else happens. */
#ifndef PROPERTIES_PLUGIN_PLUGIN_H
#define PROPERTIES_PLUGIN_PLUGIN_H

#include "properties/words/property.h"

/* Where components are looked for, in this order; borrowed. */
struct mm_plugin_path {
    const char *const *directories; /* [count]; each must be there */
    size_t count;
    const char *last; /* a directory that need not be there; NULL: none */
    int trust;        /* take code that other users could have written, too */
};

/* Find all components on the path that have a PropertyPort, and describe each within
 * `seconds`. Their properties are added to `all`, an array of common/array.h; each is
 * freed with mm_property_free. A component that cannot be described becomes a property
 * with the name of its class that evaluates to "not evaluated" with the reason; its lint
 * fails. 0; -ENOENT, -ENOTDIR, -EPERM with `err`: a directory; -EAGAIN, -ENOMEM. One
 * thread. */
int mm_plugin_find(struct mm_property ***all, size_t *count,
                   const struct mm_plugin_path *path, double seconds,
                   struct cca_error *err);
/* Why the library `file` has no property on this path, in the caller's buffer: it is
 * damaged, other users could have written it, or it is no such component. */
void mm_plugin_refusal(const struct mm_plugin_path *path, const char *file, char *text,
                       size_t size);

#endif
