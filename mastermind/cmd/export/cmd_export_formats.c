/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_export_formats.c: one run in a format that another tool reads. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/export/formats.h"

enum { OUTPUT, METHOD, CALLS, STACKS };

static const struct cca_option option_table[] = {
    [OUTPUT] = {"--output", "PATH",
                "the file (default: standard output), or the directory", "-o"},
    [METHOD] = {"--method", "GLOB", "extra-p: methods whose names match"},
    [CALLS] = {"--calls", "N", "extra-p: at most N calls of a size (default: 20)"},
    [STACKS] =
        {"--stacks", NULL,
         "folded: sampled stacks in place of recorded calls; the default for a run "
         "without recorded calls"},
};

enum format { FOLDED, SPEEDSCOPE, CHROME, CALLGRIND, CALIPER, OPENMETRICS, CSV, EXTRA_P };
static const char *const names[] = {[FOLDED] = "folded",
                                    [SPEEDSCOPE] = "speedscope",
                                    [CHROME] = "chrome",
                                    [CALLGRIND] = "callgrind",
                                    [CALIPER] = "caliper",
                                    [OPENMETRICS] = "openmetrics",
                                    [CSV] = "csv",
                                    [EXTRA_P] = "extra-p",
                                    NULL};

/* --- One run to a stream -------------------------------------------------- */

static int write_format(FILE *file, enum format format, const struct mm_export *run,
                        struct mm_notes *notes, struct cca_error *err)
{
    struct mm_mpi_profile mpi = {0};
    int status = 0;

    switch (format) {
    case FOLDED:
        mm_export_folded(file, run);
        break;
    case SPEEDSCOPE:
        status = mm_export_speedscope(file, run) ? cca_no_memory(err) : 0;
        break;
    case CHROME:
        status = mm_export_chrome(file, run, notes, err);
        break;
    case CALLGRIND:
        status = mm_export_callgrind(file, run) ? cca_no_memory(err) : 0;
        break;
    case CALIPER:
        status = mm_export_caliper(file, run) ? cca_no_memory(err) : 0;
        break;
    default:
        status = mm_mpi_profile_read(&mpi, run->experiment, -1, err);
        if (!status)
            status = mm_export_openmetrics(file, run, &mpi, err);
        mm_mpi_profile_done(&mpi);
    }
    return status;
}

/* Write sampled stacks: with `is_chosen`, and of a run without recorded calls. Returns 0;
 * 1: recorded calls are to be written; or a negative errno with `err`. */
static int write_stacks(FILE *file, const struct mm_experiment *experiment, int is_chosen,
                        struct cca_error *err)
{
    struct mm_run_stacks stacks;
    int result = mm_run_stacks_read(&stacks, experiment, err);

    if (!result && !stacks.count)
        result = is_chosen ? cca_error_set(err, -ENOENT, "'%s' has no sampled stacks",
                                           experiment->path)
                           : 1;
    else if (!result && !is_chosen && !experiment->origin)
        result = 1;
    if (!result)
        mm_export_folded_stacks(file, &stacks);
    mm_run_stacks_done(&stacks);
    return result;
}

/* Open PATH.new, to be renamed when complete, so that no half-written file remains. A
 * pipe, a device or a link is written directly. */
static FILE *open_output(const char *path, char **temporary)
{
    struct stat there;

    *temporary = NULL;
    if (!path || strcmp(path, "-") == 0)
        return stdout;
    if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return fopen(path, "we");
    if (asprintf(temporary, "%s.%ld.new", path, (long)getpid()) < 0) {
        *temporary = NULL;
        return NULL;
    }
    return fopen(*temporary, "we");
}

static int close_output(FILE *file, char *temporary, const char *path, int status)
{
    int failed = fflush(file) != 0 || ferror(file), number = errno;

    if (file == stdout)
        return status ? status : mm_finish_output(MM_EXIT_DONE);
    failed |= fclose(file) != 0;
    if (!status && !failed && temporary && rename(temporary, path)) {
        failed = 1;
        number = errno;
    }
    if (temporary && (status || failed))
        unlink(temporary);
    if (!status && failed)
        status = mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path), strerror(number));
    return status;
}

