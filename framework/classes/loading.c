/* SPDX-License-Identifier: BSD-3-Clause */
/* loading.c: load classes of the repository into the process. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/classes/elf_file.h"
#include "framework/classes/linkage.h"
#include "framework/classes/repository_core.h"
#include "framework/classes/parts.h"

static struct cca_folder_entry *entry_of(const struct cca_repository *repository,
                                         const struct cca_class_info *info)
{
    for (size_t i = 0; i < repository->folder_count; i++) {
        struct cca_folder *folder = repository->folders[i];

        for (size_t k = 0; k < folder->entry_count; k++)
            if (folder->entries[k].info == info)
                return &folder->entries[k];
    }
    return NULL;
}

/* Identity of the file with a path. It differs if the file is replaced or changed. */
struct identity {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

static int identify(const char *file, struct identity *identity, struct cca_error *err)
{
    struct stat kind;

    if (stat(file, &kind) < 0)
        return cca_error_set(err, -errno, "'%s': %s", file, strerror(errno));
    *identity = (struct identity){kind.st_dev, kind.st_ino, kind.st_size, kind.st_mtim};
    return 0;
}

static int is_same(const struct identity *a, const struct identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Check that the file is unchanged since it was read: dlopen of a truncated file ends the
 * process (SIGBUS), and a rebuilt file may have other ports. */
static int check_unchanged(const struct cca_class_info *info, struct identity *identity,
                           struct cca_error *err)
{
    struct cca_class_info *again;
    int same, status = identify(info->file, identity, err);

    if (status < 0)
        return status;
    again = cca_class_info_read(info->file, err);
    if (!again)
        return err && err->code ? err->code : -EBADMSG;
    same = strcmp(again->build_id, info->build_id) == 0 &&
           strcmp(again->cls.name, info->cls.name) == 0;
    cca_class_info_free(again);
    return same ? 0
                : cca_error_set(err, -ESTALE, "'%s' has changed since it was read",
                                info->file);
}

/* Check that the file was not replaced during dlopen: then dlopen has loaded the file
 * that was read. */
static int check_loaded(const struct cca_class_info *info, const struct identity *before,
                        struct cca_error *err)
{
    struct identity now;
    int status = identify(info->file, &now, err);

    if (status == 0 && !is_same(before, &now))
        status = cca_error_set(err, -ESTALE, "'%s' has changed while it was loaded",
                               info->file);
    return status;
}

/* Compare the descriptor in memory with the descriptor in the file, up to `live->size`.
 */
static int check_live(const struct cca_class *live, const struct cca_class_info *info,
                      struct cca_error *err)
{
    const struct cca_class *file = &info->cls;
    int same = live->abi == file->abi && live->size == file->size && live->name &&
               strcmp(live->name, file->name) == 0;

    for (size_t i = 0; same && file->implements && file->implements[i].name; i++) {
        const struct cca_port_impl *impl = &live->implements[i];

        same = impl->port && impl->port->size == file->implements[i].port->size;
    }
    if (!same)
        return cca_error_set(err, -EPROTO,
                             "'%s' describes another class once loaded than in the file",
                             info->file);
    if (file->instance_size ? live->create && !live->destroy
                            : !live->create || !live->set_services || !live->destroy)
        return cca_error_set(err, -EPROTO,
                             "class '%s' lacks one of create, set_services, destroy",
                             file->name);
    return 0;
}

/* Keep a copy of the loaded class, whose strings and functions are never unloaded. */
static void keep_loaded(struct cca_folder_entry *entry, const struct cca_class *live,
                        int global)
{
    const struct cca_class *file = &entry->info->cls;

    entry->span = cca_span_of(live);
    entry->live = live;
    entry->global = global;
    memcpy(&entry->cls, live,
           live->size < sizeof entry->cls ? live->size : sizeof entry->cls);
    entry->cls.size = sizeof entry->cls;
    if (file->implements)
        entry->cls.provides = file->provides;
}

/* Return the negative errno for a failure of the dynamic linker: -ELIBBAD for a bad file.
 * A lack of memory or descriptors, which is not the file's fault, is visible only in the
 * linker's message `words`, or in malloc's errno `error`. */
static int linker_code(const char *words, int error)
{
    static const int of_system[] = {ENOMEM, EMFILE, ENFILE, EIO};
    static const char no_room[] = "failed to map segment from shared object";
    size_t length = strlen(words), end = sizeof no_room - 1;

    if (error == ENOMEM || (length >= end && strcmp(words + length - end, no_room) == 0))
        return -ENOMEM; /* if no other reason is found, memory was lacking */
    for (size_t i = 0; i < sizeof of_system / sizeof *of_system; i++)
        if (strstr(words, strerror(of_system[i])))
            return -of_system[i];
    return -ELIBBAD;
}

/* Report a failure of dlopen or dlsym, before which errno was 0. */
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
    struct cca_folder_entry *entry = entry_of(repository, info);
    const struct cca_class *live;
    struct identity identity;
    void *handle;

    if (!entry) {
        cca_error_set(err, -EINVAL, "class '%s' is not of this repository",
                      info->cls.name);
        return NULL;
    }
    if (entry->live && (entry->global || !global))
        return &entry->cls;
    if (!entry->live && check_unchanged(info, &identity, err) < 0)
        return NULL;
    if (!entry->live && repository->ask &&
        repository->ask(repository->ask_context, info, err) < 0)
        return NULL;
    errno = 0;
    handle = dlopen(info->file,
                    RTLD_NOW | RTLD_NODELETE | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!handle)
        return cannot_load(info, err);
    if (!entry->live && check_loaded(info, &identity, err) < 0)
        return NULL;
    live = dlsym(handle, "cca_class");
    if (!live)
        return cannot_load(info, err);
    if (check_live(live, info, err) < 0)
        return NULL;
    keep_loaded(entry, live, global);
    return &entry->cls;
}

const struct cca_class *cca_repository_descriptor(const struct cca_class *loaded)
{
    return cca_container_of(loaded, struct cca_folder_entry, cls)->live;
}

/* Check that a file can be trusted. Returns 0 if it is trusted, or if this is not
 * required. */
static int check_trust(const char *file, struct cca_error *err)
{
    char *real = realpath(file, NULL);
    int status = real ? cca_trust_file(real, NULL, err)
                      : cca_error_set(err, -errno, "%s", strerror(errno));

    free(real);
    return status;
}

/* Check a file before dlopen. Returns 0 if the file is a complete shared object for
 * this machine: dlopen of a truncated one ends the process. */
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

static int rehearse(struct cca_repository *repository, const char *kind, const char *name,
                    const char *file, int global, struct cca_error *err)
{
    char *label;
    int status = -ENOMEM;

    if (!repository->linkage)
        repository->linkage = cca_linkage_new();
    if (repository->linkage && asprintf(&label, "%s '%s'", kind, name) >= 0) {
        status = cca_linkage_rehearse(repository->linkage, label, file, global);
        free(label);
    }
    return status ? cca_no_memory(err) : 0;
}

int cca_repository_rehearse(struct cca_repository *repository,
                            const struct cca_class_info *info, int global,
                            struct cca_error *err)
{
    struct cca_folder_entry *entry = entry_of(repository, info);

