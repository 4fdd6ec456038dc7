/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_repository.c: models in files: all that they answer, and files that are wrong.
 */
#include <math.h>

#include "tests/lib/mm_rows.h"
#include "mastermind/cost/estimate.h"
#include "mastermind/repository/model_fields.h"
#include "mastermind/repository/repository.h"
#include "mastermind/writer/json_file.h"

enum { CALLS = 400, ANSWERS = 200 };

static char folder[] = "/tmp/mm_repository_XXXXXX";
static struct rows rows;
static struct mm_method_info *method;
static struct mm_points points;
static struct mm_stored_model fitted[2]; /* of two modes */

static char build[] = "0123abcd";

/* Samples of two modes of different laws, noise, a rare cost, and a missing parameter. */
static int fit_models(void **state)
{
    union monitor_value in[MONITOR_MAX_IN];

    (void)state;
    method = rows_method(&rows, "flux", "compute", "EFMFlux", "shock.FluxPort/1");
    method->build_id = build;
    rows_value(method, "axis", MONITOR_INT64, MONITOR_MODE);
    rows_value(method, "Q", MONITOR_INT64, MONITOR_PARAM);
    rows_value(method, "w", MONITOR_DOUBLE, MONITOR_PARAM);
    mm_points_init(&points, method);
    for (int i = 0; i < CALLS; i++) {
        double q = 100 << (i / 2 % 7);

        in[0].i = i % 2;
        in[1].i = (int64_t)q;
        in[2].d = 1 + i / 14 % 5;
        assert_int_equal(
            mm_points_add(&points, in, 1,
                          (500 + (i % 2 ? 3 * q : .02 * q * sqrt(q) * in[2].d)) *
                              (1 + .02 * rows_normal()) * (i % 37 ? 1 : 20)),
            0);
    }
    for (int k = 0; k < 2; k++) {
        struct mm_stored_model *stored = &fitted[k];

        in[0].i = k;
        assert_int_equal(mm_model_fit(&stored->model, &points, in, NULL, NULL), 0);
        stored->metric = strdup("TIME");
        stored->calls = CALLS;
        strcpy(stored->machine.cpu, "A processor");
        stored->machine.caches[0] = (struct mm_cache){1, "data", 32768};
        stored->machine.cache_count = 1;
        stored->machine.clock_ghz = 2.4;
        stored->callees = calloc(1, sizeof *stored->callees);
        stored->callees[0] = (struct mm_stored_callee){strdup("gas.GasPort/1"),
                                                       strdup("pressure"), 800, 123456};
        stored->callee_count = 1;
    }
    return mkdtemp(folder) ? 0 : -1;
}

