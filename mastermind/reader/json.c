/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c: load a JSON document of an experiment. */
#include "mastermind/reader/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/format/json_check.h"
#include "mastermind/format/layout.h"

enum { MAX_JSON = 64 << 20 };

/* Read the text of a file that had `size` bytes: new, or NULL with errno. */
static char *read_text(const char *path, size_t size, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = fd >= 0 ? malloc(size + 1) : NULL;
    ssize_t n = 1;

    for (*length = 0; text && *length < size && n; *length += (size_t)n) {
        do {
            n = read(fd, text + *length, size - *length);
        } while (n < 0 && errno == EINTR);
        if (n < 0) {
            int saved = errno;

            free(text);
            text = NULL;
            errno = saved;
            break;
        }
    }
    if (fd >= 0) {
        int saved = errno;

        close(fd);
        errno = saved;
    }
    return text;
}

/* Parse a file, with the parser's message if it is no JSON: new, or NULL with `err`. */
static json_t *parse_file(const char *path, size_t size, int *code, struct cca_error *err)
{
    json_error_t error;
    size_t length;
    char *text = read_text(path, size, &length);
    json_t *json = NULL;

    if (text && !mm_json_check_holds(text, length)) {
        *code = cca_error_set(err, -EBADMSG,
                              "%s: offset %zu: found another check than that of the"
                              " text behind it",
                              path, sizeof MM_JSON_CHECK_KEY - 1);
        free(text);
        return NULL;
    }
    if (text)
        json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!text)
        *code = cca_error_set(err, errno == ENOMEM ? -ENOMEM : -EIO, "%s: %s", path,
                              strerror(errno));
    else if (!json)
        *code = cca_error_set(err, -EBADMSG, "%s:%d: %s", path,
                              error.line > 0 ? error.line : 1, error.text);
    free(text);
    return json;
}

json_t *mm_json_load(const char *path, int *code, struct cca_error *err)
{
    struct stat st;
    json_t *json;

    *code = 0;
    if (stat(path, &st)) {
        *code = -ENOENT;
        if (errno != ENOENT && errno != ENOTDIR)
            *code = cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(st.st_mode) || st.st_size > MAX_JSON) {
        *code = cca_error_set(err, -EBADMSG,
                              "%s: found no file of at most 64 MiB, expected JSON", path);
        return NULL;
    }
    json = parse_file(path, (size_t)st.st_size, code, err);
    if (json && json_integer_value(json_object_get(json, "format")) != MM_FORMAT)
        *code = cca_error_set(
            err, -EBADMSG, "%s:1: found format %" JSON_INTEGER_FORMAT ", expected %d",
            path, json_integer_value(json_object_get(json, "format")), MM_FORMAT);
    if (*code) {
        json_decref(json);
        return NULL;
    }
    return json;
}
