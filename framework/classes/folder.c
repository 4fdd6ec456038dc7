/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.c: read a directory of component libraries, once. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "framework/classes/repository_core.h"
#include "framework/classes/parts.h"

void cca_folder_free(struct cca_folder *folder)
{
    if (!folder)
        return;
    for (size_t i = 0; i < folder->entry_count; i++)
        cca_class_info_free(folder->entries[i].info);
    for (size_t i = 0; i < folder->refusal_count; i++) {
        free(folder->refusals[i].file);
        free(folder->refusals[i].reason);
    }
    free(folder->entries);
    free(folder->refusals);
    free(folder->path);
    free(folder);
}

static int folder_refuse(struct cca_folder *folder, const char *file, const char *reason)
{
    struct cca_folder_refusal refusal;

    if (cca_array_reserve(&folder->refusals, folder->refusal_count,
                          sizeof *folder->refusals))
        return -ENOMEM;
    refusal = (struct cca_folder_refusal){strdup(file), strdup(reason)};
    if (!refusal.file || !refusal.reason) {
        free(refusal.file);
        free(refusal.reason);
        return -ENOMEM;
    }
    folder->refusals[folder->refusal_count++] = refusal;
    return 0;
}

static int folder_add(struct cca_folder *folder, struct cca_class_info *info)
{
    struct cca_folder_entry *entry =
        cca_array_add(&folder->entries, &folder->entry_count, sizeof *folder->entries);

    if (!entry) {
        cca_class_info_free(info);
        return -ENOMEM;
    }
    entry->info = info;
    return 0;
}

static int is_library_name(const struct dirent *item)
{
    size_t length = strlen(item->d_name);

    return length > 3 && item->d_name[0] != '.' &&
           strcmp(item->d_name + length - 3, ".so") == 0;
}

/* Handle one file of a folder: a class, a refused library, or another file. */
static int folder_take(struct cca_folder *folder, const char *name, int strict,
                       struct cca_error *err)
{
    struct cca_error why = {0};
    struct cca_class_info *info;
    char *file = malloc(strlen(folder->path) + strlen(name) + 2);
    int status = 0;

    if (!file)
        return cca_no_memory(err);
    sprintf(file, "%s/%s", folder->path, name);
    info = cca_class_info_read(file, &why);
    if (info && strict && cca_trust_file(info->file, folder->path, &why) < 0) {
        cca_class_info_free(info);
        info = NULL;
    }
    if (info)
        status = folder_add(folder, info);
    else if (why.code == -ENOMEM)
        status = -ENOMEM;
    else if (why.code != -ENOEXEC)
        status = folder_refuse(folder, file, why.text);
    free(file);
    return status < 0 ? cca_no_memory(err) : 0;
}

/* Read a directory of libraries in order of file name: of several classes with one name
 * the first is used, and it must be the same class in each run. */
struct cca_folder *cca_folder_read(const char *path, int strict, struct cca_error *err)
{
    struct cca_folder *folder = calloc(1, sizeof *folder);
    struct dirent **items = NULL;
    int count = 0, status = 0;

    if (!folder || !(folder->path = strdup(path))) {
        cca_no_memory(err);
        cca_folder_free(folder);
        return NULL;
    }
    count = scandir(path, &items, is_library_name, alphasort);
    if (count < 0)
        status = cca_error_set(err, -errno, "cannot read directory '%s': %s", path,
                               strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == 0)
            status = folder_take(folder, items[i]->d_name, strict, err);
        free(items[i]);
    }
    free(items);
    if (status < 0) {
        cca_folder_free(folder);
        return NULL;
    }
    return folder;
}
