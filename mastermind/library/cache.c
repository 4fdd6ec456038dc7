/* SPDX-License-Identifier: BSD-3-Clause */
/* cache.c: store generated files for the user, under a key that is computed from their
 * inputs. */
#include "mastermind/library/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* --- The key -------------------------------------------------------------- */

void mm_cache_add(struct mm_cache_key *key, const char *text)
{
    do {
        key->a = (key->a ^ (unsigned char)*text) * 1099511628211u;
        key->b = (key->b ^ (unsigned char)*text) * 1099511628211u + 0x9e37;
    } while (*text++);
}

void mm_cache_add_file(struct mm_cache_key *key, const char *path)
{
    char text[80] = "-";
    struct stat file;

    if (stat(path, &file) == 0)
        snprintf(text, sizeof text, "%lld %lld.%09ld", (long long)file.st_size,
                 (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    mm_cache_add(key, path);
    mm_cache_add(key, text);
}

/* --- The cache ------------------------------------------------------------ */

/* Create all folders of a path. Returns 0 or a negative errno. */
static int make_folders(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = 0;
        if (mkdir(path, 0700) && errno != EEXIST) {
            int error = -errno;

            *slash = '/';
            return error;
        }
    }
    return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

/* True if only this user can write to the folder. This matters because libraries in it
 * are loaded. */
static int is_ours(const char *path)
{
    struct stat file;

    return lstat(path, &file) == 0 && S_ISDIR(file.st_mode) && file.st_uid == geteuid() &&
           !(file.st_mode & 022) && access(path, W_OK | X_OK) == 0;
}

/* True if the folder's disk has room for an interposition library. */
static int has_room(const char *path)
{
    enum { ROOM = 1 << 20 };
    struct statvfs disk;

    return statvfs(path, &disk) != 0 ||
           (uint64_t)disk.f_bavail * disk.f_frsize >= (uint64_t)ROOM;
}

char *mm_cache_folder(const char *what, struct cca_error *err)
{
    const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char path[PATH_MAX];

    if (given && *given == '/')
        snprintf(path, sizeof path, "%s/mastermind/%s", given, what);
    else if (home && *home == '/')
        snprintf(path, sizeof path, "%s/.cache/mastermind/%s", home, what);
    else
        *path = 0;
    if (!*path || make_folders(path) || !is_ours(path) || !has_room(path)) {
        snprintf(path, sizeof path, "/tmp/mastermind-%lu/%s", (unsigned long)geteuid(),
                 what);
        if (make_folders(path) || !is_ours(path)) {
            cca_error_set(err, -EIO,
                          "no folder for %s: neither ~/.cache nor %s can be written by "
                          "this user alone",
                          what, path);
            return NULL;
        }
    }
    /* the dynamic linker rejects such names in LD_PRELOAD */
    if (strpbrk(path, ": \t\n$")) {
        cca_error_set(err, -EIO,
                      "the folder of %s has a blank, ':' or '$' in its name: '%s'; "
                      "set XDG_CACHE_HOME",
                      what, path);
        return NULL;
    }
    return strdup(path);
}

int mm_cache_write(const char *path, const char *bytes, size_t size)
{
    char *work = NULL;
    FILE *out = NULL;
    int fd, failed;

    if (asprintf(&work, "%s-XXXXXX", path) < 0)
        return -ENOMEM;
    fd = mkostemp(work, O_CLOEXEC);
    out = fd < 0 ? NULL : fdopen(fd, "w");
    failed = !out || fwrite(bytes, 1, size, out) != size;
    if (out)
        failed |= fclose(out) != 0;
    else if (fd >= 0)
        close(fd);
    if (!failed)
        failed = rename(work, path) != 0;
    if (failed && fd >= 0)
        unlink(work);
    free(work);
    return failed ? -EIO : 0;
}
