/* SPDX-License-Identifier: BSD-3-Clause */
/* json_file.h: JSON out of foreign strings, and files that are whole or not there. */
#ifndef MASTERMIND_WRITER_JSON_FILE_H
#define MASTERMIND_WRITER_JSON_FILE_H

#include "ports/cca_error.h"

#include <jansson.h>

/* A JSON string, new; NULL: out of memory. Bytes that are no UTF-8 become U+FFFD: a name
 * in another encoding must not cost the file. `text` NULL is "". */
json_t *mm_json_text(const char *text);
/* Append `item`, which is stolen. Returns the array; without memory both are freed and
 * NULL comes back, which makes a failure of whatever is built of it. NULL is fine. */
json_t *mm_json_append(json_t *array, json_t *item);
/* All of `json` as text, new; NULL: no memory, or no `json`. Flags as of json_dumps. */
char *mm_json_dump(const json_t *json, size_t flags);

/* A number, or null where it is not finite: JSON has no other. */
json_t *mm_json_real(double value);

/* Write `size` bytes to `dir`/`name`: a new file first, then renamed, so that a reader
 * finds the old text or the new. 0 or a negative errno with `err`, which names the file;
 * the old file is then untouched. */
int mm_file_replace(const char *dir, const char *name, const char *text, size_t size,
                    struct cca_error *err);
/* The same of a JSON object that has members, as text or indented, with its check
 * (json_check.h). NULL is an error found earlier: -ENOMEM. */
int mm_json_replace_text(const char *dir, const char *name, const char *text,
                         struct cca_error *err);
int mm_json_replace(const char *dir, const char *name, const json_t *json,
                    struct cca_error *err);

#endif
