/* SPDX-License-Identifier: BSD-3-Clause */
/* header_layout.h: from clang's view of a type to its layout. */
#ifndef PROXYGEN_HEADER_LAYOUT_H
#define PROXYGEN_HEADER_LAYOUT_H

#include <clang-c/Index.h>

#include "tools/proxygen/perf/layout.h"

/* Fill `layout` (zeroed before). 0, also if the type has no layout that can be written;
 * -ENOMEM. */
int pg_header_layout(CXType type, struct pg_layout *layout);

#endif
