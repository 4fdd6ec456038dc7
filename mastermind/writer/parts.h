/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef MASTERMIND_WRITER_PARTS_H
#define MASTERMIND_WRITER_PARTS_H

#include <jansson.h>

#include "mastermind/recorder/recorder.h"
#include "mastermind/writer/given.h"
#include "ports/monitor_port.h"
#include "tau_port/pmpi/mpi_time.h"
#include "ports/measurement_port.h"
#include "ports/exchange_port.h"
#include "mastermind/format/layout.h"
#include "mastermind/format/call_costs.h"
#include "ports/builder_port.h"

/* --- cost.c -------------------------------------------------------------- */

/* CPU time for measuring in ns, divided by purpose; docs/internals/experiment.md,
 * "cost". */
struct mm_cost {
    int64_t calls_ns;  /* CPU time for recording calls: number of calls times the cost of
                          one call on this host */
    int64_t files_ns;  /* CPU time of the recorded threads for writing files */
    int64_t helper_ns; /* CPU time of the helper thread */
    int64_t setup_ns;  /* CPU time for recording before the first call and after the last
                          call */
    int64_t mpi_ns; /* CPU time of the MPI wrappers: number of calls times the cost of one
                       call */
    int64_t openmp_ns;  /* CPU time for OpenMP events: number of events times the cost of
                           one event */
    int64_t process_ns; /* all CPU time of the process so far, including these parts */
};

/* Return the CPU time of the calling thread. */
int64_t mm_cost_thread_ns(void);
/* Return the cost of measuring so far, if calls reach the recorder through `entry`; `mpi`
 * may be NULL. */
struct mm_cost mm_cost_now(const struct mm_recorder_stats *stats,
                           enum mm_entry_kind entry, int64_t setup_ns,
                           const struct meas_mpi *mpi);
/* Return the sum of the members of a cost, without `process_ns`. */
int64_t mm_cost_sum(const struct mm_cost *cost);
/* Return the measuring cost as a JSON object, new; NULL: out of memory. */
json_t *mm_cost_json(const struct mm_cost *cost);

/* --- given_about.c ------------------------------------------------------- */

/* Numbers of rows, threads and methods of one rank, and its time. */
struct mm_given_totals {
    uint64_t rows, threads, methods;
    double wall_ns; /* time at which the rank's last row ends */
};

/* Return the parameters of the run, new; NULL: out of memory. */
json_t *mm_given_variables_json(const struct mm_given_about *about);
/* Return the contents of experiment.json or rank.json for a rank, new; NULL: out of
 * memory. `variables` may be NULL. */
json_t *mm_given_about_json(const struct mm_given_about *about, int rank,
                            const struct mm_given_totals *totals, json_t *variables);

/* --- given_instances.c --------------------------------------------------- */

/* Instances of a given experiment. A struct of zeros has none. */
struct mm_given_instances {
    json_t *by_name; /* JSON object with a member for each instance: the instance's object
                        of wiring.json, but with a member "ports", an object with the type
                        of each port by name */
};

/* Add the instance and port of a method. Returns 0 or -ENOMEM. */
int mm_given_instances_add(struct mm_given_instances *instances,
                           const struct monitor_method_decl *decl);
/* Return the contents of wiring.json, a new object; NULL: out of memory. `instances` is
 * empty afterwards. */
json_t *mm_given_instances_wiring(struct mm_given_instances *instances);
void mm_given_instances_done(struct mm_given_instances *instances);

struct mm_given_thread;

/* --- about.c ------------------------------------------------------------- */

/* Return the contents of experiment.json at the start of an experiment, new; NULL: out of
 * memory.
 *
 *   script       in  path of the script given to the main program, or NULL
 *   command      in  the command line as one string, used if the system reports none
 *   measurement  in  port with the counters, which may measure time inside MPI; or
 * NULL */
json_t *mm_about_new(const char *script, const char *command,
                     struct measurement_port *measurement,
                     const struct mm_storage *storage);

/* The metrics of a Measurement port that become counters of each row:
 * mm_about_first_counter returns the index of the first one, mm_about_counter_count their
 * number. TIME and CPU_TIME are not among them, because rows have members for these. */
int mm_about_first_counter(struct measurement_port *measurement);
int mm_about_counter_count(struct measurement_port *measurement);
/* Update the list of missing counters in `about`. Returns 0 or -ENOMEM. */
int mm_about_counters(json_t *about, struct measurement_port *measurement);

/* Add the timers and events that components have used through the port so far, as
 * "timers" and "events". Returns 0 or -ENOMEM. */
int mm_about_measurement(json_t *about, struct measurement_port *measurement);

/* Add the times of MPI functions so far as "timers", for a process without a Measurement
 * port. Returns 0 or -ENOMEM. */
