/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment.c: open an experiment directory and walk its rows. */
#include "mastermind/reader/experiment.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/find.h"
#include "common/sort.h"
#include "mastermind/format/called_file.h"
#include "mastermind/reader/experiment_parts.h"
#include "mastermind/reader/json.h"
#include "mastermind/pack/pack.h"

enum { MAX_THREADS = 10000000 };

/* How a rank ended. */
struct rank_end {
    int finished; /* true if the rank ended normally; if not, `ns_per_tick` and `rows` are
                     0 */
    double ns_per_tick; /* length of a tick on the rank; 0: each thread has its own
                           value */
    json_int_t rows;
    int walked; /* true if all rows have been visited once; threads that begin later are
                   ignored */
};

/* A copy of a running thread's aggregates, made when its rows were read. A later copy
 * would count calls, too, that are open calls in these rows. */
struct seen {
    int rank, thread;
    struct mm_aggregate_copy copy;
};

struct inside {
    struct seen *seen;
    size_t seen_count;
    struct mm_rank_methods *ranks;
    struct rank_end *ends; /* [ranks] end of each rank */
    json_t *about;         /* contents of experiment.json */
    json_t *wiring;        /* contents of wiring.json, or NULL */
};

void mm_experiment_free(struct mm_experiment *e)
{
    struct inside *inside;
    size_t i;
    int rank;

    if (!e)
        return;
    inside = e->inside;
    for (rank = 0; inside && inside->ranks && rank < e->ranks; rank++)
        free(inside->ranks[rank].by_id);
    if (inside) {
        for (i = 0; i < inside->seen_count; i++)
            mm_aggregate_copy_free(&inside->seen[i].copy);
        free(inside->seen);
        free(inside->ranks);
        free(inside->ends);
        json_decref(inside->about);
        json_decref(inside->wiring);
    }
    free(inside);
    for (i = 0; i < e->method_count; i++)
        mm_method_free(e->methods[i]);
    free(e->methods);
    mm_about_done(e);
    mm_wiring_free(e->wiring);
    free(e->path);
    free(e->name);
    free(e);
}

static int join_path(char *to, const char *path, const char *name, struct cca_error *err)
{
    if (snprintf(to, PATH_MAX, "%s/%s", path, name) >= PATH_MAX)
        return cca_error_set(err, -ENAMETOOLONG, "%s: the path is too long", path);
    return 0;
}

static int rank_path(char *to, const struct mm_experiment *e, int rank, const char *name,
                     struct cca_error *err)
{
    if (snprintf(to, PATH_MAX, "%s/rank-%04d%s%s", e->path, rank, *name ? "/" : "",
                 name) >= PATH_MAX)
        return cca_error_set(err, -ENAMETOOLONG, "%s: the path is too long", e->path);
    return 0;
}

/* Return a new string: the last component of `path`, without trailing slashes. */
static char *base_name(const char *path)
{
    size_t end = strlen(path), start;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/';)
        start--;
    return strndup(path + start, end - start);
}

static int check_path(const char *path, struct cca_error *err)
{
    struct stat st;

    if (!*path)
        return cca_error_set(err, -EINVAL,
                             "expected the directory of an experiment, found ''");
    if (stat(path, &st))
        return cca_error_set(err, errno == ENOENT || errno == ENOTDIR ? -errno : -EIO,
                             "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return cca_error_set(err, -ENOTDIR,
                             "%s: found a file, expected an experiment directory", path);
    return 0;
}

static int read_about(struct mm_experiment *e, struct cca_error *err)
{
    struct inside *inside = e->inside;
    char path[PATH_MAX];
    int code = join_path(path, e->path, "experiment.json", err);

    if (code)
        return code;
    inside->about = mm_json_load(path, &code, err);
    if (!inside->about)
        return code == -ENOENT ? cca_error_set(err, -EBADMSG,
                                               "%s: found no experiment.json, expected an"
                                               " experiment directory",
                                               e->path)
                               : code;
    return mm_about_read(e, inside->about, path, err);
}

/* Read wiring.json; a killed run may lack it. */
static int read_wiring(struct mm_experiment *e, struct cca_error *err)
{
    struct inside *inside = e->inside;
    char path[PATH_MAX];
    int code = join_path(path, e->path, "wiring.json", err);

    if (code)
        return code;
    inside->wiring = mm_json_load(path, &code, err);
    if (inside->wiring && !(e->wiring = mm_wiring_new(inside->wiring, path, err)))
        return -EBADMSG;
    if (code && code != -ENOENT)
        return code;
    return mm_run_complete(&e->run, e->wiring, err);
}

