/* SPDX-License-Identifier: BSD-3-Clause */
/* mastermind.c: the component class Mastermind, which stores the calls that proxies
 * report in an experiment directory.
 *
 * The recorder stores the rows; this component creates the directory and writes the JSON
 * files. It starts when a proxy opens the first method: at that time the parameters are
 * set, and the application does not run yet. An assembly without proxies creates no
 * directory. */
#include "framework/cca.h"
#include "mastermind/export/tau_profile.h"
#include "mastermind/component/parts.h"
#include "mastermind/recorder/open_calls.h"
#include "mastermind/writer/messages.h"
#include "mastermind/writer/write_signals.h"
#include "mesh/agent/start.h"
#include "ports/builder_port.h"
#include "ports/connection_event_port.h"
#include "ports/exchange_port.h"
#include "ports/measurement_port.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

struct mastermind {
    struct cca_services *services;
    struct builder_port *builder;
    /* port for communication with the other ranks; NULL: this process is alone */
    struct exchange_port *ranks;
    struct mm_session run; /* the experiment; proxies are connected to the port
                              of its recorder */
    struct mm_apart apart; /* calls that are no part of the run */
    struct mm_own_messages messages;
    struct mm_own_query query;
    struct mm_delays delays;
    /* connected Measurement port, or NULL; access by __atomic */
    struct measurement_port *measurement;
    char *last_words; /* line printed if the run ends early */
    /* directory for TAU profiles, which are written at the end; or NULL */
    char *profiles;
    int has_threads; /* true if rows may exist, so methods.json is written for each new
                        method */
    struct mm_deadline deadline;
    struct measurement_port *counting; /* Measurement port with the counters of rows,
                                          or NULL */
    int first_counter, counter_count;
    json_t *said; /* names of missing counters that have been reported */
    int going;    /* number of calls of a GoPort in progress; access by __atomic */
    int has_gone; /* true if a `go` command has run, so that its wiring is kept */
    int off;      /* true if recording is switched off */
    int gos, gos_off;
    int warned; /* true if a warning was printed; access by __atomic */
};

/* --- Set-up time ---------------------------------------------------------- */

/* Return the CPU time that the framework has spent on putting proxies in front of ports;
 * -1: the framework is doing this now, and the time that it counts includes our own
 * work. */
static int64_t interposing_ns(const struct mastermind *mm)
{
    const char *text = cca_services_framework_property(mm->services, "interposing_ns");

    return !text ? 0 : *text ? strtoll(text, NULL, 10) : -1;
}

/* Add the calling thread's CPU time since `start_ns` to the set-up time, unless the
 * framework counts it already. */
static void add_setup(struct mastermind *mm, int64_t start_ns)
{
    if (interposing_ns(mm) >= 0)
        __atomic_fetch_add(&mm->run.setup_ns, mm_cost_thread_ns() - start_ns,
                           __ATOMIC_RELAXED);
}

/* Print one line to stderr. */
__attribute__((format(printf, 1, 2))) static void print_line(const char *format, ...)
{
    struct mm_write_signals held;
    va_list args;

    mm_write_signals_hold(&held);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    mm_write_signals_release(&held);
}

/* Print a warning, but only the first one. The program is running: a failure may lose
 * measurements but must not affect the program's result. */
static void warn(void *context, const char *what, const struct cca_error *err)
{
    struct mastermind *mm = context;

    if (!__atomic_exchange_n(&mm->warned, 1, __ATOMIC_RELAXED))
        print_line("experiment %s: %s: %s",
                   mm->run.directory.shown ? mm->run.directory.shown : "", what,
                   err->text);
}

/* --- Starting ------------------------------------------------------------- */

static void look_for_measurement(struct mastermind *mm)
{
    if (!mm->measurement)
        __atomic_store_n(&mm->measurement,
                         cca_services_get_port_nonblocking(
                             mm->services, "measurement", MEASUREMENT_PORT_TYPE,
                             sizeof(struct measurement_port), NULL),
                         __ATOMIC_RELEASE);
}

static void forget_measurement(struct mastermind *mm)
{
    if (!mm->measurement)
        return;
    __atomic_store_n(&mm->measurement, NULL, __ATOMIC_RELEASE);
    cca_services_release_port(mm->services, "measurement", NULL);
}

