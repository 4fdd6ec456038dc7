/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h: read whole files into memory as text.
 *
 * A text is new and has a NUL after its `size` bytes, which may include NULs. Any thread.
 */
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read an open file or pipe to its end.
 *
 *   most   in   largest number of bytes to read, at most SIZE_MAX / 4
 *   text   out  the text, set only on success
 *   size   out  its length without the NUL at the end
 *
 * Returns 0; -EFBIG: more than `most`; -ENOMEM; or an error of read(), such as
 * -EISDIR. */
static inline int cca_file_take(int fd, size_t most, char **text, size_t *size)
{
    struct stat st;
    int is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    /* one more byte to detect the end, and one for the NUL */
    size_t room = is_file ? (size_t)st.st_size + 2 : 1 << 14, used = 0;
    char *bytes = NULL;
    ssize_t got = 1;
    int rc = 0;

    while (!rc && got) {
        char *grown = realloc(bytes, room = room < most + 2 ? room : most + 2);

        rc = grown ? 0 : -ENOMEM;
        bytes = grown ? grown : bytes;
        while (!rc && got && used + 1 < room) {
            got = read(fd, bytes + used, room - used - 1);
            if (got < 0 && errno != EINTR)
                rc = -errno;
            used += got > 0 ? (size_t)got : 0;
        }
        rc = used > most ? -EFBIG : rc;
        room *= 2;
    }
    if (rc) {
        free(bytes);
        return rc;
    }
    bytes[used] = '\0';
    *text = bytes;
    *size = used;
    return 0;
}

/* Read the file `path` like cca_file_take. Also returns errors of open(). */
static inline int cca_file_read(const char *path, size_t most, char **text, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -errno : 0;

    if (!rc)
        rc = cca_file_take(fd, most, text, size);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Like cca_file_read, but returns -EINVAL if the path is not a plain file; it does not
 * wait for the writer of a pipe. */
static inline int cca_file_read_plain(const char *path, size_t most, char **text,
                                      size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int rc = fd < 0 ? -errno : 0;
    struct stat st;

    if (!rc && fstat(fd, &st) != 0)
        rc = -errno;
    else if (!rc)
        rc = S_ISREG(st.st_mode) ? cca_file_take(fd, most, text, size) : -EINVAL;
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Write all bytes, also if signals interrupt. Returns 0 or a negative errno. */
static inline int cca_file_write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size) {
        ssize_t done = write(fd, at, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? -errno : -EIO;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

#endif
