/* SPDX-License-Identifier: BSD-3-Clause */
/* penalties.h: penalties of cache misses, measured once per machine and kept.
 *
 * They are kept in the file `mastermind/penalties` of $XDG_CACHE_HOME, else of ~/.cache:
 * a line for each host, processor and level, `host<TAB>cpu<TAB>level<TAB>seconds`. */
#ifndef PROPERTIES_LOAD_PENALTIES_H
#define PROPERTIES_LOAD_PENALTIES_H

#include "properties/load/load.h"

/* Set cache.penalty of this machine's nodes in the store from the file; if it lacks them
 * and options->penalties is set, measure and keep them. 0 or a negative errno with `err`
 * for errors of the store only; a file that cannot be written is reported by
 * options->progress. */
int mm_store_penalties(struct mm_store *store, const struct mm_load_options *options,
                       struct cca_error *err);

#endif