/* Return the value of the instance's parameter `name`; if it is not set, the main
 * program's property with the same name; NULL: neither is set. */
static const char *option(const struct mastermind *mm, const char *name)
{
    const char *text = cca_services_param_string(mm->services, name);

    if (!text || !*text)
        text = cca_services_framework_property(mm->services, name);
    return text && *text ? text : NULL;
}

/* Check the directory for TAU profiles at the start, so that a long run does not fail at
 * its end. */
static int choose_profiles(struct mastermind *mm, struct cca_error *err)
{
    const char *wanted = option(mm, "tau_profiles");

    free(mm->profiles);
    mm->profiles = NULL;
    return wanted && mm->run.rank == 0
               ? mm_directory_place(wanted, "profiles of TAU", &mm->profiles, err)
               : 0;
}

/* Use the counters of the connected Measurement port as counters of rows. */
static void choose_counters(struct mastermind *mm)
{
    mm->counting = mm->measurement;
    if (!mm->counting)
        return;
    mm->first_counter = mm_about_first_counter(mm->counting);
    mm->counter_count = mm_about_counter_count(mm->counting);
}

/* Print the name of each requested counter that is missing, with the reason, but only
 * once. */
static void print_missing(struct mastermind *mm)
{
    const char *name, *why;

    for (int i = 0; mm->measurement && mm->run.rank == 0 &&
                    (name = mm->measurement->missing_metric(mm->measurement, i, &why));
         i++) {
        if (json_object_get(mm->said, name))
            continue;
        json_object_set_new(mm->said, name, json_true());
        print_line("experiment %s: %s is not measured: %s", mm->run.directory.shown, name,
                   why);
    }
}

/* Update the parameters of the run in experiment.json. Returns true if they have
 * changed. */
static int update_parameters(struct mastermind *mm)
{
    struct cca_error err = {0};
    int result = mm_parameters_update(
        mm->run.about, cca_services_framework_property(mm->services, "variables"),
        cca_services_framework_property(mm->services, "set"), mm->run.wiring.assembly);

    if (result < 0) {
        cca_no_memory(&err);
        warn(mm, "the parameters of the run were not stored", &err);
    }
    return result > 0;
}

/* Record MPI calls if the Measurement port measures their time. */
static void time_mpi(struct mastermind *mm)
{
    if (mm->measurement && mm->measurement->mpi_time(mm->measurement))
        mm->run.mpi = dlsym(RTLD_DEFAULT, MEAS_MPI);
}

static const char *innermost_call(void *recorder, uintptr_t stack)
{
    return mm_recorder_innermost(recorder, stack);
}

static void on_last_moment(void *recorder)
{
    mm_recorder_ends(recorder);
}

static int start(struct mastermind *mm, struct cca_error *err)
{
    const char *script = cca_services_framework_property(mm->services, "script");
    struct mm_session *run = &mm->run;
    struct cca_error mesh = {0};
    int result =
        mm_session_store(run, option(mm, "storage"), option(mm, "size_limit"), err);

    if (result)
        return result;
    mm_recorder_store(run->recorder, &run->storage);
    result = mm_directory_share(&run->directory, option(mm, "experiment"), script,
                                mm->ranks, err);
    if (result)
        return result;
    run->start_ns = cca_clock_ns(CLOCK_MONOTONIC);
    run->process = getpid();
    look_for_measurement(mm);
    choose_counters(mm);
    time_mpi(mm);
    result = choose_profiles(mm, err);
    if (!result)
        result = mm_session_describe(
            run, script, cca_services_framework_property(mm->services, "command"),
            mm->measurement, err);
    if (!result && mm->delays.is_used &&
        json_object_set_new(run->about, "delays", mm_delays_json(&mm->delays)))
        result = cca_no_memory(err);
    if (!result) {
        update_parameters(mm);
        result = mm_session_start(run, mm->counter_count, err);
    }
    if (result) {
        mm_directory_remove(&run->directory);
        mm_session_done(run);
        return result;
    }
    if (mesh_agent_start(run->directory.rank_path, &mesh))
        warn(mm, "mesh profiles are lost", &mesh);
    mm->last_words = mm_about_last_words(run->directory.shown);
    cca_last_words_set(mm->last_words);
    cca_last_call_set(innermost_call, run->recorder);
    cca_last_moment_set(on_last_moment, run->recorder);
    return 0;
}

