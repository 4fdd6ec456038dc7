/* SPDX-License-Identifier: BSD-3-Clause */
/* sites.h: readable names of callsites. */
#ifndef MESSAGES_READ_SITES_H
#define MESSAGES_READ_SITES_H

#include "messages/read/read.h"

struct mm_site_names;

/* Make a table of callsites' names; `messages` must outlive it. NULL: out of memory. */
struct mm_site_names *mm_site_names_new(const struct mm_messages *messages);
void mm_site_names_free(struct mm_site_names *names);
/* Name of a callsite: "smooth relax.c:88"; with more frames "smooth relax.c:88 < main
 * relax.c:120"; without debug information "relax+0x1234". Borrowed until the names are
 * freed. Never NULL. */
const char *mm_site_name(struct mm_site_names *names, uint64_t key);

#endif
