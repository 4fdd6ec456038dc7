/* SPDX-License-Identifier: BSD-3-Clause */
/* repository.c: the classes on the search path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/nearest.h"
#include "framework/classes/linkage.h"
#include "framework/classes/repository_core.h"
#include "framework/classes/parts.h"

/* --- The path and its classes --------------------------------------------- */

/* Return the folder with the classes of a directory, which is read if it is not known
 * yet.
 */
static struct cca_folder *repository_folder(struct cca_repository *repository,
                                            const char *dir, struct cca_error *err)
{
    struct cca_folder *folder = NULL;
    struct stat kind;
    char *path;

    if (!dir || !*dir) {
        cca_error_set(err, -ENOENT, "an empty name is no directory");
        return NULL;
    }
    path = realpath(dir, NULL);
    if (!path || stat(path, &kind) < 0) {
        cca_error_set(err, -errno, "directory '%s': %s", dir, strerror(errno));
        free(path);
        return NULL;
    }
    if (!S_ISDIR(kind.st_mode)) {
        cca_error_set(err, -ENOTDIR, "'%s' is not a directory", dir);
        free(path);
        return NULL;
    }
    for (size_t i = 0; i < repository->folder_count && !folder; i++)
        if (strcmp(repository->folders[i]->path, path) == 0)
            folder = repository->folders[i];
    if (!folder && repository->strict && cca_trust_directory(path, err) < 0) {
        free(path);
        return NULL;
    }
    if (!folder) {
        if (cca_array_reserve(&repository->folders, repository->folder_count,
                              sizeof(struct cca_folder *)))
            cca_no_memory(err);
        else
            folder = cca_folder_read(path, repository->strict, err);
        if (folder)
            repository->folders[repository->folder_count++] = folder;
    }
    free(path);
    return folder;
}

static int by_name(const void *a, const void *b)
{
    const struct cca_folder_entry *const *left = a, *const *right = b;

    return strcmp((*left)->info->cls.name, (*right)->info->cls.name);
}

static int name_is(const void *name, const void *element)
{
    const struct cca_folder_entry *const *entry = element;

    return strcmp(name, (*entry)->info->cls.name);
}

/* Collect the entries of the whole path, sorted by name and for equal names in order of
 * the path; then keep the first of each name. qsort is not stable, so folders are
 * inserted one by one. */
static int rebuild(struct cca_repository *repository, struct cca_error *err)
{
    struct cca_folder_entry **classes;
    size_t most = 0, count = 0;

    for (size_t i = 0; i < repository->path_count; i++)
        most += repository->path[i]->entry_count;
    classes = malloc((most + 1) * sizeof *classes);
    if (!classes)
        return cca_no_memory(err);
    for (size_t i = 0; i < repository->path_count; i++) {
        struct cca_folder *folder = repository->path[i];
        size_t sorted = count;

        for (size_t k = 0; k < folder->entry_count; k++) {
            struct cca_folder_entry *entry = &folder->entries[k];
            const char *name = entry->info->cls.name;
            int known =
                sorted > 0 && bsearch(name, classes, sorted, sizeof *classes, name_is);

            for (size_t j = sorted; j < count && !known; j++)
                known = strcmp(classes[j]->info->cls.name, name) == 0;
            if (!known)
                classes[count++] = entry;
        }
        if (count > 1)
            qsort(classes, count, sizeof *classes, by_name);
    }
    free(repository->classes);
    repository->classes = classes;
    repository->class_count = count;
    return 0;
}

static void path_drop(struct cca_repository *repository, const struct cca_folder *folder)
{
    size_t kept = 0;

    for (size_t i = 0; i < repository->path_count; i++)
        if (repository->path[i] != folder)
            repository->path[kept++] = repository->path[i];
    repository->path_count = kept;
}

/* Insert a folder at `position` of the path; positions are counted without this folder.
 */
static int path_put(struct cca_repository *repository, struct cca_folder *folder,
                    size_t position, struct cca_error *err)
{
    struct cca_folder **at;

    if (cca_array_reserve(&repository->path, repository->path_count, sizeof *at))
        return cca_no_memory(err);
    if (position > repository->path_count)
        position = repository->path_count;
    at = repository->path + position;
    memmove(at + 1, at, (repository->path_count - position) * sizeof *at);
    *at = folder;
    repository->path_count++;
    return rebuild(repository, err);
}