/* --- Callbacks of the recorder -------------------------------------------- */

/* Convert the failure of a callback. Before the application runs, it becomes an error of
 * the command that connects the proxy; codes other than -EINVAL and -ENOMEM become -EIO.
 * While the application runs, the method is not recorded and the application
 * continues. */
static int unless_going(struct mastermind *mm, int result, struct cca_error *own,
                        struct cca_error *err)
{
    if (!result)
        return 0;
    if (!__atomic_load_n(&mm->going, __ATOMIC_RELAXED))
        return cca_error_set(err, result == -ENOMEM || result == -EINVAL ? result : -EIO,
                             "%s", own->text);
    warn(mm, "some methods are not measured", own);
    return 1;
}

static int on_start(void *context, struct cca_error *err)
{
    struct mastermind *mm = context;
    int64_t start_ns = mm_cost_thread_ns();
    struct cca_error own = {0};
    int result = start(mm, &own);

    add_setup(mm, start_ns);
    return unless_going(mm, result, &own, err);
}

static int on_method(void *context, uint32_t id, const struct monitor_method_decl *decl,
                     struct cca_error *err)
{
    struct mastermind *mm = context;
    int64_t start_ns = mm_cost_thread_ns();
    struct cca_error own = {0};
    int result;

    if (getpid() != mm->run.process)
        return 1;
    result = mm_deadline_name(&mm->deadline, id, decl);
    if (result)
        cca_error_set(&own, result, "out of memory");
    else if (mm->has_threads)
        result = mm_methods_add(&mm->run.methods, mm->run.directory.rank_path, id,
                                MM_ENTRY_PROXY, decl, &own);
    else /* the proxies of an assembly are connected one after the other, so methods.json
            is not written for each of them */
        result = mm_methods_note(&mm->run.methods, id, MM_ENTRY_PROXY, decl, &own);
    add_setup(mm, start_ns);
    return unless_going(mm, result, &own, err);
}

static int on_first_thread(void *context, struct cca_error *err)
{
    struct mastermind *mm = context;
    int result = mm_methods_write(&mm->run.methods, mm->run.directory.rank_path, err);

    mm->has_threads = !result;
    return result;
}

static const int64_t *mpi_time(void *context)
{
    struct mastermind *mm = context;
    struct measurement_port *measurement =
        __atomic_load_n(&mm->measurement, __ATOMIC_ACQUIRE);

    return measurement ? measurement->mpi_time(measurement) : NULL;
}

/* a Measurement port that was connected later may have other metrics */
static void read_counters(void *context, int64_t *values)
{
    struct mastermind *mm = context;
    struct measurement_port *measurement =
        __atomic_load_n(&mm->measurement, __ATOMIC_ACQUIRE);

    if (measurement && measurement == mm->counting) {
        measurement->read(measurement, mm->first_counter, mm->counter_count, values);
        return;
    }
    for (int i = 0; i < mm->counter_count; i++)
        values[i] = MEASUREMENT_MISSING;
}

static struct monitor_port *on_apart(void *context, struct cca_error *err)
{
    struct mastermind *mm = context;

    return mm_apart_port(&mm->apart, &mm->run, err);
}

/* --- Events of the framework ---------------------------------------------- */

static const struct cca_error no_memory = {.text = "out of memory"};

static void write_about(struct mastermind *mm)
{
    struct cca_error err = {0};

    if (mm_session_update(&mm->run, &err))
        warn(mm, "some data about the run were not stored", &err);
}

static void write_wiring(struct mastermind *mm)
{
    struct cca_error err = {0};

    if (mm->run.rank == 0 &&
        mm_wiring_write(&mm->run.wiring, mm->run.directory.path, &err))
        warn(mm, "the wiring was not stored", &err);
}

/* Update the list of missing counters, which is known only after components have
 * published their own counters. Returns 1 if the list has changed. */
