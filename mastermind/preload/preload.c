/* SPDX-License-Identifier: BSD-3-Clause */
/* preload.c: libmm_preload.so, which `mastermind record` loads into a program without
 * components: a recorder, its experiment directory, and the JSON files in it.
 *
 * Environment variables, set by `mastermind record`:
 *     MASTERMIND_RECORD             id of the process to record; others are left alone
 *     MASTERMIND_RECORD_CHILDREN    "1": each process records, into its own experiment
 *     MASTERMIND_RECORD_EXPERIMENT  directory to create, absolute; absent: PROGRAM-N.mm
 *     MASTERMIND_RECORD_DIRECTORY   place of PROGRAM-N.mm; absent: working directory
 *     MASTERMIND_RECORD_FUNCTIONS   patterns of the program's own functions
 *     MASTERMIND_RECORD_ONLY, MASTERMIND_RECORD_EXCEPT
 *                                   patterns of functions and regions to record, and not
 *                                   to record
 *     MASTERMIND_RECORD_ENTRIES     tables of functions that can begin with a jump,
 *                                   separated by ':'
 *     MASTERMIND_RECORD_JOB         "RANK RANKS NAME": one of the processes of a parallel
 *                                   job, which share an experiment
 *     MASTERMIND_RECORD_NOTES       memory for notes of all processes of the run:
 *                                   mastermind/format/run_notes.h
 *     MASTERMIND_RECORD_REPORTED    1: a report follows, which has the causes of unseen
 *                                   calls; "whole": a table of the whole run does;
 *                                   "calls": such a table, made of this experiment
 *     MASTERMIND_RECORD_SINCE       CLOCK_MONOTONIC when the program was started, and CPU
 *                                   time of its process before that, ns
 *     MASTERMIND_RECORD_STORAGE     storage of rows, as the Mastermind's parameter
 *                                   `storage`
 *     MASTERMIND_RECORD_SIZE_LIMIT  as its parameter `size_limit`
 *     MASTERMIND_RECORD_NO_ROWS     "1": nothing is recorded; settings of libraries are
 *                                   chosen all the same
 *     MASTERMIND_RECORD_DISPATCH    files of rules, separated by newlines, absolute
 *     MASTERMIND_RECORD_TRY         settings to try in each call, "threads=1,2"
 *     MASTERMIND_RECORD_METRICS     list of metrics; OPENMP, MPI_SPLIT, MEMORY and
 *                                   NAME=FILE:UNIT in it become counters of the rows
 *     MASTERMIND_RECORD_MESSAGES, MASTERMIND_RECORD_MPI_TIME
 *                                   read by the wrappers around MPI:
 *                                   messages/words/words.h
 *
 * The experiment begins with the first call of an interposed function or of MPI, in any
 * thread, and ends in order when the process exits; a program without such a call leaves
 * no experiment. */
#include "mastermind/preload/calls.h"
#include "mastermind/preload/choice/choice.h"
#include "mastermind/preload/entries.h"
#include "mastermind/preload/object.h"
#include "mastermind/preload/own.h"
#include "mastermind/preload/reserve.h"
#include "mastermind/preload/process/confined.h"
#include "mastermind/preload/process/processes.h"
#include "mastermind/preload/symbols.h"
#include "mastermind/preload/counters/times.h"
#include "mastermind/preload/trials.h"
#include "mastermind/preload/unseen.h"
#include "mastermind/preload/wiring.h"
#include "mastermind/writer/session/session.h"
#include "mastermind/writer/json_file.h"
#include "mastermind/writer/openmp.h"
#include "mastermind/writer/write_signals.h"
#include "mesh/agent/start.h"
#include "proxies/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

enum { MOST_NUMBERS = 1000000 };

static void report(void *context, const char *what, const struct cca_error *err);

/* A process has only one recorder: interposed functions have no argument that could
 * select one of several. */
static struct mm_session session = {.ranks = 1, .report = report};

