/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h: load sampled messages and collectives into a store. */
#ifndef PROPERTIES_LOAD_MESSAGES_H
#define PROPERTIES_LOAD_MESSAGES_H

#include "messages/read/collectives.h"
#include "messages/read/groups.h"
#include "messages/read/sites.h"
#include "properties/load/parts.h"

struct mm_load_messages {
    struct mm_load *load;
    struct mm_messages *messages;
    struct mm_site_names *names;
    /* sums of messages by ranks, callsites, methods, sizes */
    struct mm_message_groups groups;
    struct mm_collectives collectives;
    struct mm_word_table sites; /* table of int: callsites that have a region */
};

/* Each function returns 0 or a negative errno with load->err. */

/* Write rows of message, of collective, of network. */
int mm_load_message_rows(struct mm_load_messages *m);
int mm_load_collective_rows(struct mm_load_messages *m);
int mm_load_network(struct mm_load_messages *m);
/* Estimate the waiting time of each method on each rank, and add it to the sums.
 * waits.c */
int mm_load_waits(struct mm_load_messages *m);

#endif
