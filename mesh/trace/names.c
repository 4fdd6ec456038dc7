/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c: find the profiles of an experiment. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/nearest.h"
#include "mesh/trace/profile_core.h"

/* Return the length of a profile's name if the directory entry is its file, else 0. */
static size_t name_length(const char *entry)
{
    size_t length = strlen(entry), suffix = sizeof MM_MESH_SUFFIX - 1;

    return entry[0] != '.' && length > suffix &&
                   strcmp(entry + length - suffix, MM_MESH_SUFFIX) == 0 &&
                   length - suffix < MM_MESH_NAME_BYTES
               ? length - suffix
               : 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

typedef char profile_name[MM_MESH_NAME_BYTES];

/* List the names of an experiment's profiles, sorted. Returns their number or a negative
 * errno. */
static int list(const char *experiment, profile_name **names, struct cca_error *err)
{
    const struct dirent *entry;
    size_t count = 0, length;
    char *folder;
    DIR *dir;
    int rc = 0;

    *names = NULL;
    if (asprintf(&folder, "%s/" MM_MESH_FOLDER, experiment) < 0)
        return cca_no_memory(err);
    dir = opendir(folder);
    if (!dir && errno != ENOENT && errno != ENOTDIR)
        rc = cca_error_set(err, -errno, "%s: %s", folder, strerror(errno));
    while (dir && !rc && (entry = readdir(dir)))
        if ((length = name_length(entry->d_name)) > 0) {
            char *name = cca_array_add(names, &count, sizeof **names);

            if (name)
                memcpy(name, entry->d_name, length);
            else
                rc = cca_no_memory(err);
        }
    if (dir)
        closedir(dir);
    free(folder);
    if (count)
        qsort(*names, count, sizeof **names, by_name);
    return rc ? rc : (int)count;
}

int mesh_profile_names(const char *experiment, char ***names, struct cca_error *err)
{
    profile_name *found, *copies;
    int count = list(experiment, &found, err);

    *names = NULL;
    if (count > 0) {
        *names = malloc((size_t)count * (sizeof **names + sizeof *found));
        if (*names) {
            copies = (profile_name *)(void *)(*names + count);
            memcpy(copies, found, (size_t)count * sizeof *found);
            for (int i = 0; i < count; i++)
                (*names)[i] = copies[i];
        } else {
            count = cca_no_memory(err);
        }
    }
    free(found);
    return count;
}

/* Set the error for a profile that was not found. Returns -ENOENT or -EINVAL. */
static int not_found(const char *experiment, const char *name, profile_name *names,
                     int count, struct cca_error *err)
{
    struct cca_nearest nearest;

    if (count == 0)
        return cca_error_set(err, -ENOENT,
                             "%s: found no mesh profile; programs with "
                             "probes make one where they run with --cells",
                             experiment);
    if (!name)
        return cca_error_set(err, -EINVAL,
                             "%s: found %d mesh profiles (%s, %s...), "
                             "expected --profile",
                             experiment, count, names[0], names[1]);
    cca_nearest_init(&nearest, name);
    for (int i = 0; i < count; i++)
        cca_nearest_offer(&nearest, names[i]);
    return cca_error_set(err, -ENOENT, "%s: found no mesh profile '%s', expected '%s'%s",
                         experiment, name, nearest.best ? nearest.best : names[0],
                         count > 1 && !nearest.best ? " or another" : "");
}

int mesh_profile_find(const char *experiment, const char *name, char **path,
                      struct cca_error *err)
{
    profile_name *names;
    int count = list(experiment, &names, err), at = -1, rc = count < 0 ? count : 0;

    *path = NULL;
    for (int i = 0; i < count && at < 0; i++)
        if (name ? strcmp(names[i], name) == 0 : count == 1)
            at = i;
    if (!rc && at < 0)
        rc = not_found(experiment, name, names, count, err);
    if (!rc && asprintf(path, "%s/" MM_MESH_FOLDER "/%s" MM_MESH_SUFFIX, experiment,
                        names[at]) < 0) {
        *path = NULL;
        rc = cca_no_memory(err);
    }
    free(names);
    return rc;
}
