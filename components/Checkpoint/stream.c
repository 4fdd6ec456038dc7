/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c: write or read a file sequentially. */
#include "components/Checkpoint/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Checksum -------------------------------------------------------------- */

uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size)
{
    static uint32_t table[256];
    const unsigned char *at = bytes;

    if (!table[1])
        for (uint32_t byte = 256; byte-- > 1;) {
            uint32_t value = byte;

            for (int bit = 0; bit < 8; bit++)
                value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
            table[byte] = value;
        }
    checksum = ~checksum;
    for (size_t i = 0; i < size; i++)
        checksum = checksum >> 8 ^ table[(checksum ^ at[i]) & 0xff];
    return ~checksum;
}

/* --- Files ----------------------------------------------------------------- */

static int stream_fail(const struct stream *s, const char *what, struct cca_error *err)
{
    int code = errno ? -errno : -EIO;

    return cca_error_set(err, code, "cannot %s '%s': %s", what, s->path, strerror(-code));
}

static int stream_begin(struct stream *s, const char *path, int flags, const char *what,
                        struct cca_error *err)
{
    s->fd = -1;
    s->writes = (flags & O_ACCMODE) == O_WRONLY;
    s->at = 0;
    s->used = s->size = 0;
    s->checksum = 0;
    s->path = strdup(path);
    if (!s->path)
        return cca_no_memory(err);
    s->fd = open(path, flags | O_CLOEXEC, 0666);
    return s->fd < 0 ? stream_fail(s, what, err) : 0;
}

int stream_create(struct stream *s, const char *path, struct cca_error *err)
{
    return stream_begin(s, path, O_WRONLY | O_CREAT | O_EXCL, "create", err);
}

int stream_open(struct stream *s, const char *path, struct cca_error *err)
{
    struct stat found;
    /* O_NONBLOCK: do not wait for the writer of a pipe */
    int code = stream_begin(s, path, O_RDONLY | O_NONBLOCK, "open", err);

    if (!code && fstat(s->fd, &found))
        code = stream_fail(s, "examine", err);
    if (!code && !S_ISREG(found.st_mode))
        code = cca_error_set(err, -EINVAL, "'%s' is no plain file", path);
    return code;
}

int64_t stream_size(struct stream *s, struct cca_error *err)
{
    struct stat found;

    return fstat(s->fd, &found) ? stream_fail(s, "examine", err) : found.st_size;
}

void stream_close(struct stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    free(s->path);
    s->path = NULL;
}

/* --- Bytes ----------------------------------------------------------------- */

static int buffer_flush(struct stream *s, struct cca_error *err)
{
    size_t done = 0;

    while (done < s->used) {
        ssize_t n =
            pwrite(s->fd, s->buffer + done, s->used - done, s->at + (int64_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n ? errno : ENOSPC;
            return stream_fail(s, "write", err);
        }
        done += (size_t)n;
    }
    s->at += (int64_t)s->used;
    s->used = 0;
    return 0;
}

static int buffer_fill(struct stream *s, struct cca_error *err)
{
    ssize_t n;

    s->at += (int64_t)s->used;
    s->used = s->size = 0;
    do
        n = pread(s->fd, s->buffer, sizeof s->buffer, s->at);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return stream_fail(s, "read", err);
    s->size = (size_t)n;
    return 0;
}

int64_t stream_offset(const struct stream *s)
{
    return s->at + (int64_t)s->used;
}

int stream_seek(struct stream *s, int64_t offset, struct cca_error *err)
{
    int code = s->writes ? buffer_flush(s, err) : 0;

    if (stream_offset(s) != offset) {
        s->at = offset;
        s->used = s->size = 0;
    }
    return code;
}

void stream_check_begin(struct stream *s)
{
    s->checksum = 0;
}

int stream_write(struct stream *s, const void *bytes, size_t size, struct cca_error *err)
{
    const unsigned char *from = bytes;

    s->checksum = checksum_add(s->checksum, bytes, size);
    while (size) {
        size_t room = sizeof s->buffer - s->used, part = size < room ? size : room;
        int code;

        memcpy(s->buffer + s->used, from, part);
        s->used += part;
        from += part;
        size -= part;
        code = s->used == sizeof s->buffer ? buffer_flush(s, err) : 0;
        if (code)
            return code;
    }
    return 0;
}

int stream_read(struct stream *s, void *bytes, size_t size, struct cca_error *err)
{
    unsigned char *to = bytes;
    size_t left = size;

    while (left) {
        size_t room = s->size - s->used, part = left < room ? left : room;
        int code = room ? 0 : buffer_fill(s, err);

        if (code)
            return code;
        if (!room && !s->size)
            return cca_error_set(err, -EBADMSG,
                                 "'%s' ends after %" PRId64 " bytes, expected %zu more",
                                 s->path, s->at, left);
        memcpy(to, s->buffer + s->used, part);
        s->used += part;
        to += part;
        left -= part;
    }
    s->checksum = checksum_add(s->checksum, bytes, size);
    return 0;
}

int stream_sync(struct stream *s, struct cca_error *err)
{
    int code = buffer_flush(s, err);

    return !code && fsync(s->fd) ? stream_fail(s, "write", err) : code;
}
