/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_record.c: run a program with interposition libraries for functions that it
 * calls. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/directory.h"
#include "common/loadable.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/job.h"
#include "mastermind/library/launch/launch.h"
#include "mastermind/cmd/record/preloads.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/cmd/record/record_messages.h"
#include "mastermind/format/clock.h"
#include "mastermind/format/experiment_path.h"
#include "mastermind/format/run_notes.h"
#include "mastermind/format/storage.h"
#include "mastermind/reader/experiment.h"
#include "mastermind/writer/given.h"
#include "mesh/agent/start.h"
#include "ports/recording_options.h"

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

/* --- The program ---------------------------------------------------------- */

/* Find the program like a shell. Returns 0 or an errno. */
static int find_program(const char *name, char path[PATH_MAX])
{
    const char *list = getenv("PATH");
    int found = ENOENT;

    if (strchr(name, '/')) {
        snprintf(path, PATH_MAX, "%s", name);
        return access(path, X_OK) == 0 ? 0 : errno;
    }
    for (list = list ? list : "/bin:/usr/bin"; list; list = strchr(list, ':')) {
        list += *list == ':';
        snprintf(path, PATH_MAX, "%.*s%s%s", (int)strcspn(list, ":"), list,
                 *list && *list != ':' ? "/" : "./", name);
        if (access(path, X_OK) == 0)
            return 0;
        if (errno == EACCES)
            found = EACCES;
    }
    return found;
}

int mm_record_finds(const char *name)
{
    char path[PATH_MAX];

    return find_program(name, path) == 0;
}