static int update_counters(struct mastermind *mm)
{
    json_t *before = json_incref(json_object_get(mm->run.about, "counters"));
    int changed;

    if (mm->measurement && mm->measurement == mm->counting) {
        print_missing(mm);
        mm_about_counters(mm->run.about, mm->measurement);
    }
    changed = !json_equal(before, json_object_get(mm->run.about, "counters"));
    json_decref(before);
    return changed;
}

/* Read the parameter `recording`, which may change before each `go` command. Returns true
 * if this command is not recorded, which must be stored before it runs. */
static int switch_recording(struct mastermind *mm)
{
    int off = !cca_services_param_bool(mm->services, "recording");

    if (off != mm->off)
        mm_recorder_switch(mm->run.recorder, !off);
    mm_messages_enable(!off);
    mm->off = off;
    mm->gos++;
    mm->gos_off += off;
    if (off &&
        json_object_set_new(mm->run.about, "gos_not_recorded", json_integer(mm->gos_off)))
        warn(mm, "the switch-off of recording for a go was not stored", &no_memory);
    return off;
}

/* Write all files before a `go` command, so that the experiment is complete even if the
 * process is killed while it runs. */
static void before_go(struct mastermind *mm, const struct builder_event *event)
{
    int64_t start_ns = mm_cost_thread_ns();
    int off = switch_recording(mm), is_due, is_new;

    mm->has_gone = 1;
    if (mm_wiring_go_begins(&mm->run.wiring, mm->builder, event->instance, event->port))
        warn(mm, "the parameters of a go were not stored", &no_memory);
    is_due = mm_wiring_due(&mm->run.wiring);
    if (is_due)
        write_wiring(mm);
    is_new = update_parameters(mm) && is_due;
    if (!json_equal(json_object_get(mm->run.about, "measured"),
                    mm->run.wiring.measured) ||
        update_counters(mm) || is_new || off)
        write_about(mm);
    add_setup(mm, start_ns);
}

/* Start an experiment for sampled messages and mesh profiles, even if there is no proxy.
 */
static void start_without_calls(struct mastermind *mm)
{
    struct cca_error err = {0};
    const char *messages = cca_services_framework_property(mm->services, "messages");
    const char *cells = cca_services_framework_property(mm->services, "cells");

    /* the MPI wrappers use this property; it is read here so that the framework counts it
     * as used */
    cca_services_framework_property(mm->services, "mpi_time");
    if (((messages && *messages) || (cells && *cells)) && !mm->run.about &&
        mm_recorder_begin(mm->run.recorder, &err) < 0)
        print_line("nothing is kept: %s", err.text);
}

static void on_builder_event(void *context, const struct builder_event *event)
{
    struct mastermind *mm = context;

    if (event->type == BUILDER_GO_PENDING) {
        start_without_calls(mm);
        __atomic_fetch_add(&mm->going, 1, __ATOMIC_RELAXED);
        if (mm->run.about && getpid() == mm->run.process)
            before_go(mm, event);
    } else if (event->type == BUILDER_GO_OVERDUE) {
        /* the framework sends this event from a separate thread */
        mm_recorder_ends(mm->run.recorder);
        mm_deadline_say(&mm->deadline, mm->run.recorder,
                        mm->run.directory.shown ? mm->run.directory.shown : "");
    } else if (event->type == BUILDER_GO_DONE) {
        __atomic_fetch_sub(&mm->going, 1, __ATOMIC_RELAXED);
        if (mm_wiring_go_ends(&mm->run.wiring, event->instance, event->port,
                              event->result))
            warn(mm, "the result of a go was not stored", &no_memory);
    } else if (event->type == BUILDER_SWAPPED) {
        if (mm_wiring_swapped(&mm->run.wiring, event->swap))
            warn(mm, "a swap was not stored", &no_memory);
        if (mm->run.about && getpid() == mm->run.process)
            write_wiring(mm);
    }
}

/* Load the analysis for the port `query`. */
static int load_answers(struct mastermind *mm, struct cca_error *err)
{
    int64_t start_ns = mm_cost_thread_ns();
    int result = mm_own_query_load(&mm->query, err);

    add_setup(mm, start_ns);
    return result;
}

static int has_rows(const void *context)
{
    const struct mastermind *mm = context;

    return mm->has_threads;
}

