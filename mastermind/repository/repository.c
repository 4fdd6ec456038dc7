/* SPDX-License-Identifier: BSD-3-Clause */
/* repository.c: open a directory of models, and save models into it. */
#include "mastermind/repository/repository.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash.h"
#include "mastermind/writer/json_file.h"

/* largest number of machines that differ only in their clocks */
#define MOST_CLOCKS 100

/* --- Names ------------------------------------------------------------------------- */

static uint64_t hash_key(const struct mm_stored_model *stored)
{
    const struct mm_method_info *method = stored->model.method;
    uint64_t hash = CCA_HASH_START;
    char text[64];

    hash = cca_hash_field(hash, method->class_name);
    hash = cca_hash_field(hash, method->build_id);
    hash = cca_hash_field(hash, method->port_type);
    hash = cca_hash_field(hash, method->method);
    hash = cca_hash_field(hash, stored->metric);
    hash = cca_hash_field(hash, stored->beside ? stored->beside : "");
    for (size_t i = 0; i < method->in_count; i++) {
        hash = cca_hash_field(hash, method->values[i].name);
        snprintf(text, sizeof text, "%d %d %" PRId64, method->values[i].kind,
                 method->values[i].type,
                 method->values[i].kind == MONITOR_MODE ? stored->model.modes[i].i : 0);
        hash = cca_hash_field(hash, text);
    }
    hash = cca_hash_field(hash, stored->machine.cpu);
    for (size_t i = 0; i < stored->machine.cache_count; i++) {
        const struct mm_cache *cache = &stored->machine.caches[i];

        snprintf(text, sizeof text, "%d %s %" PRId64, cache->level, cache->type,
                 cache->bytes);
        hash = cca_hash_field(hash, text);
    }
    return hash;
}

/* Copy at most 40 characters of a text for a file name: letters, digits, '-' and '_' are
 * copied, a sequence of others becomes one '-'. */
static void print_part(const char *text, char part[41])
{
    size_t used = 0;

    for (; *text && used < 40; text++) {
        if (isascii((unsigned char)*text) &&
            (isalnum((unsigned char)*text) || *text == '_'))
            part[used++] = *text;
        else if (used && part[used - 1] != '-')
            part[used++] = '-';
    }
    part[used] = '\0';
}

/* Print the name of a model's file, without the directory; `number` > 0 distinguishes
 * models of machines that differ only in their clocks. */
static void mm_repository_name(const struct mm_stored_model *model, int number,
                               char *name, size_t size)
{
    const struct mm_method_info *method = model->model.method;
    char parts[3][41], mode[41] = "", suffix[16] = "";
    size_t used = 0;

    print_part(method->class_name, parts[0]);
    print_part(method->method, parts[1]);
    print_part(model->metric, parts[2]);
    for (size_t i = 0; i < method->in_count; i++)
        if (method->values[i].kind == MONITOR_MODE && used < sizeof mode - 24)
            used += (size_t)snprintf(mode + used, sizeof mode - used, "%c%" PRId64,
                                     used ? ',' : '.', model->model.modes[i].i);
    if (number)
        snprintf(suffix, sizeof suffix, "-%d", number);
    snprintf(name, size, "%s.%s%s.%s-%08" PRIx32 "%s" MM_MODEL_SUFFIX, parts[0], parts[1],
             mode, parts[2], (uint32_t)(hash_key(model) ^ hash_key(model) >> 32), suffix);
}

static int has_suffix(const char *name)
{
    size_t length = strlen(name), suffix = strlen(MM_MODEL_SUFFIX);

    return length > suffix && strcmp(name + length - suffix, MM_MODEL_SUFFIX) == 0 &&
           *name != '.';
}

/* --- Reading -------------------------------------------------------------------------
 */

static int is_model_entry(const struct dirent *entry)
{
    return has_suffix(entry->d_name);
}

static int is_experiment(const char *path)
{
    char *file = NULL;
    int found;

    if (asprintf(&file, "%s/experiment.json", path) < 0)
        return 0;
    found = access(file, F_OK) == 0;
    free(file);
    return found;
}

int mm_repository_is(const char *path)
{
    struct dirent *entry;
    struct stat st;
    int found = 0;
    DIR *dir;

    if (stat(path, &st))
        return 0;
    if (S_ISREG(st.st_mode))
        return has_suffix(path);
    dir = opendir(path);
    while (dir && !found && (entry = readdir(dir)))
        found = is_model_entry(entry);
    if (dir)
        closedir(dir);
    return found && !is_experiment(path);
}