int mm_about_mpi(json_t *about, const struct meas_mpi *mpi);

/* Update the members about the clock, the cost of recording and the measured methods from
 * the recorder. Returns 0 or -ENOMEM. */
int mm_about_update(json_t *about, const struct mm_recorder *recorder, json_t *measured);

/* Mark the run as ended normally. Returns 0; -ENOMEM: it is not marked. */
int mm_about_finish(json_t *about, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost, int64_t wall_ns);

/* Add the times and the peak memory of the whole process (docs/internals/experiment.md,
 * `process`): `elapsed_ns` and `cpu_ns` from the moment when recording was possible until
 * now, `load_ns` before that moment. Returns 0 or -ENOMEM. */
int mm_about_process(json_t *about, int64_t elapsed_ns, int64_t cpu_ns, int64_t load_ns);

/* Return a new message for a run that ends early; NULL: out of memory. */
char *mm_about_last_words(const char *shown);

/* Return a new message for the end of a run, on two lines if it is longer than 100
 * columns; NULL: out of memory. Example: "experiment shock-1.mm: 9 methods, 48,112 rows,
 * 0 dropped; measuring cost 0.05 % of 18.2 s CPU". */
char *mm_about_line(const char *shown, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost);

/* --- directory.c --------------------------------------------------------- */

/* The directory of an experiment that this process writes. Its paths are absolute,
 * because components may change the working directory. */
struct mm_directory {
    char *shown; /* path of the directory for display, as a user would type it */
    char *path;
    char *rank_path; /* path of the rank's folder, path/rank-0000 for rank 0 */
    int rank;
    int made; /* true if this process has made the directory, false if it existed and was
                 empty */
};

/* Create the directory `wanted`, or use it if it exists and is empty. With `wanted` NULL
 * or "" create BASE-N.mm in the working directory: BASE is the name of the script without
 * its extension ("assembly" if `script` is NULL or ""), N the first free number.
 *
 * Returns 0; -EEXIST if `wanted` exists and is not empty; or mkdir's error; with the path
 * in `err`. */
int mm_directory_make(struct mm_directory *directory, const char *wanted,
                      const char *script, struct cca_error *err);
/* Check that a directory for the purpose `what` can be created later, or exists and is
 * empty. `*path` is new and absolute. Returns 0; -EEXIST or the error of a system call,
 * with `err`; or -ENOMEM. */
int mm_directory_place(const char *wanted, const char *what, char **path,
                       struct cca_error *err);
/* Like mm_directory_make, but for ranks that share one directory: rank 0 creates it, and
 * each rank creates its own folder in it. If `ranks` is NULL, this process is alone.
 * Other errors: -EIO: a rank does not see the directory; -ECANCELED: another rank failed.
 * Collective. */
int mm_directory_share(struct mm_directory *directory, const char *wanted,
                       const char *script, struct exchange_port *ranks,
                       struct cca_error *err);
/* Make the folder of a rank in an existing directory. Returns 0; -EEXIST: the rank has
 * one already. */
int mm_directory_enter(struct mm_directory *directory, const char *path, int rank,
                       struct cca_error *err);
/* Like mm_directory_make, but for the processes of one job, which may come in any order:
 * the first process makes the directory, with `about` as its experiment.json. Other
 * errors: -EEXIST: the directory belongs to another job. (join.c) */
int mm_directory_join(struct mm_directory *directory, const char *path, const char *job,
                      int rank, const json_t *about, struct cca_error *err);
/* Remove the directory if it contains only the files with which an experiment starts, and
 * clear the struct. */
void mm_directory_remove(struct mm_directory *directory);
void mm_directory_done(struct mm_directory *directory);

/* --- given_thread.c ------------------------------------------------------ */

/* The types of the values of a method's rows. */
struct mm_given_shape {
    unsigned char types[MONITOR_MAX_IN + MONITOR_MAX_OUT]; /* enum monitor_type */
    unsigned char in_count, out_count;
};

/* Memory for packing rows, shared by all threads. */
struct mm_given_pack {
    struct mm_pack_state state;
    unsigned char *out;
};

/* Properties of the times in rows, shared by all threads. */
struct mm_given_clock {
    double ns_per_tick;
    int64_t epoch_ns; /* time at tick 0, ns since 1970; 0: unknown */
    int cpu_time;
};

/* Return a new thread, whose segment `directory`/thread-NNN.seg is created with its first
 * block; NULL: out of memory. */
struct mm_given_thread *mm_given_thread_new(int number,
                                            const struct mm_given_clock *clock);
/* Add a row. Returns like mm_given_row. */
int mm_given_thread_row(struct mm_given_thread *thread, const char *directory,
                        struct mm_given_pack *pack, const struct mm_given_shape *shape,
                        const struct mm_given_row *row, struct cca_error *err);