static int on_connection(void *context, const struct connection_event *event,
                         struct cca_error *err)
{
    struct mastermind *mm = context;

    if (event->type == CONNECTION_CONNECT_PENDING && !strcmp(event->port, "query"))
        return load_answers(mm, err);
    if (strcmp(event->port, "measurement"))
        return 0;
    if (event->type == CONNECTION_CONNECTED) {
        look_for_measurement(mm);
        time_mpi(mm);
        if (mm->run.about && getpid() == mm->run.process)
            mm_session_keep_mpi(&mm->run);
    }
    if (event->type == CONNECTION_DISCONNECT_PENDING)
        forget_measurement(mm);
    return 0;
}

/* Take the last snapshot of the assembly while it is complete, and release all ports. */
static void on_release(void *context)
{
    struct mastermind *mm = context;

    if (!mm->has_gone && mm_wiring_snapshot(&mm->run.wiring, mm->builder))
        warn(mm, "the wiring was not stored", &no_memory);
    if (!mm->has_gone && mm->run.about && getpid() == mm->run.process)
        update_parameters(mm);
    mm->builder->remove_listener(mm->builder, on_builder_event, mm);
    cca_services_release_port(mm->services, "builder", NULL);
    if (mm->run.about && mm->has_gone && getpid() == mm->run.process)
        update_counters(mm);
    if (mm->run.about && mm->measurement && getpid() == mm->run.process &&
        mm_about_measurement(mm->run.about, mm->measurement))
        warn(mm, "timers and events of components were not stored", &no_memory);
    forget_measurement(mm);
}

/* --- Creation and destruction --------------------------------------------- */

static void *create(const struct cca_class *cls, struct cca_error *err)
{
    struct mastermind *mm = calloc(1, sizeof *mm);
    int64_t start_ns = mm_cost_thread_ns();
    struct mm_recorder_options options = {.on_start = on_start,
                                          .on_method = on_method,
                                          .on_first_thread = on_first_thread,
                                          .mpi_time = mpi_time,
                                          .read_counters = read_counters,
                                          .on_apart = on_apart,
                                          .context = mm};

    (void)cls;
    if (!mm || mm_wiring_init(&mm->run.wiring)) {
        cca_no_memory(err);
        free(mm);
        return NULL;
    }
    mm->said = json_object();
    mm->run.report = warn;
    mm->run.context = mm;
    mm->run.recorder = mm_recorder_new(&options, err);
    if (!mm->run.recorder) {
        json_decref(mm->said);
        mm_wiring_done(&mm->run.wiring);
        free(mm);
        return NULL;
    }
    mm->run.setup_ns = mm_cost_thread_ns() - start_ns;
    return mm;
}

/* Subscribe to two kinds of events: changes of connections, and starts and ends of a
 * GoPort. */
static int listen_to_framework(struct mastermind *mm, struct cca_error *err)
{
    struct connection_event_port *events = cca_services_get_port(
        mm->services, "events", CONNECTION_EVENT_PORT_TYPE, sizeof *events, err);

    if (!events)
        return -ENOTCONN;
    mm->builder = cca_services_get_port(mm->services, "builder", BUILDER_PORT_TYPE,
                                        sizeof *mm->builder, err);
    if (!mm->builder)
        return -ENOTCONN;
    if (cca_services_register_for_release(mm->services, on_release, mm) ||
        events->add_listener(events, CONNECTION_EVENT_ALL, on_connection, mm) ||
        mm->builder->add_listener(mm->builder, on_builder_event, mm))
        return cca_no_memory(err);
    return cca_services_release_port(mm->services, "events", err);
}

/* Put delays in front of the recorder if the environment asks for them. */
static int delay_calls(struct mastermind *mm, struct monitor_port **monitor,
                       struct cca_error *err)
{
    const char *text = getenv(MM_DELAYS);
    int result;

    *monitor = mm_recorder_port(mm->run.recorder);
    if (!text)
        return 0;
    result = mm_delays_read(&mm->delays, text, err);
    if (!result)
        result = mm_delays_init(&mm->delays, *monitor, mpi_time, mm, err);
    *monitor = &mm->delays.port;
    return result;
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct mastermind *mm = self;
    struct monitor_port *monitor;
    int result;