static struct preload {
    pthread_mutex_t lock; /* serialises opening */
    struct interpose_library *libraries;
    int begun; /* true if the environment has been read */
    char *directory_at_start, *wanted;
    char *job; /* name of the job whose processes share the experiment; NULL: no job */
    /* times that the wrappers around MPI measure; NULL: no wrappers are loaded */
    const struct meas_mpi *mpi;
    int called_before; /* true if MPI or OpenMP was called before the environment was
                        * read */
    struct stat error_output; /* identity of file descriptor 2 at the start, as the
                               * program may redirect it */
    /* kind of entry of the function whose method was made last */
    enum mm_entry_kind entry;
    /* set of bits: kinds of entry whose cost has been measured */
    unsigned entries_measured;
    int64_t begin_ns; /* time from which on calls of the process could be recorded */
    /* time between the program's start and begin_ns; 0: unknown */
    int64_t load_ns;
    int64_t cpu_before_ns; /* CPU time of this process before the program's exec */
    int failed;            /* true if a failure was reported, and recording has stopped */
    int seen;              /* true if a library or table has registered */
    /* patterns of functions to record, from the environment; NULL: none */
    const char *patterns;
    /* true if `mastermind record` prints a report of the experiment after the run */
    int reported;
    /* true if `mastermind record` prints a table of the whole run */
    int whole;
    /* true if this library prints no messages, because `record` prints a table of the
     * run */
    int is_silent;
    /* true while the experiment exists only for functions that may be called later */
    int for_functions;
    int no_rows; /* true if nothing is recorded */
    /* number of calls of libraries' functions that got no row, because too many calls
     * were open; accessed by __atomic functions */
    uint64_t deep;
} preload = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- Messages ------------------------------------------------------------- */

static int may_speak(void)
{
    struct stat now;

    return !preload.is_silent && fstat(2, &now) == 0 &&
           now.st_dev == preload.error_output.st_dev &&
           now.st_ino == preload.error_output.st_ino;
}

__attribute__((format(printf, 1, 2))) static void print_line(const char *format, ...)
{
    struct mm_write_signals held;
    va_list args;

    if (!may_speak())
        return;
    mm_write_signals_hold(&held);
    fputs("mastermind: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    mm_write_signals_release(&held);
}

/* Report why there is no experiment: to `record` where that prints a report, else on
 * standard error. */
__attribute__((format(printf, 1, 2))) static void report_failure(const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!preload.reported || session.rank || session.directory.path ||
        mm_processes_failed(text))
        print_line("%s", text);
}

static void report(void *context, const char *what, const struct cca_error *err)
{
    (void)context;
    print_line("experiment %s: %s: %s", session.directory.shown, what, err->text);
}

/* --- The cost of measuring ------------------------------------------------ */

struct mm_aside mm_preload_aside(void)
{
    return (struct mm_aside){cca_clock_ns(CLOCK_MONOTONIC), mm_cost_thread_ns()};
}

void mm_preload_aside_done(const struct mm_aside *since)
{
    int64_t spent_ns = mm_cost_thread_ns() - since->cpu_ns;

    __atomic_add_fetch(&session.setup_ns, spent_ns, __ATOMIC_RELAXED);
    if (session.recorder && session.process == getpid())
        mm_recorder_spent(session.recorder,
                          cca_clock_ns(CLOCK_MONOTONIC) - since->wall_ns, spent_ns);
}

/* --- The experiment ------------------------------------------------------- */

/* Create the experiment directory `path`, alone or together with the other processes of
 * the job. */
static int make_at(const char *path, struct cca_error *err)
{
    return preload.job ? mm_directory_join(&session.directory, path, preload.job,
                                           session.rank, session.about, err)
                       : mm_directory_make(&session.directory, path, NULL, err);
}

/* Create PROGRAM-N.mm in the directory where the program was started. */
static int make_numbered(struct cca_error *err)
{
    int result = -EEXIST;

    for (int n = 1; n <= MOST_NUMBERS && result == -EEXIST; n++) {
        struct cca_error own = {0};
        char *wanted;

        if (asprintf(&wanted, "%s/%s-%d.mm", preload.directory_at_start,
                     program_invocation_short_name, n) < 0)
            return cca_no_memory(err);
        result =
            !preload.job && access(wanted, F_OK) == 0 ? -EEXIST : make_at(wanted, &own);
        free(wanted);
        if (result && result != -EEXIST)
            return cca_error_set(err, result, "%s", own.text);
    }
    return result ? cca_error_set(err, result,
                                  "no number is free for an experiment directory")
                  : 0;
}

