/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c: write a file under a temporary name and rename it when it is complete. */
#include "tools/proxygen/emit/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"

static int open_directory(const char *directory)
{
    int file;

    if (mkdir(directory, 0777) < 0 && errno != EEXIST)
        return -errno;
    file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return file < 0 ? -errno : file;
}

/* Write a new file. O_EXCL is used so that a file created by someone else is never
 * opened. */
static int write_new(int directory, const char *name, const char *text, size_t size)
{
    char temporary[300];
    int file, status;

    snprintf(temporary, sizeof temporary, ".%s.%ld", name, (long)getpid());
    file = openat(directory, temporary,
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0)
        return -errno;
    status = cca_file_write_all(file, text, size);
    if (close(file) < 0 && status == 0)
        status = -errno;
    if (status == 0 && renameat(directory, temporary, directory, name) < 0)
        status = -errno;
    if (status < 0)
        unlinkat(directory, temporary, 0);
    return status;
}

int pg_output_write(const char *directory, const char *name, const char *text,
                    size_t size, struct cca_error *err)
{
    int at = open_directory(directory), status = at;

    if (at >= 0) {
        status = write_new(at, name, text, size);
        close(at);
    }
    return status < 0
               ? cca_error_set(err, status, "%.200s/%.200s: error: cannot write: %s",
                               directory, name, strerror(-status))
               : 0;
}
