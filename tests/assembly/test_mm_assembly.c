/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_assembly.c: the choice for a run that never happened is that of all
 * assemblies, forecast one by one; ties, deciders, missing classes. */
#include "tests/lib/test.h"

#include <errno.h>

#include "mastermind/analysis/assembly/assembly.h"
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
    double noise; /* relative, of every call */
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
};

static double cost_of(const struct world *w, int slot, int k, double n)
{
    return w->start[slot][k] + w->scale[slot][k] * n * (slot < 2 ? n : 1);
}

static void add_calls(struct world *w, size_t run, int slot, int calls, double n,
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
static void make_run(struct world *w, size_t run, double n)
{
    struct rows *rows = &w->rows[run];
    struct mm_method_info *m = rows_method(rows, "driver", "go", "Driver", "go/1");
    const int *at = w->at[run];
    int iterations = (int)n * w->iterations[at[0]];
    struct mm_row *row;
    double total = 5000;

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
    row->exclusive_ns = 5000;
}

static void describe_run(struct world *w, size_t run, const char *size)
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

static void learn(struct world *w)
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
static struct world *world_new(uint64_t seed, double noise)
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

static void world_free(struct world *w)
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

static void ask_size(struct world *w, const char *size)
{
    w->text[mm_axes_find(mm_forecaster_axes(w->forecaster), MM_AXIS_VARIABLE, "N")] =
        size;
}

static struct mm_open_choice *choose(struct world *w, const struct mm_requirement *r,
                                     size_t count, const struct mm_choice_query *query)
{
    struct cca_error err = {0};
    struct mm_open_choice *choice =
        mm_open_choice_new(&(struct mm_open_asked){.forecaster = w->forecaster,
                                                   .runs = w->forecast_runs,
                                                   .wirings = w->pointers,
                                                   .run_count = w->count,
                                                   .text = w->text,
                                                   .requirements = r,
                                                   .requirement_count = count,
                                                   .query = query},
                           &err);

    if (!choice)
        print_message("%s\n", err.text);
    return choice;
}

static double worst_quality(const struct world *w, const int *at)
{
    double worst = -INFINITY;

    for (int s = 0; s < SLOTS; s++)
        worst = fmax(worst, w->qualities[s][at[s]].value);
    return worst;
}

struct all {
    double total[81], quality[81];
    size_t at[81][SLOTS];
};

/* Forecast all assemblies, one by one. */
static void forecast_all(struct world *w, struct all *all)
{
    const struct mm_axes *axes = mm_forecaster_axes(w->forecaster);
    const char **text = calloc(axes->count + 1, sizeof *text);
    struct cca_error err = {0};

    assert_non_null(text);
    for (int i = 0; i < 81; i++) {
        int at[SLOTS] = {i % 3, i / 3 % 3, i / 9 % 3, i / 27};
        struct mm_forecast *f;

        memcpy(text, w->text, axes->count * sizeof *text);
        for (int s = 0; s < SLOTS; s++) {
            text[mm_axes_find(axes, MM_AXIS_CLASS, instances[s])] = classes[s][at[s]];
            all->at[i][s] = (size_t)at[s];
        }
        f = mm_forecast_new(w->forecaster, text, &err);
        assert_non_null(f);
        all->total[i] = f->unknown ? INFINITY : f->total_ns;
        all->quality[i] = worst_quality(w, at);
        mm_forecast_free(f);
    }
    free(text);
}

/* Position of the slot of an instance in the choice. */
static size_t slot_at(const struct mm_open_choice *choice, int s)
{
    for (size_t i = 0; i < choice->slot_count; i++)
        if (strcmp(choice->slots[i].instance, instances[s]) == 0)
            return i;
    fail();
    return 0;
}

static int index_of(const struct mm_open_choice *choice,
                    const struct mm_open_assembly *item)
{
    static const int weight[SLOTS] = {1, 3, 9, 27};
    int index = 0;

    for (int s = 0; s < SLOTS; s++) {
        size_t i = slot_at(choice, s);
        const char *name = choice->slots[i].classes[item->at[i]].name;

        for (int k = 0; k < CLASSES; k++)
            index += strcmp(name, classes[s][k]) == 0 ? k * weight[s] : 0;
    }
    return index;
}

static int number_order(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static void check_best(const struct mm_open_choice *choice, const struct all *all,
                       double most_quality)
{
    double wanted[81], found[MM_OPEN_BEST];
    size_t within = 0, least = 0;

    for (int i = 0; i < 81; i++)
        if (all->quality[i] <= most_quality)
            wanted[within++] = all->total[i];
    qsort(wanted, within, sizeof *wanted, number_order);
    assert_int_equal(choice->count, within < MM_OPEN_BEST ? within : MM_OPEN_BEST);
    for (size_t k = 0; k < choice->count; k++) {
        found[k] = choice->items[k].forecast->total_ns;
        assert_true(fabs(all->total[index_of(choice, &choice->items[k])] / found[k] - 1) <
                    1e-9);
        least = found[k] < found[least] ? k : least;
    }
    assert_true(least == 0 || choice->items[least].is_tie);
    qsort(found, choice->count, sizeof *found, number_order);
    for (size_t k = 0; k < choice->count; k++)
        assert_true(fabs(found[k] / wanted[k] - 1) < 1e-9);
}

TEST(choices_are_those_of_all_assemblies_forecast_one_by_one)
{
    size_t coupled = 0;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct world *w = world_new(seed, 0);
        struct mm_requirement r = {"error", MM_LESS_EQUAL, 15};
        struct mm_open_choice *choice;
        struct all all;

        ask_size(w, seed % 2 ? "64" : "20");
        forecast_all(w, &all);
        choice = choose(w, NULL, 0, NULL);
        assert_non_null(choice);
        assert_int_equal(choice->slot_count, SLOTS);
        check_best(choice, &all, INFINITY);
        assert_true(choice->residual < 1e-9);
        coupled += choice->joint > 2;
        mm_open_choice_free(choice);
        choice = choose(w, &r, 1, NULL);
        assert_non_null(choice);
        check_best(choice, &all, 15);
        mm_open_choice_free(choice);
        world_free(w);
    }
    assert_true(coupled > 2); /* effects of classes that do not add up */
}

static size_t check_front(const struct mm_open_choice *choice, const struct all *all)
{
    size_t found = 0;

    for (int q = 0; q < 20; q++) {
        double least = INFINITY, better = INFINITY;
        const struct mm_open_assembly *item;

        for (int i = 0; i < 81; i++) {
            if (all->quality[i] == q)
                least = fmin(least, all->total[i]);
            if (all->quality[i] < q)
                better = fmin(better, all->total[i]);
        }
        if (!(least < better * (1 - 1e-9)))
            continue;
        assert_true(++found <= choice->listed_count);
        item = &choice->listed[choice->listed_count - found];
        assert_true(item->value == q);
        assert_true(fabs(item->forecast->total_ns / least - 1) < 1e-9);
    }
    assert_int_equal(found, choice->listed_count);
    return found;
}

TEST(fronts_are_those_of_all_assemblies)
{
    size_t longest = 0;

    for (uint64_t seed = 21; seed <= 22; seed++) {
        struct world *w = world_new(seed, 0);
        struct mm_choice_query query = {"error", NAN, -1};
        struct mm_open_choice *choice;
        struct all all;
        size_t found;

        ask_size(w, "48");
        forecast_all(w, &all);
        choice = choose(w, NULL, 0, &query);
        assert_non_null(choice);
        found = check_front(choice, &all);
        longest = found > longest ? found : longest;
        mm_open_choice_free(choice);
        world_free(w);
    }
    assert_true(longest > 1);
}

/* The made-up costs, with the counts that the classes decide. */
static double truth(const struct world *w, const size_t *at, double n)
{
    double iterations = n * w->iterations[at[0]];

    return 5000 + iterations * cost_of(w, 0, (int)at[0], n) +
           iterations * cost_of(w, 1, (int)at[1], n) +
           iterations * w->halos[at[3]] * cost_of(w, 2, (int)at[2], n) +
           n * cost_of(w, 3, (int)at[3], n);
}

TEST(the_choice_is_the_cheapest_of_the_made_up_runs)
{
    for (uint64_t seed = 11; seed <= 11; seed++) {
        struct world *w = world_new(seed, 0);
        struct mm_open_choice *choice;
        double least = INFINITY;
        struct all all;
        int chosen;

        ask_size(w, "128");
        forecast_all(w, &all);
        choice = choose(w, NULL, 0, NULL);
        assert_non_null(choice);
        chosen = index_of(choice, &choice->items[0]);
        for (int i = 0; i < 81; i++)
            least = fmin(least, truth(w, all.at[i], 128));
        assert_true(truth(w, all.at[chosen], 128) < 1.02 * least);
        mm_open_choice_free(choice);
        world_free(w);
    }
}

/* Two classes of norm that cost the same but for noise tie, and a decider is named; two
 * that differ by much do not. */
TEST(classes_that_cost_the_same_tie)
{
    for (int apart = 0; apart < 2; apart++) {
        struct world *w = calloc(1, sizeof *w);
        struct mm_open_choice *choice;
        size_t norm;

        assert_non_null(w);
        rows_seed = 77;
        w->noise = .1;
        for (int k = 0; k < CLASSES; k++) {
            w->iterations[k] = w->halos[k] = 1;
            for (int s = 0; s < SLOTS; s++) {
                w->scale[s][k] = s == 3 ? (apart ? 4000 * (1 + k) : 4000) : 10 * (1 + k);
                w->start[s][k] = 1000;
                w->qualities[s][k] = (struct mm_quality){"error", "", k, MM_COMPOSE_MAX};
            }
        }
        for (int s = 0; s < SLOTS; s++)
            w->ports[s] = (struct mm_wiring_port){"p", types[s]};
        for (int size = 0; size < SIZES; size++)
            for (int k = 0; k < CLASSES; k++)
                for (int repeat = 0; repeat < 3; repeat++) {
                    w->at[w->count][3] = k;
                    make_run(w, w->count, atof(sizes[size]));
                    describe_run(w, w->count, sizes[size]);
                    w->count++;
                }
        learn(w);
        ask_size(w, "40");
        choice = choose(w, NULL, 0, NULL);
        assert_non_null(choice);
        assert_int_equal(choice->slot_count, 1);
        assert_int_equal(choice->count, CLASSES);
        norm = slot_at(choice, 3);
        if (apart) {
            assert_int_equal(choice->ties, 0);
            assert_string_equal(choice->slots[norm].classes[choice->items[0].at[0]].name,
                                "NA");
        } else {
            assert_int_equal(choice->ties, 2);
            assert_true(choice->items[1].apart_half_ns > choice->items[1].apart_ns);
            assert_true(choice->decider.share > 0 && choice->decider.share <= 1);
            assert_true(choice->decider.kind == MM_DOUBT_COST ||
                        choice->decider.kind == MM_DOUBT_RUNS);
            assert_int_equal(choice->decider.class_name[0], 'N');
        }
        mm_open_choice_free(choice);
        world_free(w);
    }
}

TEST(a_quality_that_no_class_states_is_refused)
{
    struct world *w = world_new(3, 0);
    struct mm_requirement r = {"speed", MM_LESS, 1};
    struct cca_error err = {0};
    struct mm_open_asked asked = {.forecaster = w->forecaster,
                                  .runs = w->forecast_runs,
                                  .wirings = w->pointers,
                                  .run_count = w->count,
                                  .text = w->text,
                                  .requirements = &r,
                                  .requirement_count = 1};

    ask_size(w, "40");
    assert_null(mm_open_choice_new(&asked, &err));
    assert_int_equal(err.code, -ENOENT);
    world_free(w);
}

TESTS(NULL, NULL)
