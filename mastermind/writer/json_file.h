/* SPDX-License-Identifier: BSD-3-Clause */
/* json_file.h: make JSON from strings in any encoding, and replace files atomically. */
#ifndef MASTERMIND_WRITER_JSON_FILE_H
#define MASTERMIND_WRITER_JSON_FILE_H

#include "ports/cca_error.h"

#include <jansson.h>

/* Return `text` as a new JSON string; NULL: out of memory. Invalid UTF-8 becomes U+FFFD,
 * so that a file can be written in spite of names in another encoding. If `text` is NULL
 * the string is "". */
json_t *mm_json_text(const char *text);
/* Append `item`, which is stolen, to `array`. Returns the array. If memory runs out, both
 * are freed and NULL is returned, so that later calls fail, too. Arguments may be
 * NULL. */
json_t *mm_json_append(json_t *array, json_t *item);
/* Return `json` as a new text; NULL: out of memory, or `json` is NULL. `flags` as in
 * jansson's
 * json_dumps. */
char *mm_json_dump(const json_t *json, size_t flags);

/* Return a JSON number, or null if `value` is not finite, because JSON has no such
 * numbers. */
json_t *mm_json_real(double value);
/* Return the current time as a new JSON string, "2026-01-31T12:00:00Z". */
json_t *mm_json_time_now(void);

/* Write `size` bytes to `dir`/`name`: a new file is written and renamed, so that a reader
 * finds either the old or the new text. Returns 0, or a negative errno with the file's
 * name in `err`; then the old file is unchanged. */
int mm_file_replace(const char *dir, const char *name, const char *text, size_t size,
                    struct cca_error *err);
/* Like mm_file_replace, but for a non-empty JSON object, given as a text or as `json`,
 * which is written indented; a check sum (json_check.h) is added. If it is NULL, an
 * earlier step has run out of memory, and -ENOMEM is returned. */
int mm_json_replace_text(const char *dir, const char *name, const char *text,
                         struct cca_error *err);
int mm_json_replace(const char *dir, const char *name, const json_t *json,
                    struct cca_error *err);

#endif
