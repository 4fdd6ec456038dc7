/* SPDX-License-Identifier: BSD-3-Clause */
/* proxies.c: make interposition libraries for headers and keep them in a cache. */
#include "mastermind/library/proxies.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/child.h"
#include "mastermind/library/cache.h"

/* --- The cache ------------------------------------------------------------ */

static struct mm_cache_key key_of(const struct mm_header *header,
                                  const struct mm_use *use, const char *proxygen,
                                  const char *sidecar)
{
    struct mm_cache_key key = MM_CACHE_KEY;
    const char *compiler = getenv("CC");

    mm_cache_add_file(&key, proxygen);
    mm_cache_add_file(&key, header->path);
    mm_cache_add(&key, use->file);
    mm_cache_add(&key, use->build_id);
    mm_cache_add(&key, compiler ? compiler : "cc");
    for (size_t i = 0; i < header->flag_count; i++)
        mm_cache_add(&key, header->flags[i]);
    mm_cache_add(&key, "|");
    for (size_t i = 0; i < header->function_count; i++)
        mm_cache_add(&key, header->functions[i]);
    if (sidecar)
        mm_cache_add_file(&key, sidecar);
    return key;
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

/* Return the names of the functions as a new string "a,b,c". */
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

/* Return the last line of proxygen's output, for a message. */
static const char *last_line(char *text)
{
    size_t length = text ? strlen(text) : 0;
    char *line;

    while (length && text[length - 1] == '\n')
        text[--length] = 0;
    line = length ? strrchr(text, '\n') : NULL;
    return !length ? "it printed nothing" : line ? line + 1 : text;
}

static int run_proxygen(const struct mm_header *header, const char *proxygen,
                        const char *sidecar, const char *folder, struct cca_error *err)
{
    const char **argv = calloc(header->flag_count + 16, sizeof *argv);
    char *list = function_list(header), *text = NULL;
    size_t words = 0;
    int status;

    if (!argv || !list) {
        free(argv);
        free(list);
        return cca_no_memory(err);
    }
    argv[words++] = proxygen;
    argv[words++] = "--interpose";
    argv[words++] = header->path;
    argv[words++] = "--functions";
    argv[words++] = list;
    argv[words++] = "--available";
    argv[words++] = "-o";
    argv[words++] = folder;
    if (sidecar) {
        argv[words++] = "--sidecar";
        argv[words++] = sidecar;
    }
    for (size_t i = 0; i < header->flag_count; i++)
        argv[words++] = header->flags[i];
    status = cca_child_capture(argv, 1, &text, NULL);
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
    struct mm_cache_key key = key_of(header, use, proxygen, sidecar);
    char *cache = mm_cache_folder("proxies", err), *place = NULL, *work = NULL;
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
            /* another process has made the library before, or renaming failed */
            remove_folder(work);
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
