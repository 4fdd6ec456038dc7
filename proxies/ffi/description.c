/* SPDX-License-Identifier: BSD-3-Clause */
/* description.c: describe documents in the directories of the component path. */
#include "proxies/ffi/description.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/proxygen/perf/describe.h"

enum { LARGEST = 16 << 20 };

static int is_description(const struct dirent *item)
{
    static const char ending[] = ".describe.json";
    size_t length = strlen(item->d_name), end = sizeof ending - 1;

    return item->d_name[0] != '.' && length > end &&
           strcmp(item->d_name + length - end, ending) == 0;
}

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

static struct pg_port *read_document(const char *path, struct cca_error *err)
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
        cca_error_set(err, status, "%.200s: error: cannot read it: %s", path, strerror(-status));
    free(text);
    return port;
}

/* The port of that type in one directory; NULL: none, and the first document that cannot be read
 * is in `problem`. */
static struct pg_port *search(const char *directory, const char *type, struct cca_error *problem)
{
    struct dirent **items = NULL;
    int count = scandir(directory, &items, is_description, alphasort);
    struct pg_port *found = NULL;

    for (int i = 0; i < count; i++) {
        char *path = NULL;

        if (!found && asprintf(&path, "%s/%s", directory, items[i]->d_name) >= 0) {
            found = read_document(path, problem);
            if (found && strcmp(found->type, type) != 0) {
                pg_port_free(found);
                found = NULL;
            }
            free(path);
        } else if (!found) {
            cca_error_set(problem, -ENOMEM, "out of memory");
        }
        free(items[i]);
    }
    free(items);
    return found;
}

struct pg_port *fproxy_description_find(struct cca_services *services, const char *type,
                                        struct cca_error *err)
{
    struct cca_error problem = {0};
    struct pg_port *found = NULL;
    const char *directory;

    for (size_t i = 0; !found && (directory = cca_services_path(services, i)); i++)
        found = search(directory, type, &problem);
    if (found)
        return found;
    if (problem.code == -ENOMEM)
        cca_error_raise(err, -ENOMEM, CCA_EXCEPTION_OUT_OF_MEMORY, "out of memory");
    else if (problem.code)
        cca_error_set(err, -ENOTSUP, "%s", problem.text);
    else
        cca_error_set(err, -ENOENT, "no file *.describe.json on the path describes %s", type);
    return NULL;
}
