/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_choose.c: predictions are exact where costs are known functions; choices are
 * those of brute force. */
#include "tests/lib/test.h"

#include "mastermind/forecast/composite/choose.h"
#include "mastermind/reader/json.h"
#include "tests/lib/mm_rows.h"

#define CLASSES 4

/* Costs of class k of a slot, ns; multiples of a power of two, so that rows hold them
 * exactly. */
static double cost(int slot, int k, int64_t axis, double q)
{
    double scale = 64 * (1 + slot) * (1 + k);

    return axis ? 4096 * (k + 1) + scale * 2 * q
                : 8192 * (CLASSES - k) + scale * q * q / 1024;
}

static struct mm_method_info *slot_method(struct rows *rows, int slot, int k)
{
    static const char *const instances[] = {"flux", "states"};
    static const char *const types[] = {"t.Flux/1", "t.States/1"};
    static const char *const classes[2][CLASSES] = {{"FluxA", "FluxB", "FluxC", "FluxD"},
                                                    {"StA", "StB", "StC", "StD"}};
    struct mm_method_info *m =
        rows_method(rows, instances[slot], "compute", classes[slot][k], types[slot]);

    rows_value(m, "axis", MONITOR_INT64, MONITOR_MODE);
    rows_value(m, "Q", MONITOR_INT64, MONITOR_PARAM);
    return m;
}

/* A run of driver -> flux, states with class k in both slots; `sizes` distinct ones. */
static double make_run(struct rows *rows, int k_flux, int k_states, int calls,
                       uint64_t seed)
{
    struct mm_method_info *driver, *slots[2];
    struct mm_row *row;
    double total = 7777;

    *rows = (struct rows){0};
    driver = rows_method(rows, "driver", "go", "Driver", "go/1");
    slots[0] = slot_method(rows, 0, k_flux);
    slots[1] = slot_method(rows, 1, k_states);
    rows_seed = seed;
    rows->next = 1;
    for (int i = 0; i < calls; i++) {
        double values[2] = {i % 2, pow(2, 5 + floor(rows_random() * 8))};
        int slot = i / 2 % 2;
        double ns = cost(slot, slot ? k_states : k_flux, i % 2, values[1]);

        rows_call(rows, slots[slot], ns, values);
        rows->rows[rows->count - 1].caller = 1;
        total += ns;
    }
    row = rows_add(rows, driver);
    row->invocation = 1;
    row->wall_ns = llround(total);
    row->exclusive_ns = 7777;
    return total;
}

static json_t *instance_json(const char *name, const char *class_name, const char *type,
                             const char *uses, int k)
{
    json_t *qualities = json_array(), *provides, *ports = json_array();

    if (k >= 0) {
        json_array_append_new(qualities,
                              json_pack("{s:s, s:f, s:s, s:s}", "name", "error", "value",
                                        1.0 / (k + 1), "compose", "max", "command", "x"));
        json_array_append_new(qualities,
                              json_pack("{s:s, s:f, s:s}", "name", "cells", "value",
                                        3.0 * ((k * 7) % 4), "compose", "sum"));
    }
    provides = json_pack("[{s:s, s:s}]", "name", "p", "type", type);
    if (uses)
        json_array_append_new(ports, json_pack("{s:s, s:s}", "name", "u", "type", uses));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", name, "class", class_name,
                     "build_id", "b", "provides", provides, "uses", ports, "qualities",
                     qualities);
}

/* The number of calls is a parameter of the run. */
static json_t *wiring_json(const struct rows *rows, int k_flux, int k_states)
{
    char calls[24];
    json_t *instances = json_array();

    snprintf(calls, sizeof calls, "%zu", rows->count);
    json_array_append_new(instances, instance_json("driver", "Driver", "go/1", NULL, -1));
    json_array_append_new(instances, instance_json("flux", rows->methods[1].class_name,
                                                   "t.Flux/1", NULL, k_flux));
    json_array_append_new(instances, instance_json("states", rows->methods[2].class_name,
                                                   "t.States/1", NULL, k_states));
    return json_pack("{s:i, s:o, s:[{s:s,s:s,s:s,s:s},{s:s,s:s,s:s,s:s}], "
                     "s:[{s:{s:s}}]}",
                     "format", 1, "instances", instances, "connections", "user", "driver",
                     "uses", "f", "provider", "flux", "provides", "p", "user", "driver",
                     "uses", "s", "provider", "states", "provides", "p", "gos",
                     "parameters", "driver.p.calls", calls);
}

