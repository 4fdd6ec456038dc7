/* SPDX-License-Identifier: BSD-3-Clause */
/* run_path.c: the directories in which the dynamic linker searches for a library's needs.
 * Loads nothing. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "framework/classes/run_path.h"
#include "framework/classes/parts.h"
#include "framework/classes/linkage.h"

enum { LONGEST_LIST = 64 * 1024 };

/* Judge a missing directory: everybody who can write to its nearest existing parent can
 * create it. */
static char *judge_missing(char *dir)
{
    struct cca_error err = {0};
    char *real = NULL, *slash, *finding;

    while (!real && (slash = strrchr(dir, '/'))) {
        slash[slash == dir] = '\0';
        real = realpath(dir, NULL);
        if (slash == dir)
            break;
    }
    if (real)
        cca_trust_judge(real, &err);
    free(real);
    return asprintf(&finding, "there is no such directory%s%s", err.code ? ", and " : "",
                    err.code ? err.text : "") < 0
               ? NULL
               : finding;
}

/* Check one directory. Returns a new finding; NULL with errno 0: it is safe. */
static char *judge_directory(const char *dir, const char *file)
{
    struct cca_error err = {0};
    char *full, *real, *finding = NULL;

    if (!*dir)
        return strdup("empty: that is the directory where the program is started");
    full = cca_linkage_expand(dir, file);
    if (!full)
        return NULL;
    if (strchr(full, '$')) {
        finding = strdup("not known: only the dynamic linker can expand this variable");
    } else if (*full != '/') {
        finding = strdup("relative: it depends on where the program is started");
    } else if ((real = realpath(full, NULL))) {
        errno = 0;
        if (cca_trust_judge(real, &err) < 0)
            finding = strdup(err.text);
        free(real);
    } else if (errno == ENOENT || errno == ENOTDIR) {
        finding = judge_missing(full);
    } else {
        finding = strdup(strerror(errno));
    }
    free(full);
    return finding;
}

static int add_directory(struct cca_run_path *path, const char *dir, const char *file)
{
    struct cca_run_path_item *item =
        cca_array_add(&path->items, &path->count, sizeof *path->items);

    if (!item || !(item->dir = strdup(dir)))
        return -ENOMEM;
    for (char *c = item->dir; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?'; /* replace control characters: the text goes to a terminal */
    errno = 0;
    item->finding = judge_directory(dir, file);
    return !item->finding && errno == ENOMEM ? -ENOMEM : 0;
}

static int add_list(struct cca_run_path *path, const char *list, const char *file)
{
    char *copy = strdup(list), *rest = copy;
    int status = copy ? 0 : -ENOMEM;

    for (char *dir; status == 0 && (dir = strsep(&rest, ":"));)
        status = add_directory(path, dir, file);
    free(copy);
    return status;
}

/* Read the run paths; DT_RPATH is ignored if there is a DT_RUNPATH. */
static int read_lists(struct cca_run_path *path, const struct cca_elf_file *elf,
                      const char *file)
{
    uint64_t offset =
        elf->dynamic[DT_RUNPATH] ? elf->dynamic[DT_RUNPATH] : elf->dynamic[DT_RPATH];
    const char *list;

    if (!offset)
        return 0;
    list = cca_elf_file_string(elf, elf->dynamic[DT_STRTAB] + offset, LONGEST_LIST);
    return list ? add_list(path, list, file) : -EBADMSG;
}

int cca_run_path_read(struct cca_run_path *path, const char *file)
{
    struct cca_elf_file elf = {0};
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;

    *path = (struct cca_run_path){.items = NULL};
    if (fd < 0)
        return -errno;
    status = cca_elf_file_read(&elf, fd, NULL);
    close(fd);
    if (status == 0)
        status = read_lists(path, &elf, file);
    cca_elf_file_done(&elf);
    return status;
}

void cca_run_path_done(struct cca_run_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        free(path->items[i].dir);
        free(path->items[i].finding);
    }
    free(path->items);
    *path = (struct cca_run_path){.items = NULL};
}
