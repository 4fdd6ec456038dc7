/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.c: write a folder of files that is complete or does not exist. */
#include "mesh/convert/parts.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory.h"

struct mesh_folder {
    char *path, *unfinished;
    int finished;
};

static int refuse_place(const char *path, int code, struct cca_error *err)
{
    return cca_error_set(err, code, "cannot make directory '%s': %s", path,
                         code == -EEXIST || code == -ENOTEMPTY
                             ? "it exists and is not an empty directory"
                             : strerror(-code));
}

struct mesh_folder *mesh_folder_new(const char *path, struct cca_error *err)
{
    struct mesh_folder *folder = calloc(1, sizeof *folder);
    struct stat st;

    if (!folder) {
        cca_no_memory(err);
        return NULL;
    }
    folder->path = strdup(path);
    if (!folder->path ||
        asprintf(&folder->unfinished, "%s.%ld.new", path, (long)getpid()) < 0) {
        folder->unfinished = NULL;
        cca_no_memory(err);
    } else if (!*path || (lstat(path, &st) == 0 && cca_directory_is_empty(path) <= 0)) {
        refuse_place(path, *path ? -EEXIST : -EINVAL, err);
    } else if (mkdir(folder->unfinished, 0777) != 0) {
        refuse_place(path, -errno, err);
    } else {
        return folder;
    }
    folder->finished = 1; /* nothing is left to remove */
    mesh_folder_free(folder);
    return NULL;
}

const char *mesh_folder_path(const struct mesh_folder *folder)
{
    return folder->unfinished;
}

static int path_of(const struct mesh_folder *folder, const char *name,
                   char path[PATH_MAX], struct cca_error *err)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder->unfinished, name) >= PATH_MAX)
        return cca_error_set(err, -ENAMETOOLONG, "%s/%s: %s", folder->path, name,
                             strerror(ENAMETOOLONG));
    return 0;
}

int mesh_folder_add(const struct mesh_folder *folder, const char *name,
                    struct cca_error *err)
{
    char path[PATH_MAX];
    int result = path_of(folder, name, path, err);

    if (!result && mkdir(path, 0777) != 0)
        return cca_error_set(err, -errno, "%s: %s", path, strerror(errno));
    return result;
}

FILE *mesh_folder_open(const struct mesh_folder *folder, const char *name,
                       struct cca_error *err)
{
    char path[PATH_MAX];
    FILE *file;

    if (path_of(folder, name, path, err))
        return NULL;
    file = fopen(path, "wxe");
    if (!file)
        cca_error_set(err, -errno, "%s: %s", path, strerror(errno));
    return file;
}

int mesh_folder_close(const struct mesh_folder *folder, const char *name, FILE *file,
                      struct cca_error *err)
{
    int failed = ferror(file);

    errno = 0;
    if (fclose(file) != 0 || failed)
        return cca_error_set(err, errno ? -errno : -EIO, "%s/%s: %s", folder->path, name,
                             strerror(errno ? errno : EIO));
    return 0;
}

int mesh_folder_finish(struct mesh_folder *folder, struct cca_error *err)
{
    if (rename(folder->unfinished, folder->path) != 0)
        return refuse_place(folder->path, -errno, err);
    folder->finished = 1;
    return 0;
}

/* Remove a directory with its files and subdirectories. */
static void remove_all(const char *path, int depth)
{
    DIR *all = opendir(path);
    struct dirent *entry;
    char inner[PATH_MAX];

    while (all && (entry = readdir(all))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >=
                (int)sizeof inner)
            continue;
        if (unlink(inner) != 0 && depth)
            remove_all(inner, depth - 1);
    }
    if (all)
        closedir(all);
    rmdir(path);
}

void mesh_folder_free(struct mesh_folder *folder)
{
    if (!folder)
        return;
    if (!folder->finished)
        remove_all(folder->unfinished, 2);
    free(folder->unfinished);
    free(folder->path);
    free(folder);
}