struct world {
    struct rows rows[CLASSES];
    json_t *documents[CLASSES];
    struct mm_wiring *wiring[CLASSES];
    struct mm_profile *profiles[CLASSES];
    struct mm_library *library;
    struct rows truth;
};

static void world_init(struct world *w)
{
    struct cca_error err = {0};

    for (int k = 0; k < CLASSES; k++) {
        struct mm_row_source source;

        make_run(&w->rows[k], k, k, 300 + 20 * k, 11 + (uint64_t)k);
        w->documents[k] = wiring_json(&w->rows[k], k, k);
        w->wiring[k] = mm_wiring_new(w->documents[k], "wiring.json", &err);
        assert_non_null(w->wiring[k]);
        source = rows_source(&w->rows[k], "run");
        w->profiles[k] = mm_profile_new(&source, w->wiring[k], &err);
        assert_non_null(w->profiles[k]);
    }
    w->library = mm_library_new(w->profiles, CLASSES, &err);
    assert_non_null(w->library);
    assert_int_equal(w->library->notes.count, 0);
}

static void world_done(struct world *w)
{
    mm_library_free(w->library);
    for (int k = 0; k < CLASSES; k++) {
        mm_profile_free(w->profiles[k]);
        mm_wiring_free(w->wiring[k]);
        json_decref(w->documents[k]);
        rows_done(&w->rows[k]);
    }
}

/* The base's own calls, with other classes, as make_run would have made them. */
TEST(predictions_of_known_costs_are_exact)
{
    struct world w;

    world_init(&w);
    for (int f = 0; f < CLASSES; f++) {
        for (int s = 0; s < CLASSES; s++) {
            struct mm_substitution sets[2] = {
                {"flux", w.rows[f].methods[1].class_name},
                {"states", w.rows[s].methods[2].class_name}};
            struct cca_error err = {0};
            struct mm_prediction *p =
                mm_prediction_new(w.profiles[0], w.library, sets, 2, 0, &err);
            struct rows truth;
            double total = make_run(&truth, f, s, 300, 11);

            assert_non_null(p);
            assert_int_equal(p->unknown_calls, 0);
            assert_true(fabs(p->total_ns / total - 1) < 1e-9);
            assert_true(p->parts[1].beyond == 1);
            mm_prediction_free(p);
            rows_done(&truth);
        }
    }
    world_done(&w);
}

TEST(own_models_reproduce_what_was_measured)
{
    struct world w;
    struct mm_prediction *p;

    world_init(&w);
    p = mm_prediction_new(w.profiles[2], w.library, NULL, 0, 1, NULL);
    assert_non_null(p);
    assert_true(fabs(p->total_ns / p->measured_ns - 1) < 1e-9);
    mm_prediction_free(p);
    world_done(&w);
}

TEST(what_has_no_model_is_counted_not_zero)
{
    struct world w;
    struct mm_substitution set = {"flux", "FluxZ"};
    struct mm_prediction *p;
    struct cca_error err = {0};

    world_init(&w);
    p = mm_prediction_new(w.profiles[0], w.library, &set, 1, 0, &err);
    assert_non_null(p);
    assert_int_equal(p->unknown_calls, 150);
    assert_int_equal(p->notes.count, 2); /* no experiment ran it, no model of it */
    mm_prediction_free(p);
    set.instance = "nobody";
    assert_null(mm_prediction_new(w.profiles[0], w.library, &set, 1, 0, &err));
    assert_int_equal(err.code, -ENOENT);
    world_done(&w);
}

static int holds(const struct mm_requirement *r, int f, int s)
{
    double error = fmax(1.0 / (f + 1), 1.0 / (s + 1));
    double cells = 3.0 * ((f * 7) % 4) + 3.0 * ((s * 7) % 4);

    return mm_requirement_holds(r, strcmp(r->quality, "error") == 0 ? error : cells);
}

