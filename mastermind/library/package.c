/* SPDX-License-Identifier: BSD-3-Clause */
/* package.c: find the packages that have a library and its headers. */
#include "mastermind/library/package.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/child.h"
#include "common/file.h"

static const char lists[] = "/var/lib/dpkg/info";

enum { MOST_HEADERS = 5000, DEPTH = 4 };

static int add_text(char ***list, size_t *count, const char *text, size_t length)
{
    char **item = cca_array_add(list, count, sizeof *item);

    return item && (*item = strndup(text, length)) ? 0 : -ENOMEM;
}

void mm_package_done(struct mm_package *package)
{
    for (size_t i = 0; i < package->header_count; i++)
        free(package->headers[i]);
    for (size_t i = 0; i < package->config_count; i++)
        free(package->configs[i]);
    free(package->headers);
    free(package->configs);
    free(package->name);
    free(package->development);
    memset(package, 0, sizeof *package);
}

/* --- Lists of files ------------------------------------------------------- */

static char *read_list(const char *name, size_t *length)
{
    char path[PATH_MAX], *text = NULL;

    *length = 0;
    snprintf(path, sizeof path, "%s/%s", lists, name);
    cca_file_read(path, SIZE_MAX / 4, &text, length);
    return text;
}

/* Return a path without a leading /usr, because packages may list /lib for files in
 * /usr/lib, or the reverse. */
static const char *without_usr(const char *path)
{
    return strncmp(path, "/usr/lib", 8) == 0 ? path + 4 : path;
}

static int same_file(const char *line, size_t length, const char *path)
{
    if (length > 8 && strncmp(line, "/usr/lib", 8) == 0) {
        line += 4;
        length -= 4;
    }
    return strlen(path) == length && strncmp(line, path, length) == 0;
}

/* Write the path of "libz.so" in the folder of libz.so.1, without /usr. If there is no
 * link of that name, another link to the same file is taken: libyaml.so for
 * libyaml-0.so.2. */
static void link_path(const struct mm_use *use, char path[PATH_MAX])
{
    const char *own = without_usr(use->file), *slash = strrchr(own, '/');
    int length = slash ? (int)(slash - own) : 0;
    char pattern[PATH_MAX], *real;
    glob_t links;

    snprintf(path, PATH_MAX, "%.*s/lib%s.so", length, own, use->stem);
    snprintf(pattern, sizeof pattern, "%.*s/lib%.3s*.so", length, own, use->stem);
    if (access(path, F_OK) == 0 || glob(pattern, 0, NULL, &links))
        return;
    for (size_t i = 0; i < links.gl_pathc; i++) {
        real = realpath(links.gl_pathv[i], NULL);
        if (real && strcmp(real, use->file) == 0)
            snprintf(path, PATH_MAX, "%s", links.gl_pathv[i]);
        free(real);
    }
    globfree(&links);
}

/* Return the package's name from the name of its list, new: "zlib1g" for
 * "zlib1g:amd64.list". */
static char *package_name(const char *list)
{
    size_t colon = strcspn(list, ":"), length = strlen(list);

    return strndup(list, colon < length ? colon : length - strlen(".list"));
}

/* Note for each library whether the package of this list has the library or its link. */
static int look_up(const char *list, const char *text, const struct mm_use *const *uses,
                   char (*links)[PATH_MAX], size_t count, struct mm_package *packages)
{
    for (const char *line = text; line && *line;
         line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        size_t length = strcspn(line, "\n");

        if (!memmem(line, length, ".so", 3))
            continue;
        for (size_t i = 0; i < count; i++) {
            struct mm_package *package = &packages[i];

            if (!package->name && same_file(line, length, without_usr(uses[i]->file)) &&
                !(package->name = package_name(list)))
                return -ENOMEM;
            if (!package->development && same_file(line, length, links[i])) {
                if (!(package->development = package_name(list)))
                    return -ENOMEM;
                package->installed = 1;
            }
        }
    }
    return 0;
}

