/* SPDX-License-Identifier: BSD-3-Clause */
/* libxml2.h: some of the headers of libxml2, as one. */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