/* Make the experiment's path relative to the initial working directory. */
static void shorten_name(void)
{
    size_t length = strlen(preload.directory_at_start);
    char *shown = session.directory.shown, *shorter;

    if (strncmp(shown, preload.directory_at_start, length) != 0 || shown[length] != '/')
        return;
    shorter = strdup(shown + length + 1);
    if (!shorter)
        return;
    free(shown);
    session.directory.shown = shorter;
}

static int describe(struct cca_error *err)
{
    int result = mm_wiring_init(&session.wiring)
                     ? cca_no_memory(err)
                     : mm_session_describe(&session, NULL, NULL, NULL, err);

    if (!result && ((session.mpi && mm_about_mpi(session.about, session.mpi)) ||
                    mm_times_about(session.about)))
        return cca_no_memory(err);
    return result;
}

static int start(struct cca_error *err)
{
    struct cca_error own = {0}, mesh = {0};
    int result = describe(err);

    if (result)
        return result;
    result = preload.wanted ? make_at(preload.wanted, &own) : -EEXIST;
    /* the process may have registered as this rank before exec, as another program, such
     * as a shell */
    if (result == -EEXIST)
        result = make_numbered(err);
    else if (result)
        cca_error_set(err, result, "%s", own.text);
    if (result)
        return result;
    shorten_name();
    mm_processes_experiment(session.process, session.directory.shown);
    result = mm_session_start(&session, mm_times_count(), err);
    if (result)
        mm_directory_remove(&session.directory);
    else if (mesh_agent_start(session.directory.rank_path, &mesh))
        report(NULL, "mesh profiles are lost", &mesh);
    return result;
}

static int on_start(void *context, struct cca_error *err)
{
    (void)context;
    return start(err);
}

static int on_method(void *context, uint32_t id, const struct monitor_method_decl *decl,
                     struct cca_error *err)
{
    (void)context;
    return getpid() == session.process
               ? mm_methods_add(&session.methods, session.directory.rank_path, id,
                                preload.entry, decl, err)
               : 1;
}

static const int64_t *mpi_time(void *context)
{
    (void)context;
    return session.mpi ? session.mpi->thread_ns() : NULL;
}

static void new_recorder(struct cca_error *err)
{
    /* A helper thread would call the C library outside of any call: if the C library is
     * interposed, that would be recorded. */
    struct mm_recorder_options options = {
        .on_start = on_start,
        .on_method = on_method,
        .mpi_time = mpi_time,
        .read_counters = mm_times_count() ? mm_times_read : NULL,
        .read_outer = mm_times_are_outer() ? mm_times_read_outer : NULL,
        .packing = MM_PACK_CALLER};

    if (mm_session_store(&session, getenv("MASTERMIND_RECORD_STORAGE"),
                         getenv("MASTERMIND_RECORD_SIZE_LIMIT"), err))
        return;
    options.storage = session.storage;
    session.recorder = mm_recorder_new(&options, err);
}

/* --- The first call of MPI, the first region of OpenMP -------------------- */

/* Start recording here: a program may call nothing else, and may be killed at any
 * time. */
static void on_first_event(void)
{
    struct mm_aside aside = mm_preload_aside();
    struct cca_error err = {0};

    mm_interpose_busy++;
    pthread_mutex_lock(&preload.lock);
    preload.for_functions = 0;
    if (session.process == getpid() && !session.directory.path && !preload.failed) {
        if (!session.recorder)
            new_recorder(&err);
        if (err.code || start(&err)) {
            report_failure("nothing is kept of %s: %s", program_invocation_short_name,
                           err.text);
            preload.failed = 1;
        }
    }
    pthread_mutex_unlock(&preload.lock);
    mm_preload_aside_done(&aside);
    mm_interpose_busy--;
}