static int read_model(struct mm_repository *repository, const char *file,
                      struct cca_error *err)
{
    int result;

    if (cca_array_reserve(&repository->models, repository->count,
                          sizeof *repository->models))
        return cca_no_memory(err);
    result = mm_stored_read(&repository->models[repository->count], file, err);
    repository->count += result == 0;
    return result;
}

static int read_directory(struct mm_repository *repository, struct cca_error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(repository->path, &entries, is_model_entry, alphasort);
    int result = 0;

    if (count < 0)
        return cca_error_set(err, errno == ENOMEM ? -ENOMEM : -EIO, "%s: %s",
                             repository->path, strerror(errno));
    for (int i = 0; i < count; i++) {
        char *file = NULL;

        if (!result && asprintf(&file, "%s/%s", repository->path, entries[i]->d_name) < 0)
            result = cca_no_memory(err);
        else if (!result)
            result = read_model(repository, file, err);
        if (result == -ENOENT) /* the file was removed after the directory was read */
            result = 0;
        free(file);
        free(entries[i]);
    }
    free(entries);
    return result;
}

struct mm_repository *mm_repository_open(const char *path, struct cca_error *err)
{
    struct mm_repository *repository = calloc(1, sizeof *repository);
    struct stat st;
    int result;

    if (!repository || !(repository->path = strdup(path))) {
        cca_no_memory(err);
        goto fail;
    }
    if (stat(path, &st)) {
        cca_error_set(err, -ENOENT, "%s: %s", path, strerror(errno));
        goto fail;
    }
    result = S_ISDIR(st.st_mode) ? read_directory(repository, err)
                                 : read_model(repository, path, err);
    if (!result)
        return repository;
fail:
    mm_repository_free(repository);
    return NULL;
}

void mm_repository_free(struct mm_repository *repository)
{
    if (!repository)
        return;
    for (size_t i = 0; i < repository->count; i++)
        mm_stored_done(&repository->models[i]);
    free(repository->models);
    free(repository->path);
    free(repository);
}

/* --- Saving ----------------------------------------------------------------------------
 */

/* Find the name of the file for a model, whether the file exists or not: the model's
 * usual name, or, if the file of this name has another key (a machine with another
 * clock), the name with a number. */
static int find_name(const char *dir, const struct mm_stored_model *model, char *name,
                     size_t size, struct cca_error *err)
{
    for (int number = 0; number < MOST_CLOCKS; number++) {
        struct mm_stored_model other;
        struct cca_error inner = {0};
        char *file = NULL;
        int result, same;

        mm_repository_name(model, number, name, size);
        if (asprintf(&file, "%s/%s", dir, name) < 0)
            return cca_no_memory(err);
        result = mm_stored_read(&other, file, &inner);
        free(file);
        if (result == -ENOENT || result == -EBADMSG) /* a damaged file of a model is
                                                        replaced */
            return 0;
        if (result)
            return cca_error_set(err, result, "%s", inner.text);
        same = !other.by_hand && mm_stored_same_key(&other, model);
        mm_stored_done(&other);
        if (same)
            return 0;
    }
    return cca_error_set(err, -EEXIST, "%s: found %d files like %s", dir, MOST_CLOCKS,
                         name);
}

static int save_model(const char *dir, const struct mm_stored_model *model,
                      struct cca_error *err)
{
    char name[256];
    json_t *json;
    int result = find_name(dir, model, name, sizeof name, err);

    if (result)
        return result;
    json = mm_stored_json(model);
    result = json ? mm_json_replace(dir, name, json, err) : cca_no_memory(err);
    json_decref(json);
    return result;
}

int mm_repository_save(const char *path, struct mm_stored_model *const *models,
                       size_t count, struct cca_error *err)
{
    int dir, result = 0;

    if (mkdir(path, 0777) && errno != EEXIST)
        return cca_error_set(err, -errno, "cannot make '%s': %s", path, strerror(errno));
    if (is_experiment(path))
        return cca_error_set(err, -ENOTDIR,
                             "'%s' is an experiment, expected a directory "
                             "of models",
                             path);
    dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return cca_error_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
    /* save one model at a time, because all processes use the same temporary file */
    while (flock(dir, LOCK_EX) && errno == EINTR)
        ;
    for (size_t i = 0; i < count && !result; i++)
        result = save_model(path, models[i], err);
    close(dir);
    return result;
}