int cca_repository_path_append(struct cca_repository *repository, const char *dir,
                               struct cca_error *err)
{
    struct cca_folder *folder = repository_folder(repository, dir, err);

    if (!folder)
        return err && err->code ? err->code : -ENOENT;
    if (folder == repository->fallback)
        repository->fallback =
            NULL; /* a fallback that is added explicitly is moved to the given position */
    path_drop(repository, folder);
    return path_put(repository, folder,
                    repository->path_count - (repository->fallback != NULL), err);
}

int cca_repository_path_prepend(struct cca_repository *repository, const char *dir,
                                struct cca_error *err)
{
    struct cca_folder *folder = repository_folder(repository, dir, err);

    if (!folder)
        return err && err->code ? err->code : -ENOENT;
    if (folder == repository->fallback)
        repository->fallback = NULL;
    path_drop(repository, folder);
    return path_put(repository, folder, 0, err);
}

int cca_repository_path_fallback(struct cca_repository *repository, const char *dir,
                                 struct cca_error *err)
{
    struct cca_folder *folder = repository_folder(repository, dir, err);
    int status;

    if (!folder)
        return err && err->code ? err->code : -ENOENT;
    path_drop(repository, folder);
    status = path_put(repository, folder, repository->path_count, err);
    if (status == 0)
        repository->fallback = folder;
    return status;
}

void cca_repository_be_strict(struct cca_repository *repository)
{
    repository->strict = 1;
}

void cca_repository_ask_first(struct cca_repository *repository, cca_repository_ask ask,
                              void *context)
{
    repository->ask = ask;
    repository->ask_context = context;
}

void cca_repository_path_clear(struct cca_repository *repository)
{
    repository->path_count = 0;
    repository->class_count = 0;
    if (repository->fallback) /* adding the folder cannot fail: it was on the path, so
                               * there is room */
        repository->path[repository->path_count++] = repository->fallback;
    (void)rebuild(repository, NULL); /* out of memory: the repository has no classes
                                      * then */
}

const char *cca_repository_path(const struct cca_repository *repository, size_t index)
{
    return index < repository->path_count ? repository->path[index]->path : NULL;
}
/* --- Queries -------------------------------------------------------------- */

const struct cca_class_info *cca_repository_class(const struct cca_repository *repository,
                                                  size_t index)
{
    return index < repository->class_count ? repository->classes[index]->info : NULL;
}

const struct cca_class_info *cca_repository_find(const struct cca_repository *repository,
                                                 const char *name)
{
    struct cca_folder_entry *const *found = NULL;

    if (name && repository->class_count > 0)
        found = bsearch(name, repository->classes, repository->class_count,
                        sizeof *repository->classes, name_is);
    return found ? (*found)->info : NULL;
}

char *cca_repository_description(const struct cca_repository *repository,
                                 const struct cca_class *cls, const char *type)
{
    const char *suffix =
        cls->proxy_for && *cls->proxy_for == '*' ? cls->proxy_for + 1 : "";

    for (size_t i = 0; *suffix && i < repository->path_count; i++) {
        const char *dir = repository->path[i]->path;
        size_t head = strlen(dir) + 1, size = head + strlen(type) + strlen(suffix) + 1;
        char *file = malloc(size);

        if (!file)
            return NULL;
        snprintf(file, size, "%s/%s%s", dir, type, suffix);
        for (char *c = file + head; (c = strchr(c, '/'));)
            *c = '-';
        if (access(file, F_OK) == 0)
            return file;
        free(file);
    }
    errno = ENOENT;
    return NULL;
}

const struct cca_class_info *
cca_repository_proxy_for(const struct cca_repository *repository, const char *type)
{
    if (!type)
        return NULL;
    for (size_t i = 0; i < repository->class_count; i++) {
        const char *fronted = repository->classes[i]->info->cls.proxy_for;

        if (fronted && strcmp(fronted, type) == 0)
            return repository->classes[i]->info;
    }
    for (size_t i = 0; i < repository->class_count; i++) {
        const struct cca_class_info *info = repository->classes[i]->info;
        char *description = cca_repository_description(repository, &info->cls, type);

        free(description);
        if (description)
            return info;
    }
    return NULL;
}