/* Write the last block of rows and the trailer. Returns like mm_given_finish. */
int mm_given_thread_finish(struct mm_given_thread *thread, const char *directory,
                           struct mm_given_pack *pack, struct cca_error *err);
/* mm_given_thread_rows returns the number of rows of the thread so far,
 * mm_given_thread_end the end of the last row in ticks. */
uint64_t mm_given_thread_rows(const struct mm_given_thread *thread);
uint64_t mm_given_thread_end(const struct mm_given_thread *thread);
void mm_given_thread_free(struct mm_given_thread *thread);

/* Allocate the memory for packing. Returns 0 or -ENOMEM. */
int mm_given_pack_init(struct mm_given_pack *pack);
void mm_given_pack_done(struct mm_given_pack *pack);

/* --- methods.c ----------------------------------------------------------- */

/* The text of methods.json so far, without its end. A struct of zeros has no text. */
struct mm_methods {
    char *text;
    size_t size, capacity;
    size_t count;
    int unwritten; /* true if the file lacks part of the text */
};

/* Add method `id`, whose calls arrive through `entry`, and write dir/methods.json.
 * Returns 0; -ENOMEM or an I/O error with `err`: the file and `methods` are then
 * unchanged. */
int mm_methods_add(struct mm_methods *methods, const char *dir, uint32_t id,
                   enum mm_entry_kind entry, const struct monitor_method_decl *decl,
                   struct cca_error *err);
/* Two functions for mm_methods_add in two steps: add the method `id` to the text only;
 * write the text if the file lacks a part of it. If writing fails, the text remains. */
int mm_methods_note(struct mm_methods *methods, uint32_t id, enum mm_entry_kind entry,
                    const struct monitor_method_decl *decl, struct cca_error *err);
int mm_methods_write(struct mm_methods *methods, const char *dir, struct cca_error *err);
/* Add a method's JSON object, which is given as text, to the text only. Returns 0 or
 * -ENOMEM. */
int mm_methods_copy(struct mm_methods *methods, const char *object, size_t bytes);
/* Write methods.json of an experiment without methods. */
int mm_methods_start(struct mm_methods *methods, const char *dir, struct cca_error *err);
void mm_methods_done(struct mm_methods *methods);

/* --- mpi_calls.c --------------------------------------------------------- */

/* From now on keep the counts of `mpi` (NULL: none) in a file in the folder `rank_path`.
 * Returns 0, or a negative errno: the counts stay in memory. */
int mm_mpi_calls_keep(const struct meas_mpi *mpi, const char *rank_path);
/* Remove the file of MPI calls. */
void mm_mpi_calls_remove(const char *rank_path);

/* --- wiring.c ------------------------------------------------------------ */

struct mm_wiring_record {
    json_t *assembly; /* JSON object with instances and connections of the last
                         snapshot */
    json_t *measured; /* JSON array with "instance.port" of the ports of that snapshot
                         that have a proxy in front */
    json_t *gos;
    json_t *swaps;     /* JSON array: swaps of classes, in order of time */
    size_t next_write; /* number of `go` commands at which the file is written next */
};

int mm_wiring_init(struct mm_wiring_record *wiring); /* returns 0 or -ENOMEM */
void mm_wiring_done(struct mm_wiring_record *wiring);

/* Take a snapshot of the assembly. Returns 0; -ENOMEM: the previous snapshot is kept. */
int mm_wiring_snapshot(struct mm_wiring_record *wiring, struct builder_port *builder);

/* Add a `go` command that begins, with the current parameters of all instances of the
 * last snapshot; returns 0 or -ENOMEM. Add the result of a `go` command that has
 * ended. */
int mm_wiring_go_begins(struct mm_wiring_record *wiring, struct builder_port *builder,
                        const char *instance, const char *port);
/* Add a swap. Returns 0 or -ENOMEM. */
struct swap_outcome;
int mm_wiring_swapped(struct mm_wiring_record *wiring, const struct swap_outcome *swap);
int mm_wiring_go_ends(struct mm_wiring_record *wiring, const char *instance,
                      const char *port, int result);

/* True if the file must be written for this `go` command. The file contains all `go`
 * commands, so that writing it for each of n commands would cost n squared; after 256
 * commands the interval grows by an eighth each time. */
int mm_wiring_due(struct mm_wiring_record *wiring);

/* Write dir/wiring.json. Returns 0 or a negative errno with `err`. */
int mm_wiring_write(const struct mm_wiring_record *wiring, const char *dir,
                    struct cca_error *err);
/* Like mm_wiring_write, but for a rank other than 0: the file is written only if the
 * shared directory has none. */
int mm_wiring_offer(const struct mm_wiring_record *wiring,
                    const struct mm_directory *directory, struct cca_error *err);

#endif
