/* SPDX-License-Identifier: BSD-3-Clause */
/* proxies.h: make interposition libraries for headers and keep them in a cache. */
#ifndef MASTERMIND_LIBRARY_PROXIES_H
#define MASTERMIND_LIBRARY_PROXIES_H

#include "mastermind/library/header.h"

/* Get the interposition library for the functions of `header` from the cache; if it is
 * not there proxygen, whose path is given, makes it. The cache is
 * $XDG_CACHE_HOME/mastermind/proxies, else ~/.cache/mastermind/proxies, else a folder of
 * the user in /tmp. Its key has the header, library, functions and proxygen, so a change
 * of any makes a new library.
 *
 *   sidecar  in   text of marks; NULL: marks are proposed from names and types
 *   folder   out  folder of the *_interpose.so, new
 *   made     out  true if proxygen ran; may be NULL
 *
 * The folder also has `proposed.perf` with the proposed marks. Returns 0, or a negative
 * errno with `err`: -EIO the cache cannot be written; -EINVAL proxygen or the compiler
 * refused.
 */
int mm_proxies_get(const struct mm_header *header, const struct mm_use *use,
                   const char *proxygen, const char *sidecar, char **folder, int *made,
                   struct cca_error *err);

#endif