/* --- Start ---------------------------------------------------------------- */

static void print_choice(const char *line)
{
    print_line("%s", line);
}

static struct monitor_method *open_candidate(const struct interpose_library *library,
                                             const struct interpose_function *function,
                                             const char *candidate,
                                             struct cca_error *err);

static const struct mm_choice_calls choice_calls = {print_choice, mm_object_find_in,
                                                    open_candidate};

static int is_one(const char *name)
{
    const char *value = getenv(name);

    return value && strcmp(value, "1") == 0;
}

/* Parse the job "RANK RANKS NAME". */
static void parse_job(const char *text)
{
    int length = 0;

    if (text && sscanf(text, "%d %d %n", &session.rank, &session.ranks, &length) == 2 &&
        length)
        preload.job = strdup(text + length);
    if (!preload.job) {
        session.rank = 0;
        session.ranks = 1;
    }
}

/* Start the run's clock for OpenMP times here, because work before the first parallel
 * region counts as work without a team. */
static void begin_openmp(void)
{
    int told = mm_openmp_tell(on_first_event);

    if (told >= 0 && !session.start_ns)
        session.start_ns = cca_clock_ns(CLOCK_MONOTONIC);
    if (told > 0)
        preload.called_before = 1;
}

/* Read the environment once, with the lock held. */
static void begin(void)
{
    const char *process = getenv("MASTERMIND_RECORD");
    const char *wanted = getenv("MASTERMIND_RECORD_EXPERIMENT");
    const char *where = getenv("MASTERMIND_RECORD_DIRECTORY");
    const char *since = getenv("MASTERMIND_RECORD_SINCE");
    const char *reported = getenv("MASTERMIND_RECORD_REPORTED");
    int chosen = process && strtol(process, NULL, 10) == getpid();

    if (preload.begun)
        return;
    preload.begun = 1;
    preload.begin_ns = cca_clock_ns(CLOCK_MONOTONIC);
    preload.reported = chosen && is_one("MASTERMIND_RECORD_REPORTED");
    preload.whole = chosen && !preload.reported && reported;
    preload.is_silent = preload.whole && strcmp(reported, "calls") == 0;
    if (chosen && since) {
        char *rest;

        preload.load_ns = preload.begin_ns - strtoll(since, &rest, 10);
        preload.cpu_before_ns = strtoll(rest, NULL, 10);
    }
    if (process)
        mm_processes_begin(chosen, is_one("MASTERMIND_RECORD_CHILDREN"));
    if (!process || (!chosen && !is_one("MASTERMIND_RECORD_CHILDREN")))
        return;
    fstat(2, &preload.error_output);
    mm_choice_begin(&choice_calls);
    preload.no_rows = is_one("MASTERMIND_RECORD_NO_ROWS");
    if (preload.no_rows) {
        session.process = getpid();
        return;
    }
    preload.directory_at_start = where && *where ? strdup(where) : getcwd(NULL, 0);
    preload.wanted = chosen && wanted && *wanted ? strdup(wanted) : NULL;
    preload.patterns = getenv("MASTERMIND_RECORD_FUNCTIONS");
    if (preload.patterns &&
        !(*preload.patterns && (preload.patterns = strdup(preload.patterns))))
        preload.patterns = NULL;
    mm_times_find(getenv("MASTERMIND_RECORD_METRICS"));
    parse_job(chosen ? getenv("MASTERMIND_RECORD_JOB") : NULL);
    preload.mpi = dlsym(RTLD_DEFAULT, MEAS_MPI);
    if (preload.mpi) {
        preload.called_before = preload.mpi->tell_first_call(on_first_event);
        preload.mpi->enable(1);
        session.mpi = preload.mpi->is_timed() ? preload.mpi : NULL;
        /* times in MPI refer to the run from here on, not from the first row on */
        session.start_ns = cca_clock_ns(CLOCK_MONOTONIC);
    }
    begin_openmp();
    if (chosen && getenv("MASTERMIND_RECORD_CELLS")) /* needed by agents */
        preload.called_before = 1;
    if (preload.directory_at_start)
        session.process = getpid();
}