    if (entry && entry->rehearsed > global)
        return 0;
    if (entry)
        entry->rehearsed = 1 + global;
    return rehearse(repository, "class", info->cls.name, info->file, global, err);
}

const char *cca_repository_finding(const struct cca_repository *repository, size_t index)
{
    return repository->linkage ? cca_linkage_finding(repository->linkage, index) : NULL;
}

int cca_repository_load_ports(struct cca_repository *repository, const char *library,
                              int dry, struct cca_error *err)
{
    char *file = NULL;
    int status = 0;

    if (!library || !*library)
        return cca_error_set(err, -ENOENT, "an empty name is no library");
    for (size_t i = 0; i < repository->path_count && !file && !strchr(library, '/');
         i++) {
        if (asprintf(&file, "%s/%s", repository->path[i]->path, library) < 0)
            return cca_no_memory(err);
        if (access(file, F_OK) < 0) {
            free(file);
            file = NULL;
        }
    }
    if (file || strchr(library, '/'))
        status = check_library(file ? file : library, repository->strict, err);
    if (!status && dry)
        status = rehearse(repository, "library", library, file ? file : library, 1, err);
    else if (!status &&
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
        const struct cca_folder *folder = repository->folders[i];

        for (size_t k = 0; k < folder->entry_count; k++) {
            const struct cca_folder_entry *entry = &folder->entries[k];

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
    const struct cca_folder_entry *entry = entry_of(repository, info);

    return entry && entry->live;
}