TEST(choices_are_those_of_brute_force)
{
    static const char *const texts[] = {"error <= 1",   "error<=.5",  "error < .34",
                                        "cells <= 9",   "cells == 6", "cells>12",
                                        "error <= .25", "cells < -1"};
    struct world w;

    world_init(&w);
    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < 8; j++) {
            struct mm_requirement r[2];
            struct cca_error err = {0};
            struct mm_choice *choice;
            double best = INFINITY;
            int best_f = -1, best_s = -1;

            assert_int_equal(mm_requirement_parse(&r[0], texts[i], &err), 0);
            assert_int_equal(mm_requirement_parse(&r[1], texts[j], &err), 0);
            for (int f = 0; f < CLASSES; f++) {
                for (int s = 0; s < CLASSES; s++) {
                    struct rows truth;
                    double total = make_run(&truth, f, s, 300, 11);

                    if (holds(&r[0], f, s) && holds(&r[1], f, s) && total < best)
                        best = total, best_f = f, best_s = s;
                    rows_done(&truth);
                }
            }
            choice = mm_choice_new(w.profiles, CLASSES, w.library, NULL, r, 2, &err);
            assert_non_null(choice);
            assert_int_equal(choice->slot_count, 2);
            assert_int_equal(choice->found, best_f >= 0);
            if (best_f >= 0) {
                assert_true(fabs(choice->total_ns / best - 1) < 1e-9);
                assert_string_equal(
                    choice->slots[0].candidates[choice->chosen[0]].class_name,
                    w.rows[best_f].methods[1].class_name);
                assert_string_equal(
                    choice->slots[1].candidates[choice->chosen[1]].class_name,
                    w.rows[best_s].methods[2].class_name);
            }
            mm_choice_free(choice);
        }
    }
    world_done(&w);
}

TEST(candidates_are_ranked_and_one_slot_can_be_named)
{
    struct world w;
    struct cca_error err = {0};
    struct mm_choice *choice;

    world_init(&w);
    choice = mm_choice_new(w.profiles, CLASSES, w.library, "states", NULL, 0, &err);
    assert_non_null(choice);
    assert_int_equal(choice->slot_count, 1);
    assert_int_equal(choice->slots[0].candidate_count, CLASSES);
    for (size_t i = 1; i < CLASSES; i++)
        assert_true(choice->slots[0].candidates[i - 1].total_ns <=
                    choice->slots[0].candidates[i].total_ns);
    mm_choice_free(choice);
    assert_null(mm_choice_new(w.profiles, CLASSES, w.library, "nobody", NULL, 0, &err));
    assert_int_equal(err.code, -ENOENT);
    world_done(&w);
}

/* Rows with other callees join a set only where costs agree: here all calls of the second
 * run take `factor` times as long, while the states are as before. */
static void pool_other_callees(double factor, size_t sets, size_t experiments)
{
    struct rows a, b;
    struct mm_profile *profiles[2];
    struct mm_library *library;
    struct mm_row_source source;
    const struct mm_model_set *set;
    size_t found = 0;

    make_run(&a, 0, 0, 400, 3);
    source = rows_source(&a, "a.mm");
    profiles[0] = mm_profile_new(&source, NULL, NULL);
    make_run(&b, 0, 0, 400, 3);
    for (size_t i = 0; i < b.count; i++) {
        if (b.rows[i].method == &b.methods[1]) {
            b.rows[i].wall_ns = llround((double)b.rows[i].wall_ns * factor);
            b.rows[i].exclusive_ns = b.rows[i].wall_ns;
        }
    }
    /* The first call of the states is now made by the flux that comes after it. */
    for (size_t i = 0, at = SIZE_MAX; i < b.count; i++) {
        if (at == SIZE_MAX && b.rows[i].method == &b.methods[2])
            at = i;
        if (at == SIZE_MAX || b.rows[i].method != &b.methods[1])
            continue;
        b.rows[at].caller = b.rows[at].invocation;
        b.rows[at].invocation = b.rows[i].invocation;
        b.rows[i].invocation = b.rows[at].caller;
        b.rows[i].wall_ns += b.rows[at].wall_ns;
        break;
    }
    source = rows_source(&b, "b.mm");
    profiles[1] = mm_profile_new(&source, NULL, NULL);
    library = mm_library_new(profiles, 2, NULL);
    assert_non_null(library);
    for (size_t i = 0; i < library->count; i++)
        found += strcmp(library->sets[i].method->class_name, "FluxA") == 0;
    assert_int_equal(found, sets);
    assert_int_equal(library->notes.count, 0);
    assert_int_equal(mm_library_note_apart(library), 0);
    assert_int_equal(library->notes.count, sets - 1); /* equal ones are kept once */
    if (sets > 1)
        assert_non_null(strstr(library->notes.items[0], "other callees"));
    set = mm_library_find(library, "FluxA", NULL, "t.Flux/1", "compute");
    assert_non_null(set);
    assert_int_equal(set->experiments, experiments);
    mm_library_free(library);
    mm_profile_free(profiles[0]);
    mm_profile_free(profiles[1]);
    rows_done(&a);
    rows_done(&b);
}

TEST(other_callees_below_are_pooled_where_costs_agree)
{
    pool_other_callees(1, 1, 2);
}

TEST(other_callees_below_are_kept_apart_where_costs_differ)
{
    pool_other_callees(3, 2, 1);
}

/* Flux lacks Q in every call, as where a sidecar recalls a size that was never
 * remembered: its model is a constant, the others are what they were. */