/* --- Functions for interposition libraries -------------------------------- */

/* Measure the cost of calls through this kind of entry, once in a run. */
static void measure_entry(enum mm_entry_kind entry)
{
    static mm_entry_function *const trials[MM_ENTRIES] = {
        [MM_ENTRY_INTERPOSER] = mm_interposer_trial,
        [MM_ENTRY_PATCHED] = mm_patched_trial,
        [MM_ENTRY_INSTRUMENTED] = mm_instrumented_trial,
        [MM_ENTRY_REGION] = mm_region_trial};
    struct mm_own *own = entry == MM_ENTRY_PATCHED        ? mm_patched_trial_own()
                         : entry == MM_ENTRY_INSTRUMENTED ? mm_instrumented_trial_own()
                         : entry == MM_ENTRY_REGION       ? mm_region_trial_own()
                                                          : NULL;

    if (preload.entries_measured & 1u << entry)
        return;
    preload.entries_measured |= 1u << entry;
    /* if this fails, the cost of a call through a proxy is used */
    if (own || entry == MM_ENTRY_INTERPOSER)
        mm_recorder_entry(session.recorder, entry, entry != MM_ENTRY_INSTRUMENTED,
                          trials[entry], own, NULL);
}

/* Make the recorder, and measure the cost of the library's kind of entry, unless both
 * were done. Returns 0 or -1. */
static int make_ready(const struct interpose_library *library, struct cca_error *err)
{
    if (!session.recorder)
        new_recorder(err);
    if (!session.recorder)
        return -1;
    preload.entry = mm_own_entry(library);
    measure_entry(preload.entry);
    return 0;
}

/* Open the method at the recorder for calls of a function with a candidate for its
 * library's setting; "": with none. */
static struct monitor_method *open_candidate(const struct interpose_library *library,
                                             const struct interpose_function *function,
                                             const char *candidate, struct cca_error *err)
{
    struct mm_names names;
    struct monitor_method_decl decl;
    struct monitor_port *recorder = mm_recorder_port(session.recorder);
    struct monitor_method *method;

    mm_names_find(library, function, &names);
    if (*candidate)
        mm_names_candidate(&names, candidate);
    decl = mm_names_decl(library, function, &names);
    method = recorder->method_open(recorder, &decl, err);
    if (method && mm_preload_wire(&session, library, &names.object, names.instance,
                                  decl.port, names.port_type, err))
        return NULL;
    return method;
}

static struct monitor_method *open_function(struct interpose_library *library,
                                            struct interpose_function *function,
                                            struct cca_error *err)
{
    struct monitor_port *port = NULL;
    struct monitor_method *method;
    struct mm_names names;

    mm_names_find(library, function, &names);
    if (!preload.no_rows) {
        if (make_ready(library, err))
            return NULL;
        preload.for_functions = 0;
        port = mm_recorder_port(session.recorder);
    }
    method = mm_choice_open(
        library, function,
        &(struct mm_choice_object){names.object.name, names.object.file, names.port_type},
        &port, err);
    if (!method && !err->code)
        method =
            preload.no_rows ? &interpose_off : open_candidate(library, function, "", err);
    /* always the same one: other threads may be in calls of the library */
    if (method && port)
        __atomic_store_n(&library->monitor, port, __ATOMIC_RELEASE);
    return method;
}

/* --- Functions that are known before they are called ---------------------- */

/* Make the experiment, and the methods of functions that will be patched. Returns 0 or a
 * negative errno. */
static int prepare(struct mm_own *const *functions, size_t count, struct cca_error *err)
{
    int is_first = !session.directory.path;

    if (make_ready(&functions[0]->library, err) ||
        mm_recorder_begin(session.recorder, err) < 0)
        return -1;
    preload.for_functions |= is_first;
    return mm_reserve_functions(&session, functions, count, err);
}