static int is_list(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 5 && strcmp(entry->d_name + length - 5, ".list") == 0;
}

static int look_everywhere(const struct mm_use *const *uses, char (*links)[PATH_MAX],
                           size_t count, struct mm_package *packages)
{
    struct dirent **entries = NULL;
    int found = scandir(lists, &entries, is_list, alphasort), status = 0;

    for (int i = 0; i < found; i++) {
        size_t length;
        char *text = status ? NULL : read_list(entries[i]->d_name, &length);

        if (text && memmem(text, length, ".so", 3))
            status = look_up(entries[i]->d_name, text, uses, links, count, packages);
        free(text);
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* Read headers and pkg-config files of an installed package. */
static int read_development(struct mm_package *package)
{
    char name[300], *text;
    size_t length;
    int status = 0;

    snprintf(name, sizeof name, "%.280s.list", package->development);
    text = read_list(name, &length);
    if (!text) {
        struct dirent **entries = NULL;
        int found = scandir(lists, &entries, is_list, alphasort);
        size_t own = strlen(package->development);

        for (int i = 0; i < found; i++) {
            if (!text && strncmp(entries[i]->d_name, package->development, own) == 0 &&
                entries[i]->d_name[own] == ':')
                text = read_list(entries[i]->d_name, &length);
            free(entries[i]);
        }
        free(entries);
    }
    for (char *line = text; line && *line && !status;) {
        size_t size = strcspn(line, "\n");

        if (size > 2 && strncmp(line, "/usr/include/", 13) == 0 &&
            strncmp(line + size - 2, ".h", 2) == 0 &&
            package->header_count < MOST_HEADERS)
            status = add_text(&package->headers, &package->header_count, line, size);
        if (size > 3 && strncmp(line + size - 3, ".pc", 3) == 0) {
            const char *slash = memrchr(line, '/', size);
            const char *begin = slash ? slash + 1 : line;

            status = add_text(&package->configs, &package->config_count, begin,
                              (size_t)(line + size - 3 - begin));
        }
        line += size + (line[size] == '\n');
    }
    free(text);
    return status;
}

/* --- Libraries without a package ------------------------------------------ */

int mm_package_add(struct mm_package *package, char *path)
{
    char *folders[2] = {path, NULL};
    int status = 0;
    FTSENT *entry;
    FTS *walk;

    walk = fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    while (walk && !status && package->header_count < MOST_HEADERS &&
           (entry = fts_read(walk)) != NULL) {
        if (entry->fts_level >= DEPTH)
            fts_set(walk, entry, FTS_SKIP);
        if (entry->fts_info == FTS_F && entry->fts_namelen > 2 &&
            strcmp(entry->fts_name + entry->fts_namelen - 2, ".h") == 0)
            status = add_text(&package->headers, &package->header_count, entry->fts_path,
                              strlen(entry->fts_path));
    }
    if (walk)
        fts_close(walk);
    return status;
}

/* Read the headers in PREFIX/include for a library PREFIX/lib/libx.so,
 * PREFIX/lib/MACHINE/libx.so or PREFIX/libx.so. */
static int read_folder(const struct mm_use *use, struct mm_package *package)
{
    char path[PATH_MAX + 16], *slash;

    snprintf(path, sizeof path, "%s", use->file);
    if ((slash = strstr(path, "/lib/")) || (slash = strstr(path, "/lib64/")) ||
        (slash = strrchr(path, '/')))
        snprintf(slash, sizeof path - (size_t)(slash - path), "/include");
    return mm_package_add(package, path);
}

/* --- Packages that are not installed -------------------------------------- */

/* Return the value of a field in a paragraph of apt's list, and its length; NULL: there
 * is no such field. */
static const char *field(const char *paragraph, const char *end, const char *name,
                         size_t *length)
{
    size_t own = strlen(name);

    for (const char *line = paragraph; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));

        stop = stop ? stop : end;
        if ((size_t)(stop - line) > own + 2 && strncmp(line, name, own) == 0 &&
            line[own] == ':') {
            *length = (size_t)(stop - line) - own - 2;
            return line + own + 2;
        }
        line = stop + 1;
    }
    *length = 0;
    return NULL;
}