int mm_experiment_rank_about(const struct mm_experiment *e, int rank, json_t **about,
                             struct cca_error *err)
{
    char path[PATH_MAX];
    int code = rank ? rank_path(path, e, rank, "rank.json", err) : 0;

    *about = NULL;
    if (rank == 0)
        *about = json_incref(((const struct inside *)e->inside)->about);
    else if (!code)
        *about = mm_json_load(path, &code, err);
    return code == -ENOENT ? 0 : code;
}

const struct mm_method_info *mm_experiment_rank_method(const struct mm_experiment *e,
                                                       int rank, int id)
{
    const struct mm_rank_methods *methods =
        &((const struct inside *)e->inside)->ranks[rank];

    return id >= 0 && (size_t)id < methods->count ? methods->by_id[id] : NULL;
}

int mm_experiment_rank_finished(const struct mm_experiment *e, int rank)
{
    return rank >= 0 && rank < e->ranks &&
           ((const struct inside *)e->inside)->ends[rank].finished;
}

static int read_end(struct mm_experiment *e, int rank, struct cca_error *err)
{
    struct rank_end *end = &((struct inside *)e->inside)->ends[rank];
    json_t *about;
    int code = mm_experiment_rank_about(e, rank, &about, err);

    if (about && json_is_true(json_object_get(about, "finished"))) {
        end->finished = 1;
        end->ns_per_tick = json_number_value(
            json_object_get(json_object_get(about, "clock"), "ns_per_tick"));
        end->rows =
            json_integer_value(json_object_get(json_object_get(about, "totals"), "rows"));
    }
    e->finished = e->finished && end->finished;
    json_decref(about);
    return code;
}

/* Read the files of all ranks; a killed run may lack some. */
static int read_ranks(struct mm_experiment *e, struct cca_error *err)
{
    struct inside *inside = e->inside;
    char path[PATH_MAX];
    int rank, code = 0;

    inside->ranks = calloc((size_t)e->ranks, sizeof *inside->ranks);
    inside->ends = calloc((size_t)e->ranks, sizeof *inside->ends);
    if (!inside->ranks || !inside->ends)
        return cca_no_memory(err);
    for (rank = 0; !code && rank < e->ranks; rank++) {
        code = rank_path(path, e, rank, "methods.json", err);
        if (!code)
            code = mm_methods_read(e, &inside->ranks[rank], path, err);
        if (code == -ENOENT)
            code = 0;
        if (!code)
            code = rank_path(path, e, rank, MM_CALLED_FILE, err);
        if (!code)
            code = mm_methods_read_called(e, &inside->ranks[rank], path, err);
        if (code == -ENOENT)
            code = 0;
        if (!code)
            code = read_end(e, rank, err);
    }
    return code;
}

struct mm_experiment *mm_experiment_open(const char *path, struct cca_error *err)
{
    struct mm_experiment *e;

    if (check_path(path, err))
        return NULL;
    e = calloc(1, sizeof *e);
    if (!e || !(e->inside = calloc(1, sizeof(struct inside))) ||
        !(e->path = strdup(path)) || !(e->name = base_name(path))) {
        cca_no_memory(err);
        goto fail;
    }
    if (read_about(e, err) || read_wiring(e, err) || read_ranks(e, err))
        goto fail;
    if (mm_method_costs_fill(e)) {
        cca_no_memory(err);
        goto fail;
    }
    return e;
fail:
    mm_experiment_free(e);
    return NULL;
}

void mm_experiment_use_hints(struct mm_experiment *e)
{
    for (size_t i = 0; i < e->method_count; i++) {
        struct mm_method_info *m = e->methods[i];

        while (m->in_count < m->value_count && m->in_count < MONITOR_MAX_IN &&
               m->values[m->in_count].kind == MONITOR_HINT) {
            m->values[m->in_count++].kind = MONITOR_PARAM;
            m->hint_count++;
        }
    }
}

/* Numbers of the threads that left files in a rank's directory. */
struct threads {
    int *numbers;
    size_t count;
};

static int add_thread(struct threads *threads, int number)
{
    if (cca_array_reserve(&threads->numbers, threads->count, sizeof *threads->numbers))
        return -ENOMEM;
    threads->numbers[threads->count++] = number;
    return 0;
}

/* Return the number NNN in the file name thread-NNN.ring or thread-NNN.seg, packed or
 * not; -1 for another name. */
