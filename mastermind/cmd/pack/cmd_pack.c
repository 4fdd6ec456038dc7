/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_pack.c: compress the files of an experiment, or restore them. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/pack/pack.h"

enum { OUTPUT, COMPRESSION, UNPACK };

static const struct cca_option option_table[] = {
    [OUTPUT] = {"--output", "EXP", "leave the experiment alone and write a packed copy",
                "-o"},
    [COMPRESSION] = {"--compression", "N",
                     "of zstd, 1 (fast) to 19 (small); default: 15"},
    [UNPACK] = {"--unpack", NULL, "unpack instead"},
};

struct job {
    int unpack, level;
    uint64_t before, after, rows, files;
};

/* --- Copies --------------------------------------------------------------- */

static int copy_file(const char *from, const char *to, mode_t mode)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, status = 0;
    char piece[1 << 16];
    ssize_t n;

    if (in < 0)
        return -errno;
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
    if (out < 0)
        status = -errno;
    while (!status && (n = read(in, piece, sizeof piece)) != 0) {
        if (n < 0 || write(out, piece, (size_t)n) != n)
            status = n < 0 || errno ? -errno : -EIO;
    }
    close(in);
    if (out >= 0 && close(out) && !status)
        status = -errno;
    return status;
}

/* Copy a directory with all that is in it. Returns 0 or an exit code. */
static int copy_tree(const char *from, const char *to)
{
    char copy[PATH_MAX], *roots[2] = {(char *)from, NULL}, path[PATH_MAX];
    size_t length = strlen(from);
    int status = 0;
    FTSENT *entry;
    FTS *walk;

    snprintf(copy, sizeof copy, "%s", from);
    while (length > 1 && from[length - 1] == '/')
        length--;
    copy[length] = 0;
    roots[0] = copy;
    walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!walk)
        return mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(from), strerror(errno));
    while (!status && (entry = fts_read(walk)) != NULL) {
        if (snprintf(path, sizeof path, "%s%s", to, entry->fts_path + length) >=
            (int)sizeof path)
            status = -ENAMETOOLONG;
        else if (entry->fts_info == FTS_D)
            status = mkdir(path, entry->fts_statp->st_mode & 0777) ? -errno : 0;
        else if (entry->fts_info == FTS_F)
            status = copy_file(entry->fts_path, path, entry->fts_statp->st_mode);
        if (status)
            mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path), strerror(-status));
    }
    fts_close(walk);
    return status ? MM_EXIT_SYSTEM : 0;
}

/* --- Files ---------------------------------------------------------------- */

static int ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), own = strlen(ending);

    return length > own && strcmp(name + length - own, ending) == 0;
}

/* True for files with rows or aggregates of a thread. Ring files are left alone: they
 * belong to runs that have not ended. */
static int is_ours(const char *name, int packed)
{
    return strncmp(name, "thread-", 7) == 0 &&
           (ends_with(name, packed ? ".seg" MM_PACKED : ".seg") ||
            ends_with(name, packed ? ".agg" MM_PACKED : ".agg"));
}

static int pack_one(struct job *job, char *path, struct cca_error *err)
{
    uint64_t before = 0, after = 0;
    int status;

    if (job->unpack) {
        path[strlen(path) - strlen(MM_PACKED)] = 0;
        status = mm_unpack_file(path, &before, &after, err);
    } else {
        status = mm_pack_file(path, job->level, &before, &after, err);
    }
    job->before += before;
    job->after += after;
    job->files += !status;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", mm_safe(path));
    return status;
}

static int pack_tree(struct job *job, const char *path)
{
    char *roots[2] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    struct cca_error err = {0};
    int status = 0;
    FTSENT *entry;

    if (!walk)
        return mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path), strerror(errno));
    while (!status && (entry = fts_read(walk)) != NULL) {
        char file[PATH_MAX];

        if (entry->fts_info != FTS_F || !is_ours(entry->fts_name, job->unpack))
            continue;
        snprintf(file, sizeof file, "%s", entry->fts_path);
        status = pack_one(job, file, &err);
    }
    fts_close(walk);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return status ? mm_complain(&err) : 0;
}

/* --- The verb ------------------------------------------------------------- */

static int count_row(const struct mm_row *row, void *context)
{
    (void)row;
    ++*(uint64_t *)context;
    return 0;
}

/* Check that the directory is an experiment whose run has ended, and read all its rows,
 * so that damage is found before the files are packed. */
static int check(struct job *job, const char *path)
{
    struct cca_error err = {0};
    struct mm_experiment *experiment = mm_experiment_open(path, &err);
    int status = 0;

    if (!experiment)
        return mm_complain(&err);
    if (!experiment->finished)
        status =
            mm_refuse(MM_EXIT_INPUT,
                      "%s: found a run that has not ended in order, expected one whose "
                      "files change no more",
                      mm_safe(path));
    else if (mm_experiment_rows(experiment, count_row, &job->rows, &err))
        status = mm_complain(&err);
    mm_experiment_free(experiment);
    return status;
}

static void tell(const struct job *job, const char *path)
{
    printf("%s: %s, %s to %s bytes", mm_safe(path), mm_counted(job->files, "file"),
           mm_thousands(job->before), mm_thousands(job->after));
    if (job->rows && !job->unpack && job->files)
        printf(", %.2f bytes a row", (double)job->after / (double)job->rows);
    putchar('\n');
}

static int run_pack(const char *given, const char *output, int unpack, int level)
{
    struct job job = {.unpack = unpack, .level = level};
    const char *path = output ? output : given;
    int status = check(&job, given);

    if (!status && output && access(output, F_OK) == 0)
        status =
            mm_refuse(MM_EXIT_MISUSE, "%s: exists, expected the name of a new directory",
                      mm_safe(output));
    if (!status && output)
        status = copy_tree(given, output);
    if (!status)
        status = pack_tree(&job, path);
    if (!status)
        tell(&job, path);
    return status;
}

static int pack_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    double level = 15;
    int result = -1;

    if (result < 0)
        result = mm_option_count(&options[COMPRESSION], 1, &level);
    if (result >= 0)
        return result;
    if (level > 19)
        return mm_refuse(MM_EXIT_MISUSE, "found --compression %g, expected 1 to 19",
                         level);
    if (args->count < 1 || (options[OUTPUT].given && args->count != 1))
        return mm_refuse(MM_EXIT_MISUSE, options[OUTPUT].given
                                             ? "pack -o takes one experiment"
                                             : "pack takes experiments");
    result = 0;
    for (int i = 0; i < args->count && !result; i++)
        result = run_pack(args->words[i], cca_given_value(&options[OUTPUT]),
                          options[UNPACK].given > 0, (int)level);
    return result ? result : mm_finish_output(MM_EXIT_DONE);
}

const struct cca_verb mm_verb_pack = {
    .name = "pack",
    .summary = "make an experiment small; all verbs read it as it is",
    .examples = "mastermind pack shock-1.mm\n"
                "mastermind pack shock-1.mm -o small.mm\n"
                "mastermind pack --unpack shock-1.mm\n",
    .about = "Pack the rows and aggregates of experiments whose runs have ended. All "
             "verbs read them as they are.\n",
    CCA_OPTIONS(option_table),
    .run = pack_verb,
};
