/* SPDX-License-Identifier: BSD-3-Clause */
/* proxies.h: interposition libraries for headers, made once and kept. */
#ifndef MASTERMIND_LIBRARY_PROXIES_H
#define MASTERMIND_LIBRARY_PROXIES_H

#include "mastermind/library/header.h"

/* The interposition library for the functions of `header`: out of the cache, else made by
 * proxygen, whose path is given, into the cache: $XDG_CACHE_HOME/mastermind/proxies, else
 * ~/.cache/mastermind/proxies, else one in /tmp of the user's own. The cache knows it by
 * header, library, functions and proxygen, each by what would change it.
 *
 *   sidecar  in   marks, or NULL: proposed from names and types
 *   folder   out  that of the *_interpose.so, new
 *   made     out  true where proxygen ran; may be NULL
 *
 * Beside it lies `proposed.perf`: the marks that were proposed. 0, or a negative errno
 * with `err`: -EIO the cache cannot be written; -EINVAL proxygen or the compiler refused.
 */
int mm_proxies_get(const struct mm_header *header, const struct mm_use *use,
                   const char *proxygen, const char *sidecar, char **folder, int *made,
                   struct cca_error *err);

#endif
