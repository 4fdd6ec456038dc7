/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h: keeps one row for every invocation, in files that survive the process.
 *
 * It provides a monitor port and is independent of its callers.
 * mastermind/format/layout.h and docs/internals/experiment.md define the file layout. */
#ifndef MASTERMIND_RECORDER_RECORDER_H
#define MASTERMIND_RECORDER_RECORDER_H

#include "common/thread_times.h"
#include "mastermind/format/call_costs.h"
#include "mastermind/format/clock.h"
#include "mastermind/format/storage.h"
#include "ports/monitor_port.h"

struct mm_recorder;

enum { MM_RECORDER_COUNTERS = 8 };

/* The thread that packs full windows: the measured thread itself, or a helper thread,
 * which is created when the first window is full. */
enum mm_packing {
    MM_PACK_AUTO = 0, /* MM_PACKING=caller|helper in the environment; else the helper
                         if the thread may run on more than one core */
    MM_PACK_CALLER = 1,
    MM_PACK_HELPER = 2
};

struct mm_recorder_options {
    /* existing directory rank-NNNN for the files of this process alone; NULL: on_start
     * calls mm_recorder_place */
    const char *directory;
    /* Called when the first method is opened, if `directory` is NULL, and again with each
     * further method until it succeeds. It must call mm_recorder_place. Returns 0; a
     * negative value lets method_open fail; with a positive value the method stays off,
     * and the program continues. Calls are serialised; the recorder holds no lock. */
    int (*on_start)(void *context, struct cca_error *err);
    /* Called for each new method before it can have a row; for methods opened before the
     * first thread, also before on_first_thread. `id` counts from 0. Returns 0; a
     * negative value lets method_open fail; with a positive value the method stays off
     * and has no id. Calls are serialised; it may not call the recorder. May be NULL. */
    int (*on_method)(void *context, uint32_t id, const struct monitor_method_decl *decl,
                     struct cca_error *err);
    /* Called before the first thread can have a row, serialised with on_method, with
     * signals blocked. It may not call the recorder. Returns 0; after a negative value
     * that thread is not recorded, and the next thread calls it again. May be NULL. */
    int (*on_first_thread)(void *context, struct cca_error *err);
    /* Called once for each new thread: returns the address of its cumulative MPI time in
     * ns, or NULL. May be NULL. */
    const int64_t *(*mpi_time)(void *context);
    /* Counters that each row has besides its times: their number, at most
     * MM_RECORDER_COUNTERS, and a function that reads the calling thread's cumulative
     * values (INT64_MIN: missing). It is called in any thread, before the clock is read
     * at the start of a call, and after the clock is read at the call's end. It preserves
     * errno and calls no recorded method. NULL: no counters. */
    int counter_count;
    void (*read_counters)(void *context, int64_t *values);
    /* Counters of outermost calls: called after read_counters where an invocation without
     * a recorded caller other than `main` begins or ends, as the member of struct
     * meas_times; a value that read_counters has set to MEAS_NESTED belongs to outermost
     * calls alone. Its CPU time counts as measuring, and is no caller's own time. NULL:
     * there are no such counters. */
    void (*read_outer)(void *context, enum meas_outer moment, const int64_t *began,
                       int64_t *values);
    /* Called by the port's `apart`: returns the port of another recorder, or NULL with
     * `err`. NULL: there is none. */
    struct monitor_port *(*on_apart)(void *context, struct cca_error *err);
    /* true for a recorder of calls that are no part of the run: another one uses the
     * thread's word (rseq.h), so this one reads the clocks more often */
    int is_apart;
    struct mm_storage storage; /* storage mode; zeroed: all rows are kept */
    enum mm_packing packing;
    void *context;
};

/* Statistics of a recorder. They are exact while no other thread is recording. */
struct mm_recorder_stats {
    uint64_t rows;    /* number of rows kept */
    uint64_t dropped; /* finished invocations that were not kept (disk full, out of
                         memory, files removed) */
    uint64_t nested;  /* invocations in signal handlers that were not recorded */
    uint64_t folded;  /* number of aggregated invocations */
    uint64_t counted; /* number of aggregated invocations that also have a row */
    /* number of aggregated invocations whose values are unknown, because there were too
     * many keys */
    uint64_t other;
    uint32_t methods;
    uint32_t threads;
    uint32_t limited; /* number of threads that have reached the size limit */
    int removed;      /* true if files were removed while the recorder was using them */
    struct mm_call_costs costs; /* costs of recording a call, measured on this host */
    int64_t reading_ns;         /* cost of a reading of CPU time and context switches */
    int64_t files_ns;    /* CPU time of recorded threads for creating, packing, writing
                            and closing files */
    int64_t helper_ns;   /* CPU time of the helper thread */
    int64_t apart_ns;    /* CPU time of stretches that are no part of the run */
    int64_t unplaced_ns; /* time off the core that was not attributed to an invocation */
    /* how the recorder notices lost time, see mm_core_source in core.h */
    const char *core;
    const char *packing; /* thread that packs full windows: "helper" or "caller" */
};

/* Start recording into options->directory. Returns a new recorder, or NULL with `err`
 * (I/O, memory). A process may have several recorders, one after the other or at the same
 * time. */
struct mm_recorder *mm_recorder_new(const struct mm_recorder_options *options,
                                    struct cca_error *err);
