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

/* CPU time for measuring, in separate parts, ns; docs/internals/experiment.md, "cost". */
struct mm_cost {
    int64_t calls_ns;   /* CPU time for recording calls: their number times the cost of
                           one call on this host */
    int64_t files_ns;   /* CPU time of recorded threads for files */
    int64_t helper_ns;  /* CPU time of the helper thread */
    int64_t setup_ns;   /* CPU time before the first call and after the last */
    int64_t mpi_ns;     /* CPU time of the MPI wrappers: number of calls times the cost
                           of one */
    int64_t openmp_ns;  /* CPU time for OpenMP events: their number times the cost of
                           one */
    int64_t process_ns; /* all CPU time of the process so far, including these parts */
};

/* CPU time of the calling thread. */
int64_t mm_cost_thread_ns(void);
/* Return the cost of measuring so far, with calls through `entry`; `mpi` may be NULL. */
struct mm_cost mm_cost_now(const struct mm_recorder_stats *stats,
                           enum mm_entry_kind entry, int64_t setup_ns,
                           const struct meas_mpi *mpi);
/* Return the sum of the parts of the measuring cost, without process_ns. */
int64_t mm_cost_sum(const struct mm_cost *cost);
/* Return the measuring cost as a JSON object, new; NULL: out of memory. */
json_t *mm_cost_json(const struct mm_cost *cost);

/* --- given_about.c ------------------------------------------------------- */

/* Numbers of rows, threads and methods of one rank, and its time. */
struct mm_given_totals {
    uint64_t rows, threads, methods;
    double wall_ns; /* time of the end of the rank's last row */
};

/* Return the parameters of the run, new; NULL: out of memory. */
json_t *mm_given_variables_json(const struct mm_given_about *about);
/* Return the document experiment.json or rank.json for a rank, new; NULL: out of memory.
 * `variables` may be NULL. */
json_t *mm_given_about_json(const struct mm_given_about *about, int rank,
                            const struct mm_given_totals *totals, json_t *variables);

/* --- given_instances.c --------------------------------------------------- */

/* Instances of a given experiment; empty if zero-initialised. */
struct mm_given_instances {
    json_t *by_name; /* object of instance name to object of wiring.json, whose "ports" is
                        an object of port name to type */
};

/* Add the instance and port of a method. Returns 0 or -ENOMEM. */
int mm_given_instances_add(struct mm_given_instances *instances,
                           const struct monitor_method_decl *decl);
/* Return the object of wiring.json, new; NULL: out of memory. Empties the instances. */
json_t *mm_given_instances_wiring(struct mm_given_instances *instances);
void mm_given_instances_done(struct mm_given_instances *instances);

struct mm_given_thread;

/* --- about.c ------------------------------------------------------------- */

/* The document at the start of an experiment, new; NULL: out of memory.
 *
 *   script       in  path given to the main program, or NULL
 *   command      in  the command line as one string, used if the system reports none
 *   measurement  in  or NULL; has the counters, and may measure time inside MPI */
json_t *mm_about_new(const char *script, const char *command,
                     struct measurement_port *measurement,
                     const struct mm_storage *storage);

/* Return the metrics of a Measurement port that become counters of each row: index of the
 * first, and number. TIME and CPU_TIME have fields of their own. */
int mm_about_first_counter(struct measurement_port *measurement);
int mm_about_counter_count(struct measurement_port *measurement);
/* Update the list of missing counters in `about`. Returns 0 or -ENOMEM. */
int mm_about_counters(json_t *about, struct measurement_port *measurement);

/* Add the timers and counters used by components through the port so far, as "timers" and
 * "events". Returns 0 or -ENOMEM. */
int mm_about_measurement(json_t *about, struct measurement_port *measurement);

/* Add the times of MPI functions so far as "timers", for a process without a Measurement
 * port. Returns 0 or -ENOMEM. */
int mm_about_mpi(json_t *about, const struct meas_mpi *mpi);

/* Update clock, overhead and the set of measured methods from the recorder. Returns 0 or
 * -ENOMEM. */
int mm_about_update(json_t *about, const struct mm_recorder *recorder, json_t *measured);

/* Mark the run as ended normally. Returns 0; -ENOMEM: it stays unmarked. */
int mm_about_finish(json_t *about, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost, int64_t wall_ns);

/* Add times and peak memory of the whole process (docs/internals/experiment.md,
 * `process`): from the moment when recording was possible to now, and before that.
 * Returns 0 or -ENOMEM. */
int mm_about_process(json_t *about, int64_t elapsed_ns, int64_t cpu_ns, int64_t load_ns);

/* Return the message for a run that ends early, new; NULL: out of memory. */
char *mm_about_last_words(const char *shown);

/* Return the message at the end of a run, in two lines if it is longer than 100 columns,
 * new; NULL: out of memory: "experiment shock-1.mm: 9 methods, 48,112 rows, 0 dropped;
 * measuring cost 0.05 % of 18.2 s CPU". */
char *mm_about_line(const char *shown, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost);

/* --- directory.c --------------------------------------------------------- */

/* An experiment directory of our own. The paths are absolute: components may change the
 * working directory. */
struct mm_directory {
    char *shown; /* path of the directory for display, as a user would type it */
    char *path;
    char *rank_path; /* path of the rank's folder, path/rank-0000 for rank 0 */
    int rank;
    int made; /* 1: this process made the directory; 0: it existed and was empty */
};

/* Create the directory `wanted`, or use it if it exists and is empty. With `wanted` NULL
 * or "" create BASE-N.mm in the working directory: BASE is the name of the script without
 * its extension (NULL or "": "assembly"), N the first free number.
 *
 * Returns 0; -EEXIST if `wanted` exists and is not empty, or mkdir's error, with `err`
 * naming the path. */
