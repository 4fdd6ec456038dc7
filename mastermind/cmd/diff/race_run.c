/* SPDX-License-Identifier: BSD-3-Clause */
/* race_run.c: run one side of a race, and read what it cost. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "common/file.h"
#include "mastermind/cmd/diff/race.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/library/sample/sampler.h"

/* --- Outputs ------------------------------------------------------------------------ */

static const char *const names[][2] = {{"a.out", "a.err"}, {"b.out", "b.err"}};
#define KEPT "kept.out"

static char *path_of(const struct race *race, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", race->folder, name) < 0 ? NULL : path;
}

int race_folder_make(struct race *race)
{
    const char *place = getenv("TMPDIR");

    if (asprintf(&race->folder, "%s/mastermind-race-XXXXXX",
                 place && *place ? place : "/tmp") < 0) {
        race->folder = NULL;
        return mm_no_memory();
    }
    if (!mkdtemp(race->folder)) {
        int status = mm_refuse(MM_EXIT_SYSTEM, "cannot make '%s': %s", race->folder,
                               strerror(errno));

        free(race->folder);
        race->folder = NULL;
        return status;
    }
    return -1;
}

void race_folder_remove(struct race *race)
{
    if (race->folder)
        sweep_remove_path(race->folder);
    free(race->folder);
    race->folder = NULL;
}

/* 1: two files of the folder differ; 0 also if one cannot be read. */
static int differ(const struct race *race, const char *a, const char *b)
{
    enum { PIECE = 65536 };
    static char left[PIECE], right[PIECE];
    char *paths[2] = {path_of(race, a), path_of(race, b)};
    FILE *files[2] = {paths[0] ? fopen(paths[0], "re") : NULL,
                      paths[1] ? fopen(paths[1], "re") : NULL};
    int differs = 0;

    while (files[0] && files[1] && !differs) {
        size_t count = fread(left, 1, PIECE, files[0]);

        differs = fread(right, 1, PIECE, files[1]) != count || memcmp(left, right, count);
        if (count < PIECE)
            break;
    }
    for (int i = 0; i < 2; i++) {
        if (files[i])
            fclose(files[i]);
        free(paths[i]);
    }
    return differs;
}

int race_outputs_differ(const struct race *race)
{
    return differ(race, names[RACE_A][0], names[RACE_B][0]);
}

int race_output_moved(const struct race *race)
{
    return differ(race, names[RACE_A][0], KEPT);
}

int race_output_keep(const struct race *race)
{
    char *from = path_of(race, names[RACE_A][0]), *to = path_of(race, KEPT);
    int status = from && to ? rename(from, to) : -1;

    free(from);
    free(to);
    return status;
}

/* --- Samples ------------------------------------------------------------------------ */

struct watched {
    struct mm_sampler *sampler;
    struct cca_error err;
};

static void begin(void *context, pid_t child)
{
    struct watched *watched = context;

    watched->sampler = mm_sampler_new(child, &watched->err);
}

static void tick(void *context, double elapsed_s)
{
    struct watched *watched = context;

    (void)elapsed_s;
    if (watched->sampler)
        mm_sampler_collect(watched->sampler);
}

/* The race's copy of a name. NULL: out of memory. */
static const char *name_of(struct race *race, const char *text)
{
    char **name;

    for (size_t i = 0; i < race->name_count; i++)
        if (strcmp(race->names[i], text) == 0)
            return race->names[i];
    name = cca_array_add(&race->names, &race->name_count, sizeof *name);
    if (name)
        *name = strdup(text);
    return name ? *name : NULL;
}

static int add_part(struct race *race, struct race_run *run, const char *text,
                    double cpu_s)
{
    const char *name = name_of(race, text);
    struct race_part *part;

    for (size_t i = 0; i < run->part_count; i++)
        if (run->parts[i].name == name) {
            run->parts[i].cpu_s += cpu_s;
            return 0;
        }
    part = name ? cca_array_add(&run->parts, &run->part_count, sizeof *part) : NULL;
    if (!part)
        return -ENOMEM;
    *part = (struct race_part){name, cpu_s};
    return 0;
}