    mm->services = services;
    /* the framework itself counts the time of this function, as it creates the
     * component */
    if (interposing_ns(mm) < 0)
        mm->run.setup_ns = 0;
    mm->ranks = cca_services_get_port_nonblocking(
        services, "exchange", EXCHANGE_PORT_TYPE, sizeof *mm->ranks, NULL);
    mm->run.rank = mm->ranks ? mm->ranks->rank(mm->ranks) : 0;
    mm->run.ranks = mm->ranks ? mm->ranks->size(mm->ranks) : 1;
    result = delay_calls(mm, &monitor, err);
    if (!result)
        result = cca_services_add_provides_port(services, &monitor->base, "monitor", NULL,
                                                err);
    mm_own_messages_init(&mm->messages, &mm->run.directory.rank_path, &mm->run.rank);
    if (!result)
        result = cca_services_add_provides_port(services, &mm->messages.port.base,
                                                "messages", NULL, err);
    mm_own_query_init(&mm->query, &mm->run.directory.path, has_rows, mm);
    if (!result)
        result = cca_services_add_provides_port(services, &mm->query.port.base, "query",
                                                NULL, err);
    return result ? result : listen_to_framework(mm, err);
}

/* Sum the statistics of the recorders of all ranks. Returns 0, or a negative errno: some
 * ranks did not report. */
static int sum_ranks(const struct mastermind *mm, struct mm_recorder_stats *stats,
                     struct mm_cost *cost)
{
    int64_t sums[] = {(int64_t)stats->rows,    (int64_t)stats->folded,
                      (int64_t)stats->counted, (int64_t)stats->dropped,
                      (int64_t)stats->nested,  (int64_t)stats->limited,
                      mm_cost_sum(cost),       cost->process_ns};
    int code = mm->ranks->sum(mm->ranks, sums, sizeof sums / sizeof *sums);

    if (code)
        return code;
    stats->rows = (uint64_t)sums[0];
    stats->folded = (uint64_t)sums[1];
    stats->counted = (uint64_t)sums[2];
    stats->dropped = (uint64_t)sums[3];
    stats->nested = (uint64_t)sums[4];
    stats->limited = (uint32_t)sums[5];
    *cost = (struct mm_cost){.calls_ns = sums[6], .process_ns = sums[7]};
    return 0;
}

static void print_result(const struct mastermind *mm, struct mm_recorder_stats *stats,
                         struct mm_cost cost)
{
    char *shown = NULL, *line;
    int summed = mm->ranks && mm->has_gone ? sum_ranks(mm, stats, &cost) : -ENOTCONN;

    if (mm->run.rank != 0)
        return;
    if (mm->ranks && asprintf(&shown, "%s, %s %d", mm->run.directory.shown,
                              summed == 0 ? "ranks 0 to" : "rank 0 of",
                              mm->ranks->size(mm->ranks) - (summed == 0)) < 0)
        shown = NULL;
    line = mm_about_line(shown ? shown : mm->run.directory.shown, stats, &cost);
    free(shown);

    if (line)
        print_line("%s", line);
    free(line);
    if (mm->gos_off)
        print_line("experiment %s: recording was off in %d of %d gos",
                   mm->run.directory.shown, mm->gos_off, mm->gos);
}

/* Write TAU profiles of the stored experiment, if requested. */
static void write_profiles(struct mastermind *mm)
{
    struct mm_experiment *experiment;
    struct mm_write_signals held;
    struct mm_notes notes = {0};
    struct cca_error err = {0};

    if (!mm->profiles)
        return;
    mm_write_signals_hold(&held);
    experiment = mm_experiment_open(mm->run.directory.path, &err);
    if (!experiment || mm_tau_profiles(experiment, mm->profiles, &notes, &err))
        warn(mm, "no profiles", &err);
    mm_write_signals_release(&held);
    for (size_t i = 0; i < notes.count; i++)
        print_line("experiment %s: %s", mm->run.directory.shown, notes.items[i]);
    mm_notes_done(&notes);
    mm_experiment_free(experiment);
}

