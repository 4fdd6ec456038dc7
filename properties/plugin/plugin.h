/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h: properties that are components, with a PropertyPort (ports/property_port.h).
 *
 *   class path ──descriptors──▶ classes ──child: describe──▶ struct mm_property
 *                                             child: evaluate ──▶ answers
 *
 * This process reads libraries as data only; code of a component runs in child processes.
 * If one dies, hangs, sends too much or invalid data, the answers are "not evaluated"
 * with its name. */
#ifndef PROPERTIES_PLUGIN_PLUGIN_H
#define PROPERTIES_PLUGIN_PLUGIN_H

#include "properties/words/property.h"

/* Directories to search for components, in this order; borrowed. */
struct mm_plugin_path {
    const char *const *directories; /* [count] directories of the path; each must exist */
    size_t count;
    const char *last; /* a directory that need not exist; NULL: none */
    int trust;        /* 1: accept libraries that other users could have written */
};

/* Find all components on the path that have a PropertyPort, and describe each within
 * `seconds`. Their properties are appended to `all`, an array of common/array.h; free
 * each with mm_property_free. A component that cannot be described becomes a property
 * with the name of its class; its answers are "not evaluated" with the reason, and its
 * lint fails. Returns 0; -ENOENT, -ENOTDIR, -EPERM with `err`: a directory; -EAGAIN,
 * -ENOMEM. One thread. */
int mm_plugin_find(struct mm_property ***all, size_t *count,
                   const struct mm_plugin_path *path, double seconds,
                   struct cca_error *err);
/* The reason why the library `file` has no property on this path, in the caller's buffer:
 * it is damaged, other users could have written it, or it is no such component. */
void mm_plugin_refusal(const struct mm_plugin_path *path, const char *file, char *text,
                       size_t size);

#endif
