/* SPDX-License-Identifier: BSD-3-Clause */
/* file_parts.h: functions shared by the parts of the reader of one file. */
#ifndef MESSAGES_READ_FILE_PARTS_H
#define MESSAGES_READ_FILE_PARTS_H

#include "messages/read/file.h"

/* Read bytes at an offset. 0; -EBADMSG: the file ends before them; -EIO. */
int mm_messages_file_read(const struct mm_messages_file *file, uint64_t at, void *to,
                          size_t bytes, struct cca_error *err);

#endif
