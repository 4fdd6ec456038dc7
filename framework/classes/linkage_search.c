/* SPDX-License-Identifier: BSD-3-Clause */
/* linkage_search.c: find a needed library in the order of the dynamic linker: loaded
 * libraries, DT_RPATH of all libraries between the program and the library that needs it,
 * $LD_LIBRARY_PATH, DT_RUNPATH, the cache of ldconfig, and the system's directories. */
#include "framework/classes/linkage_search.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "framework/classes/linkage.h"

static const char cache_file[] = "/etc/ld.so.cache";

/* --- Libraries ------------------------------------------------------------ */

void cca_library_free(struct cca_library *library)
{
    if (!library)
        return;
    cca_elf_needs_done(&library->needs);
    cca_elf_file_done(&library->elf);
    free(library->file);
    free(library->asked);
    free(library);
}

static struct cca_library *
open_file(const char *file, const struct cca_library *needed_by,
          int (*read)(struct cca_elf_file *, int, struct cca_error *),
          struct cca_error *err)
{
    struct cca_library *library = NULL;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;

    if (fd < 0) {
        cca_error_set(err, -errno, "'%s': %s", file, strerror(errno));
        return NULL;
    }
    library = calloc(1, sizeof *library);
    status = library && (library->file = strdup(file)) ? 0 : -ENOMEM;
    if (!status)
        status = read(&library->elf, fd, err);
    if (!status)
        status = cca_elf_needs_read(&library->needs, &library->elf);
    close(fd);
    if (!status) {
        library->needed_by = needed_by;
        return library;
    }
    cca_error_set(err, status, "%s", status == -ENOMEM ? "out of memory" : "damaged");
    cca_library_free(library);
    return NULL;
}

struct cca_library *cca_library_open(const char *file,
                                     const struct cca_library *needed_by,
                                     struct cca_error *err)
{
    return open_file(file, needed_by, cca_elf_file_read, err);
}

struct cca_library *cca_library_open_program(const char *file, struct cca_error *err)
{
    return open_file(file, NULL, cca_elf_program_read, err);
}

int cca_library_is_named(const struct cca_library *library, const char *name)
{
    const char *own = cca_elf_text(&library->elf, DT_SONAME, 0);

    return strcmp(library->file, name) == 0 ||
           (library->asked && strcmp(library->asked, name) == 0) ||
           (own && strcmp(own, name) == 0);
}

/* --- Search --------------------------------------------------------------- */

struct search {
    const struct cca_library *user;
    const char *name;
    struct cca_library *found;
    struct cca_error *err;
    int unknown; /* true if the name of a directory has a variable of the dynamic linker
                  */
};

/* Try one file. Returns true when the search has ended; a file for another machine does
 * not end it. */
static int try_file(struct search *search, const char *file)
{
    struct cca_error why = {0};

    search->found = cca_library_open(file, search->user, &why);
    if (search->found || why.code == -ENOENT || why.code == -ENOTDIR ||
        why.code == -EACCES || why.code == -ENOEXEC)
        return search->found != NULL;
    cca_error_set(search->err, why.code, "%s", why.text);
    return 1;
}

static int try_dir(struct search *search, const char *dir)
{
    char *file;
    int ended;

    if (asprintf(&file, "%s%s%s", dir, *dir ? "/" : "", search->name) < 0)
        return cca_no_memory(search->err) != 0;
    ended = try_file(search, file);
    free(file);
    return ended;
}

char *cca_linkage_expand(const char *dir, const char *file)
{
    static const char *const origins[] = {"${ORIGIN}", "$ORIGIN"};
    const char *slash = strrchr(file, '/');
    char *full;

    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        size_t length = strlen(origins[i]);

        if (strncmp(dir, origins[i], length) == 0)
            return asprintf(&full, "%.*s%s", slash ? (int)(slash - file) : 0, file,
                            dir + length) < 0
                       ? NULL
                       : full;
    }
    return strdup(dir);
}

/* Search each directory of the run path of one library. */
static int try_run_path(struct search *search, const struct cca_library *owner, int tag)
{
    const char *list = owner ? cca_elf_text(&owner->elf, tag, 0) : NULL;
    char *copy = list ? strdup(list) : NULL, *rest = copy;
    int ended = 0;

    for (char *dir; !ended && (dir = strsep(&rest, ":"));) {
        char *full = cca_linkage_expand(dir, owner->file);

        if (!full)
            ended = cca_no_memory(search->err) != 0;
        else if (strchr(full, '$'))
            search->unknown = 1;
        else
            ended = try_dir(search, full);
        free(full);
    }
    free(copy);
    return ended;
}

