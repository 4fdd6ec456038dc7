/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.h: tables common to all processes: objects, callsites, communicators. */
#ifndef MESSAGES_READ_TABLES_H
#define MESSAGES_READ_TABLES_H

#include "messages/read/read.h"

/* Add the tables of one process. Counts that its channels contain more exactly are added
 * from there, because a process that has not ended keeps them only in channels. 0 or a
 * negative errno with `err`. */
int mm_messages_add_tables(struct mm_messages *messages, int rank,
                           const struct mm_messages_file *file, struct cca_error *err);

#endif
