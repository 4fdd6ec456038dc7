/* SPDX-License-Identifier: BSD-3-Clause */
/* json_file.c: make JSON from strings in any encoding, and replace files atomically. */
#include "mastermind/writer/json_file.h"

#include "mastermind/format/json_check.h"

#include "mastermind/writer/write_signals.h"
#include "mastermind/format/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/file.h"
#include "common/xml.h"

json_t *mm_json_text(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    const char *in = text ? text : "";
    json_t *string;
    char *out, *end;

    /* each byte becomes at most three bytes of UTF-8 */
    out = end = malloc(3 * strlen(in) + 1);
    if (!out)
        return NULL;
    while (*in) {
        size_t length = cca_utf8_length(in);

        if (length) {
            memcpy(end, in, length);
            end += length;
            in += length;
        } else {
            memcpy(end, replacement, 3);
            end += 3;
            in++;
        }
    }
    string = json_stringn(out, (size_t)(end - out));
    free(out);
    return string;
}

json_t *mm_json_append(json_t *array, json_t *item)
{
    if (json_array_append_new(array, item) == 0)
        return array;
    json_decref(array);
    return NULL;
}

json_t *mm_json_time_now(void)
{
    time_t now = time(NULL);
    struct tm utc;
    char text[32];

    if (!gmtime_r(&now, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
        return json_null();
    return json_string(text);
}

json_t *mm_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Create the file `path` with this text; a file of this name that an earlier process left
 * is removed. */
static int write_new(const char *path, const char *text, size_t size)
{
    int result, fd;

    if (unlink(path) && errno != ENOENT)
        return -errno;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return -errno;
    mm_own_file(fd);
    result = cca_file_write_all(fd, text, size);
    if (close(fd) && !result)
        result = -errno;
    return result;
}

int mm_file_replace(const char *dir, const char *name, const char *text, size_t size,
                    struct cca_error *err)
{
    char *path = NULL, *unfinished = NULL;
    struct mm_write_signals held;
    int result;

    if (asprintf(&path, "%s/%s", dir, name) < 0)
        path = NULL;
    if (asprintf(&unfinished, "%s/%s.new", dir, name) < 0)
        unfinished = NULL;
    if (!path || !unfinished) {
        result = cca_no_memory(err);
        goto out;
    }
    mm_write_signals_hold(&held);
    result = write_new(unfinished, text, size);
    mm_write_signals_release(&held);
    if (!result && rename(unfinished, path))
        result = -errno;
    if (result) {
        unlink(unfinished);
        cca_error_set(err, result, "cannot write '%s': %s", path, strerror(-result));
    }
out:
    free(path);
    free(unfinished);
    return result;
}

/* A text that grows while JSON is written. */
struct text {
    char *bytes;
    size_t size, room;
    /* true if memory ran out, after which jansson may continue and omit a part of the
     * text */
    int failed;
};

static int append_piece(const char *piece, size_t size, void *context)
{
    struct text *text = context;

    text->failed |=
        cca_array_extend(&text->bytes, &text->room, 1, text->size + size + 1) != 0;
    if (text->failed)
        return -1;
    memcpy(text->bytes + text->size, piece, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    return 0;
}

char *mm_json_dump(const json_t *json, size_t flags)
{
    struct text text = {0};

    if (json && json_dump_callback(json, append_piece, &text, flags) == 0 && !text.failed)
        return text.bytes;
    free(text.bytes);
    return NULL;
}

/* Return a new text of a non-empty JSON object, with a check sum (json_check.h) as its
 * first member; or NULL. */
static char *with_check(const char *text)
{
    /* one byte more, because `",` replaces `{`, and one for the NUL */
    size_t size = strlen(text) + 2;
    char *checked = malloc(MM_JSON_CHECK_BYTES + size), *rest;
    char digits[MM_JSON_CHECK_DIGITS + 1];

    if (!checked)
        return NULL;
    rest = checked + MM_JSON_CHECK_BYTES;
    snprintf(rest, size, "\",%s", text + 1);
    mm_json_check(rest, strlen(rest), digits);
    memcpy(checked, MM_JSON_CHECK_KEY, sizeof MM_JSON_CHECK_KEY - 1);
    memcpy(rest - MM_JSON_CHECK_DIGITS, digits, MM_JSON_CHECK_DIGITS);
    return checked;
}

int mm_json_replace_text(const char *dir, const char *name, const char *text,
                         struct cca_error *err)
{
    char *checked = text ? with_check(text) : NULL;
    int result = checked ? mm_file_replace(dir, name, checked, strlen(checked), err)
                         : cca_no_memory(err);

    free(checked);
    return result;
}

int mm_json_replace(const char *dir, const char *name, const json_t *json,
                    struct cca_error *err)
{
    char *text = mm_json_dump(json, JSON_INDENT(1));
    int result = mm_json_replace_text(dir, name, text, err);

    free(text);
    return result;
}