static int free_models(void **state)
{
    char command[100];

    (void)state;
    for (int k = 0; k < 2; k++)
        mm_stored_done(&fitted[k]);
    mm_points_done(&points);
    rows_done(&rows);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* A folder that is not there yet. */
static const char *new_folder(const char *name)
{
    static char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Compare all answers of two models, inside and far beyond the sizes, bit for bit. */
static void assert_same_answers(const struct mm_model *a, const struct mm_model *b)
{
    for (int i = 0; i < ANSWERS; i++) {
        union monitor_value in[MONITOR_MAX_IN] = {{0}};
        const double *x, *y;
        struct mm_estimate e, f;

        in[0] = a->modes[0];
        in[1].i = (int64_t)exp(14 * rows_random());
        in[2].d = i % 9 ? exp(5 * rows_random()) : MONITOR_ABSENT_DOUBLE;
        mm_model_estimate(a, in, &e);
        mm_model_estimate(b, in, &f);
        x = &e.typ;
        y = &f.typ;
        for (size_t k = 0; x + k <= &e.beyond; k++)
            if (!same_double(x[k], y[k]))
                fail_msg("estimate %d, member %zu: %.17g, %.17g", i, k, x[k], y[k]);
        assert_int_equal(e.parameter, f.parameter);
        assert_int_equal(e.flags, f.flags);
    }
}

static void save_both(const char *path)
{
    struct mm_stored_model *models[] = {&fitted[0], &fitted[1]};
    struct cca_error err = {0};

    if (mm_repository_save(path, models, 2, &err))
        fail_msg("%s", err.text);
}

static struct mm_repository *open_good(const char *path)
{
    struct cca_error err = {0};
    struct mm_repository *repository = mm_repository_open(path, &err);

    if (!repository)
        fail_msg("%s", err.text);
    return repository;
}

TEST(a_model_that_was_saved_answers_the_same_bit_for_bit)
{
    const char *path = new_folder("saved");
    struct mm_repository *repository;

    assert_false(mm_repository_is(path));
    save_both(path);
    assert_true(mm_repository_is(path));
    repository = open_good(path);
    assert_int_equal(repository->count, 2);
    for (size_t k = 0; k < 2; k++) {
        struct mm_stored_model *stored = &repository->models[k];
        size_t mode = (size_t)stored->model.modes[0].i;

        assert_true(mode < 2);
        assert_true(mm_stored_same_key(stored, &fitted[mode]));
        assert_string_equal(stored->model.method->build_id, build);
        assert_string_equal(stored->model.method->values[1].name, "Q");
        assert_int_equal(stored->calls, CALLS);
        assert_int_equal(stored->callee_count, 1);
        assert_string_equal(stored->callees[0].method, "pressure");
        assert_int_equal(stored->callees[0].inclusive_ns, 123456);
        assert_same_answers(&stored->model, &fitted[mode].model);
    }
    mm_repository_free(repository);
}

/* Counts at their most, all else a pattern: what is not written stands out as zeros. */
static void fill_pattern(struct mm_model *model)
{
    memset(model, 0x3f, sizeof *model);
    model->forms.count = MM_FORMS;
    for (size_t i = 0; i < MM_FORMS; i++) {
        model->forms.form[i].count = MM_FORM_TERMS;
        for (size_t k = 0; k < MM_FORM_TERMS; k++)
            model->forms.form[i].basis[k].factors = MM_BASIS_FACTORS;
    }
    model->populations.count = MM_POPULATIONS;
    model->populations.spread.knots = MM_SPREAD_KNOTS;
}

TEST(no_member_of_a_model_is_left_out_of_its_file)
{
    static const struct {
        size_t offset, size;
    } by_name[] = {{offsetof(struct mm_model, method), sizeof(void *)},
                   {offsetof(struct mm_model, modes), sizeof fitted[0].model.modes},
                   {offsetof(struct mm_model, low), sizeof fitted[0].model.low},
                   {offsetof(struct mm_model, high), sizeof fitted[0].model.high}};
    struct mm_model *whole = malloc(sizeof *whole), *read = calloc(1, sizeof *read);
    struct cca_error err = {0};
    size_t missing = 0;
    json_t *json;

    fill_pattern(whole);
    json = mm_fields_json(mm_model_fields, whole);
    assert_non_null(json);
    if (mm_fields_read(mm_model_fields, json, read, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
        memset((char *)whole + by_name[i].offset, 0, by_name[i].size);
    for (size_t i = 0; i < sizeof *whole; i++) {
        int equal = ((char *)whole)[i] == ((char *)read)[i];

        missing = equal ? 0 : missing + 1; /* up to 7 are padding */
        if (missing >= 8)
            fail_msg("the member at byte %zu is in no table of model_fields.c", i - 7);
    }
    json_decref(json);
    free(whole);
    free(read);
}

TEST(saving_again_replaces_and_merges)
{
    const char *path = new_folder("merged");
    struct mm_stored_model *one[] = {&fitted[1]}, other = fitted[1];
    char cpu[] = "CPU_TIME";
    struct mm_stored_model *changed[] = {&other};
    struct mm_repository *repository;

    save_both(path);
    assert_int_equal(mm_repository_save(path, one, 1, NULL), 0);
    other.metric = cpu;
    assert_int_equal(mm_repository_save(path, changed, 1, NULL), 0);
    other = fitted[1];
    other.machine.clock_ghz *= 1.001; /* calibrated anew: the same */
    assert_int_equal(mm_repository_save(path, changed, 1, NULL), 0);
    other.machine.clock_ghz *= 1.2;
    assert_int_equal(mm_repository_save(path, changed, 1, NULL), 0);
    other.model.n = 7;
    assert_int_equal(mm_repository_save(path, changed, 1, NULL), 0);
    repository = open_good(path);
    assert_int_equal(repository->count, 4);
    mm_repository_free(repository);
}

/* The bytes of the first file of a repository. */
static char *read_file(const char *path, char *name, size_t name_size, size_t *size)
{
    struct mm_repository *repository = open_good(path);
    char *text = malloc(1 << 20);
    FILE *from;

    snprintf(name, name_size, "%s", repository->models[0].file);
    mm_repository_free(repository);
    from = fopen(name, "r");
    assert_non_null(from);
    *size = fread(text, 1, 1 << 20, from);
    fclose(from);
    return text;
}

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *to = fopen(name, "w");

    assert_non_null(to);
    assert_int_equal(fwrite(text, 1, size, to), size);
    assert_int_equal(fclose(to), 0);
}

TEST(a_damaged_file_is_refused)
{
    char name[300], *text;
    struct mm_stored_model stored;
    size_t size;

    save_both(new_folder("damaged"));
    text = read_file(new_folder("damaged"), name, sizeof name, &size);
    for (size_t i = 0; i < size; i++) {
        struct cca_error err = {0};

        text[i] ^= (char)(1 << i % 8);
        write_file(name, text, size);
        if (mm_stored_read(&stored, name, &err) == 0) {
            fail_msg("byte %zu of %zu flipped, and read", i, size);
        } else {
            assert_int_equal(err.code, -EBADMSG);
            assert_non_null(strstr(err.text, ".model.json:"));
        }
        text[i] ^= (char)(1 << i % 8);
    }
    for (size_t length = 0; length < size; length += 1 + size / 300) {
        write_file(name, text, length);
        assert_int_equal(mm_stored_read(&stored, name, NULL), -EBADMSG);
    }
    write_file(name, text, size);
    assert_int_equal(mm_stored_read(&stored, name, NULL), 0);
    mm_stored_done(&stored);
    free(text);
}

/* A document whose check holds, but whose members are wrong. */
TEST(wrong_members_are_refused_even_with_a_good_check)
{
    static const struct {
        const char *from, *to;
    } edits[] = {
        {"\"parameter\": 1", "\"parameter\": 9"},
        {"\"parameter\": 1", "\"parameter\": 0"},
        {"\"kind\": 1", "\"kind\": 7"},
        {"\"count\": ", "\"count\": 9"},
        {"\"factors\": ", "\"factors\": 4"},
        {"\"logs\": 0", "\"logs\": -1"},
        {"\"unit\": \"ns\"", "\"unit\": \"km\""},
        {"\"kind\": \"mode\"", "\"kind\": \"out\""},
        {"\"callees\": [", "\"colleas\": ["},
        {"\"tau\"", "\"tao\""},
        {"\"range\": [", "\"range\": [\"inf\", "},
        {"\"lacks\": 0", "\"lacks\": 17"},
        {"\"class\": \"EFMFlux\"", "\"class\": 5"},
    };
    char name[300], file[64], *text;
    size_t size;

    save_both(new_folder("wrong"));
    text = read_file(new_folder("wrong"), name, sizeof name, &size);
    text[size] = '\0';
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *found = strstr(text, edits[i].from), *edited = malloc(size + 100);
        struct mm_stored_model stored;
        struct cca_error err = {0};
        json_t *json;

        if (!found)
            fail_msg("no '%s' in the file", edits[i].from);
        sprintf(edited, "%.*s%s%s", (int)(found - text), text, edits[i].to,
                found + strlen(edits[i].from));
        json = json_loads(edited, 0, NULL);
        assert_non_null(json);
        json_object_del(json, "check");
        snprintf(file, sizeof file, "edited-%zu.json", i);
        assert_int_equal(mm_json_replace(folder, file, json, &err), 0);
        snprintf(name, sizeof name, "%s/%s", folder, file);
        if (mm_stored_read(&stored, name, &err) != -EBADMSG)
            fail_msg("'%s' is read: %s", edits[i].to, err.text);
        json_decref(json);
        free(edited);
    }
    free(text);
}

#define HAND(more)                                                                       \
    "{\n \"schema\": \"mastermind/model-file/1\",\n \"class\": \"EFMFlux\",\n"           \
    " \"port_type\": \"shock.FluxPort/1\",\n \"method\": \"compute\",\n" more "\n}\n"

TEST(a_model_written_by_hand_answers_its_formula)
{
    char name[300];
    struct mm_stored_model stored;
    struct cca_error err = {0};
    const char *text = HAND(" \"formula\": \"0.9 us + 0.0161 us * Q\",\n"
                            " \"modes\": {\"axis\": 1},\n"
                            " \"range\": {\"Q\": [64, 2e5]},\n \"interval\": 0.1");

    snprintf(name, sizeof name, "%s/hand.model.json", folder);
    write_file(name, text, strlen(text));
    assert_true(mm_repository_is(name));
    if (mm_stored_read(&stored, name, &err))
        fail_msg("%s", err.text);
    assert_true(stored.by_hand);
    assert_int_equal(stored.model.modes[0].i, 1);
    for (double q = 64; q <= 2e5; q *= 1.7) {
        union monitor_value in[MONITOR_MAX_IN] = {{.i = 1}, {.d = q}};
        struct mm_estimate e;
        double truth = 900 + 16.1 * q;

        mm_model_estimate(&stored.model, in, &e);
        assert_true(fabs(e.typ / truth - 1) < 1e-12);
        assert_true(fabs(e.mean / truth - 1) < 1e-12);
        assert_int_equal(e.flags & MM_BEYOND, 0);
    }
    mm_stored_done(&stored);
}

TEST(a_wrong_file_by_hand_names_its_line)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {HAND(" \"formula\": \"1 us * P\", \"range\": {\"Q\": [1, 2]}, \"interval\": .1"),
         "wrong.model.json:6:"}, /* .1 is no JSON */
        {HAND(
             " \"formula\": \"1 us * P\", \"range\": {\"Q\": [1, 2]}, \"interval\": 0.1"),
         "wrong.model.json:6: found 'P' in '1 us * P', expected a parameter"},
        {HAND(" \"range\": {\"Q\": [1, 2]}, \"interval\": 0.1"),
         ":2: found no 'formula'"},
        {HAND(" \"formula\": \"1 us\",\n \"range\": {},\n \"interval\": \"wide\""),
         ":8: found no good 'interval'"},
        {HAND(" \"formula\": \"1 us * Q\",\n \"range\": {\"Q\": [2, 1]},\n"
              " \"interval\": 0.1"),
         ":7: found no range of 'Q'"},
        {HAND(" \"formula\": \"1 us * Q\",\n \"renge\": {\"Q\": [2, 1]},\n"
              " \"interval\": 0.1"),
         ":7: found a member 'renge'; did you mean 'range'?"},
        {HAND(" \"formula\": \"1 us * Q - 8 us\",\n \"range\": {\"Q\": [2, 9]},\n"
              " \"interval\": 0.1"),
         ":6: found a formula that is -6000 ns at the low end"},
        {HAND(" \"formula\": \"1 us\",\n \"range\": {\"Q\": [2, 9]},\n"
              " \"interval\": 0.1, \"modes\": {\"axis\": \"x\"}"),
         ":8: found no integer for mode 'axis'"},
        {"[1]", ":1: found no object"},
        {"{}", ":1: found no 'schema'"},
        {"", ":1:"},
        {HAND(" \"formula\": 5,\n \"range\": {},\n \"interval\": 0.1"),
         ":6: found no good 'formula'"},
        {"{\"schema\": \"other/1\", \"class\": \"\", \"port_type\": \"\", \"method\": "
         "\"\", "
         "\"formula\": \"\", \"range\": {}, \"interval\": 1}",
         ":1: found schema 'other/1', expected 'mastermind/model-file/1'"},
    };
    char name[300];

    snprintf(name, sizeof name, "%s/wrong.model.json", folder);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mm_stored_model stored;
        struct cca_error err = {0};

        write_file(name, bad[i].text, strlen(bad[i].text));
        assert_int_equal(mm_stored_read(&stored, name, &err), -EBADMSG);
        if (!strstr(err.text, bad[i].message))
            fail_msg("%s: %s", bad[i].text, err.text);
    }
}