int mm_directory_make(struct mm_directory *directory, const char *wanted,
                      const char *script, struct cca_error *err);
/* Check that a directory for the purpose `what` can be created later, or exists and is
 * empty. `*path` is new and absolute. Returns 0; a system call's error, or -EEXIST, with
 * `err`; -ENOMEM. */
int mm_directory_place(const char *wanted, const char *what, char **path,
                       struct cca_error *err);
/* mm_directory_make for ranks that share one directory: rank 0 creates it, each rank
 * creates its own folder in it. `ranks` NULL: this process is alone. Also -EIO: a rank
 * does not see the directory; -ECANCELED: another rank failed. Collective. */
int mm_directory_share(struct mm_directory *directory, const char *wanted,
                       const char *script, struct exchange_port *ranks,
                       struct cca_error *err);
/* Make the folder of a rank in an existing directory. Returns 0; -EEXIST: the rank has
 * one already. */
int mm_directory_enter(struct mm_directory *directory, const char *path, int rank,
                       struct cca_error *err);
/* mm_directory_make for processes of one job, in any order: the first process makes
 * the directory, with `about` as its experiment.json. Also -EEXIST: the directory
 * belongs to another job. join.c */
int mm_directory_join(struct mm_directory *directory, const char *path, const char *job,
                      int rank, const json_t *about, struct cca_error *err);
/* Remove the directory if it contains only the first files, and clear the struct. */
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

/* Return a thread with the segment `directory`/thread-NNN.seg, which its first block
 * creates. New or NULL: out of memory. */
struct mm_given_thread *mm_given_thread_new(int number,
                                            const struct mm_given_clock *clock);
/* Add a row; returns as mm_given_row. */
int mm_given_thread_row(struct mm_given_thread *thread, const char *directory,
                        struct mm_given_pack *pack, const struct mm_given_shape *shape,
                        const struct mm_given_row *row, struct cca_error *err);
/* Write the last block of rows and the trailer; returns as mm_given_finish. */
int mm_given_thread_finish(struct mm_given_thread *thread, const char *directory,
                           struct mm_given_pack *pack, struct cca_error *err);
/* Return the number of rows of the thread so far, and the end of the last one in
 * ticks. */
uint64_t mm_given_thread_rows(const struct mm_given_thread *thread);
uint64_t mm_given_thread_end(const struct mm_given_thread *thread);
void mm_given_thread_free(struct mm_given_thread *thread);

/* Allocate the memory for packing. Returns 0 or -ENOMEM. */
int mm_given_pack_init(struct mm_given_pack *pack);
void mm_given_pack_done(struct mm_given_pack *pack);

/* --- methods.c ----------------------------------------------------------- */

/* Text of methods.json so far, without its end; empty if zero-initialised. */
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
/* mm_methods_add in two steps: add method `id` to the text only; write an unwritten text.
 * If writing fails, the text remains. */
int mm_methods_note(struct mm_methods *methods, uint32_t id, enum mm_entry_kind entry,
                    const struct monitor_method_decl *decl, struct cca_error *err);
int mm_methods_write(struct mm_methods *methods, const char *dir, struct cca_error *err);
/* Add the object of a method, as text, to the text only. Returns 0 or -ENOMEM. */
int mm_methods_copy(struct mm_methods *methods, const char *object, size_t bytes);
/* Write methods.json of an experiment without methods. */
int mm_methods_start(struct mm_methods *methods, const char *dir, struct cca_error *err);
void mm_methods_done(struct mm_methods *methods);

/* --- mpi_calls.c --------------------------------------------------------- */

/* Keep the counts of `mpi` (NULL: none) in a file in the folder from now on. 0, or a
 * negative errno: the counts stay in memory. */
int mm_mpi_calls_keep(const struct meas_mpi *mpi, const char *rank_path);
/* Remove the file of MPI calls. */
void mm_mpi_calls_remove(const char *rank_path);

/* --- wiring.c ------------------------------------------------------------ */

struct mm_wiring_record {
    json_t *assembly; /* JSON object with instances and connections of the last
                         snapshot */
    json_t *measured; /* JSON array with "instance.port" of the interposed ports of
                         that snapshot */
    json_t *gos;
    size_t next_write; /* number of gos at which the file is next written */
};

int mm_wiring_init(struct mm_wiring_record *wiring); /* returns 0 or -ENOMEM */
void mm_wiring_done(struct mm_wiring_record *wiring);

/* Take a snapshot of the assembly. Returns 0; -ENOMEM: the previous snapshot stays. */
int mm_wiring_snapshot(struct mm_wiring_record *wiring, struct builder_port *builder);

/* Start a go, with the present parameters of all instances of the last snapshot; returns
 * 0 or -ENOMEM. End a go. */
int mm_wiring_go_begins(struct mm_wiring_record *wiring, struct builder_port *builder,
                        const char *instance, const char *port);
int mm_wiring_go_ends(struct mm_wiring_record *wiring, const char *instance,
                      const char *port, int result);

/* True if the file must be written for this go. The file contains all gos, so writing it
 * for each of n gos would cost n squared; after 256 gos the interval grows by an eighth
 * each time. */
int mm_wiring_due(struct mm_wiring_record *wiring);

/* Write dir/wiring.json. Returns 0 or a negative errno with `err`. */
int mm_wiring_write(const struct mm_wiring_record *wiring, const char *dir,
                    struct cca_error *err);
/* Like mm_wiring_write, for a rank other than 0: only if the shared directory has no such
 * file. */
int mm_wiring_offer(const struct mm_wiring_record *wiring,
                    const struct mm_directory *directory, struct cca_error *err);

#endif
