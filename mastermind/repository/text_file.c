/* SPDX-License-Identifier: BSD-3-Clause */
/* text_file.c: read a JSON document, with line numbers for error messages. */
#include "mastermind/repository/text_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "mastermind/format/json_check.h"

enum { MOST_BYTES = 16 << 20 };

static int read_bytes(struct mm_text_file *file, struct cca_error *err)
{
    int rc = cca_file_read_plain(file->path, MOST_BYTES, &file->text, &file->size);

    if (rc == -ENOMEM)
        return cca_no_memory(err);
    if (rc == -EINVAL || rc == -EFBIG)
        return cca_error_set(err, -EBADMSG,
                             "%s: found no file of at most 16 MiB, expected JSON",
                             file->path);
    return rc ? cca_error_set(err, rc == -ENOENT || rc == -ENOTDIR ? -ENOENT : -EIO,
                              "%s: %s", file->path, strerror(-rc))
              : 0;
}

static int parse_text(struct mm_text_file *file, struct cca_error *err)
{
    size_t key = sizeof MM_JSON_CHECK_KEY - 1;
    json_error_t error;

    file->checked = file->size >= MM_JSON_CHECK_BYTES &&
                    memcmp(file->text, MM_JSON_CHECK_KEY, key) == 0;
    if (file->checked && !mm_json_check_holds(file->text, file->size))
        return cca_error_set(err, -EBADMSG,
                             "%s:1: found another check than that of the text behind it",
                             file->path);
    file->json = json_loadb(file->text, file->size, JSON_REJECT_DUPLICATES, &error);
    if (!file->json)
        return cca_error_set(err, -EBADMSG, "%s:%d: %s", file->path,
                             error.line > 0 ? error.line : 1, error.text);
    if (!json_is_object(file->json))
        return cca_error_set(err, -EBADMSG, "%s:1: found no object", file->path);
    return 0;
}

int mm_text_file_read(struct mm_text_file *file, const char *path, struct cca_error *err)
{
    int result;

    *file = (struct mm_text_file){.path = path};
    result = read_bytes(file, err);
    if (!result)
        result = parse_text(file, err);
    if (result)
        mm_text_file_done(file);
    return result;
}

void mm_text_file_done(struct mm_text_file *file)
{
    json_decref(file->json);
    free(file->text);
    *file = (struct mm_text_file){0};
}

/* Return the number, from 1, of the line with the first member `key`; 1 if there is
 * none. */
static int mm_text_file_line(const struct mm_text_file *file, const char *key)
{
    size_t length = strlen(key);
    int line = 1;

    for (const char *at = file->text; *at; at++) {
        line += *at == '\n';
        if (*at == '"' && strncmp(at + 1, key, length) == 0 && at[1 + length] == '"')
            return line;
    }
    return 1;
}

int mm_text_file_refuse(const struct mm_text_file *file, const char *key,
                        struct cca_error *err, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cca_error_set(err, -EBADMSG, "%s:%d: %s", file->path,
                         mm_text_file_line(file, key), text);
}