static void prepare_functions(struct mm_own *const *functions, size_t count)
{
    struct cca_error err = {0};

    pthread_mutex_lock(&preload.lock);
    begin();
    if (session.process && session.process == getpid() && !preload.failed &&
        prepare(functions, count, &err)) {
        preload.failed = 1;
        report_failure("functions are not recorded: %s", err.text);
    }
    pthread_mutex_unlock(&preload.lock);
}

/* The method of a function that is called for the first time gets its id. */
static void admit_function(struct mm_own *own)
{
    if (session.process == getpid()) /* not in a child made by vfork: it shares the memory
                                        of its parent, the recorded process */
        mm_reserve_admit(preload.failed ? NULL : session.recorder, own);
}

/* --- The beginning of the process ------------------------------------------ */

static void print_entry(const char *line)
{
    print_line("%s", line);
}

/* Patch the program's own functions so that they call the recorder. */
static void patch_entries(void)
{
    const char *tables = getenv("MASTERMIND_RECORD_ENTRIES"),
               *storage = getenv("MASTERMIND_RECORD_STORAGE");
    int may_rest = !storage || strcmp(storage, "rows") != 0; /* "rows" keeps all */

    const struct mm_entry_calls how = {prepare_functions, admit_function, print_entry};
    struct mm_aside aside = mm_preload_aside();

    if (session.process != getpid() || !tables || !preload.patterns)
        return;
    if (mm_entries_patch(tables, preload.patterns, may_rest, &how))
        mm_preload_has_own();
    mm_preload_aside_done(&aside);
}

static void confine(const char *why);

static pid_t memory_owner; /* the process to which this memory belongs */

static void own_memory(void)
{
    memory_owner = getpid();
}

/* Mark for the library around malloc where the recorder's preparations begin and end. */
static void mark_preparing(int begins)
{
    union {
        void *address;
        void (*call)(int begins);
    } mark = {dlsym(RTLD_DEFAULT, MEAS_MEMORY_PREPARE)};

    if (mark.address && getenv("MASTERMIND_RECORD"))
        mark.call(begins);
}

/* Functions called here, such as malloc, may be interposed. */
__attribute__((constructor)) static void begin_at_load(void)
{
    mm_interpose_busy++;
    mark_preparing(1);
    pthread_mutex_lock(&preload.lock);
    begin();
    pthread_mutex_unlock(&preload.lock);
    own_memory();
    mm_confined_call(confine);
    pthread_atfork(NULL, NULL, own_memory);
    if (preload.called_before)
        on_first_event();
    patch_entries();
    mark_preparing(0);
    mm_interpose_busy--;
}

/* --- Functions for interposition libraries: calls ---------------------------- */

/* True unless --only or --except leave the function out. Functions of the program's own
 * file were already chosen by their symbols. */
static int is_chosen(const struct interpose_library *library,
                     const struct interpose_function *function)
{
    enum mm_entry_kind entry = mm_own_entry(library);

    return entry == MM_ENTRY_PATCHED || entry == MM_ENTRY_INSTRUMENTED ||
           mm_symbol_is_chosen(function->name, function->name, function->name);
}

INTERPOSE_EXPORT void mm_preload_open(struct interpose_library *library,
                                      struct interpose_function *function)
{
    struct monitor_method *method = &interpose_off;
    struct cca_error err = {0};
    struct mm_aside aside;

    /* the reason was reported when the library registered */
    if (library->abi != INTERPOSE_ABI) {
        __atomic_store_n(&function->method, method, __ATOMIC_RELEASE);
        return;
    }
    aside = mm_preload_aside();
    pthread_mutex_lock(&preload.lock);
    if (function->method) {
        pthread_mutex_unlock(&preload.lock);
        return;
    }
    /* constructors of other libraries may call this before our own constructor has run */
    begin();
    if (session.process && session.process == getpid() && !preload.failed &&
        is_chosen(library, function)) {
        method = open_function(library, function, &err);
        if (!method) {
            preload.failed = err.code != 0;
            report_failure("%s is not recorded: %s", function->name,
                           err.code ? err.text : "the recorder refused");
            method = &interpose_off;
        }
    }
    __atomic_store_n(&function->method, method, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&preload.lock);
    mm_preload_aside_done(&aside);
}