TEST(calls_that_all_lack_a_parameter_have_a_constant)
{
    struct rows rows;
    struct mm_row_source source;
    struct mm_profile *profile;
    struct mm_library *library;
    struct mm_prediction *p;
    struct cca_error err = {0};
    const struct mm_model_set *set;

    make_run(&rows, 0, 0, 300, 5);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.rows[i].method == &rows.methods[1])
            rows.row_values[i][1].i = MONITOR_ABSENT;
    source = rows_source(&rows, "run");
    profile = mm_profile_new(&source, NULL, &err);
    library = mm_library_new(&profile, 1, &err);
    assert_non_null(library);
    assert_int_equal(library->notes.count, 1);
    assert_string_equal(
        library->notes.items[0],
        "FluxA compute: no call has a value of 'Q'; the model is a constant");
    set = mm_library_find(library, "FluxA", NULL, "t.Flux/1", "compute");
    assert_non_null(set);
    assert_int_equal(set->model_count, 2);
    assert_true(mm_form_is_constant(&set->models[0].forms.form[0]));
    assert_int_equal(set->models[0].lacks, 2);
    set = mm_library_find(library, "StA", NULL, "t.States/1", "compute");
    assert_false(mm_form_is_constant(&set->models[1].forms.form[0]));
    p = mm_prediction_new(profile, library, NULL, 0, 1, &err);
    assert_non_null(p);
    assert_int_equal(p->unknown_calls, 0);
    assert_true(fabs(p->total_ns / p->measured_ns - 1) < 1e-9);
    mm_prediction_free(p);
    mm_library_free(library);
    mm_profile_free(profile);
    rows_done(&rows);
}

/* Every third call of flux lacks Q: it counts with the mean of such calls, which is exact
 * for the run itself; no number comes from the formula at a size that is not there. */
TEST(calls_that_lack_a_parameter_count_with_their_mean)
{
    struct rows rows;
    struct mm_row_source source;
    struct mm_profile *profile;
    struct mm_library *library;
    struct mm_prediction *p;
    struct cca_error err = {0};

    make_run(&rows, 0, 0, 300, 5);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.rows[i].method == &rows.methods[1] && i % 3 == 0)
            rows.row_values[i][1].i = MONITOR_ABSENT;
    source = rows_source(&rows, "run");
    profile = mm_profile_new(&source, NULL, &err);
    library = mm_library_new(&profile, 1, &err);
    assert_non_null(library);
    assert_int_equal(library->notes.count, 0);
    p = mm_prediction_new(profile, library, NULL, 0, 1, &err);
    assert_non_null(p);
    assert_int_equal(p->unknown_calls, 0);
    for (size_t i = 0; i < p->part_count; i++)
        assert_int_equal(p->parts[i].beyond_calls, 0);
    assert_true(fabs(p->total_ns / p->measured_ns - 1) < 1e-9);
    mm_prediction_free(p);
    mm_library_free(library);
    mm_profile_free(profile);
    rows_done(&rows);
}

TEST(requirements_are_read_or_refused)
{
    static const char *const bad[] = {
        "",           "error",        "error <=",  "<= 3",
        "error <= x", "error <= 3 4", "error ~ 3", "error <= nan"};
    struct mm_requirement r;

    assert_int_equal(mm_requirement_parse(&r, " sod_l1_200>=-1e-3 ", NULL), 0);
    assert_string_equal(r.quality, "sod_l1_200");
    assert_int_equal(r.relation, MM_GREATER_EQUAL);
    assert_true(r.bound == -1e-3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cca_error err = {0};

        assert_true(mm_requirement_parse(&r, bad[i], &err) < 0);
        assert_true(err.text[0] != '\0');
    }
}

TEST(damaged_wirings_are_refused)
{
    static const char *const bad[] = {
        "{\"instances\": 3}",
        "{\"instances\": [1]}",
        "{\"instances\": [{\"name\": 1}]}",
        "{\"instances\": [{\"name\": \"a\", \"class\": \"b\", \"qualities\": [{}]}]}",
        "{\"instances\": [{\"name\": \"a\", \"class\": \"b\", \"provides\": [{}]}]}",
        "{\"connections\": [{\"user\": \"a\"}]}",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *root = json_loads(bad[i], 0, NULL);
        struct cca_error err = {0};

        assert_non_null(root);
        assert_null(mm_wiring_new(root, "w.json", &err));
        assert_int_equal(err.code, -EBADMSG);
        assert_non_null(strstr(err.text, "w.json"));
        json_decref(root);
    }
}

TESTS(NULL, NULL)
