/* SPDX-License-Identifier: BSD-3-Clause */
/* files.c: find and read the files of a run in a folder. */
#include "mesh/convert/lbaf/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/file.h"
#include "mastermind/writer/given.h"
#include "mesh/convert/lbaf/parts.h"

/* Split NAME.RANK.json or NAME.RANK.json.br, and fill in `file` but its path. Returns the
 * length of NAME; 0: it is not such a name. */
static size_t split_name(const char *name, struct mesh_lbaf_file *file)
{
    size_t length = strlen(name), digits = 0;
    char *end;

    file->brotli = length > 3 && strcmp(name + length - 3, ".br") == 0;
    length -= file->brotli ? 3 : 0;
    if (length < 8 || strncmp(name + length - 5, ".json", 5) != 0)
        return 0;
    length -= 5;
    while (digits < length && name[length - digits - 1] >= '0' &&
           name[length - digits - 1] <= '9')
        digits++;
    if (!digits || digits > 9 || length < digits + 2 || name[length - digits - 1] != '.')
        return 0;
    file->rank = (int)strtol(name + length - digits, &end, 10);
    return length - digits - 1;
}

static int by_rank(const void *a, const void *b)
{
    const struct mesh_lbaf_file *x = a, *y = b;

    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : strcmp(x->path, y->path);
}

static int take_name(struct mesh_lbaf_files *files, const char *folder, const char *name,
                     const char *wanted, struct cca_error *err)
{
    struct mesh_lbaf_file file = {0}, *added;
    size_t length = split_name(name, &file);

    if (!length || (wanted && (strlen(wanted) != length || memcmp(wanted, name, length))))
        return 0;
    if (!files->stem && !(files->stem = strndup(name, length)))
        return cca_no_memory(err);
    if (strlen(files->stem) != length || memcmp(files->stem, name, length) != 0)
        return cca_error_set(
            err, -EBADMSG,
            "%s: found files '%s' and '%.*s', expected those of one run; "
            "name it: %s/%s",
            folder, files->stem, (int)length, name, folder, files->stem);
    if (asprintf(&file.path, "%s/%s", folder, name) < 0)
        return cca_no_memory(err);
    added = cca_array_add(&files->files, &files->count, sizeof *added);
    if (!added) {
        free(file.path);
        return cca_no_memory(err);
    }
    *added = file;
    return 0;
}

static int read_folder(struct mesh_lbaf_files *files, const char *folder,
                       const char *wanted, struct cca_error *err)
{
    DIR *all = opendir(folder);
    struct dirent *entry;
    int result = 0;

    if (!all)
        return cca_error_set(err, -errno, "%s: %s", folder, strerror(errno));
    while (!result && (entry = readdir(all)))
        result = take_name(files, folder, entry->d_name, wanted, err);
    closedir(all);
    if (!result && !files->count)
        result = cca_error_set(
            err, -ENOENT, "%s: found no files %s.RANK.json or %s.RANK.json.br", folder,
            wanted ? wanted : "NAME", wanted ? wanted : "NAME");
    return result;
}

static int check_ranks(struct mesh_lbaf_files *files, const char *path,
                       struct cca_error *err)
{
    qsort(files->files, files->count, sizeof *files->files, by_rank);
    for (size_t i = 0; i < files->count; i++) {
        const struct mesh_lbaf_file *file = &files->files[i];

        if (file->rank == (int)i)
            continue;
        if (i && file->rank == file[-1].rank)
            return cca_error_set(err, -EBADMSG,
                                 "%s: found rank %d also in %s, expected it once",
                                 file->path, file->rank, file[-1].path);
        return cca_error_set(err, -EBADMSG,
                             "%s: found rank %d and no file of rank %zu, expected all",
                             path, file->rank, i);
    }
    if (files->count > MM_GIVEN_RANKS)
        return cca_error_set(err, -EBADMSG, "%s: found %zu ranks, expected at most %d",
                             path, files->count, MM_GIVEN_RANKS);
    return 0;
}

int mesh_lbaf_files_find(const char *path, struct mesh_lbaf_files *files,
                         struct cca_error *err)
{
    char *folder = strdup(path), *wanted = NULL, *slash;
    struct stat st;
    int result;

    memset(files, 0, sizeof *files);
    if (!folder)
        return cca_no_memory(err);
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        slash = strrchr(folder, '/');
        wanted = strdup(slash ? slash + 1 : folder);
        if (slash)
            slash[slash == folder] = '\0';
        else
            memcpy(folder, ".", folder[0] ? 2 : 1);
        result = wanted ? 0 : cca_no_memory(err);
    } else {
        result = 0;
    }
    if (!result)
        result = read_folder(files, folder, wanted, err);
    if (!result)
        result = check_ranks(files, path, err);
    free(wanted);
    free(folder);
    return result;
}

void mesh_lbaf_files_done(struct mesh_lbaf_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->files[i].path);
    free(files->files);
    free(files->stem);
    memset(files, 0, sizeof *files);
}

/* --- Text ----------------------------------------------------------------- */

static char *read_whole(const char *path, size_t *size, struct cca_error *err)
{
    char *text = NULL;
    int rc = cca_file_read_plain(path, MESH_LBAF_BYTES, &text, size);

    if (rc == -EFBIG || rc == -EINVAL)
        cca_error_set(err, -EBADMSG, "%s: found %s, expected a file of at most %d bytes",
                      path, rc == -EFBIG ? "a larger file" : "no plain file",
                      MESH_LBAF_BYTES);
    else if (rc == -ENOMEM)
        cca_no_memory(err);
    else if (rc)
        cca_error_set(err, rc, "%s: %s", path, strerror(-rc));
    return text;
}

/* Whether the text begins with a JSON object, after blanks and a byte order mark. */
static int is_json(const char *text, size_t size, size_t *mark)
{
    size_t at;

    *mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (at = *mark; at < size && memchr(" \t\r\n", text[at], 4); at++)
        continue;
    return at < size && text[at] == '{';
}

/* files named .json can be compressed, too */
char *mesh_lbaf_text(const struct mesh_lbaf_file *file, size_t *size,
                     struct cca_error *err)
{
    char *bytes = read_whole(file->path, size, err), *text;
    struct cca_error why = {0};
    size_t mark = 0, length;

    if (!bytes)
        return NULL;
    if (!is_json(bytes, *size, &mark)) {
        text = mesh_brotli_text(file->path, bytes, *size, MESH_LBAF_BYTES, &length, &why);
        if (!text && !file->brotli &&
            why.code != -ENOMEM) /* the JSON parser reports what it found */
            return bytes;
        free(bytes);
        if (!text)
            cca_error_set(err, why.code, "%s", why.text);
        *size = length;
        return text;
    }
    *size -= mark;
    memmove(bytes, bytes + mark, *size);
    return bytes;
}
