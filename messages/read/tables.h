/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.h: what is the same on all processes: objects, callsites, communicators. */
#ifndef MESSAGES_READ_TABLES_H
#define MESSAGES_READ_TABLES_H

#include "messages/read/read.h"

/* Add the tables of one process, and of its counts those that its channels know better: a
 * process that has not ended keeps them there. 0 or a negative errno with `err`. */
int mm_messages_add_tables(struct mm_messages *messages, int rank,
                           const struct mm_messages_file *file, struct cca_error *err);

#endif
