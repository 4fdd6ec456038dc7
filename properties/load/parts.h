/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: state of loading an experiment into a store, shared by the files of this
 * folder. */
#ifndef PROPERTIES_LOAD_PARTS_H
#define PROPERTIES_LOAD_PARTS_H

#include <stdint.h>
#include <sqlite3.h>
#include "mastermind/reader/experiment.h"
#include "properties/load/load.h"
#include "properties/load/sums/sums.h"
#include "properties/store/store.h"
#include "messages/read/collectives.h"
#include "messages/read/groups.h"
#include "messages/read/sites.h"

/* Times of a unit in OpenMP regions that are not nested in others. */
struct mm_load_openmp {
    int threads; /* threads in the largest OpenMP team of its rank; 0: no regions */
    int64_t wall_ns, sync_ns, control_ns;
    double loss_ns;
};

/* A processing unit: a thread of a rank. */
struct mm_load_unit {
    int rank, thread;
    int64_t id, node; /* ids of its rows in the tables unit and node */
    /* [method_count] sums by method; NULL: the thread has no calls yet */
    struct mm_load_sum *sums;
    struct mm_load_sum roots;  /* sum over the thread's outermost calls */
    int64_t first_ns, last_ns; /* start of the thread's first call and end of its last,
                                * since the start of the clock */
    /* times that the thread read from its clocks; wall_ns 0: no readings */
    int64_t wall_ns, cpu_ns, stolen_ns;
    int64_t host_ns; /* time that the host took during the thread's calls; the calls'
                      * times do not include it */
    struct mm_load_openmp openmp;
};

struct mm_load {
    struct mm_store *store;
    struct mm_experiment *e;
    const struct mm_load_options *options;
    struct cca_error *err;
    struct mm_load_metrics metrics;
    /* ids of the experiment's rows in the tables of these names */
    int64_t version, machine, experiment;
    /* [unit_count] units, sorted by rank and thread */
    struct mm_load_unit *units;
    size_t unit_count;
    int threads;   /* largest number of threads of a rank */
    size_t recent; /* index of the unit that mm_load_unit_of found last */
    /* [method_count] index of the first method with the same name: if an instance was
     * created again from another class, its methods are one region. All data by method
     * uses this index. */
    size_t *same;
    int64_t *methods;                /* [method_count] ids of rows in region; 0: none
                                      * yet */
    int has_openmp;                  /* 1: some rank has OpenMP regions */
    int has_waits;                   /* 1: the sums MM_LOAD_WAIT are valid */
    int64_t program;                 /* id of the program's row in region */
    struct mm_load_tree *tree;       /* calling contexts; NULL: not loaded */
    struct mm_load_batches *batches; /* batches of calls; NULL: not loaded */
};

/* Each function returns 0 or a negative errno with load->err. */

/* Write rows of application, version, experiment; of machine and node; of unit. about.c,
 * machine.c, units.c */
int mm_load_about(struct mm_load *load);
int mm_load_machine(struct mm_load *load);
int mm_load_find_units(struct mm_load *load);
int mm_load_name_units(struct mm_load *load);
int mm_load_put_units(struct mm_load *load);
/* Whether the processes of an unfinished experiment are alive. */
int mm_load_is_running(const struct mm_load *load);
/* The unit of a thread; NULL: the experiment has no such thread. */
struct mm_load_unit *mm_load_unit_of(struct mm_load *load, int rank, int thread);
/* Find methods with equal names. regions.c */
int mm_load_names(struct mm_load *load);
/* Id of a method's row in region, which is added if absent. regions.c */
int mm_load_method(struct mm_load *load, const struct mm_method_info *method,
                   int64_t *region);
int mm_load_region(struct mm_load *load, const char *kind, const char *name,
                   const struct mm_method_info *method, int64_t parent, int64_t *region);
/* Read rows and aggregates once, for sums, contexts and batches. walk.c */
int mm_load_walk(struct mm_load *load);
/* Write rows of summary. summaries.c, program.c */
int mm_load_summaries(struct mm_load *load);
int mm_load_program(struct mm_load *load);
int mm_load_contexts(struct mm_load *load);
/* Write rows of model_excess. models.c */
int mm_load_models(struct mm_load *load);
/* Sort the calling contexts, after all calls were added. */
int mm_load_end_contexts(struct mm_load *load);
/* Number of threads in the largest team of a rank, 0: no OpenMP regions. openmp.c */
int mm_load_openmp_threads(struct mm_load *load, int rank, int *threads);
/* Write OpenMP regions and their summaries; call before mm_load_program. */
int mm_load_openmp(struct mm_load *load);
/* Write rows of message, collective, network; regions of callsites; estimate waits.
 * messages.c */
