/* SPDX-License-Identifier: BSD-3-Clause */
/* header_layout.h: find the layout of a type in clang's view of a header. */
#ifndef PROXYGEN_HEADER_LAYOUT_H
#define PROXYGEN_HEADER_LAYOUT_H

#include <clang-c/Index.h>

#include "tools/proxygen/perf/layout.h"

/* Fill `layout`, which is zeroed before. Returns 0, also if the type has no known layout
 * (PG_LAYOUT_OTHER); -ENOMEM. */
int pg_header_layout(CXType type, struct pg_layout *layout);

#endif
