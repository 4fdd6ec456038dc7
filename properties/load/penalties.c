/* SPDX-License-Identifier: BSD-3-Clause */
/* penalties.c: penalties of cache misses. */
#include "properties/load/parts.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "properties/load/measure/chase.h"

enum { LEVELS = 8 };

/* This machine's row in the table node, its cache levels and their penalties. */
struct own {
    int64_t node;
    char host[256], cpu[256];
    size_t count;
    int64_t level[LEVELS];
    double bytes[LEVELS], penalty[LEVELS];
};

/* --- The file ------------------------------------------------------------- */

static int path_of(char path[PATH_MAX], int make)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char folder[PATH_MAX - 32];

    if (cache && *cache == '/')
        snprintf(folder, sizeof folder, "%s", cache);
    else if (home && *home == '/')
        snprintf(folder, sizeof folder, "%s/.cache", home);
    else
        return -ENOENT;
    if (make)
        mkdir(folder, 0777);
    snprintf(path, PATH_MAX, "%s/mastermind", folder);
    if (make)
        mkdir(path, 0777);
    strcat(path, "/penalties");
    return 0;
}

/* Read this machine's lines. Returns the number of known levels. */
static size_t read_kept(struct own *own)
{
    char path[PATH_MAX], line[800];
    size_t known = 0;
    FILE *f = path_of(path, 0) ? NULL : fopen(path, "re");

    while (f && fgets(line, sizeof line, f)) {
        char host[256], cpu[256];
        long long level;
        double seconds;

        if (sscanf(line, "%255[^\t]\t%255[^\t]\t%lld\t%lf", host, cpu, &level,
                   &seconds) != 4 ||
            strcmp(host, own->host) != 0 || strcmp(cpu, own->cpu) != 0 ||
            !(seconds > 0) || !(seconds < 1))
            continue;
        for (size_t i = 0; i < own->count; i++)
            if (own->level[i] == level) {
                known += !isfinite(own->penalty[i]);
                /* later lines of the same level replace earlier ones */
                own->penalty[i] = seconds;
            }
    }
    if (f)
        fclose(f);
    return known;
}

static int keep(const struct own *own)
{
    char path[PATH_MAX];
    FILE *f = path_of(path, 1) ? NULL : fopen(path, "ae");

    if (!f)
        return -errno;
    for (size_t i = 0; i < own->count; i++)
        if (isfinite(own->penalty[i]))
            fprintf(f, "%s\t%s\t%lld\t%.4g\n", own->host, own->cpu,
                    (long long)own->level[i], own->penalty[i]);
    return fclose(f) ? -errno : 0;
}

/* --- Nodes ---------------------------------------------------------------- */

/* Find the next node after `after` with this machine's name. Returns 1; 0: there is none;
 * or an error. */
static int find_own(struct mm_store *store, int64_t after, struct own *own,
                    struct cca_error *err)
{
    sqlite3_stmt *s = mm_put_prepare(store,
                                     "SELECT n.id, coalesce(n.cpu, ''), level, bytes FROM"
                                     " node AS n JOIN cache ON node = n.id WHERE host = ?"
                                     " AND n.id > ? AND bytes > 0 ORDER BY n.id, level",
                                     err);
    int step = SQLITE_DONE;

    if (!s)
        return -EIO;
    own->node = 0;
    own->count = 0;
    sqlite3_bind_text(s, 1, own->host, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, after);
    while (own->count < LEVELS && (step = sqlite3_step(s)) == SQLITE_ROW) {
        if (own->node && sqlite3_column_int64(s, 0) != own->node)
            break;
        own->node = sqlite3_column_int64(s, 0);
        snprintf(own->cpu, sizeof own->cpu, "%s",
                 (const char *)sqlite3_column_text(s, 1));
        own->level[own->count] = sqlite3_column_int64(s, 2);
        own->bytes[own->count] = sqlite3_column_double(s, 3);
        own->penalty[own->count++] = NAN;
    }
    sqlite3_finalize(s);
    return step == SQLITE_ROW || step == SQLITE_DONE ? own->node != 0
                                                     : mm_put_refuse(store, err);
}

static void tell_level(void *context, size_t level)
{
    const struct mm_load_options *options = context;
    char line[80];

    snprintf(line, sizeof line, "measuring the cost of cache misses: memory level %zu",
             level);
    if (options->progress)
        options->progress(options->context, line);
}

static void measure(struct own *own, const struct mm_load_options *options)
{
    char line[200];

    mm_chase_penalties(own->bytes, own->count, own->penalty, tell_level,
                       (void *)(uintptr_t)options);
    if (keep(own) && options->progress) {
        snprintf(line, sizeof line, "penalties are not kept: %s", strerror(errno));
        options->progress(options->context, line);
    } else if (options->progress) {
        options->progress(options->context, "");
    }
}

int mm_store_penalties(struct mm_store *store, const struct mm_load_options *options,
                       struct cca_error *err)
{
    struct own own = {0};
    int result;

    if (gethostname(own.host, sizeof own.host - 1))
        return 0;
    while ((result = find_own(store, own.node, &own, err)) > 0) {
        if (!read_kept(&own) && options->penalties)
            measure(&own, options);
        for (size_t i = 0; i < own.count; i++) {
            result = isfinite(own.penalty[i])
                         ? mm_put_once(store, NULL, err,
                                       "UPDATE cache SET penalty = ? WHERE node = ? AND"
                                       " level = ?",
                                       "rii", own.penalty[i], own.node, own.level[i])
                         : 0;
            if (result)
                return result;
        }
    }
    return result;
}
