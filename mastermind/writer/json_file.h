/* SPDX-License-Identifier: BSD-3-Clause */
/* json_file.h: JSON from foreign strings, and files that are replaced atomically. */
#ifndef MASTERMIND_WRITER_JSON_FILE_H
#define MASTERMIND_WRITER_JSON_FILE_H

#include "ports/cca_error.h"

#include <jansson.h>

/* A JSON string, new; NULL: out of memory. Bytes that are not UTF-8 become U+FFFD, so
 * a name in another encoding does not prevent the file. `text` NULL is "". */
json_t *mm_json_text(const char *text);
/* Append `item`, which is stolen. Returns the array. Out of memory: frees both and
 * returns NULL, so that every later step fails, too. Arguments may be NULL. */
json_t *mm_json_append(json_t *array, json_t *item);
/* All of `json` as text, new; NULL: no memory, or `json` is NULL. Flags as of
 * json_dumps. */
char *mm_json_dump(const json_t *json, size_t flags);

/* A number, or null if it is not finite: JSON has no such numbers. */
json_t *mm_json_real(double value);

/* Write `size` bytes to `dir`/`name`: a new file first, then renamed, so that a reader
 * finds the old text or the new. 0 or a negative errno with `err`, which names the file;
 * the old file is then untouched. */
int mm_file_replace(const char *dir, const char *name, const char *text, size_t size,
                    struct cca_error *err);
/* mm_file_replace for a non-empty JSON object, as text or indented, with its check
 * (json_check.h). NULL stands for an earlier error: -ENOMEM. */
int mm_json_replace_text(const char *dir, const char *name, const char *text,
                         struct cca_error *err);
int mm_json_replace(const char *dir, const char *name, const json_t *json,
                    struct cca_error *err);

#endif
