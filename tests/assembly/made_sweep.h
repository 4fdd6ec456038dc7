/* SPDX-License-Identifier: BSD-3-Clause */
/* made_sweep.h: a sweep of made-up runs with four slots of three classes. */
#ifndef TESTS_ASSEMBLY_MADE_SWEEP_H
#define TESTS_ASSEMBLY_MADE_SWEEP_H

#include "tests/lib/test.h"

#include "mastermind/choice/choice.h"
#include "tests/lib/mm_rows.h"

enum { SLOTS = 4, CLASSES = 3, SIZES = 4, RUNS = SIZES * (1 + SLOTS * (CLASSES - 1)) };

static const char *const instances[SLOTS] = {"precond", "matrix", "halo", "norm"};
static const char *const types[SLOTS] = {"t.P/1", "t.M/1", "t.H/1", "t.N/1"};
static const char *const classes[SLOTS][CLASSES] = {
    {"PA", "PB", "PC"}, {"MA", "MB", "MC"}, {"HA", "HB", "HC"}, {"NA", "NB", "NC"}};
static const char *const sizes[SIZES] = {"8", "16", "24", "32"};

/* A sweep of made-up runs: driver -> precond, matrix, halo, norm. The class of precond
 * decides how often matrix and halo are called, that of norm how often halo is. */
struct world {
    double scale[SLOTS][CLASSES], start[SLOTS][CLASSES];
    int iterations[CLASSES], halos[CLASSES];
    double noise;           /* relative, of every call */
    double driver[CLASSES]; /* own cost of the driver with a class of precond: n * n
                               times this, and 5000 */
    struct mm_quality qualities[SLOTS][CLASSES];
    struct rows rows[RUNS];
    int at[RUNS][SLOTS];
    struct mm_run_value variables[RUNS], run_classes[RUNS][SLOTS + 1];
    struct mm_run runs[RUNS];
    struct mm_instance parts[RUNS][SLOTS + 1];
    struct mm_wiring_port ports[SLOTS];
    struct mm_wiring wirings[RUNS];
    const struct mm_wiring *pointers[RUNS];
    struct mm_profile *profiles[RUNS];
    struct mm_forecast_run forecast_runs[RUNS];
    size_t count;
    struct mm_library *library;
    struct mm_forecaster *forecaster;
    const char **text; /* of the question */
    size_t joint_most; /* of the question */
};

static inline double cost_of(const struct world *w, int slot, int k, double n)
{
    return w->start[slot][k] + w->scale[slot][k] * n * (slot < 2 ? n : 1);
}

static inline void add_calls(struct world *w, size_t run, int slot, int calls, double n,
                             double *total)
{
    const struct mm_method_info *m = &w->rows[run].methods[slot + 1];

    for (int i = 0; i < calls; i++) {
        double ns = cost_of(w, slot, w->at[run][slot], n) *
                    (1 + w->noise * (2 * rows_random() - 1));

        rows_call(&w->rows[run], m, ns, &n);
        w->rows[run].rows[w->rows[run].count - 1].caller = 1;
        *total += (double)w->rows[run].rows[w->rows[run].count - 1].wall_ns;
    }
}

/* Make run `run` of size n with the classes w->at[run]. */
static inline void make_run(struct world *w, size_t run, double n)
{
    struct rows *rows = &w->rows[run];
    struct mm_method_info *m = rows_method(rows, "driver", "go", "Driver", "go/1");
    const int *at = w->at[run];
    int iterations = (int)n * w->iterations[at[0]];
    struct mm_row *row;
    double own =
        5000 + w->driver[at[0]] * n * n * (1 + w->noise * (2 * rows_random() - 1));
    double total = own;

    for (int s = 0; s < SLOTS; s++) {
        m = rows_method(rows, instances[s], "apply", classes[s][at[s]], types[s]);
        rows_value(m, "n", MONITOR_INT64, MONITOR_PARAM);
    }
    rows->next = 1;
    add_calls(w, run, 0, iterations, n, &total);
    add_calls(w, run, 1, iterations, n, &total);
    add_calls(w, run, 2, iterations * w->halos[at[3]], n, &total);
    add_calls(w, run, 3, (int)n, n, &total);
    row = rows_add(rows, &rows->methods[0]);
    row->invocation = 1;
    row->wall_ns = llround(total);
    row->exclusive_ns = llround(own);
}