/* The reason why libraries cannot be preloaded into the program, or NULL. */
static const char *why_not(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    const char *why = cca_loadable_refusal(path);

    if (file < 0)
        return why;
    if (!why && fstat(file, &status) == 0 &&
        (((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
         ((status.st_mode & S_ISGID) && status.st_gid != getgid()) ||
         (geteuid() != 0 && fgetxattr(file, "security.capability", NULL, 0) > 0)))
        why = "it runs with the rights of another user";
    close(file);
    return why;
}

static int is_free(const char *path)
{
    int empty = cca_directory_is_empty(path);

    return empty > 0 || empty == -ENOENT;
}

/* Refuse a path of the experiment that is too long for its files. Returns 0 or an exit
 * code. `experiment` NULL: PROGRAM-N.mm in the working directory. */
static int check_path(const char *experiment, const char *program)
{
    const char *slash = strrchr(program, '/');
    char *cwd = getcwd(NULL, 0);
    size_t length = experiment ? strlen(experiment)
                               : strlen(slash ? slash + 1 : program) + strlen("-1.mm");

    if (cwd && (!experiment || *experiment != '/'))
        length += strlen(cwd) + 1;
    free(cwd);
    if (length <= MM_EXPERIMENT_PATH_MOST)
        return 0;
    return mm_refuse(MM_EXIT_SYSTEM,
                     "cannot make an experiment directory: its full path has %zu bytes, "
                     "expected at most %d",
                     length, MM_EXPERIMENT_PATH_MOST);
}

static int set_job(const struct mm_job *job)
{
    char text[sizeof job->name + 32];

    snprintf(text, sizeof text, "%d %d %s", job->rank, job->ranks, job->name);
    return setenv("MASTERMIND_RECORD_JOB", text, 1);
}

/* Set the environment for the recorder's library in process `pid`. Returns 0 or an exit
 * code. */
static int set_environment(const struct mm_preloads *preloads, const struct mm_job *job,
                           const char *experiment, int children, pid_t pid)
{
    const char *before = getenv("LD_PRELOAD");
    char *all = NULL, *cwd = getcwd(NULL, 0), *path = NULL, process[24], since[48];
    int failed;

    snprintf(process, sizeof process, "%ld", (long)pid);
    /* CPU time so far belongs to the program's process if this one becomes it */
    snprintf(since, sizeof since, "%lld %lld", (long long)cca_clock_ns(CLOCK_MONOTONIC),
             pid == getpid() ? (long long)cca_clock_ns(CLOCK_PROCESS_CPUTIME_ID) : 0LL);
    failed = asprintf(&all, "%s%s%s", preloads->text, before && *before ? ":" : "",
                      before ? before : "") < 0 ||
             setenv("LD_PRELOAD", all, 1) || setenv("MASTERMIND_RECORD", process, 1) ||
             setenv("MASTERMIND_RECORD_SINCE", since, 1) ||
             setenv("MASTERMIND_RECORD_CHILDREN", children ? "1" : "0", 1) ||
             unsetenv("MASTERMIND_RECORD_EXPERIMENT") ||
             unsetenv("MASTERMIND_RECORD_JOB") ||
             (cwd && setenv("MASTERMIND_RECORD_DIRECTORY", cwd, 1));
    if (!failed && job->flavour)
        failed = set_job(job);
    if (!failed && experiment)
        failed = !cwd ||
                 asprintf(&path, "%s%s%s", *experiment == '/' ? "" : cwd,
                          *experiment == '/' ? "" : "/", experiment) < 0 ||
                 setenv("MASTERMIND_RECORD_EXPERIMENT", path, 1);
    free(all);
    free(cwd);
    free(path);
    return failed ? mm_no_memory() : 0;
}

static int refuse_run(const char *program, int error)
{
    return mm_refuse(error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE, "cannot run '%s': %s",
                     mm_safe(program), strerror(error));
}

/* Refuse, or with `may_run` mention, a program into which nothing can be preloaded.
 * Returns 0 or an exit code. */
static int check_recordable(const char *program, const char *path, int may_run)
{
    const char *why = why_not(path);

    if (why && !may_run)
        return mm_refuse(MM_EXIT_INPUT,
                         "cannot record '%s': %s, so nothing can be preloaded",
                         mm_safe(program), why);
    if (why)
        mm_refuse(0, "no calls of '%s' are recorded: %s, so nothing can be preloaded",
                  mm_safe(program), why);
    return 0;
}

/* Replace this process by the program; returns an exit code if that fails. */
static int run_program(char **program, int may_run)
{
    char path[PATH_MAX];
    int error = find_program(program[0], path),
        result = error ? 0 : check_recordable(program[0], path, may_run);

    if (result)
        return result;
    if (!error) {
        execv(path, program);
        error = errno;
        /* exec fails for a script without a "#!" line, which shells run */
        if (error == ENOEXEC) {
            execvp(program[0], program);
            error = errno;
        }
    }
    return refuse_run(program[0], error);
}

static void ignore(int number)
{
    (void)number;
}

/* Let writing fail at a limit on the size of files, which would end this process. Unlike
 * SIG_IGN a handler does not reach the program. */
static void survive_limits(void)
{
    struct sigaction now, own = {.sa_handler = ignore};

    if (!sigaction(SIGXFSZ, NULL, &now) && now.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &own, NULL);
}

/* --- The verb ------------------------------------------------------------- */

enum {
    LIBRARY,
    ONLY,
    EXCEPT,
    SIDECAR,
    FUNCTIONS,
    MEMORY,
    SUGGEST,
    TRY,
    DISPATCH,
    NO_ROWS,
    STACKS,
    NO_REPORT,
    LIST,
    JSON,
    PROXY,
    MPI,
    CHILDREN,
    RECORDING /* index of the first recording option */
};

static const struct cca_option option_table[] = {
    [LIBRARY] =
        {"--library", "LIST",
         "record the program's calls of these libraries: z for libz.so.1, patterns ('*': "
         "all but those of the system). Their headers are found, proxies are made once "
         "and kept; the report is printed on standard error"},
    [ONLY] = {"--only", "LIST",
              "of all that is recorded, only functions and regions that match these "
              "patterns; may be repeated"},
    [EXCEPT] = {"--except", "LIST", "nor those that match these; may be repeated"},
    [SIDECAR] = {"--sidecar", "FILE",
                 "marks for the header that it names, in place of those proposed; may be "
                 "repeated"},
    [FUNCTIONS] = {"--functions", "LIST",
                   "record functions of the program, by patterns ('*': all), and of its "
                   "libraries: libz.so.1/deflate*. It need not be rebuilt; with -g, "
                   "calls have parameters. The report is printed, too"},
    [MEMORY] = {"--memory", NULL,
                "record how many bytes each call allocates, and the peak of resident "
                "memory of each outermost one (those of main count as outermost): the "
                "metrics ALLOCATED_BYTES, ALLOCATIONS and PEAK_BYTES"},
    [SUGGEST] = {"--suggest", NULL,
                 "with --library: try all numbers of each call, and print which marks "
                 "the run supports"},
    [TRY] = {"--try", "SETTING",
             "draw a setting of the recorded libraries for each call, to measure what "
             "it costs: threads=1,2 (of OpenBLAS, or of OpenMP), ksp=cg,gmres and "
             "pc=icc,jacobi (types of PETSc's solvers; needs no --library); may be "
             "repeated: all pairs"},
    [DISPATCH] = {"--dispatch", "FILE",
                  "choose the setting of a library in each call by these rules, which "
                  "`mastermind choose --dispatch` writes; may be repeated"},
    [NO_ROWS] = {"--no-rows", NULL,
                 "with --dispatch: record nothing, the program only follows the rules"},
    [STACKS] = {"--stacks", NULL,
                "print the calls as a tree, too, with the CPU time of each with all that "
                "it calls, from samples of the stack"},
    [NO_REPORT] = {"--no-report", NULL, "do not print it"},
    [LIST] = {"--list", NULL,
              "print the libraries that the program uses and their functions that could "
              "be recorded; run nothing"},
    [JSON] = {"--json", NULL, "print --list as one document, mastermind/record-list/1"},
    [PROXY] = {"--proxy", "DIR",
               "interpose these libraries: a directory that proxygen --interpose wrote "
               "to, or one library in it; may be repeated. Tables that the program wraps "
               "itself (proxygen --table) need none"},
    [MPI] = {"--mpi", "FLAVOUR",
             "record time inside MPI: openmpi, mpich or none (default: that of the "
             "launcher)"},
    [CHILDREN] =
        {"--children", NULL,
         "record processes that the program starts, too, each in its own experiment"},
};

/* Pass the value of every recording option to the recorder's library through the
 * environment. An option that is not given is unset, as it may come from a program that
 * is itself recorded. `metrics` has the metrics of all options, or is NULL. */
static int set_recording(const struct cca_given *options, const char *metrics)
{
    for (int i = 0; i < RECORDING_OPTIONS; i++) {
        char name[64] = "MASTERMIND_RECORD_";
        char *end = name + strlen(name);
        const char *value =
            i == RECORDING_METRICS ? metrics : cca_given_value(&options[i]);

        for (const char *c = recording_options[i].key; *c; c++)
            *end++ = (char)toupper((unsigned char)*c);
        *end = '\0';
        if (value ? setenv(name, value, 1) : unsetenv(name))
            return mm_no_memory();
    }
    return 0;
}

/* Check the values now: the recorder's library checks them too late, inside the
 * program. */
static int check_recording(const struct cca_given *options)
{
    const char *mode = cca_given_value(&options[RECORDING_STORAGE]);
    const char *limit = cca_given_value(&options[RECORDING_SIZE_LIMIT]);
    struct mm_storage storage;
    struct cca_error err = {0};
    int result = mm_clock_check(&err);

    for (int i = 0; i < RECORDING_OPTIONS && !result; i++)
        if (options[i].given && !*cca_given_value(&options[i]))
            result = cca_error_set(&err, -EINVAL, "%s needs %s", options[i].name,
                                   recording_options[i].value);
    if (mode && !result)
        result = mm_storage_parse(mode, &storage, &err);
    if (limit && !result)
        result = mm_storage_parse_limit(limit, &storage, &err);
    return result ? mm_complain(&err) : 0;
}

/* Set the environment for mesh profiles. Returns 0 or an exit code after a message. */
static int prepare_cells(const char *cells, const struct mm_job *job)
{
    struct cca_error err = {0};
    int rc;

    if (!cells)
        return 0;
    rc = mesh_agent_prepare(cells, job->flavour != NULL, &err);
    if (rc == -EINVAL)
        return mm_refuse(MM_EXIT_MISUSE, "%s", err.text);
    return rc ? mm_complain(&err) : 0;
}

static const char *const choice_names[] = {"MASTERMIND_RECORD_ONLY",
                                           "MASTERMIND_RECORD_EXCEPT"};

/* Pass the values of --only and --except on, each as one list. Returns 0 or an exit
 * code. */
static int set_choice(const struct cca_given *options)
{
    for (int i = 0; i < 2; i++) {
        const struct cca_given *option = &options[i ? EXCEPT : ONLY];
        char *list = NULL, *longer;
        int failed = 0;

        for (int k = 0; k < option->given && !failed; k++) {
            failed = asprintf(&longer, "%s%s%s", list ? list : "", list ? "," : "",
                              option->values[k]) < 0;
            free(list);
            list = failed ? NULL : longer;
        }
        failed |= (list ? setenv(choice_names[i], list, 1) : unsetenv(choice_names[i]));
        free(list);
        if (failed)
            return mm_no_memory();
    }
    return 0;
}

/* Make proxies for the requested libraries, and add them. */
static int add_libraries(struct mm_preloads *preloads, const struct cca_args *args,
                         const char *program, struct mm_record_proxies *proxies)
{
    const struct cca_given *options = args->options;
    struct mm_record_filter filter = {getenv(choice_names[0]), getenv(choice_names[1]),
                                      args->foreign, (size_t)args->foreign_count};
    char path[PATH_MAX];
    int result;

    if (!options[LIBRARY].given)
        return 0;
    if (find_program(program, path)) /* run_program reports the missing program */
        return 0;
    result = mm_record_libraries(options[LIBRARY].values, (size_t)options[LIBRARY].given,
                                 options[SIDECAR].values, (size_t)options[SIDECAR].given,
                                 path, &filter, options[SUGGEST].given, proxies);
    for (size_t i = 0; i < proxies->count && result == 0; i++)
        result = mm_preloads_add_proxy(preloads, proxies->folders[i]);
    return result;
}

static int set_functions(const struct cca_given *option, const char *program)
{
    char path[PATH_MAX];

    if (find_program(program, path)) /* run_program reports the missing program */
        return 0;
    return mm_record_functions(option->values, (size_t)option->given, path);
}

/* True if an option requests the recording of calls. */
static int is_requested(const struct cca_given *options)
{
    return options[LIBRARY].given || options[FUNCTIONS].given || options[PROXY].given ||
           mm_record_has_types(&options[DISPATCH], &options[TRY]);
}

/* True unless calls of libraries are requested: then a program into which nothing can be
 * preloaded runs, too, and has the table of its samples. */
static int may_run_unloaded(const struct cca_given *options)
{
    return !options[LIBRARY].given && !options[PROXY].given &&
           !mm_record_has_types(&options[DISPATCH], &options[TRY]);
}

/* How the program is run. */
struct run {
    const struct cca_args *args;
    const struct cca_given *options; /* options of `args` */
    char **words;
    char path[PATH_MAX];    /* path of the program's file, if `is_found` */
    const char *experiment; /* path of the experiment; NULL: the recorder chooses it */
    struct mm_job job;
    struct mm_preloads preloads;
    struct mm_record_proxies proxies;
    char *metrics;           /* metrics of all options, with commas between; NULL: none */
    struct mm_launch launch; /* the child that becomes the program; without a child, this
                                process becomes it */
    int is_found;
    int is_whole;  /* true to print the table of the whole run */
    int is_needed; /* true if the recorder must be loaded, whatever is printed */
    /* true if libraries can be preloaded into the program, or if the program is not
     * found */
    int is_loadable;
};

/* True for ranks of MPI that have recorded calls of MPI alone, without an option that
 * requests more: then the report is not printed below the table of the whole run. */
static int is_table_enough(const struct run *run, const char *path)
{
    struct cca_error ignored = {0};
    struct mm_experiment *experiment;
    int is_enough = run->is_whole && run->job.flavour;

    for (int i = 0; i < RECORDING_OPTIONS; i++)
        if (i != RECORDING_EXPERIMENT && run->options[RECORDING + i].given)
            is_enough = 0;
    experiment = is_enough ? mm_experiment_open(path, &ignored) : NULL;
    is_enough = experiment && !experiment->method_count;
    mm_experiment_free(experiment);
    return is_enough;
}

/* Report on a run that has ended. `experiment` NULL: the program made none; `notes` may
 * be NULL. */
static void report(const char *experiment, struct mm_whole *whole, const struct run *run,
                   const struct mm_run_notes *notes)
{
    const struct cca_given *options = run->options;
    int is_there = experiment && access(experiment, F_OK) == 0;

    if (!is_there && !run->is_whole)
        fprintf(stderr, "mastermind: no experiment %s%swas made%s%s\n",
                experiment ? mm_safe(experiment) : "", experiment ? " " : "",
                notes ? ": " : "",
                !notes            ? "" /* the program itself has reported the reason */
                : *notes->failure ? mm_safe(notes->failure)
                                  : "no call of a recorded function was seen");
    if (is_there && is_table_enough(run, experiment)) {
        mm_record_report(NULL, whole, 1, 0);
        fprintf(stderr, "calls of MPI by rank: mastermind report %s\n",
                mm_safe(experiment));
    } else if (!options[NO_REPORT].given)
        mm_record_report(is_there ? experiment : NULL, whole, run->is_whole,
                         options[STACKS].given && !run->is_whole);
    if (is_there && options[SUGGEST].given)
        mm_record_suggest(experiment, &run->proxies, NULL);
}

/* Set the environment of the recorder in process `pid`.
 *
 *   calls  in  experiment for the calls of all functions; NULL: none
 *   notes  in  path of the run's notes; NULL: there are none
 *
 * Returns 0 or an exit code. */
static int set_recorder(struct run *run, pid_t pid, const char *calls, const char *notes)
{
    const struct cca_given *options = run->options;
    const char *reported = calls ? "calls" : run->is_whole ? "whole" : "1";

    if (run->is_whole && !run->is_needed && !calls)
        return 0;
    /* processes that a static program starts may be recorded */
    if (!run->is_loadable &&
        !(options[CHILDREN].given && cca_loadable_is_static(run->path)))
        return 0;
    if (run->launch.pid && !options[NO_REPORT].given &&
        setenv("MASTERMIND_RECORD_REPORTED", reported, 1))
        return mm_no_memory();
    if (notes && setenv("MASTERMIND_RECORD_NOTES", notes, 1))
        return mm_no_memory();
    return set_environment(&run->preloads, &run->job, calls ? calls : run->experiment,
                           options[CHILDREN].given, pid);
}

/* Prepare the table of the whole run: samples, or, where they are denied, times of all
 * functions. */
static void prepare_whole(struct run *run, struct mm_whole *whole)
{
    struct cca_error err = {0};

    mm_whole_sample(whole, run->launch.pid, 0, MM_STACKS_PLAIN, NULL);
    if (whole->sampler || run->is_needed || !whole->is_recordable ||
        !mm_whole_time_calls(whole, &err))
        return;
    mm_whole_forget_calls(whole);
    snprintf(whole->untimed, sizeof whole->untimed, "%.190s", err.text);
}

/* Keep a run without recorded calls as an experiment of one row, if -o names
 * one: CPU time and memory, for diff and race. 1: it was made. */
static int keep_whole(const struct run *run, struct mm_whole *whole)
{
    const struct rusage *usage = &whole->usage;
    const struct mm_given_whole kept = {
        .command = (const char *const *)run->words,
        .cpu_ns = 1000000000LL * (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
                  1000LL * (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec),
        .wall_ns = whole->wall_ns,
        .peak_bytes = 1024LL * usage->ru_maxrss};
    struct cca_error err = {0};

    if (!run->experiment || !WIFEXITED(whole->status) || !is_free(run->experiment))
        return 0;
    if (mm_given_whole_write(run->experiment, &kept, &err)) {
        mm_refuse(0, "the run is not kept: %s", err.text);
        return 0;
    }
    return 1;
}

/* Write the stacks of a run whose calls are recorded. */
static int keep_stacks(const char *experiment, struct mm_whole *whole,
                       struct cca_error *err)
{
    if (whole->sampler && (mm_callers_read(&whole->callers, whole->sampler) ||
                           mm_callers_name(&whole->callers)))
        return cca_no_memory(err);
    return mm_record_keep_stacks(experiment, &whole->callers, err);
}

/* Run the program in the child, and report. Returns an exit code. */
static int watch(struct run *run)
{
    struct mm_whole whole = {.program = run->path,
                             .words = run->words,
                             .ranks = run->job.flavour ? run->job.ranks : 0,
                             .is_recordable = !why_not(run->path),
                             .is_tree = run->options[STACKS].given};
    char **here = mm_record_environment(), *found = NULL, path[40];
    struct mm_run_notes *notes = mm_run_notes_make(path);
    const char *experiment = run->experiment;
    int is_other = run->job.flavour && run->job.rank > 0; /* rank 0 prints its table */
    struct cca_error err = {0};
    int result = here ? 0 : mm_no_memory(), error = 0, status = 0, is_kept;

    if (!result && run->is_whole)
        prepare_whole(run, &whole);
    else if (!result && !run->job.flavour)
        mm_whole_sample(&whole, run->launch.pid, 1,
                        !run->options[FUNCTIONS].given ? MM_STACKS_PLAIN
                        : run->options[STACKS].given   ? MM_STACKS_RECORDED
                                                       : MM_STACKS_NONE,
                        notes);
    if (!result)
        result = set_recorder(run, run->launch.pid, whole.calls, notes ? path : NULL);
    if (!result) {
        mm_record_watch(run->launch.pid);
        mm_record_count(run->metrics);
        mm_whole_begin(&whole, run->launch.pid);
        error = mm_launch_program(&run->launch, run->path, run->words, SIGKILL);
        result = error ? refuse_run(run->words[0], -error) : 0;
    }
    environ = here ? here : environ;
    if (!result) {
        mm_whole_wait(&whole, run->launch.pid);
        mm_record_count_end();
        if (!experiment && run->job.flavour && !is_other)
            experiment = found = mm_record_of_job(&run->job);
        if (experiment && run->job.flavour && !is_other && access(experiment, F_OK) == 0)
            mm_record_wait(experiment, &run->job, whole.status);
        if (experiment && !run->job.flavour)
            mm_record_keep_end(experiment, whole.status, notes);
        if (!run->is_whole && !run->job.flavour && experiment &&
            access(experiment, F_OK) == 0 &&
            (mm_record_join(experiment, &whole, run->launch.pid, &err) ||
             keep_stacks(experiment, &whole, &err)))
            mm_refuse(0, "samples are lost: %s", err.text);
        status = whole.status;
        if (run->is_whole &&
            (mm_whole_collect(&whole) ||
             (run->job.flavour && !is_other && mm_whole_join_ranks(&whole, &run->job))))
            mm_no_memory();
        is_kept = run->is_whole && !run->job.flavour && keep_whole(run, &whole);
        if (is_other)
            mm_whole_hand_over(&whole, &run->job);
        else
            report(is_kept ? NULL : experiment, &whole, run, notes);
        /* after the table, which looks up places in the source */
        if (is_kept &&
            (mm_callers_name(&whole.callers) || mm_whole_keep(&whole, experiment, &err)))
            mm_refuse(0, "samples are lost: %s", err.text);
        mm_record_print_counts();
        free(found);
    }
    mm_record_watch(0);
    mm_whole_done(&whole);
    return result ? result : mm_record_end_as(status);
}

/* Check the options, and prepare all that the program is to load. Returns 0 or an exit
 * code. */
static int prepare(struct run *run)
{
    const struct cca_given *options = run->options;
    const char *program = run->words[0], *experiment = run->experiment,
               *flavour = options[MPI].given ? options[MPI].values[0] : run->job.flavour;
    int messages = mm_record_messages(
        &run->job, cca_given_value(&options[RECORDING + RECORDING_MESSAGES]),
        cca_given_value(&options[RECORDING + RECORDING_MPI_TIME]), flavour);
    int result = messages < 0 ? -messages : mm_preloads_add_runtime(&run->preloads);

    for (int i = 0; i < options[PROXY].given && result == 0; i++)
        result = mm_preloads_add_proxy(&run->preloads, options[PROXY].values[i]);
    if (result == 0)
        result = set_choice(options);
    if (result == 0)
        result =
            mm_record_choice(&options[DISPATCH], &options[TRY], options[NO_ROWS].given);
    if (result == 0 && mm_record_has_types(&options[DISPATCH], &options[TRY]))
        result = mm_preloads_add_petsc(&run->preloads);
    if (result == 0)
        result = add_libraries(&run->preloads, run->args, program, &run->proxies);
    if (result == 0)
        result =
            mm_preloads_add_mpi(&run->preloads, flavour, options[MPI].given || messages);
    if (result == 0)
        result =
            mm_record_metrics(cca_given_value(&options[RECORDING + RECORDING_METRICS]),
                              options[MEMORY].given, &run->metrics);
    if (result == 0)
        result = mm_preloads_add_measuring(&run->preloads, run->metrics);
    if (result == 0 && experiment && !is_free(experiment) &&
        !mm_job_owns(&run->job, experiment))
        result = mm_refuse(MM_EXIT_MISUSE,
                           "cannot make experiment directory '%s': it exists and is not "
                           "an empty directory",
                           mm_safe(experiment));
    if (result == 0)
        result = check_path(experiment, program);
    if (result == 0)
        result = check_recording(options + RECORDING);
    if (result == 0)
        result = prepare_cells(cca_given_value(&options[RECORDING + RECORDING_CELLS]),
                               &run->job);
    if (result == 0)
        result = set_recording(options + RECORDING, run->metrics);
    if (result == 0 && run->is_loadable)
        result = set_functions(&options[FUNCTIONS], program);
    return result;
}

/* True where this process stays beside the program, to report at its end. */
static int is_watched(const struct run *run)
{
    const struct cca_given *options = run->options;

    return run->is_found &&
           (run->is_whole || ((!run->job.flavour || run->job.rank == 0) &&
                              (options[LIBRARY].given || options[FUNCTIONS].given ||
                               mm_record_has_types(&options[DISPATCH], &options[TRY])) &&
                              !options[NO_ROWS].given &&
                              (!options[NO_REPORT].given || options[SUGGEST].given)));
}

static int run_record(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    char **program = args->command;
    struct run run = {.args = args,
                      .options = options,
                      .words = program,
                      .experiment =
                          cca_given_value(&options[RECORDING + RECORDING_EXPERIMENT]),
                      .launch = {.fd = -1}};
    struct cca_error err = {0};
    char *named = NULL;
    int result = 0;

    mm_job_find(&run.job);
    run.is_found = !find_program(program[0], run.path);
    run.is_loadable = !run.is_found || !why_not(run.path);
    run.is_whole =
        !options[NO_REPORT].given &&
        (!is_requested(options) || (!run.is_loadable && may_run_unloaded(options)));
    if (run.is_found && run.is_whole)
        run.is_needed = mm_record_is_needed(run.path, options + RECORDING,
                                            options[CHILDREN].given ||
                                                options[MPI].given || run.job.flavour);
    unsetenv("MASTERMIND_RECORD_REPORTED");
    unsetenv("MASTERMIND_RECORD_NOTES");
    if (is_watched(&run) && mm_launch_begin(&run.launch, NULL, NULL, &err))
        result = mm_refuse(MM_EXIT_SYSTEM, "%s", err.text);
    if (result == 0 && run.is_found &&
        (!may_run_unloaded(options) ||
         (run.launch.pid && (options[FUNCTIONS].given || options[CHILDREN].given))))
        result = check_recordable(program[0], run.path, may_run_unloaded(options));
    if (result == 0)
        result = prepare(&run);
    if (result == 0 && run.launch.pid && !run.experiment && !run.job.flavour &&
        !run.is_whole) {
        run.experiment = named = mm_record_free_name(program[0]);
        result = named ? 0 : mm_no_memory();
    }
    if (result == 0 && run.launch.pid) {
        result = watch(&run);
    } else if (result == 0) {
        result = set_recorder(&run, getpid(), NULL, NULL);
        if (result == 0)
            result = run_program(program, may_run_unloaded(options));
    }
    mm_launch_end(&run.launch);
    mm_record_proxies_done(&run.proxies);
    free(named);
    free(run.metrics);
    free(run.preloads.text);
    return result;
}

static int list_libraries(const struct cca_args *args)
{
    struct mm_record_filter filter = {.flags = args->foreign,
                                      .flag_count = (size_t)args->foreign_count};
    const char *program = args->command[0];
    char path[PATH_MAX];
    int error = find_program(program, path);

    return error ? refuse_run(program, error)
                 : mm_record_list(path, &filter, args->options[JSON].given);
}

static int record_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;

    if (args->count || !args->command_count)
        return mm_refuse(MM_EXIT_MISUSE, "found no program; expected record [options] -- "
                                         "PROGRAM [ARGUMENT]...");
    if (options[LIST].given)
        return list_libraries(args);
    if (options[JSON].given)
        return mm_refuse(MM_EXIT_MISUSE, "--json goes with --list");
    if (options[SUGGEST].given && !options[LIBRARY].given)
        return mm_refuse(MM_EXIT_MISUSE, "--suggest goes with --library");
    if (options[SIDECAR].given && !options[LIBRARY].given)
        return mm_refuse(MM_EXIT_MISUSE, "--sidecar goes with --library");
    if ((options[DISPATCH].given || options[TRY].given) && !options[LIBRARY].given &&
        !options[PROXY].given && !mm_record_has_types(&options[DISPATCH], &options[TRY]))
        return mm_refuse(MM_EXIT_MISUSE, "%s goes with --library or --proxy",
                         options[TRY].given ? "--try" : "--dispatch");
    if (options[NO_ROWS].given && !options[DISPATCH].given)
        return mm_refuse(MM_EXIT_MISUSE, "--no-rows goes with --dispatch");
    survive_limits();
    return run_record(args);
}

const struct cca_verb mm_verb_record = {
    .name = "record",
    .summary = "run a program and record its calls of library functions",
    .examples = "mastermind PROGRAM [ARGUMENT]...\n"
                "mastermind record --library z,fftw3 -- PROGRAM [ARGUMENT]...\n"
                "mastermind record --list -- PROGRAM\n"
                "mastermind record --proxy zproxy -- PROGRAM [ARGUMENT]...\n"
                "mpirun -n 4 mastermind record -- PROGRAM [ARGUMENT]...\n",
    .about = "Run a program and record its calls of library functions. Ranks behind "
             "mpirun are recorded in one experiment. Without an option, print where the "
             "CPU time of the program and of all that it starts went, by function: of "
             "any program, from samples of the kernel. `mastermind PROGRAM` does "
             "that.\n",
    .takes_command = 1,
    .foreign = mm_record_is_flag,
    .recording = RECORDING_OPTIONS,
    CCA_OPTIONS(option_table),
    .notes =
        "With --library and --list: -I DIR, -D NAME=VALUE, -U NAME, -include FILE and "
        "-isystem DIR as compilers have them; headers there are tried, too.\n\n"
        "The exit status is that of the program; 127: not found, 126: it cannot be "
        "run.\n",
    .run = record_verb,
};
