/* SPDX-License-Identifier: BSD-3-Clause */
/* repository.c: the classes on the search path, and the loading of them.
 *
 *     folders (each read once) ──path order, first of a name wins──▶ classes, sorted by
 * name
 *
 * Folders and their descriptors are kept for the life of the repository, so that what was
 * borrowed stays valid when the path changes. */
#include "framework/repository.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/elf_file.h"
#include "framework/nearest.h"
#include "framework/span.h"
#include "framework/trust.h"

/* A class of a folder, and what dlopen made of it. */
struct entry {
    struct cca_class_info *info;
    const struct cca_class *live; /* NULL: not loaded */
    struct cca_span span;         /* where it was loaded to */
    int global;
};

/* A file that looked like a library. */
struct refusal {
    char *file;
    char *reason;
};

struct folder {
    char *path; /* real path */
    struct entry *entries;
    size_t entry_count;
    struct refusal *refusals;
    size_t refusal_count;
};

struct cca_repository {
    struct folder **folders; /* all that were ever on the path */
    size_t folder_count;
    struct folder **path;
    size_t path_count;
    struct folder *fallback; /* then it is the last of `path` */
    struct entry **classes;  /* sorted by name */
    size_t class_count;
    int strict; /* only what is trusted */
    cca_repository_ask ask; /* or NULL */
    void *ask_context;
};

static int out_of_memory(struct cca_error *err)
{
    return cca_error_set(err, -ENOMEM, "out of memory");
}

/* --- Folders ------------------------------------------------------------------------ */

static void folder_free(struct folder *folder)
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

static int folder_refuse(struct folder *folder, const char *file, const char *reason)
{
    struct refusal *grown =
        realloc(folder->refusals, (folder->refusal_count + 1) * sizeof *folder->refusals);
    struct refusal refusal;

    if (!grown)
        return -ENOMEM;
    folder->refusals = grown;
    refusal = (struct refusal){strdup(file), strdup(reason)};
    if (!refusal.file || !refusal.reason) {
        free(refusal.file);
        free(refusal.reason);
        return -ENOMEM;
    }
    grown[folder->refusal_count++] = refusal;
    return 0;
}

static int folder_add(struct folder *folder, struct cca_class_info *info)
{
    struct entry *grown =
        realloc(folder->entries, (folder->entry_count + 1) * sizeof *folder->entries);

    if (!grown) {
        cca_class_info_free(info);
        return -ENOMEM;
    }
    folder->entries = grown;
    grown[folder->entry_count++] = (struct entry){.info = info};
    return 0;
}

static int is_library_name(const struct dirent *item)
{
    size_t length = strlen(item->d_name);

    return length > 3 && item->d_name[0] != '.' &&
           strcmp(item->d_name + length - 3, ".so") == 0;
}

/* One file of a folder: a class, a refusal, or nothing of ours. */
static int folder_take(struct folder *folder, const char *name, int strict,
                       struct cca_error *err)
{
    struct cca_error why = {0};
    struct cca_class_info *info;
    char *file = malloc(strlen(folder->path) + strlen(name) + 2);
    int status = 0;

    if (!file)
        return out_of_memory(err);
    sprintf(file, "%s/%s", folder->path, name);
    info = cca_class_info_read(file, &why);
    if (info && strict && cca_trust_file(info->file, &why) < 0) {
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
    return status < 0 ? out_of_memory(err) : 0;
}

/* In order of file name, so that the first of two classes of one name is always the same.
 */
static struct folder *folder_read(const char *path, int strict, struct cca_error *err)
{
    struct folder *folder = calloc(1, sizeof *folder);
    struct dirent **items = NULL;
    int count = 0, status = 0;