static int thread_number(const char *name)
{
    char *end;
    long n;

    if (strncmp(name, "thread-", 7) || name[7] < '0' || name[7] > '9')
        return -1;
    n = strtol(name + 7, &end, 10);
    if (strcmp(end, ".ring") && strcmp(end, ".seg") && strcmp(end, ".seg" MM_PACKED))
        return -1;
    return n <= MAX_THREADS ? (int)n : -1;
}

static int list_threads(const char *path, struct threads *threads, struct cca_error *err)
{
    struct dirent *entry;
    size_t i, kept = 0;
    int number, code = 0;
    DIR *dir = opendir(path);

    if (!dir)
        return errno == ENOENT
                   ? 0
                   : cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    while (!code && (entry = readdir(dir)) != NULL) {
        number = thread_number(entry->d_name);
        if (number >= 0)
            code = add_thread(threads, number);
    }
    closedir(dir);
    if (code)
        return cca_error_set(err, code, "out of memory");
    if (threads->count)
        qsort(threads->numbers, threads->count, sizeof *threads->numbers,
              cca_order_int32);
    for (i = 0; i < threads->count; i++)
        if (!kept || threads->numbers[kept - 1] != threads->numbers[i])
            threads->numbers[kept++] = threads->numbers[i];
    threads->count = kept;
    return 0;
}

/* Set the data with which a thread's files are read and its times converted; `path` gets
 * the rank's
 * directory. */
static int source_of(const struct mm_experiment *e, int rank, int thread, char *path,
                     struct mm_thread_source *source, struct cca_error *err)
{
    const struct inside *inside = e->inside;

    *source = (struct mm_thread_source){.directory = path,
                                        .rank = rank,
                                        .thread = thread,
                                        .methods = inside->ranks[rank].by_id,
                                        .method_count = inside->ranks[rank].count,
                                        .counter_count = e->counter_count,
                                        .pace = e->costs.pace,
                                        .ns_per_tick = inside->ends[rank].ns_per_tick,
                                        .epoch_ns = e->epoch_ns};
    return rank_path(path, e, rank, "", err);
}

/* Find a thread in `seen` by binary search. Returns its index, or the index at which to
 * insert it. */
static size_t seen_at(const struct inside *inside, int rank, int thread)
{
    size_t low;

    CCA_FIND_FIRST(low, inside->seen_count,
                   inside->seen[low].rank < rank || (inside->seen[low].rank == rank &&
                                                     inside->seen[low].thread < thread));
    return low;
}

static struct seen *seen_of(const struct inside *inside, int rank, int thread)
{
    size_t at = seen_at(inside, rank, thread);

    return at < inside->seen_count && inside->seen[at].rank == rank &&
                   inside->seen[at].thread == thread
               ? &inside->seen[at]
               : NULL;
}

/* Keep the copy of a thread's aggregates, because the thread's rows have been read; it
 * replaces an older copy. */
static int keep_aggregates(struct inside *inside, int rank, int thread,
                           struct mm_aggregate_copy *copy, struct cca_error *err)
{
    struct seen *seen = seen_of(inside, rank, thread);
    size_t at = seen_at(inside, rank, thread);

    if (!seen &&
        cca_array_reserve(&inside->seen, inside->seen_count, sizeof *inside->seen)) {
        mm_aggregate_copy_free(copy);
        return cca_no_memory(err);
    }
    if (seen) {
        mm_aggregate_copy_free(&seen->copy);
    } else {
        memmove(&inside->seen[at + 1], &inside->seen[at],
                (inside->seen_count++ - at) * sizeof *seen);
        seen = &inside->seen[at];
    }
    *seen = (struct seen){rank, thread, *copy};
    return 0;
}

static int walk_thread(const struct mm_experiment *e, int rank, int thread,
                       mm_row_function function, void *context, uint64_t *rows,
                       struct cca_error *err)
{
    struct inside *inside = e->inside;
    struct mm_aggregate_copy copy = {0};
    struct mm_thread_source source;
    char path[PATH_MAX];
    int code = source_of(e, rank, thread, path, &source, err);

    source.function = function;
    source.context = context;
    source.aggregates = &copy;
    if (!code)
        code = mm_experiment_thread(&source, rows, err);
    if (!code && !inside->ends[rank].finished)
        return keep_aggregates(inside, rank, thread, &copy, err);
    mm_aggregate_copy_free(&copy);
    return code;
}

