/* SPDX-License-Identifier: BSD-3-Clause */
/* proxies.h: make interposition libraries for headers and keep them in a cache. */
#ifndef MASTERMIND_LIBRARY_PROXIES_H
#define MASTERMIND_LIBRARY_PROXIES_H

#include "mastermind/library/header.h"

/* Get the interposition library for the functions of `header` from the cache; if it is
 * not there, the program `proxygen` makes it. The cache is
 * $XDG_CACHE_HOME/mastermind/proxies, else ~/.cache/mastermind/proxies, else a folder of
 * the user in /tmp. The key depends on the header, the library, the functions and
 * proxygen, so a change of any of these makes a new library.
 *
 *   sidecar  in   text of marks; NULL: marks are proposed from names and types
 *   folder   out  folder of the *_interpose.so, a new string
 *   made     out  true if proxygen was run; may be NULL
 *
 * The folder also has `proposed.perf` with the proposed marks. Returns 0, or a negative
 * errno with `err`: -EIO: the cache cannot be written; -EINVAL: proxygen or the compiler
 * has
 * failed. */
int mm_proxies_get(const struct mm_header *header, const struct mm_use *use,
                   const char *proxygen, const char *sidecar, char **folder, int *made,
                   struct cca_error *err);

#endif
