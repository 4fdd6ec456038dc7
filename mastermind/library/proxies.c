/* SPDX-License-Identifier: BSD-3-Clause */
/* proxies.c: interposition libraries for headers, made once and kept. */
#include "mastermind/library/proxies.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/library/tool.h"

/* --- The key -------------------------------------------------------------- */

/* Two hashes of 64 bits (FNV-1a) with different starts: no two keys meet by chance. */
struct key {
    uint64_t a, b;
};

static void key_add(struct key *key, const char *text)
{
    do {
        key->a = (key->a ^ (unsigned char)*text) * 1099511628211u;
        key->b = (key->b ^ (unsigned char)*text) * 1099511628211u + 0x9e37;
    } while (*text++);
}

/* A file by size and time of its last change. */
static void key_add_file(struct key *key, const char *path)
{
    char text[80] = "-";
    struct stat file;

    if (stat(path, &file) == 0)
        snprintf(text, sizeof text, "%lld %lld.%09ld", (long long)file.st_size,
                 (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    key_add(key, path);
    key_add(key, text);
}

static struct key key_of(const struct mm_header *header, const struct mm_use *use,
                         const char *proxygen, const char *sidecar)
{
    struct key key = {14695981039346656037u, 0x1234567890abcdefu};
    const char *compiler = getenv("CC");

    key_add_file(&key, proxygen);
    key_add_file(&key, header->path);
    key_add(&key, use->file);
    key_add(&key, use->build_id);
    key_add(&key, compiler ? compiler : "cc");
    for (size_t i = 0; i < header->flag_count; i++)
        key_add(&key, header->flags[i]);
    key_add(&key, "|");
    for (size_t i = 0; i < header->function_count; i++)
        key_add(&key, header->functions[i]);
    if (sidecar)
        key_add_file(&key, sidecar);
    return key;
}

/* --- The cache ------------------------------------------------------------ */

/* Make all folders of a path. 0 or a negative errno. */
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

/* A folder that others could write to is no place for libraries that are loaded. */
static int is_ours(const char *path)
{
    struct stat file;

    return lstat(path, &file) == 0 && S_ISDIR(file.st_mode) && file.st_uid == geteuid() &&
           !(file.st_mode & 022) && access(path, W_OK | X_OK) == 0;
}

/* The folder of the cache, new. */
static char *cache_folder(struct cca_error *err)
{
    const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char path[PATH_MAX];

    if (given && *given == '/')
        snprintf(path, sizeof path, "%s/mastermind/proxies", given);
    else if (home && *home == '/')
        snprintf(path, sizeof path, "%s/.cache/mastermind/proxies", home);
    else
        *path = 0;
    if (!*path || make_folders(path) || !is_ours(path)) {
        snprintf(path, sizeof path, "/tmp/mastermind-%lu/proxies",
                 (unsigned long)geteuid());
        if (make_folders(path) || !is_ours(path)) {
            cca_error_set(
                err, -EIO,
                "no folder for proxies: neither ~/.cache nor %s can be written by "
                "this user alone",
                path);
            return NULL;
        }
    }
    /* The linker takes no such names in LD_PRELOAD. */
    if (strpbrk(path, ": \t\n$")) {
        cca_error_set(err, -EIO,
                      "the folder of proxies has a blank, ':' or '$' in its name: '%s'; "
                      "set XDG_CACHE_HOME",
                      path);
        return NULL;
    }
    return strdup(path);
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* --- proxygen ------------------------------------------------------------- */

/* "a,b,c", new. */
static char *function_list(const struct mm_header *header)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    for (size_t i = 0; memory && i < header->function_count; i++)
        fprintf(memory, "%s%s", i ? "," : "", header->functions[i]);
    if (memory && fclose(memory)) {
        free(text);
        return NULL;
    }
    return memory ? text : NULL;
}

static int keep_proposal(const char *folder, const char *text)
{
    char path[PATH_MAX + 16];
    FILE *file;

    snprintf(path, sizeof path, "%s/proposed.perf", folder);
    file = fopen(path, "we");
    if (!file)
        return -errno;
    fputs(text, file);
    return fclose(file) ? -EIO : 0;
}

/* What it printed last, for people: one line. */
static const char *last_line(char *text)
{
    size_t length = text ? strlen(text) : 0;
    char *line;

    while (length && text[length - 1] == '\n')
        text[--length] = 0;
    line = length ? strrchr(text, '\n') : NULL;
    return !length ? "it says nothing" : line ? line + 1 : text;
}

static int run_proxygen(const struct mm_header *header, const char *proxygen,
                        const char *sidecar, const char *folder, struct cca_error *err)
{
    char **argv = calloc(header->flag_count + 16, sizeof *argv);
    char *list = function_list(header), *text = NULL;
    size_t words = 0;
    int status;

    if (!argv || !list) {
        free(argv);
        free(list);
        return cca_no_memory(err);
    }
    argv[words++] = (char *)proxygen;
    argv[words++] = (char *)"--interpose";
    argv[words++] = header->path;
    argv[words++] = (char *)"--functions";
    argv[words++] = list;
    argv[words++] = (char *)"--available";
    argv[words++] = (char *)"-o";
    argv[words++] = (char *)folder;
    if (sidecar) {
        argv[words++] = (char *)"--sidecar";
        argv[words++] = (char *)sidecar;
    }
    for (size_t i = 0; i < header->flag_count; i++)
        argv[words++] = header->flags[i];
    status = mm_tool_run(argv, 1, &text, NULL);
    if (status)
        cca_error_set(err, status < 0 ? status : -EINVAL, "%s: proxygen: %s",
                      header->path, status < 0 ? strerror(-status) : last_line(text));
    else if (keep_proposal(folder, text))
        cca_error_set(err, -EIO, "%s: cannot be written", folder);
    free(text);
    free(argv);
    free(list);
    return err->code;
}

int mm_proxies_get(const struct mm_header *header, const struct mm_use *use,
                   const char *proxygen, const char *sidecar, char **folder, int *made,
                   struct cca_error *err)
{
    struct key key = key_of(header, use, proxygen, sidecar);
    char *cache = cache_folder(err), *place = NULL, *work = NULL;
    int status;

    *folder = NULL;
    if (made)
        *made = 0;
    if (!cache)
        return err->code ? err->code : cca_no_memory(err);
    if (asprintf(&place, "%s/%s-%016" PRIx64 "%016" PRIx64, cache, use->stem, key.a,
                 key.b) < 0)
        place = NULL;
    if (asprintf(&work, "%s/making-XXXXXX", cache) < 0)
        work = NULL;
    free(cache);
    status = place && work ? 0 : cca_no_memory(err);
    if (!status && access(place, F_OK) != 0) {
        if (!mkdtemp(work))
            status = cca_error_set(err, -EIO, "%s: %s", work, strerror(errno));
        else
            status = run_proxygen(header, proxygen, sidecar, work, err);
        if (!status && rename(work, place) && access(place, F_OK) != 0)
            status = cca_error_set(err, -EIO, "%s: %s", place, strerror(errno));
        if (access(work, F_OK) == 0)
            remove_folder(work); /* another process was first, or it failed */
        if (made)
            *made = 1;
    }
    free(work);
    if (status)
        free(place);
    else
        *folder = place;
    return status;
}