static int export_run(enum format format, const char *path, const char *output,
                      int is_stacks)
{
    struct mm_export run = {NULL, NULL, NULL};
    struct mm_contexts *contexts = NULL;
    struct mm_dual *dual = NULL;
    struct cca_error err = {0};
    struct mm_notes notes = {0};
    struct mm_row_source source;
    char *temporary = NULL;
    FILE *file = NULL;
    int status = 0;

    run.experiment = mm_experiment_open(path, &err);
    if (!run.experiment)
        return mm_complain(&err);
    source = mm_row_source_of(run.experiment);
    if (mm_contexts_walk(&source, NULL, &dual, &contexts, &err))
        status = mm_complain(&err);
    if (!status && !(file = open_output(output, &temporary)))
        status = mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(output), strerror(errno));
    if (!status) {
        run.contexts = contexts;
        run.dual = dual;
        status = 1;
        if (format == FOLDED)
            status = write_stacks(file, run.experiment, is_stacks, &err);
        if (status > 0)
            status = write_format(file, format, &run, &notes, &err);
        if (status)
            status = mm_complain(&err);
        status = close_output(file, temporary, output, status);
    }
    mm_print_notes(&notes);
    mm_notes_done(&notes);
    free(temporary);
    mm_contexts_free(contexts);
    mm_dual_free(dual);
    mm_experiment_free(run.experiment);
    return status;
}

static int export_csv(char *path, const char *output)
{
    char *argv[] = {path, (char *)"--csv", NULL}, *temporary = NULL;
    FILE *file = open_output(output, &temporary);
    int status, kept = -1;

    if (!file) {
        status = mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(output), strerror(errno));
    } else {
        if (file != stdout) {
            fflush(stdout);
            kept = dup(STDOUT_FILENO);
            dup2(fileno(file), STDOUT_FILENO);
        }
        status = mm_verb_run(&mm_verb_records, 2, argv);
        if (kept >= 0) {
            fflush(stdout);
            dup2(kept, STDOUT_FILENO);
            close(kept);
        }
        status = close_output(file, temporary, output, status);
    }
    free(temporary);
    return status;
}

/* --- Extra-P -------------------------------------------------------------- */

/* Make a file name: replace characters that folders or shells treat specially by
 * underscores. */
static void file_name(const char *text, char *name, size_t size)
{
    size_t i = 0;

    for (; text[i] && i + 1 < size; i++)
        name[i] = strchr("/\\ \t\n\"'*?:<>|", text[i]) || (unsigned char)text[i] < 0x20
                      ? '_'
                      : text[i];
    name[i] = 0;
}

/* The folder of output files and the names used so far in it. */
struct folder {
    const char *path;
    char **names; /* [count] names used */
    size_t count;
};

static int is_taken(const struct folder *folder, const char *name)
{
    for (size_t i = 0; i < folder->count; i++)
        if (strcmp(folder->names[i], name) == 0)
            return 1;
    return 0;
}

/* Return `wanted`, or `wanted` with a number appended if that name is used. Borrowed;
 * NULL: out of memory. */
static const char *take_name(struct folder *folder, const char *wanted)
{
    char *name = strdup(wanted);

    for (unsigned number = 2; name && is_taken(folder, name); number++) {
        free(name);
        if (asprintf(&name, "%s_%u", wanted, number) < 0)
            name = NULL;
    }
    if (!name || cca_array_reserve(&folder->names, folder->count, sizeof(char *))) {
        free(name);
        return NULL;
    }
    return folder->names[folder->count++] = name;
}

/* Write the samples of one method and mode. `by_class`: other classes have the method,
 * too, so the file name includes the class. */
static int write_points(const struct mm_points *points, const union monitor_value *modes,
                        int by_class, struct folder *folder, size_t most)
{
    char mode[160], plain[460], wanted[460], *path = NULL, *temporary = NULL;
    const char *name;
    int binned = 0, status;
    FILE *file;

    mm_mode_print(points->method, modes, mode, sizeof mode);
    snprintf(plain, sizeof plain, "%.150s%s%.80s%s%.150s", points->method->name,
             by_class ? "_" : "", by_class ? points->method->class_name : "",
             *mode ? "_" : "", mode);
    file_name(plain, wanted, sizeof wanted);
    name = take_name(folder, wanted);
    if (!name || asprintf(&path, "%s/%s.jsonl", folder->path, name) < 0)
        return mm_no_memory();
    file = open_output(path, &temporary);
    if (!file)
        status = mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path), strerror(errno));
    else
        status = close_output(
            file, temporary, path,
            mm_export_extra_p(file, points, modes, most, &binned) ? mm_no_memory() : 0);
    if (!status && binned)
        fprintf(stderr, "mastermind: note: %s: sizes are in 32 bins a parameter\n",
                mm_safe(path));
    free(temporary);
    free(path);
    return status;
}