/* True if a list of dependencies has this package in exactly one version, as packages
 * built from the same source have. */
static int depends(const char *list, size_t length, const char *name)
{
    size_t own = strlen(name);

    for (const char *at = list; at && at + own <= list + length; at++) {
        at = memmem(at, (size_t)(list + length - at), name, own);
        if (!at)
            return 0;
        if ((at == list || at[-1] == ' ') && at + own + 3 < list + length &&
            strncmp(at + own, " (=", 3) == 0)
            return 1;
    }
    return 0;
}

/* True if `name` contains the library's stem, as a package of the library would. */
static int suits(const char *name, size_t length, const char *stem)
{
    return memmem(name, length, stem, strlen(stem)) != NULL;
}

/* Find the development package that depends on the library's package in apt's lists: a
 * package that is named after the library, else the package with the shortest name. */
static int ask_apt(struct mm_package **wanted, const struct mm_use **uses, size_t count)
{
    const char *argv[] = {"apt-cache", "dumpavail", NULL};
    char *text = NULL;
    size_t length = 0;
    int status = cca_child_capture(argv, 0, &text, &length);
    const char *end = text ? text + length : NULL;

    if (status == -ENOMEM)
        return status;
    for (const char *paragraph = text; status == 0 && paragraph && paragraph < end;) {
        const char *next = memmem(paragraph, (size_t)(end - paragraph), "\n\n", 2);
        const char *stop = next ? next : end, *name, *list;
        size_t name_length, list_length;

        name = field(paragraph, stop, "Package", &name_length);
        list = name && name_length > 4 && strncmp(name + name_length - 4, "-dev", 4) == 0
                   ? field(paragraph, stop, "Depends", &list_length)
                   : NULL;
        for (size_t i = 0; list && i < count; i++) {
            const char *before = wanted[i]->development;
            int suit = suits(name, name_length, uses[i]->stem);
            int suited = before && suits(before, strlen(before), uses[i]->stem);

            if (!depends(list, list_length, wanted[i]->name) ||
                (before &&
                 (suited > suit || (suited == suit && strlen(before) <= name_length))))
                continue;
            free(wanted[i]->development);
            wanted[i]->development = strndup(name, name_length);
            if (!wanted[i]->development) {
                free(text);
                return -ENOMEM;
            }
        }
        paragraph = next ? next + 2 : NULL;
    }
    free(text);
    return 0;
}

/* --- Packages of all libraries -------------------------------------------- */

int mm_packages_find(const struct mm_use *const *uses, size_t count, int ask,
                     struct mm_package *packages)
{
    char(*links)[PATH_MAX] = calloc(count ? count : 1, sizeof *links);
    struct mm_package **wanted = calloc(count ? count : 1, sizeof *wanted);
    const struct mm_use **unknown = calloc(count ? count : 1, sizeof *unknown);
    size_t wanted_count = 0;
    int status = links && wanted && unknown ? 0 : -ENOMEM;

    for (size_t i = 0; i < count && !status; i++)
        link_path(uses[i], links[i]);
    if (!status)
        status = look_everywhere(uses, links, count, packages);
    for (size_t i = 0; i < count && !status; i++) {
        struct mm_package *package = &packages[i];

        if (package->development)
            status = read_development(package);
        else if (!package->name)
            status = read_folder(uses[i], package);
        if (package->name && package->development && !package->header_count &&
            strcmp(package->name, package->development) == 0) {
            free(package->development); /* the package has the link, but no header */
            package->development = NULL;
            package->installed = 0;
        }
        if (package->name && !package->development) {
            unknown[wanted_count] = uses[i];
            wanted[wanted_count++] = &packages[i];
        }
    }
    if (!status && ask && wanted_count)
        status = ask_apt(wanted, unknown, wanted_count);
    free(links);
    free(unknown);
    free(wanted);
    return status;
}