int mm_preload_is_recorded(void)
{
    return __atomic_load_n(&session.process, __ATOMIC_RELAXED) != 0;
}

void mm_preload_has_own(void)
{
    preload.seen = 1;
}

INTERPOSE_EXPORT void *mm_preload_find(const char *symbol)
{
    return mm_object_find(symbol);
}

INTERPOSE_EXPORT int mm_preload_is_deep(void)
{
    if (!session.recorder || !mm_recorder_is_deep(session.recorder))
        return 0;
    __atomic_fetch_add(&preload.deep, 1, __ATOMIC_RELAXED);
    return 1;
}

INTERPOSE_EXPORT int *mm_preload_busy(void)
{
    return &mm_interpose_busy;
}

INTERPOSE_EXPORT void mm_preload_register(struct interpose_library *library)
{
    if (library->abi != INTERPOSE_ABI || library->size != sizeof *library) {
        print_line(
            "an interposition library or table proxy is of another version of proxygen; "
            "make it "
            "anew");
        return;
    }
    pthread_mutex_lock(&preload.lock);
    library->next = preload.libraries;
    preload.libraries = library;
    preload.seen = 1;
    pthread_mutex_unlock(&preload.lock);
}

/* --- The end -------------------------------------------------------------- */

/* Store a line about unseen calls for reports, and print it unless a report will. */
static void report_unseen(void *context, const char *line)
{
    json_t *lines = json_object_get(session.about, "not_seen");

    (void)context;
    if (!session.rank && !(preload.reported && session.about))
        print_line("%s", line);
    if (!session.about)
        return;
    if (!lines) {
        json_object_set_new(session.about, "not_seen", json_array());
        lines = json_object_get(session.about, "not_seen");
    }
    json_array_append_new(lines, mm_json_text(line));
}

/* Store the number of a suspended function's calls that were counted alone. */
static void store_count(const struct mm_own *own, uint64_t calls, int is_least)
{
    json_t *list = json_object_get(session.about, "counted_alone");

    if (!session.about)
        return;
    if (!list) {
        json_object_set_new(session.about, "counted_alone", json_array());
        list = json_object_get(session.about, "counted_alone");
    }
    json_array_append_new(list,
                          json_pack("{s:o, s:s, s:o, s:I, s:b}", "instance",
                                    mm_json_text(own->library.instance), "port",
                                    own->library.port, "method", mm_json_text(own->name),
                                    "calls", (json_int_t)calls, "is_least", is_least));
}

/* Remove a library from the list preload.libraries, and report its functions whose calls
 * were not seen: the library is about to be unloaded, or the program ends. */
INTERPOSE_EXPORT void mm_preload_forget(struct interpose_library *library)
{
    struct interpose_library **link = &preload.libraries;

    pthread_mutex_lock(&preload.lock);
    while (*link && *link != library)
        link = &(*link)->next;
    if (*link) {
        *link = library->next;
        if (session.process && session.process == getpid())
            mm_unseen_tell(library, report_unseen, NULL);
    }
    pthread_mutex_unlock(&preload.lock);
}

static void finish(void)
{
    struct mm_session_end end;
    struct mm_write_signals held;
    struct cca_error err = {0};
    char *line, *shown = NULL;

    mm_recorder_switch(session.recorder, 0);
    mm_session_close(&session, &end, &err);
    mm_reserve_write(&session, &err);
    if (mm_about_process(session.about, cca_clock_ns(CLOCK_MONOTONIC) - preload.begin_ns,
                         cca_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - preload.cpu_before_ns,
                         preload.load_ns) ||
        (session.mpi && mm_about_mpi(session.about, session.mpi)))
        cca_no_memory(&err);
    mm_session_finish(&session, preload.entry, &end, &err);
    if (err.code)
        report(NULL, "some measurements were not kept", &err);
    if (session.rank)
        return;
    if (preload.job &&
        asprintf(&shown, "%s, rank 0 of %d", session.directory.shown, session.ranks) < 0)
        shown = NULL;
    line = mm_about_line(shown ? shown : session.directory.shown, &end.stats, &end.cost);
    free(shown);
    mm_write_signals_hold(&held);
    if (line && may_speak())
        fprintf(stderr, "%s\n", line);
    mm_write_signals_release(&held);
    free(line);
}

