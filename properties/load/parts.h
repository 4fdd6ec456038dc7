/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: what the parts of one loading share: an experiment on its way into a store. */
#ifndef PROPERTIES_LOAD_PARTS_H
#define PROPERTIES_LOAD_PARTS_H

#include "mastermind/reader/experiment.h"
#include "properties/load/load.h"
#include "properties/load/sums/sums.h"

/* What a unit did in OpenMP regions that are in no other. */
struct mm_load_openmp {
    int threads; /* of the largest team of its rank; 0: no regions */
    int64_t wall_ns, sync_ns, control_ns;
    double loss_ns;
};

/* A thread of a rank. */
struct mm_load_unit {
    int rank, thread;
    int64_t id, node;                   /* rows of the tables unit and node */
    struct mm_load_sum *sums;           /* [method_count]; NULL: nothing came of it yet */
    struct mm_load_sum roots;           /* its outermost calls */
    int64_t first_ns, last_ns;          /* of its calls, since the start of the clock */
    int64_t wall_ns, cpu_ns, stolen_ns; /* of its readings; wall_ns 0: none */
    int64_t host_ns; /* that the host took of its calls: it is in none of their times */
    struct mm_load_openmp openmp;
};

struct mm_load {
    struct mm_store *store;
    struct mm_experiment *e;
    const struct mm_load_options *options;
    struct cca_error *err;
    struct mm_load_metrics metrics;
    int64_t version, machine, experiment; /* rows of these tables */
    struct mm_load_unit *units;           /* [unit_count] by rank, thread */
    size_t unit_count;
    int threads;   /* most of a rank */
    size_t recent; /* the unit found last */
    /* [method_count] the first method of each one's name: where an instance was made anew
     * of another class its methods are one region. All that goes by method goes by this.
     */
    size_t *same;
    int64_t *methods;                /* [method_count] rows of region; 0: none yet */
    int has_openmp;                  /* some rank has OpenMP regions */
    int has_waits;                   /* MM_LOAD_WAIT is set */
    int64_t program;                 /* row of region */
    struct mm_load_tree *tree;       /* calling contexts; NULL: none are kept */
    struct mm_load_batches *batches; /* NULL: none are kept */
};

/* Each returns 0 or a negative errno with load->err. */

/* Rows of application, version, experiment; of machine and node; of unit. about.c,
 * machine.c, units.c */
int mm_load_about(struct mm_load *load);
int mm_load_machine(struct mm_load *load);
int mm_load_find_units(struct mm_load *load);
int mm_load_name_units(struct mm_load *load);
int mm_load_put_units(struct mm_load *load);
/* True while the processes of an experiment that has not finished live. */
int mm_load_is_running(const struct mm_load *load);
/* The unit of a thread; NULL: the experiment has no such thread. */
struct mm_load_unit *mm_load_unit_of(struct mm_load *load, int rank, int thread);
/* Find methods of one name. regions.c */
int mm_load_names(struct mm_load *load);
/* The row of region of a method, made if absent. regions.c */
int mm_load_method(struct mm_load *load, const struct mm_method_info *method,
                   int64_t *region);
int mm_load_region(struct mm_load *load, const char *kind, const char *name,
                   const struct mm_method_info *method, int64_t parent, int64_t *region);
/* Walk rows and aggregates once: sums, contexts, batches. walk.c */
int mm_load_walk(struct mm_load *load);
/* Rows of summary. summaries.c, program.c */
int mm_load_summaries(struct mm_load *load);
int mm_load_program(struct mm_load *load);
int mm_load_contexts(struct mm_load *load);
/* Rows of model_excess. models.c */
int mm_load_models(struct mm_load *load);
/* Order the calling contexts, once all calls are in them. */
int mm_load_end_contexts(struct mm_load *load);
/* Threads of the largest team of a rank, 0: no OpenMP regions. openmp.c */
int mm_load_openmp_threads(struct mm_load *load, int rank, int *threads);
/* Regions of OpenMP and their summaries; before mm_load_program. */
int mm_load_openmp(struct mm_load *load);
/* Rows of message, collective, network; regions of callsites; waits. messages.c */
int mm_load_messages(struct mm_load *load);
/* Set source file and line of a region: given, or those of the innermost frame of "smooth
 * relax.c:88 < main relax.c:120", if it has them. places.c */
int mm_load_method_places(struct mm_load *load);
/* Bytes of a hexadecimal build id; returns how many. */
uint32_t mm_load_id_bytes(const char *hex, uint8_t bytes[20]);
int mm_load_place_of(struct mm_load *load, int64_t region, const char *site);
int mm_load_place(struct mm_load *load, int64_t region, const char *file, int line);
/* Rows of batch, of the unit whose rows have just been walked. batch_rows.c */
int mm_load_put_batches(struct mm_load *load, const struct mm_load_unit *unit);
/* Put the batches of all units of a region on one width. */
int mm_load_align_batches(struct mm_load *load);
/* Statements for rows of summary and what belongs to it. summary_rows.c */
struct mm_load_rows;
struct mm_load_rows *mm_load_rows_new(struct mm_load *load);
void mm_load_rows_free(struct mm_load_rows *rows);
int mm_load_rows_put(struct mm_load_rows *rows, int64_t region,
                     const struct mm_load_unit *unit, const struct mm_load_sum *sum,
                     const double columns[MM_COLUMNS]);
/* The columns of a sum in seconds or counts, NaN: not known. */
void mm_load_columns(const struct mm_load *load, const struct mm_load_sum *sum,
                     double columns[MM_COLUMNS]);
/* Note that a column or table has no values, and why; the first reason stays. */
int mm_load_missing(struct mm_load *load, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int mm_load_lacking(struct mm_load *load);

#endif
