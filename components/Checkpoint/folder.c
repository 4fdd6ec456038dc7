/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.c: the folder of a checkpoint. */
#include "components/Checkpoint/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "components/Checkpoint/index.h"

static char *path_new(const char *folder, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

char *folder_index(const char *folder)
{
    return path_new(folder, "index");
}

static void values_name(char name[64], int64_t serial, int file)
{
    snprintf(name, 64, "values-%06" PRId64 "-%04d", serial, file);
}

char *folder_values(const char *folder, int64_t serial, int file)
{
    char name[64];

    values_name(name, serial, file);
    return path_new(folder, name);
}

/* Return the serial number in the name of a file of values; 0: it is another file. */
static int64_t serial_of(const char *name)
{
    char again[64];
    int64_t serial = 0;
    int file = 0;

    if (sscanf(name, "values-%15" SCNd64 "-%9d", &serial, &file) != 2 || serial < 1 ||
        file < 0)
        return 0;
    values_name(again, serial, file);
    return strcmp(again, name) == 0 ? serial : 0;
}

static int folder_fail(const char *folder, const char *what, struct cca_error *err)
{
    int code = errno ? -errno : -EIO;

    return cca_error_set(err, code, "cannot %s '%s': %s", what, folder, strerror(-code));
}

int folder_prepare(const char *folder, int64_t *serial, struct cca_error *err)
{
    int64_t most = 0, limit = 1;
    struct dirent *entry;
    DIR *dir;

    for (int k = 0; k < INDEX_SERIAL_DIGITS; k++)
        limit *= 10;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return folder_fail(folder, "create folder", err);
    dir = opendir(folder);
    if (!dir)
        return folder_fail(folder, "open folder", err);
    while ((errno = 0, entry = readdir(dir))) {
        int64_t found = serial_of(entry->d_name);

        most = found > most ? found : most;
    }
    if (errno) {
        int code = folder_fail(folder, "read folder", err);

        closedir(dir);
        return code;
    }
    closedir(dir);
    if (most + 1 >= limit)
        return cca_error_set(err, -EOVERFLOW,
                             "'%s': found a file of values with serial number %" PRId64
                             ", expected smaller ones",
                             folder, most);
    *serial = most + 1;
    return 0;
}

/* Flush the folder, with the names in it, to disk. */
static int folder_sync(const char *folder, struct cca_error *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), code = 0;

    if (fd < 0)
        return folder_fail(folder, "open folder", err);
    /* some file systems do not support it for folders */
    if (fsync(fd) && errno != EINVAL)
        code = folder_fail(folder, "write folder", err);
    close(fd);
    return code;
}

static int index_write(const char *part, const char *text, size_t size,
                       struct cca_error *err)
{
    struct stream s;
    int code;

    if (unlink(part) && errno != ENOENT)
        return folder_fail(part, "replace", err);
    code = stream_create(&s, part, err);
    if (!code)
        code = stream_write(&s, text, size, err);
    if (!code)
        code = stream_sync(&s, err);
    stream_close(&s);
    return code;
}

int folder_publish(const char *folder, const char *text, size_t size,
                   struct cca_error *err)
{
    char *part = path_new(folder, "index.part"), *path = folder_index(folder);
    int code = part && path ? folder_sync(folder, err) : cca_no_memory(err);

    if (!code)
        code = index_write(part, text, size, err);
    if (!code && rename(part, path))
        code = folder_fail(part, "rename", err);
    if (code && part)
        unlink(part);
    if (!code)
        code = folder_sync(folder, NULL) != 0;
    free(part);
    free(path);
    return code;
}

void folder_clean(const char *folder, int64_t serial)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        int64_t found = serial_of(entry->d_name);
        char *path = found && found != serial ? path_new(folder, entry->d_name) : NULL;

        if (path)
            unlink(path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

int folder_read(const char *folder, char **text, size_t *size, struct cca_error *err)
{
    char *path = folder_index(folder);
    struct stream s;
    int64_t bytes = 0;
    int code = path ? stream_open(&s, path, err) : cca_no_memory(err);

    if (!path)
        return code;
    if (!code)
        bytes = stream_size(&s, err);
    if (bytes < 0)
        code = (int)bytes;
    if (!code && bytes > INDEX_SIZE_MAX)
        code = cca_error_set(err, -EBADMSG,
                             "'%s': found %" PRId64
                             " bytes, expected an index of at most %d",
                             path, bytes, INDEX_SIZE_MAX);
    *text = code ? NULL : calloc((size_t)bytes + 1, 1);
    if (!code)
        code = *text ? stream_read(&s, *text, (size_t)bytes, err) : cca_no_memory(err);
    if (code) {
        free(*text);
        *text = NULL;
    }
    *size = (size_t)bytes;
    stream_close(&s);
    free(path);
    return code;
}
