/* SPDX-License-Identifier: BSD-3-Clause */
/* json_file.h: JSON from foreign strings, and files that are replaced atomically. */
#ifndef MASTERMIND_WRITER_JSON_FILE_H
#define MASTERMIND_WRITER_JSON_FILE_H

#include "ports/cca_error.h"

#include <jansson.h>

/* Return a JSON string, new; NULL: out of memory. Invalid UTF-8 becomes U+FFFD, so that
 * names in another encoding do not prevent the file. `text` NULL is "". */
json_t *mm_json_text(const char *text);
/* Append `item`, which is stolen. Returns the array. If out of memory, frees both and
 * returns NULL, so that later steps fail as well. Arguments may be NULL. */
json_t *mm_json_append(json_t *array, json_t *item);
/* `json` as text, new; NULL: out of memory, or `json` is NULL. Flags as for json_dumps.
 */
char *mm_json_dump(const json_t *json, size_t flags);

/* Return a JSON number, or null if `value` is not finite, because JSON has no such
 * numbers. */
json_t *mm_json_real(double value);
/* Return the time now, "2026-01-31T12:00:00Z", new. */
json_t *mm_json_time_now(void);

/* Write `size` bytes to `dir`/`name` by writing a new file and renaming it, so that a
 * reader finds the old or the new text. Returns 0 or a negative errno with `err`, which
 * names the file; the old file is then unchanged. */
int mm_file_replace(const char *dir, const char *name, const char *text, size_t size,
                    struct cca_error *err);
/* mm_file_replace for a non-empty JSON object, as text or indented, with its check
 * (json_check.h). NULL represents an earlier error: -ENOMEM. */
int mm_json_replace_text(const char *dir, const char *name, const char *text,
                         struct cca_error *err);
int mm_json_replace(const char *dir, const char *name, const json_t *json,
                    struct cca_error *err);

#endif