TEST(any_text_by_hand_is_read_or_refused)
{
    const char *good = HAND(" \"formula\": \"0.9 us + 0.0161 us * Q * log2(Q)\",\n"
                            " \"modes\": {\"axis\": 1}, \"machine\": {\"cpu\": \"A\"},\n"
                            " \"range\": {\"Q\": [64, 2e5]},\n \"interval\": 0.1");
    size_t size = strlen(good);
    char name[300], text[1000];

    snprintf(name, sizeof name, "%s/any.model.json", folder);
    for (int i = 0; i < test_count("HANDS", 300, 30000); i++) {
        struct mm_stored_model stored;

        memcpy(text, good, size + 1);
        for (int k = 0; k < 1 + i % 3; k++)
            text[(size_t)(rows_random() * (double)size)] = (char)(256 * rows_random());
        write_file(name, text, size);
        if (mm_stored_read(&stored, name, NULL) == 0)
            mm_stored_done(&stored);
    }
}

TEST(machines_are_processor_caches_and_clock)
{
    struct mm_machine a = fitted[0].machine, b = a;
    struct mm_machine unknown = {.cpu = ""};

    assert_true(mm_machine_same(&a, &b));
    b.clock_ghz *= 1.002;
    assert_true(mm_machine_same(&a, &b));
    b.clock_ghz *= 1.05;
    assert_false(mm_machine_same(&a, &b));
    b = a;
    b.caches[0].bytes *= 2;
    assert_false(mm_machine_same(&a, &b));
    b = a;
    strcpy(b.cpu, "Another processor");
    assert_false(mm_machine_same(&a, &b));
    assert_true(mm_machine_same(&a, &unknown));
}

TEST(a_folder_that_is_no_repository_is_refused)
{
    struct mm_stored_model *one[] = {&fitted[0]};
    struct cca_error err = {0};
    char name[300];

    snprintf(name, sizeof name, "%s/file", folder);
    write_file(name, "x", 1);
    assert_true(mm_repository_save(name, one, 1, &err) < 0);
    assert_false(mm_repository_is(name));
    assert_false(mm_repository_is(folder + 1));
    memset(&err, 0, sizeof err);
    assert_null(mm_repository_open(new_folder("nowhere"), &err));
    assert_int_equal(err.code, -ENOENT);
}

TESTS(fit_models, free_models)
