/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.h: copy all rows of a store into another one. */
#ifndef PROPERTIES_LOAD_MERGE_H
#define PROPERTIES_LOAD_MERGE_H

#include "properties/store/store.h"

/* Add all rows of the store at `path`. Regions, versions, machines and nodes that exist
 * already are shared. Returns as mm_store_load. */
int mm_store_merge(struct mm_store *store, const char *path, struct cca_error *err);

#endif