int mm_load_messages(struct mm_load *load);
/* Set source file and line of a region: as given, or from the innermost frame of "smooth
 * relax.c:88 < main relax.c:120", if it has them. places.c */
int mm_load_method_places(struct mm_load *load);
/* Convert a hexadecimal build id to bytes; returns their number. */
uint32_t mm_load_id_bytes(const char *hex, uint8_t bytes[20]);
int mm_load_place_of(struct mm_load *load, int64_t region, const char *site);
/* Write rows of batch for the unit whose rows were read last. batch_rows.c */
int mm_load_put_batches(struct mm_load *load, const struct mm_load_unit *unit);
/* Give the batches of all units of a region the same width. */
int mm_load_align_batches(struct mm_load *load);
/* Prepared statements for rows of summary and its dependent tables. summary_rows.c */
struct mm_load_rows;
struct mm_load_rows *mm_load_rows_new(struct mm_load *load);
void mm_load_rows_free(struct mm_load_rows *rows);
int mm_load_rows_put(struct mm_load_rows *rows, int64_t region,
                     const struct mm_load_unit *unit, const struct mm_load_sum *sum,
                     const double columns[MM_COLUMNS]);
/* Convert a sum to columns of the table summary, in seconds or counts; NaN: unknown. */
void mm_load_columns(const struct mm_load *load, const struct mm_load_sum *sum,
                     double columns[MM_COLUMNS]);
/* Note why a column or table has no values; only the first reason is kept. */
int mm_load_missing(struct mm_load *load, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int mm_load_lacking(struct mm_load *load);

/* --- merge.c ------------------------------------------------------------- */

/* Add all rows of the store at `path`. Regions, versions, machines and nodes that exist
 * already are shared. Returns as mm_store_load. */
int mm_store_merge(struct mm_store *store, const char *path, struct cca_error *err);

/* --- messages.c ---------------------------------------------------------- */

struct mm_load_messages {
    struct mm_load *load;
    struct mm_messages *messages;
    struct mm_site_names *names;
    /* sums of messages by ranks, callsites, methods, sizes */
    struct mm_message_groups groups;
    struct mm_collectives collectives;
    struct mm_word_table sites; /* table of int: callsites that have a region */
};

/* Each function returns 0 or a negative errno with load->err. */

/* Estimate the waiting time of each method on each rank, and add it to the sums.
 * waits.c */
int mm_load_waits(struct mm_load_messages *m);

/* --- penalties.c --------------------------------------------------------- */

/* Penalties of cache misses, measured once per machine and kept.
 *
 * They are kept in the file `mastermind/penalties` of $XDG_CACHE_HOME, else of ~/.cache:
 * a line for each host, processor and level, `host<TAB>cpu<TAB>level<TAB>seconds`. */

/* Set cache.penalty of this machine's nodes in the store from the file; if it lacks them
 * and options->penalties is set, measure and keep them. Returns 0 or a negative errno
 * with `err` for errors of the store only; a file that cannot be written is reported by
 * options->progress. */
int mm_store_penalties(struct mm_store *store, const struct mm_load_options *options,
                       struct cca_error *err);

/* --- put.c --------------------------------------------------------------- */

/* Prepare a statement. New (sqlite3_finalize frees it), or NULL with `err`. */
sqlite3_stmt *mm_put_prepare(struct mm_store *store, const char *sql,
                             struct cca_error *err);
/* Bind values and run a statement without result rows. `format` has a letter for each
 * parameter: i int64_t; I int64_t, a reference, 0 becomes NULL; r double, NULL if not
 * finite; t const char *, NULL becomes NULL. Returns 0; -EIO, -ENOMEM with `err`. */
int mm_put(struct mm_store *store, sqlite3_stmt *statement, struct cca_error *err,
           const char *format, ...);
/* Like mm_put, but prepares the statement for one use; if it returns a row, the first
 * column is stored in *id, which is otherwise unchanged. `id` may be NULL. */
int mm_put_once(struct mm_store *store, int64_t *id, struct cca_error *err,
                const char *sql, const char *format, ...);
/* Set `err` from the store's last error. Returns its code. */
int mm_put_refuse(struct mm_store *store, struct cca_error *err);

#endif
