/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c: load a JSON file of an experiment. */
#include "mastermind/reader/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "mastermind/format/json_check.h"
#include "mastermind/format/layout.h"

enum { MAX_JSON = 64 << 20 };

/* Parse a JSON text. Returns a new value, or NULL with the parser's message in `err`. */
static json_t *parse_text(const char *path, const char *text, size_t length,
                          struct cca_error *err)
{
    json_error_t error;
    json_t *json = NULL;

    if (!mm_json_check_holds(text, length))
        cca_error_set(err, -EBADMSG,
                      "%s: offset %zu: found another check than that of the"
                      " text behind it",
                      path, sizeof MM_JSON_CHECK_KEY - 1);
    else if (!(json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error)))
        cca_error_set(err, -EBADMSG, "%s:%d: %s", path, error.line > 0 ? error.line : 1,
                      error.text);
    else if (json_integer_value(json_object_get(json, "format")) != MM_FORMAT) {
        cca_error_set(err, -EBADMSG,
                      "%s:1: found format %" JSON_INTEGER_FORMAT ", expected %d", path,
                      json_integer_value(json_object_get(json, "format")), MM_FORMAT);
        json_decref(json);
        json = NULL;
    }
    return json;
}

json_t *mm_json_load(const char *path, int *code, struct cca_error *err)
{
    char *text = NULL;
    size_t length = 0;
    int rc = cca_file_read_plain(path, MAX_JSON, &text, &length);
    json_t *json = NULL;

    if (rc == -ENOTDIR)
        rc = -ENOENT;
    else if (rc == -EINVAL || rc == -EFBIG)
        rc = cca_error_set(err, -EBADMSG,
                           "%s: found no file of at most 64 MiB, expected JSON", path);
    else if (rc && rc != -ENOENT)
        rc = cca_error_set(err, rc == -ENOMEM ? rc : -EIO, "%s: %s", path, strerror(-rc));
    else if (!rc && !(json = parse_text(path, text, length, err)))
        rc = -EBADMSG;
    free(text);
    *code = rc;
    return json;
}