/* Name of a function: of the program itself without the name of its file, so that it is
 * the same on both sides. */
static void label(char text[200], const struct race *race, int side,
                  const struct mm_sample_row *row)
{
    const char *file = row->path ? strrchr(row->path, '/') : NULL;
    const char *program = strrchr(race->command[side][0], '/');

    program = program ? program + 1 : race->command[side][0];
    file = file ? file + 1 : row->path;
    if (!file)
        snprintf(text, 200, "(code that the program made)");
    else if (strcmp(file, program) == 0)
        snprintf(text, 200, "%.150s",
                 row->function ? row->function : "(functions without names)");
    else
        snprintf(text, 200, "%.150s in %.40s",
                 row->function ? row->function : "(functions without names)", file);
}

static int read_samples(struct race *race, int side, struct race_run *run,
                        struct mm_sampler *sampler)
{
    struct mm_samples samples;
    int result = mm_sampler_count(sampler, &samples);
    double sample_s;
    char text[200];

    sample_s = samples.count ? run->cpu_s / (double)samples.count : 0;
    for (size_t i = 0; i < samples.row_count && !result; i++) {
        label(text, race, side, &samples.rows[i]);
        result = add_part(race, run, text, sample_s * (double)samples.rows[i].count);
    }
    if (!result && samples.kernel)
        result = add_part(race, run, "(kernel)", sample_s * (double)samples.kernel);
    mm_samples_done(&samples);
    return result;
}

/* --- A run -------------------------------------------------------------------------- */

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* Report that a side failed, with the last line of its standard error. */
static int refuse_run(const struct race *race, int side, int status)
{
    char *path = path_of(race, names[side][1]), line[200] = "", last[200] = "", text[60];
    FILE *file = path ? fopen(path, "re") : NULL;

    while (file && fgets(line, sizeof line, file))
        if (line[strspn(line, " \t\n")])
            snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), line);
    if (file)
        fclose(file);
    free(path);
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof text, "ended with status %d", WEXITSTATUS(status));
    return mm_refuse(MM_EXIT_COMMAND, "%s '%s' %s%s%s", side ? "B" : "A",
                     mm_safe(race->command[side][0]), text, *last ? ": " : "",
                     mm_safe(last));
}

int race_run_side(struct race *race, int side, struct race_run *run)
{
    struct watched watched = {NULL, {0}};
    struct rusage usage = {.ru_maxrss = 0};
    const struct sweep_watch watch = {
        .tick = tick, .context = &watched, .begin = run ? begin : NULL, .usage = &usage};
    char *paths[2] = {path_of(race, names[side][0]), path_of(race, names[side][1])};
    double elapsed_s;
    int status = -ENOMEM, signal_number = 0, result = 0;

    if (paths[0] && paths[1])
        status = sweep_child_run(race->command[side], ".", paths[0], paths[1], &watch,
                                 &elapsed_s, &signal_number);
    free(paths[0]);
    free(paths[1]);
    if (!signal_number && status == 0 && run) {
        run->cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        run->wall_s = elapsed_s;
        run->peak_bytes = 1024. * (double)usage.ru_maxrss;
        if (watched.sampler)
            result = read_samples(race, side, run, watched.sampler);
        else
            snprintf(race->unsampled, sizeof race->unsampled, "%.190s", watched.err.text);
    }
    mm_sampler_free(watched.sampler);
    if (signal_number)
        return 128 + signal_number;
    if (status < 0)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot start a run: %s", strerror(-status));
    if (status)
        return refuse_run(race, side, status);
    return result ? mm_no_memory() : -1;
}

void race_run_done(struct race_run *run)
{
    free(run->parts);
}