int mm_experiment_threads(const struct mm_experiment *e, int rank, int **numbers,
                          size_t *count, struct cca_error *err)
{
    struct threads threads = {0};
    char path[PATH_MAX];
    int code = rank_path(path, e, rank, "", err);

    if (!code)
        code = list_threads(path, &threads, err);
    *numbers = threads.numbers;
    *count = threads.count;
    return code;
}

static int walk_rank(const struct mm_experiment *e, int rank, mm_row_function function,
                     void *context, struct cca_error *err)
{
    struct rank_end *end = &((struct inside *)e->inside)->ends[rank];
    uint64_t rows = 0;
    size_t i, count;
    int *threads, code = mm_experiment_threads(e, rank, &threads, &count, err);

    for (i = 0; !code && i < count; i++)
        code = walk_thread(e, rank, threads[i], function, context, &rows, err);
    free(threads);
    if (!code && end->finished && end->rows > 0 && rows < (uint64_t)end->rows)
        code = cca_error_set(err, -EBADMSG,
                             "%s: rank %d: found %" PRIu64
                             " rows, expected %" JSON_INTEGER_FORMAT,
                             e->path, rank, rows, end->rows);
    end->walked |= !code;
    return code;
}

int mm_experiment_thread_rows(const struct mm_experiment *e, int rank, int thread,
                              mm_row_function function, void *context,
                              struct cca_error *err)
{
    uint64_t rows = 0;

    if (rank < 0 || rank >= e->ranks)
        return cca_error_set(err, -EINVAL, "%s: found no rank %d", e->path, rank);
    return walk_thread(e, rank, thread, function, context, &rows, err);
}

int mm_experiment_rank_rows(const struct mm_experiment *e, int rank,
                            mm_row_function function, void *context,
                            struct cca_error *err)
{
    return walk_rank(e, rank, function, context, err);
}

static int walk_intervals(const struct mm_experiment *e, int rank, int thread,
                          mm_interval_function function, void *context,
                          struct cca_error *err)
{
    struct mm_aggregate_copy copy = {0};
    struct mm_thread_source source;
    char path[PATH_MAX];
    uint64_t rows = 0;
    int code = source_of(e, rank, thread, path, &source, err);

    source.function = NULL;
    source.on_interval = function;
    source.context = context;
    source.aggregates = &copy;
    if (!code)
        code = mm_experiment_thread(&source, &rows, err);
    mm_aggregate_copy_free(&copy);
    return code;
}

int mm_experiment_intervals(const struct mm_experiment *e, mm_interval_function function,
                            void *context, struct cca_error *err)
{
    int rank, code = 0, *threads;
    size_t i, count;

    for (rank = 0; !code && rank < e->ranks; rank++) {
        code = mm_experiment_threads(e, rank, &threads, &count, err);
        for (i = 0; !code && i < count; i++)
            code = walk_intervals(e, rank, threads[i], function, context, err);
        free(threads);
    }
    return code;
}

int mm_experiment_rows(const struct mm_experiment *e, mm_row_function function,
                       void *context, struct cca_error *err)
{
    int rank, code = 0;

    for (rank = 0; !code && rank < e->ranks; rank++)
        code = walk_rank(e, rank, function, context, err);
    return code;
}

static int walk_aggregates(const struct mm_experiment *e, int rank, int thread,
                           mm_aggregate_function function, void *context,
                           struct cca_error *err)
{
    const struct inside *inside = e->inside;
    const struct seen *seen = seen_of(inside, rank, thread);
    struct mm_aggregate_copy own = {0};
    const struct mm_aggregate_copy *copy = seen && seen->copy.data ? &seen->copy : &own;
    struct mm_thread_source source;
    char path[PATH_MAX];
    int code = source_of(e, rank, thread, path, &source, err);

    if (code)
        return code;
    if (!seen && inside->ends[rank].walked && !inside->ends[rank].finished)
        return 0;
    if (copy == &own)
        code = mm_aggregate_copy(&own, &source, err);
    if (!code)
        code = mm_aggregate_copy_walk(copy, &source, function, context, err);
    else if (code == -ENOENT)
        code = 0;
    mm_aggregate_copy_free(&own);
    return code;
}

int mm_experiment_aggregates(const struct mm_experiment *e,
                             mm_aggregate_function function, void *context,
                             struct cca_error *err)
{
    int rank, code = 0, *threads;
    size_t i, count;

    for (rank = 0; !code && rank < e->ranks; rank++) {
        code = mm_experiment_threads(e, rank, &threads, &count, err);
        for (i = 0; !code && i < count; i++)
            code = walk_aggregates(e, rank, threads[i], function, context, err);
        free(threads);
    }
    return code;
}