static void forget_last_words(struct mastermind *mm)
{
    if (mm->last_words) {
        cca_last_words_set(NULL);
        cca_last_call_set(NULL, NULL);
        cca_last_moment_set(NULL, NULL);
    }
    free(mm->last_words);
    mm->last_words = NULL;
}

static void finish(struct mastermind *mm)
{
    struct mm_session_end end;
    struct cca_error err = {0};
    int64_t interposing;

    if (mm_session_close(&mm->run, &end, &err))
        warn(mm, "some measurements were not kept", &err);
    if (!mm->has_gone && !end.stats.threads && !end.stats.dropped) {
        /* report an experiment without rows, which usually comes from a mistake in the
         * script */
        mm_directory_remove(&mm->run.directory);
        return;
    }
    if (mm_methods_write(&mm->run.methods, mm->run.directory.rank_path, &err))
        warn(mm, "the names of methods were not stored", &err);
    write_wiring(mm);
    if ((interposing = interposing_ns(mm)) > 0)
        mm->run.setup_ns += interposing;
    if (mm_session_finish(&mm->run, MM_ENTRY_PROXY, &end, &err))
        warn(mm, "the end of the run was not stored", &err);
    print_result(mm, &end.stats, end.cost);
    if (end.stats.removed)
        cca_files_lost();
    forget_last_words(mm);
    write_profiles(mm);
}

static void destroy(void *self)
{
    struct mastermind *mm = self;

    mm_apart_finish(&mm->apart);
    if (mm->run.about && getpid() == mm->run.process)
        finish(mm);
    else
        mm_recorder_close(mm->run.recorder, NULL);
    forget_last_words(mm);
    mm_own_query_done(&mm->query);
    mm_delays_done(&mm->delays);
    mm_deadline_done(&mm->deadline);
    mm_wiring_done(&mm->run.wiring);
    mm_session_done(&mm->run);
    free(mm->profiles);
    json_decref(mm->said);
    free(mm);
}

static const struct cca_port_decl provides[] = {
    CCA_PORT("monitor", MONITOR_PORT_TYPE, struct monitor_port),
    CCA_PORT("messages", MESSAGES_PORT_TYPE, struct messages_port),
    CCA_PORT("query", QUERY_PORT_TYPE, struct query_port),
    {0},
};
static const struct cca_port_decl uses[] = {
    CCA_REQUIRED("measurement", MEASUREMENT_PORT_TYPE, struct measurement_port),
    CCA_PORT("exchange", EXCHANGE_PORT_TYPE, struct exchange_port),
    CCA_PORT("builder", BUILDER_PORT_TYPE, struct builder_port),
    CCA_PORT("events", CONNECTION_EVENT_PORT_TYPE, struct connection_event_port),
    {0},
};
static const struct cca_param_decl params[] = {
    {.name = "experiment",
     .type = CCA_STRING,
     .value = "",
     .help = "directory to make; empty: --experiment, else SCRIPT-N.mm here"},
    {.name = "storage",
     .type = CCA_STRING,
     .value = "",
     .choices =
         "|rows|auto|auto:1..1099511627776|sample:1..4294967295|reservoir:1..100000|"
         "aggregates",
     .help =
         "rows, auto[:ROWS], sample:N, reservoir:K or aggregates; empty: --storage, else "
         "auto:1000000"},
    {.name = "size_limit",
     .type = CCA_STRING,
     .value = "",
     .choices =
         "|0|1048576..9223372036854775807|1024..9007199254740991K|1..8796093022207M|"
         "1..8589934591G",
     .help = "bytes, or with K, M, G; beyond it only aggregates; empty: --size-limit"},
    {.name = "recording",
     .type = CCA_BOOL,
     .value = "true",
     .help = "false: calls are not recorded, from the next go on"},
    {.name = "tau_profiles",
     .type = CCA_STRING,
     .value = "",
     .help =
         "directory for profiles of TAU at the end; empty: --tau-profiles, else none"},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "Mastermind",
    .summary = "keeps a row of every invocation that proxies report",
    .provides = provides,
    .uses = uses,
    .params = params,
    .serves = MONITOR_PORT_TYPE,
    .create = create,
    .set_services = set_services,
    .destroy = destroy,
};