static int has_parameters(const struct mm_method_info *method)
{
    for (size_t i = 0; i < method->in_count; i++)
        if (method->values[i].kind == MONITOR_PARAM)
            return 1;
    return 0;
}

static int has_other_class(const struct mm_library *library, size_t at)
{
    const struct mm_method_info *method = library->sets[at].method;

    for (size_t i = 0; i < library->count; i++)
        if (strcmp(library->sets[i].method->name, method->name) == 0 &&
            strcmp(library->sets[i].method->class_name, method->class_name) != 0)
            return 1;
    return 0;
}

static int export_extra_p(char *const *paths, int count, const char *path,
                          const char *glob, size_t most)
{
    struct folder folder = {.path = path};
    struct mm_input input;
    int status, written = 0;

    if (!path)
        return mm_refuse(MM_EXIT_MISUSE, "export extra-p takes -o DIR");
    status = mm_input_open(&input, paths, count, NULL);
    if (status < 0 && mkdir(path, 0777) && errno != EEXIST)
        status = mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path), strerror(errno));
    if (status < 0) {
        struct cca_error err = {0};
        struct mm_library *library = mm_library_new(input.profiles, input.count, &err);

        status = library ? 0 : mm_complain(&err);
        for (size_t i = 0; library && i < library->count && !status; i++) {
            const struct mm_model_set *set = &library->sets[i];

            if ((glob && fnmatch(glob, set->method->name, 0)) ||
                !has_parameters(set->method))
                continue;
            for (size_t m = 0; m < set->model_count && !status; m++, written++)
                status = write_points(&set->points, set->models[m].modes,
                                      has_other_class(library, i), &folder, most);
        }
        if (!status && !written)
            status = mm_refuse(MM_EXIT_NO, "no method%s%s has parameters",
                               glob ? " that matches " : "", glob ? mm_safe(glob) : "");
        mm_library_free(library);
    }
    for (size_t i = 0; i < folder.count; i++)
        free(folder.names[i]);
    free(folder.names);
    mm_input_done(&input);
    return status;
}

/* --- The verb ------------------------------------------------------------- */

static int export_formats_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    double calls = 20;
    const char *output, *glob;
    int result = mm_option_count(&options[CALLS], 1, &calls), format = 0;

    if (result >= 0)
        return result;
    while (strcmp(args->format, names[format]) != 0)
        format++;
    output = cca_given_value(&options[OUTPUT]);
    glob = cca_given_value(&options[METHOD]);
    if (format == EXTRA_P && args->count > 0)
        return export_extra_p(args->words, args->count, output, glob, (size_t)calls);
    if (args->count != 1)
        return mm_refuse(MM_EXIT_MISUSE, "export %s takes one experiment, found %d",
                         args->format, args->count);
    if (glob || options[CALLS].given)
        return mm_refuse(MM_EXIT_MISUSE, "--method and --calls go with extra-p");
    if (options[STACKS].given && format != FOLDED)
        return mm_refuse(MM_EXIT_MISUSE, "--stacks goes with folded");
    return format == CSV ? export_csv(args->words[0], output)
                         : export_run((enum format)format, args->words[0], output,
                                      options[STACKS].given);
}

const struct cca_verb mm_verb_export_formats = {
    .name = "export",
    .formats = names,
    .examples =
        "mastermind export folded shock-1.mm | flamegraph.pl > flames.svg\n"
        "mastermind export chrome shock-1.mm -o trace.json\n"
        "mastermind export extra-p sweep/*.mm -o measurements --method 'flux.*'\n",
    .about = "Write a run in a format of other tools (docs/guide/results.md):\n"
             "\n"
             "  folded       collapsed stacks, exclusive microseconds: flamegraph.pl, "
             "inferno;\n"
             "               without recorded calls, sampled stacks\n"
             "  speedscope   calling contexts for speedscope\n"
             "  chrome       every row as a trace event: Perfetto, chrome://tracing, "
             "speedscope\n"
             "  callgrind    methods and their callers: callgrind_annotate, KCachegrind\n"
             "  caliper      json-split, calling contexts by rank: Hatchet\n"
             "  openmetrics  calls and histograms for Prometheus\n"
             "  csv          every row, as `mastermind records` has it\n"
             "  extra-p      JSON lines of single calls, a file for each method and mode "
             "in the\n"
             "               directory of -o; several runs are pooled\n",
    CCA_OPTIONS(option_table),
    .run = export_formats_verb,
};
