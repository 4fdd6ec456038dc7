/* SPDX-License-Identifier: BSD-3-Clause */
/* layout_json.h: layouts in describe documents.
 *
 *     "int32"
 *     {"struct": [{"offset": 0, "layout": "int32"}, ...], "size": 16, "align": 8}
 *     {"array": "float", "count": 3}
 *     {"other": "a union"} */
#ifndef PROXYGEN_PERF_LAYOUT_JSON_H
#define PROXYGEN_PERF_LAYOUT_JSON_H

#include <jansson.h>

#include "tools/proxygen/perf/layout.h"

/* The layout as JSON, new; NULL: out of memory. */
json_t *pg_layout_write(const struct pg_layout *layout);
/* Read a layout. Returns 0; -EINVAL with the error in `*wrong`; -ENOMEM. The caller frees
 * `layout` in any case. */
int pg_layout_read(const json_t *json, struct pg_layout *layout, const char **wrong);

#endif