/* Report that a rank has spawned MPI processes, which are not recorded here because they
 * belong to another job. */
static void report_spawned(void)
{
    static const char *const functions[] = {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple"};

    for (int i = 0; preload.mpi && preload.mpi->name(i); i++)
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
            int64_t calls = 0, ns;
            char line[160];

            if (strcmp(preload.mpi->name(i), functions[k]) == 0)
                preload.mpi->values(i, &calls, &ns);
            snprintf(
                line, sizeof line,
                "%lld call%s of %s: processes that it started are not in this experiment",
                (long long)calls, calls == 1 ? "" : "s", functions[k]);
            if (calls)
                report_unseen(NULL, line);
        }
}

/* Remove the experiment if it was made for functions that may be called, and none was
 * called. Returns 1 if it was removed. */
static int is_void(void)
{
    struct mm_recorder_stats stats;

    if (!preload.for_functions || preload.job)
        return 0;
    mm_recorder_stats(session.recorder, &stats);
    if (stats.methods)
        return 0;
    mm_reserve_remove();
    mm_directory_remove(&session.directory);
    return 1;
}

__attribute__((destructor)) static void leave(void)
{
    if (!session.process || session.process != getpid())
        return;
    mm_interpose_busy = 1;
    pthread_mutex_lock(&preload.lock);
    for (struct interpose_library *l = preload.libraries; l && !preload.no_rows;
         l = l->next)
        mm_unseen_tell(l, report_unseen, NULL);
    mm_choice_end();
    report_spawned();
    if (session.about && !session.rank)
        mm_processes_report(session.process, report_unseen, NULL);
    mm_tables_report(report_unseen, NULL);
    mm_rests_report(report_unseen, NULL);
    mm_rests_counts(store_count);
    mm_reserve_report(report_unseen, NULL);
    if (preload.deep) {
        char line[160];

        snprintf(line, sizeof line,
                 "%llu call%s of libraries' functions inside hundreds of others %s not "
                 "recorded: their wrappers could use up the stack",
                 (unsigned long long)preload.deep, preload.deep == 1 ? "" : "s",
                 preload.deep == 1 ? "is" : "are");
        report_unseen(NULL, line);
    }
    if (session.recorder)
        mm_recorder_dropped(session.recorder,
                            mm_slots_without() + mm_own_without() + preload.deep);
    if (session.about && session.directory.path && !is_void())
        finish();
    if (!preload.seen && !session.about && preload.patterns &&
        !getenv("MASTERMIND_RECORD_ENTRIES"))
        report_failure("nothing of %s was recorded: there is no table of its functions",
                       program_invocation_short_name);
    else if (!preload.seen && !session.about && preload.patterns)
        report_failure(
            "nothing of %s was recorded: none of its functions that can be recorded "
            "matches '%s'",
            program_invocation_short_name, preload.patterns);
    else if (!preload.seen && !session.about && !preload.whole)
        report_failure("nothing of %s was recorded: neither --library nor --proxy nor "
                       "--functions was given, and it marks no region and wraps no table",
                       program_invocation_short_name);
    session.process = 0;
    pthread_mutex_unlock(&preload.lock);
    mm_interpose_busy = 0;
}

/* End the recording before system calls are forbidden, or another process shares this
 * memory and its thread-local storage. */
static void confine(const char *why)
{
    char line[200];

    /* a child made by vfork has the memory of its parent */
    if (!session.process || memory_owner != getpid())
        return;
    snprintf(line, sizeof line, "%s: what comes after that is not recorded", why);
    if (session.process == getpid())
        report_unseen(NULL, line);
    leave();
    session.process = 0;
    mm_entries_disarm();
    mm_own_depth = 0;
}