/* To be called by on_start: record into `directory`, with `counter_count` counters.
 * Returns 0 or a negative errno with `err`. */
int mm_recorder_place(struct mm_recorder *recorder, const char *directory,
                      int counter_count, struct cca_error *err);
/* To be called by on_start before mm_recorder_place: set the storage mode. */
void mm_recorder_store(struct mm_recorder *recorder, const struct mm_storage *storage);
/* Call on_start now, unless it has succeeded already, so that an experiment without calls
 * exists, too. Returns the result of on_start. */
int mm_recorder_begin(struct mm_recorder *recorder, struct cca_error *err);
/* Pack the remaining rows and close the files; from now on begin() returns NULL. Other
 * threads may still be running in the recorder; rows that they have finished are kept.
 * Returns 0, or the first I/O error of the recording with `err`. Memory that proxies may
 * still use is not freed. */
int mm_recorder_close(struct mm_recorder *recorder, struct cca_error *err);

struct monitor_port *
mm_recorder_port(struct mm_recorder *recorder); /* borrowed, never freed */
void mm_recorder_stats(const struct mm_recorder *recorder,
                       struct mm_recorder_stats *stats);
/* Set `clock` to the recorder's clock, calibrated over the time since its start. */
void mm_recorder_clock(const struct mm_recorder *recorder, struct mm_clock *clock);
/* Keep the calling thread's innermost open invocation until it, or the invocation that
 * contains it, is ended. Needed for an invocation that was begun at a lower stack address
 * than its callees, for example by a function that marks a region: else the recorder
 * would conclude that longjmp has left it. There must be an open invocation. */
void mm_recorder_hold(struct monitor_port *port);
/* Exclude time that the recorder's owner has just spent in the calling thread, for
 * example to open a method, from the exclusive time of the open invocation. */
void mm_recorder_spent(struct mm_recorder *recorder, int64_t wall_ns, int64_t cpu_ns);
/* Return the method of the calling thread's innermost open invocation that began above
 * the stack address `stack`: "instance.port.method", borrowed and never freed, or NULL.
 * May be called from a signal handler. */
const char *mm_recorder_innermost(const struct mm_recorder *recorder, uintptr_t stack);
/* Like mm_recorder_innermost, but returns numbers as they stand in the invocation's row:
 * id of the method, number of the thread, number of the invocation in the thread. Returns
 * 0; -1: there is none, and the outputs are unchanged. May be called from a signal
 * handler. */
int mm_recorder_caller(const struct mm_recorder *recorder, uintptr_t stack,
                       int32_t *method, int32_t *thread, uint64_t *invocation);
/* True if the calling thread has hundreds of open invocations, and they take up so much
 * of its stack that frames of further wrappers could use up the rest. Invocations that
 * longjmp has left are closed first. */
int mm_recorder_is_deep(const struct mm_recorder *recorder);
/* Open an invocation like the port's `begin`, for a call whose return address is at the
 * stack address `stack`. It uses no vector registers if hot.c is compiled without
 * them. */
struct monitor_frame *mm_recorder_begin_at(struct monitor_port *port,
                                           struct monitor_method *method,
                                           const union monitor_value *in,
                                           uintptr_t stack);
/* Register a method that gets its id at its first call. This is method_open in two steps,
 * for a caller that has many methods of which few are called. on_method is not called for
 * it, and it is off until mm_recorder_admit. Returns a new method, or NULL with `err`,
 * like method_open. */
struct monitor_method *mm_recorder_reserve(struct mm_recorder *recorder,
                                           const struct monitor_method_decl *decl,
                                           struct cca_error *err);
/* Take the next id for a reserved method. Returns 0; -ENOSPC: too many methods. Uses
 * neither locks nor the heap: the caller may be a signal handler that has interrupted
 * their user. */
int mm_recorder_number(struct mm_recorder *recorder, uint32_t *id);
/* Give a reserved method its id, and start to record it unless recording is off. Uses
 * neither locks nor the heap. To be called once for each method. */
void mm_recorder_admit(struct mm_recorder *recorder, struct monitor_method *method,
                       uint32_t id);
/* Find the bounds of the calling thread's own stack, as the kernel maps it. Returns 0;
 * -ENOENT: they are unknown. Uses neither locks nor the heap. */
int mm_stack_bounds(uintptr_t *low, uintptr_t *high);
/* True if the address lies on the calling thread's alternate signal stack. */
int mm_stack_is_alternate(uintptr_t address);
/* Count invocations that the recorder's owner did not keep. */
void mm_recorder_dropped(struct mm_recorder *recorder, uint64_t count);
/* Function that makes one call of a method through an entry; if `method` is NULL, the
 * same call without recording. */
typedef void mm_entry_function(void *context, struct monitor_port *port,
                               struct monitor_method *method);
/* Measure how much more a call through an entry costs than a call through a proxy, for a
 * method with two integers (`pair`) or without values. Returns 0 or -ENOMEM with
 * `err`. */
int mm_recorder_entry(struct mm_recorder *recorder, enum mm_entry_kind entry, int pair,
                      mm_entry_function *call, void *context, struct cca_error *err);
/* Switch all methods, existing and later ones, on or off. Any thread. */
void mm_recorder_switch(struct mm_recorder *recorder, int on);

#endif