static inline void describe_run(struct world *w, size_t run, const char *size)
{
    w->variables[run] = (struct mm_run_value){"N", size};
    for (int s = 0; s < SLOTS; s++) {
        int k = w->at[run][s];

        w->run_classes[run][s] = (struct mm_run_value){instances[s], classes[s][k]};
        w->parts[run][s] = (struct mm_instance){.name = instances[s],
                                                .class_name = classes[s][k],
                                                .build_id = "b",
                                                .file = "",
                                                .provides = &w->ports[s],
                                                .provides_count = 1,
                                                .qualities = &w->qualities[s][k],
                                                .quality_count = 1};
    }
    w->run_classes[run][SLOTS] = (struct mm_run_value){"driver", "Driver"};
    w->parts[run][SLOTS] = (struct mm_instance){
        .name = "driver", .class_name = "Driver", .build_id = "b", .file = ""};
    w->wirings[run] =
        (struct mm_wiring){.instances = w->parts[run], .instance_count = SLOTS + 1};
    w->pointers[run] = &w->wirings[run];
    w->runs[run] = (struct mm_run){.variables = {&w->variables[run], 1},
                                   .classes = {w->run_classes[run], SLOTS + 1},
                                   .ranks = 1,
                                   .is_known = 1};
}

static inline void learn(struct world *w)
{
    const struct mm_axes *axes;
    struct cca_error err = {0};

    for (size_t r = 0; r < w->count; r++) {
        struct mm_row_source source = rows_source(&w->rows[r], "run");

        w->profiles[r] = mm_profile_new(&source, &w->wirings[r], &err);
        assert_non_null(w->profiles[r]);
        w->forecast_runs[r] = (struct mm_forecast_run){.name = "run",
                                                       .run = &w->runs[r],
                                                       .profile = w->profiles[r],
                                                       .total_ns = NAN,
                                                       .transfer_ns = NAN,
                                                       .waiting_ns = NAN};
    }
    w->library = mm_library_new(w->profiles, w->count, &err);
    assert_non_null(w->library);
    w->forecaster = mm_forecaster_new(w->forecast_runs, w->count, w->library, &err);
    assert_non_null(w->forecaster);
    axes = mm_forecaster_axes(w->forecaster);
    w->text = calloc(axes->count + 1, sizeof *w->text);
    assert_non_null(w->text);
    for (size_t i = 0; i < axes->count; i++)
        if (!axes->items[i].varies)
            w->text[i] = axes->items[i].text[0];
}

/* All sizes with the first classes, and with each other class alone. */
static inline struct world *world_new(uint64_t seed, double noise)
{
    struct world *w = calloc(1, sizeof *w);

    assert_non_null(w);
    rows_seed = seed;
    w->noise = noise;
    for (int k = 0; k < CLASSES; k++) {
        w->iterations[k] = 1 + (int)(4 * rows_random());
        w->halos[k] = 1 + (int)(3 * rows_random());
        for (int s = 0; s < SLOTS; s++) {
            w->scale[s][k] = floor(1 + 30 * rows_random()) * (s < 2 ? 1 : 40);
            w->start[s][k] = floor(4000 * rows_random());
            w->qualities[s][k] = (struct mm_quality){
                "error", "", floor(20 * rows_random()), MM_COMPOSE_MAX};
        }
    }
    for (int s = 0; s < SLOTS; s++)
        w->ports[s] = (struct mm_wiring_port){"p", types[s]};
    for (int size = 0; size < SIZES; size++) {
        for (int other = 0; other <= SLOTS * (CLASSES - 1); other++) {
            if (other)
                w->at[w->count][(other - 1) / (CLASSES - 1)] =
                    1 + (other - 1) % (CLASSES - 1);
            make_run(w, w->count, atof(sizes[size]));
            describe_run(w, w->count, sizes[size]);
            w->count++;
        }
    }
    learn(w);
    return w;
}

static inline void world_free(struct world *w)
{
    mm_forecaster_free(w->forecaster);
    mm_library_free(w->library);
    for (size_t r = 0; r < w->count; r++) {
        mm_profile_free(w->profiles[r]);
        rows_done(&w->rows[r]);
    }
    free(w->text);
    free(w);
}

static inline void ask_size(struct world *w, const char *size)
{
    w->text[mm_axes_find(mm_forecaster_axes(w->forecaster), MM_AXIS_VARIABLE, "N")] =
        size;
}

static inline struct mm_open_choice *choose(struct world *w,
                                            const struct mm_requirement *r, size_t count,
                                            const struct mm_choice_query *query,
                                            struct cca_error *err)
{
    return mm_open_choice_new(&(struct mm_open_asked){.forecaster = w->forecaster,
                                                      .runs = w->forecast_runs,
                                                      .wirings = w->pointers,
                                                      .run_count = w->count,
                                                      .text = w->text,
                                                      .requirements = r,
                                                      .requirement_count = count,
                                                      .query = query,
                                                      .joint_most = w->joint_most},
                              err);
}

#endif