    if (!folder || !(folder->path = strdup(path))) {
        out_of_memory(err);
        folder_free(folder);
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
        folder_free(folder);
        return NULL;
    }
    return folder;
}

/* The folder of a directory: known, or read now. */
static struct folder *repository_folder(struct cca_repository *repository,
                                        const char *dir, struct cca_error *err)
{
    struct folder **grown, *folder = NULL;
    struct stat kind;
    char *path;

    if (!*dir) {
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
        grown = realloc(repository->folders,
                        (repository->folder_count + 1) * sizeof *repository->folders);
        if (grown)
            repository->folders = grown;
        else
            out_of_memory(err);
        folder = grown ? folder_read(path, repository->strict, err) : NULL;
        if (folder)
            repository->folders[repository->folder_count++] = folder;
    }
    free(path);
    return folder;
}

/* --- The path and its classes ------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct entry *const *left = a, *const *right = b;

    return strcmp((*left)->info->cls.name, (*right)->info->cls.name);
}

static int name_is(const void *name, const void *element)
{
    const struct entry *const *entry = element;

    return strcmp(name, (*entry)->info->cls.name);
}

/* Entries of the whole path, sorted by name, in path order among equals; then the first
 * of each name. qsort is not stable, so equals are kept apart by inserting folder by
 * folder. */
static int rebuild(struct cca_repository *repository, struct cca_error *err)
{
    struct entry **classes;
    size_t most = 0, count = 0;

    for (size_t i = 0; i < repository->path_count; i++)
        most += repository->path[i]->entry_count;
    classes = malloc((most + 1) * sizeof *classes);
    if (!classes)
        return out_of_memory(err);
    for (size_t i = 0; i < repository->path_count; i++) {
        struct folder *folder = repository->path[i];
        size_t sorted = count;

        for (size_t k = 0; k < folder->entry_count; k++) {
            struct entry *entry = &folder->entries[k];
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

static void path_drop(struct cca_repository *repository, const struct folder *folder)
{
    size_t kept = 0;

    for (size_t i = 0; i < repository->path_count; i++)
        if (repository->path[i] != folder)
            repository->path[kept++] = repository->path[i];
    repository->path_count = kept;
}

/* Put a folder at `position` of the path, counted without it. */
static int path_put(struct cca_repository *repository, struct folder *folder,
                    size_t position, struct cca_error *err)
{
    struct folder **grown = realloc(repository->path, (repository->path_count + 1) *
                                                          sizeof *repository->path);

    if (!grown)
        return out_of_memory(err);
    repository->path = grown;
    if (position > repository->path_count)
        position = repository->path_count;
    memmove(grown + position + 1, grown + position,
            (repository->path_count - position) * sizeof *grown);
    grown[position] = folder;
    repository->path_count++;
    return rebuild(repository, err);
}

int cca_repository_path_append(struct cca_repository *repository, const char *dir,
                               struct cca_error *err)
{
    struct folder *folder = repository_folder(repository, dir, err);

    if (!folder)
        return err && err->code ? err->code : -ENOENT;
    if (folder == repository->fallback)
        repository->fallback =
            NULL; /* named by hand: it takes the place that this gives it */
    path_drop(repository, folder);
    return path_put(repository, folder,
                    repository->path_count - (repository->fallback != NULL), err);
}

int cca_repository_path_prepend(struct cca_repository *repository, const char *dir,
                                struct cca_error *err)
{
    struct folder *folder = repository_folder(repository, dir, err);

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
    struct folder *folder = repository_folder(repository, dir, err);
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
    if (repository->fallback) /* there is room: it was on the path */
        repository->path[repository->path_count++] = repository->fallback;
    (void)rebuild(repository, NULL); /* without memory the classes stay none */
}

const char *cca_repository_path(const struct cca_repository *repository, size_t index)
{
    return index < repository->path_count ? repository->path[index]->path : NULL;
}

/* --- Queries ------------------------------------------------------------------------ */

const struct cca_class_info *cca_repository_class(const struct cca_repository *repository,
                                                  size_t index)
{
    return index < repository->class_count ? repository->classes[index]->info : NULL;
}

const struct cca_class_info *cca_repository_find(const struct cca_repository *repository,
                                                 const char *name)
{
    struct entry *const *found = NULL;

    if (repository->class_count > 0)
        found = bsearch(name, repository->classes, repository->class_count,
                        sizeof *repository->classes, name_is);
    return found ? (*found)->info : NULL;
}

char *cca_repository_description(const struct cca_repository *repository,
                                 const struct cca_class *cls, const char *type)
{
    const char *suffix = cls->proxy_for && *cls->proxy_for == '*' ? cls->proxy_for + 1 : "";

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

/* Is `type` one of the types that a descriptor lists with '|' between? */
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
    for (size_t i = 0; i < repository->class_count; i++) {
        const char *served = repository->classes[i]->info->cls.serves;

        if (served && lists(served, type))
            return repository->classes[i]->info;
    }
    return NULL;
}

const char *cca_repository_nearest(const struct cca_repository *repository,
                                   const char *name)
{
    struct cca_nearest nearest;

    cca_nearest_init(&nearest, name);
    for (size_t i = 0; i < repository->class_count; i++)
        cca_nearest_offer(&nearest, repository->classes[i]->info->cls.name);
    return nearest.best;
}

/* What is wrong with the library `file` as the home of class `name`. 0 and `err` set: that is
 * why there is no such class; -ENOENT: there is no such file; -ENOMEM. */
static int explain(const struct cca_repository *repository, const char *file, const char *name,
                   struct cca_error *err)
{
    struct cca_error why = {0};
    struct cca_class_info *info = cca_class_info_read(file, &why);

    if (info && repository->strict && cca_trust_file(info->file, &why) < 0)
        cca_error_set(err, -ENOENT, "no class '%s' on the path; '%s' is refused: %s", name,
                      file, why.text);
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
    const char *leaf = cca_class_leaf(name);
    char *file, hint[LONGEST];

    for (size_t i = 0; i < repository->path_count && strlen(name) < LONGEST &&
                       !strchr(name, '/');
         i++)
        for (int form = 0; form < FORMS; form++) {
            int status;

            if (asprintf(&file, "%s/%s%s.so", repository->path[i]->path,
                         form & 1 ? "lib" : "", form & 2 ? leaf : name) < 0)
                return out_of_memory(err);
            status = explain(repository, file, name, err);
            free(file);
            if (status != -ENOENT)
                return status ? out_of_memory(err) : -ENOENT;
        }
    return cca_error_set(err, -ENOENT, "no class '%s' on the path%s", name,
                         cca_nearest_hint(cca_repository_nearest(repository, name), hint,
                                          sizeof hint));
}

const char *cca_repository_refused(const struct cca_repository *repository, size_t index,
                                   const char **reason)
{
    for (size_t i = 0; i < repository->path_count; i++) {
        const struct folder *folder = repository->path[i];

        if (index < folder->refusal_count) {
            if (reason)
                *reason = folder->refusals[index].reason;
            return folder->refusals[index].file;
        }
        index -= folder->refusal_count;
    }
    return NULL;
}

/* --- Loading ------------------------------------------------------------------------ */

static struct entry *entry_of(const struct cca_repository *repository,
                              const struct cca_class_info *info)
{
    for (size_t i = 0; i < repository->folder_count; i++) {
        struct folder *folder = repository->folders[i];

        for (size_t k = 0; k < folder->entry_count; k++)
            if (folder->entries[k].info == info)
                return &folder->entries[k];
    }
    return NULL;
}

/* Is the file still the one that was read? dlopen of a cut file ends the process
 * (SIGBUS), and a rebuilt one may hold other ports than everything was checked against.
 */
static int check_unchanged(const struct cca_class_info *info, struct cca_error *err)
{
    struct cca_class_info *again = cca_class_info_read(info->file, err);
    int same;

    if (!again)
        return err && err->code ? err->code : -EBADMSG;
    same = strcmp(again->build_id, info->build_id) == 0 &&
           strcmp(again->cls.name, info->cls.name) == 0;
    cca_class_info_free(again);
    return same ? 0
                : cca_error_set(err, -ESTALE, "'%s' has changed since it was read",
                                info->file);
}

static int check_live(const struct cca_class *live, const struct cca_class_info *info,
                      struct cca_error *err)
{
    if (live->abi != info->cls.abi || live->size != info->cls.size || !live->name ||
        strcmp(live->name, info->cls.name) != 0)
        return cca_error_set(err, -EPROTO,
                             "'%s' describes another class once loaded than in the file",
                             info->file);
    if (!live->create || !live->set_services || !live->destroy)
        return cca_error_set(err, -EPROTO,
                             "class '%s' lacks one of create, set_services, destroy",
                             info->cls.name);
    return 0;
}

/* Why the dynamic linker failed. A file that it cannot take is -ELIBBAD; a system that has no
 * room for it, which only its words tell, or malloc's errno, is not the file's fault. */
static int linker_code(const char *words, int error)
{
    static const int of_system[] = {ENOMEM, EMFILE, ENFILE, EIO};
    static const char no_room[] = "failed to map segment from shared object";
    size_t length = strlen(words), end = sizeof no_room - 1;

    if (error == ENOMEM || (length >= end && strcmp(words + length - end, no_room) == 0))
        return -ENOMEM; /* the latter without a reason behind */
    for (size_t i = 0; i < sizeof of_system / sizeof *of_system; i++)
        if (strstr(words, strerror(of_system[i])))
            return -of_system[i];
    return -ELIBBAD;
}

/* After dlopen or dlsym has failed, which began with errno 0. */
static const struct cca_class *cannot_load(const struct cca_class_info *info,
                                           struct cca_error *err)
{
    int error = errno;
    const char *words = dlerror();

    cca_error_set(err, linker_code(words ? words : "", error),
                  "class '%s' cannot be loaded: %s", info->cls.name,
                  words ? words : "no reason given");
    return NULL;
}

const struct cca_class *cca_repository_load(struct cca_repository *repository,
                                            const struct cca_class_info *info, int global,
                                            struct cca_error *err)
{
    struct entry *entry = entry_of(repository, info);
    const struct cca_class *live;
    void *handle;

    if (!entry) {
        cca_error_set(err, -EINVAL, "class '%s' is not of this repository",
                      info->cls.name);
        return NULL;
    }
    if (entry->live && (entry->global || !global))
        return entry->live;
    if (!entry->live && check_unchanged(info, err) < 0)
        return NULL;
    if (!entry->live && repository->ask && repository->ask(repository->ask_context, info, err) < 0)
        return NULL;
    errno = 0;
    handle = dlopen(info->file,
                    RTLD_NOW | RTLD_NODELETE | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!handle)
        return cannot_load(info, err);
    live = dlsym(handle, "cca_class");
    if (!live)
        return cannot_load(info, err);
    if (check_live(live, info, err) < 0)
        return NULL;
    entry->span = cca_span_of(live);
    entry->live = live;
    entry->global = global;
    return live;
}

/* 0 if the file is trusted where it has to be. */
static int check_trust(const char *file, struct cca_error *err)
{
    char *real = realpath(file, NULL);
    int status = real ? cca_trust_file(real, err) : cca_error_set(err, -errno, "%s", strerror(errno));

    free(real);
    return status;
}

/* 0 if the file is a whole shared object for this machine: dlopen of a cut one ends the process. */
static int check_library(const char *file, int strict, struct cca_error *err)
{
    struct cca_error why = {0};
    struct cca_elf_file elf = {0};
    int fd = open(file, O_RDONLY | O_CLOEXEC), status;

    if (fd < 0)
        return cca_error_set(err, -errno, "'%s': %s", file, strerror(errno));
    status = cca_elf_file_read(&elf, fd, &why);
    close(fd);
    if (status == 0 && strict)
        status = check_trust(file, &why);
    cca_elf_file_done(&elf);
    return status ? cca_error_set(err, status, "'%s': %s", file, why.text) : 0;
}

int cca_repository_load_ports(const struct cca_repository *repository, const char *library,
                              int dry, struct cca_error *err)
{
    char *file = NULL;
    int status = 0;

    for (size_t i = 0; i < repository->path_count && !file && !strchr(library, '/'); i++) {
        if (asprintf(&file, "%s/%s", repository->path[i]->path, library) < 0)
            return out_of_memory(err);
        if (access(file, F_OK) < 0) {
            free(file);
            file = NULL;
        }
    }
    if (file || strchr(library, '/'))
        status = check_library(file ? file : library, repository->strict, err);
    if (!status && !dry &&
        !dlopen(file ? file : library, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE))
        status = cca_error_raise(err, -ELIBBAD, CCA_EXCEPTION_UNEXPECTED,
                                 "library '%s' cannot be loaded: %s", library, dlerror());
    free(file);
    return status;
}

const struct cca_class_info *cca_repository_at(const struct cca_repository *repository,
                                               uintptr_t code, uintptr_t *offset)
{
    for (size_t i = 0; i < repository->folder_count; i++) {
        const struct folder *folder = repository->folders[i];

        for (size_t k = 0; k < folder->entry_count; k++) {
            const struct entry *entry = &folder->entries[k];

            if (code < entry->span.start || code >= entry->span.end)
                continue;
            *offset = code - entry->span.base;
            return entry->info;
        }
    }
    return NULL;
}

int cca_repository_loaded(const struct cca_repository *repository,
                          const struct cca_class_info *info)
{
    const struct entry *entry = entry_of(repository, info);

    return entry && entry->live;
}

struct cca_repository *cca_repository_new(void)
{
    return calloc(1, sizeof(struct cca_repository));
}

void cca_repository_free(struct cca_repository *repository)
{
    if (!repository)
        return;
    for (size_t i = 0; i < repository->folder_count; i++)
        folder_free(repository->folders[i]);
    free(repository->folders);
    free(repository->path);
    free(repository->classes);
    free(repository);
}