/* Search the run paths in DT_RPATH, which is ignored in a library with DT_RUNPATH. */
static int try_run_paths_before(struct search *search)
{
    const struct cca_library *owner = search->user;

    if (owner && cca_elf_text(&owner->elf, DT_RUNPATH, 0))
        return 0;
    for (; owner; owner = owner->needed_by)
        if (!cca_elf_text(&owner->elf, DT_RUNPATH, 0) &&
            try_run_path(search, owner, DT_RPATH))
            return 1;
    return 0;
}

/* Search the directories that hold for all libraries: $LD_LIBRARY_PATH and the program's
 * DT_RPATH, or the system's directories. */
static int try_common(struct search *search, int systems)
{
    void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
    Dl_serinfo size, *dirs = NULL;
    int ended = 0;

    if (libc && dlinfo(libc, RTLD_DI_SERINFOSIZE, &size) == 0)
        dirs = malloc(size.dls_size);
    if (dirs && dlinfo(libc, RTLD_DI_SERINFOSIZE, dirs) == 0 &&
        dlinfo(libc, RTLD_DI_SERINFO, dirs) == 0)
        for (unsigned i = 0; i < dirs->dls_cnt && !ended; i++)
            if (((dirs->dls_serpath[i].dls_flags & LA_SER_DEFAULT) != 0) == systems)
                ended = try_dir(search, dirs->dls_serpath[i].dls_name);
    free(dirs);
    if (libc)
        dlclose(libc);
    return ended;
}

/* --- The cache of ldconfig ------------------------------------------------ */

/* Format of the cache file of glibc 2.2 and later: a head, entries, strings; offsets
 * count from the head. */
static const char cache_magic[] = "glibc-ld.so.cache1.1";

struct cache_head {
    char magic[sizeof cache_magic - 1];
    uint32_t count, string_size, rest[5];
};

struct cache_entry {
    int32_t flags;
    uint32_t key, value, os;
    uint64_t hardware;
};

/* Try each file that the cache lists for the name; skip files for another machine. */
static int try_cache(struct search *search)
{
    struct cache_head head;
    struct cache_entry entry;
    size_t size = 0, at;
    char *bytes = NULL, *start = NULL;
    int ended = 0;

    if (cca_file_read(cache_file, SIZE_MAX / 4, &bytes, &size) == 0)
        start = memmem(bytes, size, cache_magic, sizeof cache_magic - 1);
    size -= start ? (size_t)(start - bytes) : 0;
    if (!start || size < sizeof head) {
        free(bytes);
        return 0;
    }
    memcpy(&head, start, sizeof head);
    for (uint32_t i = 0; i < head.count && !ended; i++) {
        at = sizeof head + i * sizeof entry;
        if (at + sizeof entry > size)
            break;
        memcpy(&entry, start + at, sizeof entry);
        if (entry.key < size && entry.value < size &&
            strcmp(start + entry.key, search->name) == 0)
            ended = try_file(search, start + entry.value);
    }
    free(bytes);
    return ended;
}

/* --- The whole search ----------------------------------------------------- */

/* If this process has loaded the needed library, read the library's file for its
 * versions. */
static int try_loaded(struct search *search)
{
    void *loaded = dlopen(search->name, RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *map = NULL;

    if (!loaded)
        return 0;
    if (dlinfo(loaded, RTLD_DI_LINKMAP, &map) == 0)
        search->found = cca_library_open(map->l_name, NULL, NULL);
    if (search->found)
        search->found->resident = 1;
    else
        search->unknown = 1;
    dlclose(loaded);
    return 1;
}

int cca_library_find(const struct cca_library *user, const char *name,
                     struct cca_library **found, struct cca_error *err)
{
    struct search search = {.user = user, .name = name, .err = err};
    char *file = strchr(name, '/') && user ? cca_linkage_expand(name, user->file) : NULL;

    if (!try_loaded(&search)) {
        if (strchr(name, '/'))
            (void)try_file(&search, file ? file : name);
        else
            (void)(try_run_paths_before(&search) || try_common(&search, 0) ||
                   try_run_path(&search, user, DT_RUNPATH) || try_cache(&search) ||
                   try_common(&search, 1));
    }
    free(file);
    if (search.found && !(search.found->asked = strdup(name))) {
        cca_library_free(search.found);
        search.found = NULL;
        cca_no_memory(err);
    }
    *found = search.found;
    return *found ? 0 : err->code ? err->code : search.unknown ? -ENOTSUP : -ENOENT;
}