/* True if `type` is in a descriptor's list, separated by '|'. */
static int lists(const char *list, const char *type)
{
    size_t length = strlen(type);

    for (const char *at = list; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, type, length) == 0 && (at[length] == '|' || !at[length]))
            return 1;
    }
    return 0;
}

const struct cca_class_info *
cca_repository_serves(const struct cca_repository *repository, const char *type)
{
    for (size_t i = 0; type && i < repository->class_count; i++) {
        const char *served = repository->classes[i]->info->cls.serves;

        if (served && lists(served, type))
            return repository->classes[i]->info;
    }
    return NULL;
}

/* Return the class name nearest to `name`, or NULL. */
static const char *nearest_class(const struct cca_repository *repository,
                                 const char *name)
{
    struct cca_nearest nearest;

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < repository->class_count; i++)
        cca_nearest_offer(&nearest, repository->classes[i]->info->cls.name);
    return nearest.best;
}

/* Explain why library `file` has no class `name`. Returns 0 with the reason in `err`;
 * -ENOENT: no such file; -ENOMEM. */
static int explain_library(const struct cca_repository *repository, const char *file,
                           const char *name, struct cca_error *err)
{
    struct cca_error why = {0};
    struct cca_class_info *info = cca_class_info_read(file, &why);

    if (info && repository->strict && cca_trust_file(info->file, NULL, &why) < 0)
        cca_error_set(err, -ENOENT, "no class '%s' on the path; '%s' is refused: %s",
                      name, file, why.text);
    else if (info)
        cca_error_set(err, -ENOENT, "no class '%s' on the path; '%s' is class '%s'", name,
                      file, info->cls.name);
    else if (why.code != -ENOENT && why.code != -ENOMEM)
        cca_error_set(err, -ENOENT, "no class '%s' on the path; %s", name, why.text);
    cca_class_info_free(info);
    return info ? 0 : why.code == -ENOENT || why.code == -ENOMEM ? why.code : 0;
}

int cca_repository_unknown(const struct cca_repository *repository, const char *name,
                           struct cca_error *err)
{
    enum { FORMS = 4, LONGEST = 200 };
    const char *leaf;
    char *file, hint[LONGEST];

    if (!name || !*name)
        return cca_error_set(err, -ENOENT, "an empty name is no class");
    leaf = cca_class_leaf(name);
    for (size_t i = 0;
         i < repository->path_count && strlen(name) < LONGEST && !strchr(name, '/'); i++)
        for (int form = 0; form < FORMS; form++) {
            int status;

            if (asprintf(&file, "%s/%s%s.so", repository->path[i]->path,
                         form & 1 ? "lib" : "", form & 2 ? leaf : name) < 0)
                return cca_no_memory(err);
            status = explain_library(repository, file, name, err);
            free(file);
            if (status != -ENOENT)
                return status ? cca_no_memory(err) : -ENOENT;
        }
    return cca_error_set(
        err, -ENOENT, "no class '%s' on the path%s", name,
        cca_nearest_hint(nearest_class(repository, name), hint, sizeof hint));
}

const char *cca_repository_refused(const struct cca_repository *repository, size_t index,
                                   const char **reason)
{
    for (size_t i = 0; i < repository->path_count; i++) {
        const struct cca_folder *folder = repository->path[i];

        if (index < folder->refusal_count) {
            if (reason)
                *reason = folder->refusals[index].reason;
            return folder->refusals[index].file;
        }
        index -= folder->refusal_count;
    }
    return NULL;
}
/* --- The repository ------------------------------------------------------- */

struct cca_repository *cca_repository_new(void)
{
    return calloc(1, sizeof(struct cca_repository));
}

void cca_repository_free(struct cca_repository *repository)
{
    if (!repository)
        return;
    for (size_t i = 0; i < repository->folder_count; i++)
        cca_folder_free(repository->folders[i]);
    free(repository->folders);
    free(repository->path);
    free(repository->classes);
    cca_linkage_free(repository->linkage);
    free(repository);
}
