/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_assembly.c: the choice for a run that never happened is that of all
 * assemblies, forecast one by one; ties, deciders, missing classes. */
#include "tests/lib/test.h"

#include <errno.h>

#include "tests/assembly/made_sweep.h"

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

/* Position of the slot of an instance in the choice, or slot_count: it is none. */
static size_t slot_at(const struct mm_open_choice *choice, int s)
{
    for (size_t i = 0; i < choice->slot_count; i++)
        if (strcmp(choice->slots[i].instance, instances[s]) == 0)
            return i;
    return choice->slot_count;
}

static int index_of(const struct mm_open_choice *choice,
                    const struct mm_open_assembly *item)
{
    static const int weight[SLOTS] = {1, 3, 9, 27};
    int index = 0;

    for (int s = 0; s < SLOTS; s++) {
        size_t i = slot_at(choice, s);
        const char *name =
            i < choice->slot_count ? choice->slots[i].classes[item->at[i]].name : "";

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
    struct cca_error err = {0};
    const int worlds = test_count("WORLDS", 1, 4);
    int coupled = 0;

    for (int seed = 1; seed <= worlds; seed++) {
        struct world *w = world_new((uint64_t)seed, 0);
        struct mm_requirement r = {"error", MM_LESS_EQUAL, 15};
        struct mm_open_choice *choice;
        struct all all;

        ask_size(w, seed % 2 ? "64" : "20");
        forecast_all(w, &all);
        choice = choose(w, NULL, 0, NULL, &err);
        assert_non_null(choice);
        assert_int_equal(choice->slot_count, SLOTS);
        check_best(choice, &all, INFINITY);
        assert_true(choice->residual < 1e-9);
        coupled += choice->joint > 2;
        mm_open_choice_free(choice);
        choice = choose(w, &r, 1, NULL, &err);
        assert_non_null(choice);
        check_best(choice, &all, 15);
        mm_open_choice_free(choice);
        world_free(w);
    }
    assert_true(coupled > worlds / 2); /* effects of classes that do not add up */
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

/* With pair couplings alone the sums are not exact: the residual tells, and what is found
 * is ordered by whole forecasts. */
TEST(pairs_find_what_they_can_and_tell_how_well)
{
    struct cca_error err = {0};
    size_t exact = 0;

    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct world *w = world_new(seed, 0);
        struct mm_open_choice *choice, *joint;

        ask_size(w, "20");
        joint = choose(w, NULL, 0, NULL, &err);
        w->joint_most = 1;
        choice = choose(w, NULL, 0, NULL, &err);
        assert_non_null(choice);
        assert_non_null(joint);
        assert_int_equal(choice->count, MM_OPEN_BEST);
        assert_true(choice->residual > 1e-6 && choice->residual < 1);
        assert_true(choice->forecasts < joint->forecasts);
        for (size_t i = 2; i < choice->count; i++)
            assert_true(choice->items[i - 1].forecast->total_ns <=
                        choice->items[i].forecast->total_ns);
        assert_true(choice->items[0].forecast->total_ns >=
                    joint->items[0].forecast->total_ns * (1 - 1e-9));
        exact += choice->items[0].forecast->total_ns <=
                 joint->items[0].forecast->total_ns * (1 + 1e-9);
        mm_open_choice_free(choice);
        mm_open_choice_free(joint);
        world_free(w);
    }
    assert_true(exact > 0);
}

TEST(fronts_are_those_of_all_assemblies)
{
    struct cca_error err = {0};
    size_t longest = 0;

    for (int seed = 21; seed < 21 + test_count("WORLDS", 1, 2); seed++) {
        struct world *w = world_new((uint64_t)seed, 0);
        struct mm_choice_query query = {"error", NAN, -1};
        struct mm_open_choice *choice;
        struct all all;
        size_t found;

        ask_size(w, "48");
        forecast_all(w, &all);
        choice = choose(w, NULL, 0, &query, &err);
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
    struct cca_error err = {0};
    for (uint64_t seed = 11; seed <= 11; seed++) {
        struct world *w = world_new(seed, 0);
        struct mm_open_choice *choice;
        double least = INFINITY;
        struct all all;
        int chosen;

        ask_size(w, "128");
        forecast_all(w, &all);
        choice = choose(w, NULL, 0, NULL, &err);
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
    struct cca_error err = {0};
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
        choice = choose(w, NULL, 0, NULL, &err);
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
            assert_true(choice->items[1].apart_low_ns < 0 &&
                        choice->items[1].apart_high_ns > 0);
            assert_true(choice->decider.share > 0 && choice->decider.share <= 1);
            assert_true(choice->decider.kind == MM_DOUBT_COST ||
                        choice->decider.kind == MM_DOUBT_RUNS);
            assert_int_equal(choice->decider.class_name[0], 'N');
        }
        mm_open_choice_free(choice);
        world_free(w);
    }
}

/* What the driver does between its calls depends on the class of precond, and not on the
 * number of calls: each class has a law of its own. */
TEST(a_mean_cost_that_a_class_elsewhere_decides_follows_it)
{
    struct world *w = calloc(1, sizeof *w);
    struct cca_error err = {0};
    struct mm_open_choice *choice;

    assert_non_null(w);
    rows_seed = 5;
    w->noise = .1;
    for (int k = 0; k < CLASSES; k++) {
        w->driver[k] = k == 0 ? 1000 : k == 1 ? 2700 : 600;
        w->iterations[k] = 3 - k;
        w->halos[k] = 1;
        for (int s = 0; s < SLOTS; s++) {
            w->scale[s][k] = 1;
            w->qualities[s][k] = (struct mm_quality){"error", "", k, MM_COMPOSE_MAX};
        }
    }
    for (int s = 0; s < SLOTS; s++)
        w->ports[s] = (struct mm_wiring_port){"p", types[s]};
    for (int size = 0; size < SIZES; size++)
        for (int run = 0; run < 2 * CLASSES; run++) {
            w->at[w->count][0] = run % CLASSES;
            make_run(w, w->count, atof(sizes[size]));
            describe_run(w, w->count, sizes[size]);
            w->count++;
        }
    learn(w);
    ask_size(w, "40");
    choice = choose(w, NULL, 0, NULL, &err);
    assert_non_null(choice);
    assert_int_equal(choice->count, CLASSES);
    for (size_t i = 0; i < CLASSES; i++) {
        int k = index_of(choice, &choice->items[i]);
        double expected =
            truth(w, (size_t[]){(size_t)k, 0, 0, 0}, 40) + w->driver[k] * 40 * 40;

        assert_true(fabs(choice->items[i].forecast->total_ns / expected - 1) < .1);
    }
    assert_int_equal(index_of(choice, &choice->items[0]), 2);
    mm_open_choice_free(choice);
    world_free(w);
}

TEST(a_quality_that_no_class_states_is_refused)
{
    struct world *w = world_new(3, 0);
    struct mm_requirement r = {"speed", MM_LESS, 1};
    struct cca_error err = {0};

    ask_size(w, "40");
    assert_null(choose(w, &r, 1, NULL, &err));
    assert_int_equal(err.code, -ENOENT);
    world_free(w);
}

TESTS(NULL, NULL)
