/* SPDX-License-Identifier: BSD-3-Clause */
/* description.c: a describe document, from its file. */
#include "proxies/ffi/description.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/proxygen/perf/describe.h"

enum { LARGEST = 16 << 20 };

/* The whole of a file that is open, new; NULL and `*status`. */
static char *read_all(int fd, size_t *size, int *status)
{
    struct stat stat;
    char *text;

    *size = 0;
    if (fstat(fd, &stat) < 0) {
        *status = -errno;
        return NULL;
    }
    if (!S_ISREG(stat.st_mode) || stat.st_size > LARGEST) {
        *status = S_ISREG(stat.st_mode) ? -EFBIG : -EINVAL;
        return NULL;
    }
    text = malloc((size_t)stat.st_size + 1);
    *status = text ? 0 : -ENOMEM;
    while (text && *size < (size_t)stat.st_size) {
        ssize_t got = read(fd, text + *size, (size_t)stat.st_size - *size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            *status = -errno;
            free(text);
            return NULL;
        }
        if (got == 0)
            break;
        *size += (size_t)got;
    }
    return text;
}

struct pg_port *fproxy_description_read(const char *path, struct cca_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status = fd < 0 ? -errno : 0;
    struct pg_port *port = NULL;
    size_t size = 0;
    char *text = fd < 0 ? NULL : read_all(fd, &size, &status);

    if (fd >= 0)
        close(fd);
    if (text)
        port = pg_describe_read(text, size, path, err);
    else
        cca_error_set(err, status, "%.200s: error: cannot read it: %s", path,
                      strerror(-status));
    free(text);
    return port;
}
