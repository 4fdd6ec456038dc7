/* SPDX-License-Identifier: BSD-3-Clause */
/* verdicts.h: which libraries could be loaded, and which could not, as earlier runs
 * found.
 *
 * A text file, a line each, of which the last on a library as it is now counts:
 *
 *     good SIZE MTIME_NS BUILD_ID PATH
 *     bad SIZE MTIME_NS BUILD_ID PATH <tab> REASON
 *
 * All but the reason is the library's key: one that is built anew, or touched, has
 * another. */
#ifndef FRAMEWORK_CMD_VERDICTS_H
#define FRAMEWORK_CMD_VERDICTS_H

#include <stddef.h>

#include "framework/class_info.h"

/* The file in the directory `wanted`, or in the user's cache directory where that is
 * NULL; new. NULL: there is no place that can be written. `make`: make the directory. */
char *ccafe_verdicts_file(const char *wanted, int make);

/* The key of a library as it is now, new; NULL: it is not there, or its name has odd
 * characters. */
char *ccafe_verdicts_key(const struct cca_class_info *info);

/* What is known of `key`: 1 good, 0 bad with its reason, -1 nothing. */
int ccafe_verdicts_recall(const char *file, const char *key, char *reason, size_t size);

/* Add a line; `reason` NULL: good. Where that fails the library is tried again another
 * time. */
void ccafe_verdicts_remember(const char *file, const char *key, const char *reason);

/* The one process that may try libraries and change the file, of all that keep it: wait
 * for that at most `wait_ms`. A descriptor, which close() gives back; -1: it is another
 * one still. */
int ccafe_verdicts_lock(const char *file, int wait_ms);

/* Print all that is known, a library a line or as JSON, sorted by path. 0 or a negative
 * errno. */
int ccafe_verdicts_print(const char *file, int as_json);

/* Forget a library, by its path. 1; 0: nothing was known of it; a negative errno. */
int ccafe_verdicts_forget(const char *file, const char *library);

#endif
