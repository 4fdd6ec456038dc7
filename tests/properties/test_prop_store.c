/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments in a store, against brute force over their call trees; store files that are
 * not what they seem. */
#include "tests/lib/experiment_fixture.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <sqlite3.h>
#include <unistd.h>

#include "mastermind/counts/profile/profile.h"
#include "properties/load/load.h"
#include "properties/load/sums/batches.h"
#include "properties/load/sums/sums.h"
#include "properties/load/sums/tree.h"
#include "tests/lib/damage.h"

enum { METHODS = 4, MOST = 3000 };

#define assert_works(result, err)                                                        \
    do {                                                                                 \
        if ((result) != 0)                                                               \
            fail_msg("%s", (err)->text);                                                 \
    } while (0)

/* --- Random calls ---------------------------------------------------------- */

/* One call as the test knows it: who called it, and its own counter. */
struct node {
    int method, parent;
    int64_t own;
};

struct tree {
    struct node nodes[MOST];
    int count;
    uint64_t seed;
};

static uint64_t draw(struct tree *t, uint64_t n)
{
    t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
    return (t->seed >> 33) % n;
}

static void grow(struct tree *t, int parent, int depth)
{
    int self = t->count++, callees = depth < 9 ? (int)draw(t, 4) : 0;

    t->nodes[self] = (struct node){(int)draw(t, METHODS), parent, (int64_t)draw(t, 1000)};
    for (int i = 0; i < callees && t->count < MOST; i++)
        grow(t, self, depth + 1);
}

static void grow_all(struct tree *t, uint64_t seed)
{
    t->seed = seed;
    t->count = 0;
    while (t->count < MOST / 2)
        grow(t, -1, 0);
}

static int is_outermost(const struct tree *t, int at)
{
    for (int up = t->nodes[at].parent; up >= 0; up = t->nodes[up].parent)
        if (t->nodes[up].method == t->nodes[at].method)
            return 0;
    return 1;
}

/* Inclusive value of a call: nodes are in order of begin, those below follow it. */
static int64_t inclusive(const struct tree *t, int at)
{
    int64_t sum = t->nodes[at].own;

    for (int i = at + 1; i < t->count && t->nodes[i].parent >= at; i++)
        sum += t->nodes[i].own;
    return sum;
}

/* --- Sums over outermost activations ---------------------------------------- */

/* The frames that are open, by when they began. */
struct open {
    uint64_t began[MOST];
    size_t count;
};

/* Calls end from the inside: behind all that they called. */
static int ends(const struct tree *t, int at, struct mm_outer *outer, struct open *open,
                uint64_t *now, int64_t changes[METHODS])
{
    uint64_t began = *now;
    int64_t value[MM_LOAD_MOST] = {0}, delta[MM_LOAD_MOST];
    int next = at + 1;

    open->began[open->count++] = began;
    while (next < t->count && t->nodes[next].parent >= at)
        next = ends(t, next, outer, open, now, changes);
    open->count--;
    value[0] = inclusive(t, at);
    assert_int_equal(mm_outer_add(&outer[t->nodes[at].method], began, ++*now, open->began,
                                  open->count, value, delta, 1),
                     0);
    assert_true(outer[t->nodes[at].method].count <= open->count + 2);
    changes[t->nodes[at].method] += delta[0];
    return next;
}

TEST(sums_count_outermost_activations_alone)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static struct tree t;
        struct mm_outer outer[METHODS] = {{0}};
        int64_t wanted[METHODS] = {0}, changes[METHODS] = {0};
        uint64_t now = 0;
        static struct open open;

        grow_all(&t, seed);
        for (int i = 0; i < t.count; i++)
            if (is_outermost(&t, i))
                wanted[t.nodes[i].method] += inclusive(&t, i);
        for (int at = 0; at < t.count;)
            at = ends(&t, at, outer, &open, &now, changes);
        for (int m = 0; m < METHODS; m++) {
            assert_int_equal(outer[m].past[outer[m].count - 1].sum[0], wanted[m]);
            assert_int_equal(changes[m], wanted[m]);
            mm_outer_done(&outer[m]);
        }
    }
}

TEST(the_past_of_sums_grows_with_depth_not_with_calls)
{
    struct mm_outer outer = {0};
    int64_t value[MM_LOAD_MOST] = {1}, delta[MM_LOAD_MOST];

    /* a million callers, below one that began at 3, call it once each */
    for (uint64_t now = 4; now < 1000000; now++) {
        uint64_t open[] = {0, 3, now - 1};

        assert_int_equal(mm_outer_add(&outer, now - 1, now, open, 3, value, delta, 1), 0);
        assert_true(outer.count <= 4);
    }
    assert_int_equal(outer.past[outer.count - 1].sum[0], 1000000 - 4);
    mm_outer_done(&outer);
}

/* --- Batches ----------------------------------------------------------------- */

TEST(batches_are_of_equal_numbers_of_calls)
{
    for (uint64_t calls = 1; calls < 2000; calls = calls * 2 + calls % 3) {
        struct mm_load_batches *b = mm_batches_new(2);
        const struct mm_method_batches *m = &b->methods[1];
        int64_t delta[MM_LOAD_MOST] = {0};

        for (uint64_t i = 0; i < calls; i++) {
            delta[0] = (int64_t)(i * i);
            assert_int_equal(mm_batches_add(b, 1, (int64_t)i, delta, 1), 0);
        }
        assert_true(mm_batches_count(m) <= MM_BATCHES);
        assert_int_equal(m->width & (m->width - 1), 0);
        for (uint64_t k = 0; k < mm_batches_count(m); k++) {
            int64_t squares = 0, own = 0;

            for (uint64_t i = k * m->width; i < (k + 1) * m->width && i < calls; i++) {
                squares += (int64_t)(i * i);
                own += (int64_t)i;
            }
            assert_int_equal(m->batches[k].sum[0], squares);
            assert_int_equal(m->batches[k].own_exec, own);
        }
        mm_batches_free(b);
    }
}

/* --- Contexts ---------------------------------------------------------------- */

static int adds(const struct tree *t, int at, struct mm_load_tree *contexts,
                uint32_t caller)
{
    uint32_t self = mm_tree_caller(contexts);
    int64_t own[MM_LOAD_MOST] = {t->nodes[at].own};
    int next = at + 1;

    assert_true(self);
    while (next < t->count && t->nodes[next].parent >= at)
        next = adds(t, next, contexts, self);
    assert_int_equal(
        mm_tree_call(contexts, caller, self, (uint32_t)t->nodes[at].method, 0, 0, own),
        0);
    return next;
}

/* The folded path of a call as a number, methods from the outside. */
static uint64_t path_of(const struct tree *t, int at)
{
    int path[METHODS], count = 0;
    uint64_t key = 0;

    for (; at >= 0; at = t->nodes[at].parent) {
        for (int i = 0; i < count; i++)
            if (path[i] == t->nodes[at].method)
                count = i;
        path[count++] = t->nodes[at].method;
    }
    while (count-- > 0)
        key = key * (METHODS + 1) + (uint64_t)path[count] + 1;
    return key;
}

static uint64_t path_of_context(const struct mm_load_tree *contexts, uint32_t at)
{
    return at ? path_of_context(contexts, contexts->contexts[at].parent) * (METHODS + 1) +
                    contexts->contexts[at].method + 1
              : 0;
}

TEST(contexts_have_what_their_calls_have)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static struct tree t;
        struct mm_load_tree *contexts = mm_tree_new(1, NULL);
        uint32_t root = mm_tree_caller(contexts);
        int found = 0;

        grow_all(&t, seed);
        for (int at = 0; at < t.count;)
            at = adds(&t, at, contexts, root);
        assert_int_equal(mm_tree_keep(contexts, root, 0), 0);
        mm_tree_end(contexts);
        for (size_t c = 0; c < contexts->cell_count; c++) {
            const struct mm_tree_cell *cell = &contexts->cells[c];
            uint64_t key = path_of_context(contexts, cell->context), calls = 0;
            int64_t own = 0;

            for (int i = 0; i < t.count; i++)
                if (path_of(&t, i) == key) {
                    calls++;
                    own += t.nodes[i].own;
                }
            assert_int_equal(cell->calls, calls);
            assert_int_equal(cell->own[0], own);
            found += (int)calls;
        }
        assert_int_equal(found, t.count);
        mm_tree_free(contexts);
    }
}

/* --- Experiments ------------------------------------------------------------- */

static double number(struct mm_store *store, const char *sql)
{
    sqlite3_stmt *s = NULL;
    double value;

    assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    value = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return value;
}

/* Call what the tree says, for real. */
static int calls_for_real(struct fixture *f, struct monitor_method **methods,
                          const struct tree *t, int at)
{
    union monitor_value n = {.i = at};
    struct monitor_frame *frame =
        f->port->begin(f->port, methods[t->nodes[at].method], &n);
    int next = at + 1;

    while (next < t->count && t->nodes[next].parent >= at)
        next = calls_for_real(f, methods, t, next);
    f->port->end(f->port, frame, NULL);
    return next;
}

/* An experiment of a random tree, that many times. */
static void record_times(struct fixture *f, const struct tree *t, int times)
{
    static const struct monitor_value_decl n = {.name = "n"};
    struct monitor_method *methods[METHODS];
    static const char *const names[METHODS] = {"a", "b", "c", "d"};

    fixture_begin(f, NULL, NULL);
    for (int i = 0; i < METHODS; i++)
        assert_non_null(methods[i] = fixture_method(f, names[i], "run", &n, 1, 0));
    for (int i = 0; i < times; i++)
        for (int at = 0; at < t->count;)
            at = calls_for_real(f, methods, t, at);
    assert_int_equal(fixture_end(f), 0);
}

static void record(struct fixture *f, const struct tree *t)
{
    record_times(f, t, 1);
}

struct brute {
    const struct tree *t;
    int64_t outermost_ns[METHODS], calls[METHODS];
};

static int add_row(const struct mm_row *row, void *context)
{
    struct brute *b = context;
    int at = (int)row->values[0].i, method = row->method->instance[0] - 'a';

    b->calls[method]++;
    if (is_outermost(b->t, at))
        b->outermost_ns[method] += row->wall_ns;
    return 0;
}

TEST(a_recursive_run_has_the_sums_of_its_rows)
{
    static struct tree t;
    struct fixture f;
    struct brute brute = {.t = &t};
    struct cca_error err = {0};
    struct mm_experiment *e;
    struct mm_store *store;

    grow_all(&t, 7);
    record(&f, &t);
    e = mm_experiment_open(f.path, &err);
    assert_non_null(e);
    assert_int_equal(mm_experiment_rows(e, add_row, &brute, &err), 0);
    mm_experiment_free(e);
    assert_int_equal(mm_store_new(&store, NULL, &err), 0);
    assert_works(mm_store_load(store, f.path, NULL, &err), &err);
    for (int i = 0; i < METHODS; i++) {
        char sql[256];

        snprintf(sql, sizeof sql,
                 "SELECT exec_time + recording FROM rs JOIN region r ON r.id = region"
                 " WHERE kind = 'method' AND name = '%c.p.run'",
                 'a' + i);
        /* the cost of recording is rounded in each call */
        assert_true(fabs(number(store, sql) - (double)brute.outermost_ns[i] / 1e9) <
                    1e-9 * (2 + .5 * (double)brute.calls[i]));
        snprintf(sql, sizeof sql,
                 "SELECT calls FROM rs JOIN region r ON r.id = region"
                 " WHERE kind = 'method' AND name = '%c.p.run'",
                 'a' + i);
        assert_true(number(store, sql) == (double)brute.calls[i]);
    }
    /* contexts of one unit have all calls, and no time twice */
    assert_true(number(store,
                       "SELECT sum(own_time) FROM rs JOIN region r ON r.id = region"
                       " WHERE kind = 'context'") <=
                number(store, "SELECT exec_time FROM rs JOIN region r ON r.id = region"
                              " WHERE kind = 'program'") +
                    1e-9);
    assert_true(number(store, "SELECT count(*) FROM batch") > 0);
    assert_true(mm_store_load(store, f.path, NULL, NULL) == -EEXIST);
    mm_store_free(store);
    fixture_remove(&f);
}

TEST(an_instance_made_anew_of_another_class_is_one_region)
{
    static const struct monitor_value_decl n = {.name = "n"};
    struct monitor_method_decl decl = {.instance = "a",
                                       .port = "p",
                                       .method = "run",
                                       .class_name = "C",
                                       .build_id = "abc",
                                       .port_type = "test.Port/1",
                                       .values = &n,
                                       .in_count = 1};
    struct monitor_method *methods[2];
    struct cca_error err = {0};
    struct mm_store *store;
    struct fixture f;

    fixture_begin(&f, NULL, NULL);
    methods[0] = f.port->method_open(f.port, &decl, NULL);
    decl.class_name = "D";
    decl.build_id = "def";
    methods[1] = f.port->method_open(f.port, &decl, NULL);
    for (int i = 0; i < 100; i++) {
        union monitor_value value = {.i = i % 3};

        f.port->end(f.port, f.port->begin(f.port, methods[i >= 60], &value), NULL);
    }
    assert_int_equal(fixture_end(&f), 0);
    assert_int_equal(mm_store_new(&store, NULL, &err), 0);
    assert_works(mm_store_load(store, f.path, NULL, &err), &err);
    assert_true(number(store, "SELECT calls FROM rs JOIN region r ON r.id = region WHERE"
                              " kind = 'method'") == 100);
    assert_true(number(store, "SELECT count(*) FROM region WHERE kind = 'method'") == 1);
    assert_true(number(store, "SELECT calls FROM rs JOIN region r ON r.id = region WHERE"
                              " kind = 'context'") == 100);
    assert_true(number(store, "SELECT sum(calls) FROM batch") == 100);
    mm_store_free(store);
    fixture_remove(&f);
}

/* Many calls of equal cost, one of which sleeps. */
static void record_sleeper(struct fixture *f)
{
    static const struct monitor_value_decl size = {.name = "size"};
    struct monitor_method *method;

    fixture_begin(f, NULL, NULL);
    method = fixture_method(f, "a", "run", &size, 1, 0);
    for (int i = 0; i < 400; i++) {
        union monitor_value n = {.i = 1 + i % 8};
        struct monitor_frame *frame = f->port->begin(f->port, method, &n);
        volatile int work = 0;

        while (work < 20000)
            work++;
        if (i == 300) /* of size 5 */
            usleep(20000);
        f->port->end(f->port, frame, NULL);
    }
    assert_int_equal(fixture_end(f), 0);
}

TEST(a_call_above_the_model_of_its_method_is_told)
{
    struct fixture f;
    struct cca_error err = {0};
    struct mm_store *store;

    record_sleeper(&f);
    assert_int_equal(mm_store_new(&store, NULL, &err), 0);
    assert_works(mm_store_load(store, f.path, NULL, &err), &err);
    assert_true(number(store, "SELECT calls FROM model_excess") >= 1);
    assert_true(number(store, "SELECT worst = 'size=5' FROM model_excess") == 1);
    assert_true(number(store, "SELECT worst_time FROM model_excess") >= .02);
    assert_true(number(store, "SELECT worst_model FROM model_excess") < .01);
    assert_true(number(store,
                       "SELECT excess > .01 AND excess < exec_time FROM model_excess"
                       " JOIN rs USING (experiment, region, unit)") == 1);
    mm_store_free(store);
    fixture_remove(&f);
}

/* --- Speed and memory ---------------------------------------------------------- */

/* Peak of the resident memory since it was reset, KiB. */
static long peak_kib(int reset)
{
    FILE *f = reset ? fopen("/proc/self/clear_refs", "we") : NULL;
    char line[200];
    long kib = 0;

    if (reset)
        malloc_trim(0); /* what was freed */
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %ld", &kib);
    if (f)
        fclose(f);
    return kib;
}

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds_of_profile(const char *path)
{
    struct cca_error err = {0};
    double start = cpu_seconds();
    struct mm_experiment *e = mm_experiment_open(path, &err);
    struct mm_row_source source;
    struct mm_profile *profile;

    assert_non_null(e);
    source = mm_row_source_of(e);
    profile = mm_profile_new(&source, NULL, &err);
    assert_non_null(profile);
    mm_profile_free(profile);
    mm_experiment_free(e);
    return cpu_seconds() - start;
}

static double seconds_of_load(const char *path)
{
    struct mm_load_options options = {.no_models = 1, .no_places = 1};
    struct cca_error err = {0};
    double start = cpu_seconds();
    struct mm_store *store;

    assert_int_equal(mm_store_new(&store, NULL, &err), 0);
    assert_works(mm_store_load(store, path, &options, &err), &err);
    mm_store_free(store);
    return cpu_seconds() - start;
}

/* Against the walk of `mastermind report`, the least of three each, turn by turn. The
 * soak takes ten million rows, and then twice as long is too long. */
TEST(loading_is_half_as_fast_as_a_report_in_memory_that_does_not_grow_with_rows)
{
    static struct tree t;
    struct fixture f;
    int rows = test_count("STORE_ROWS", 20000, 10000000);
    double report = INFINITY, load = INFINITY;
    long before, kib = 0;

    grow_all(&t, 5);
    record_times(&f, &t, rows / t.count);
    for (int i = 0; i < 3; i++) {
        report = fmin(report, seconds_of_profile(f.path));
        before = peak_kib(1);
        load = fmin(load, seconds_of_load(f.path));
        kib = peak_kib(0) - before;
    }
    printf("%d rows: report %.2f s, load %.2f s, %ld KiB more\n", rows, report, load,
           kib);
    assert_true(load < (rows < 1000000 ? 4 : 2) * report);
    if (!TEST_ASAN && !TEST_TSAN)
        assert_true(kib < 32768);
    fixture_remove(&f);
}

/* --- Hostile files ------------------------------------------------------------ */

/* Everything that a reader of a store may ask for. */
static void read_all(struct mm_store *store)
{
    static const char *const asks[] = {
        "SELECT total(exec_time + identified) FROM rs", "SELECT count(*) FROM batch",
        "SELECT max(length(name)) FROM region",         "SELECT count(*) FROM message",
        "SELECT max(length(reason)) FROM missing",
    };

    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        sqlite3_exec(store->db, asks[i], NULL, NULL, NULL);
}

static int opens(const char *path)
{
    struct mm_store *store = NULL, *into = NULL;
    struct cca_error err = {0};
    int result = mm_store_open(&store, path, &err);

    if (!result)
        read_all(store);
    else
        assert_true(err.text[0] && (result == -EBADMSG || result == -EIO));
    mm_store_free(store);
    err = (struct cca_error){0};
    assert_int_equal(mm_store_new(&into, NULL, NULL), 0);
    if (mm_store_is(path))
        assert_true(mm_store_load(into, path, NULL, &err) == 0 || err.text[0]);
    mm_store_free(into);
    return result;
}

static char *make_store(const char *folder, const char *name, size_t *size)
{
    static struct tree t;
    struct mm_store *store;
    struct fixture f;
    struct cca_error err = {0};
    char path[400];

    grow_all(&t, 3);
    record(&f, &t);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mm_store_new(&store, path, &err), 0);
    assert_works(mm_store_load(store, f.path, NULL, &err), &err);
    assert_works(mm_store_finish(store, &err), &err);
    mm_store_free(store);
    fixture_remove(&f);
    return damage_load(path, size);
}

TEST(a_damaged_store_is_refused_or_read)
{
    char folder[] = "/tmp/store-XXXXXX", path[64], *good, *bad;
    int refused = 0, tries = test_count("STORE_FLIPS", 75, 5000);
    size_t size;
    uint64_t seed = 11;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s", folder);
    good = make_store(folder, "s", &size);
    assert_int_equal(opens(path), 0);
    bad = malloc(size);
    assert_non_null(bad);
    for (int i = 0; i < tries; i++) {
        size_t end = size;

        memcpy(bad, good, size);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (i % 3 == 0)
            end = (seed >> 20) % size; /* cut */
        for (int k = 0; i % 3 && k <= i % 5; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bad[(seed >> 20) % (i % 2 ? 4096 : size)] ^= (char)(1 << (seed >> 61));
        }
        damage_store(path, bad, end);
        refused += opens(path) != 0;
    }
    assert_true(refused > tries / 10);
    unlink(path);
    rmdir(folder);
    free(good);
    free(bad);
}

TEST(another_sqlite_file_is_no_store)
{
    char folder[] = "/tmp/store-XXXXXX", path[64];
    struct mm_store *store = NULL;
    struct cca_error err = {0};
    sqlite3 *db;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db, "CREATE TABLE summary (x)", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(mm_store_open(&store, path, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "found another SQLite file, expected a store"));
    /* nor one that only says so, with a view that never ends in the place of a table */
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_exec(db,
                 "DROP TABLE summary; PRAGMA application_id = 1296912467;"
                 "PRAGMA user_version = 1; CREATE VIEW experiment AS WITH RECURSIVE"
                 " c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT * FROM c",
                 NULL, NULL, NULL);
    sqlite3_close(db);
    err = (struct cca_error){0};
    assert_int_equal(mm_store_open(&store, path, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "found other tables than those of a store"));
    unlink(path);
    rmdir(folder);
}

TEST(a_store_that_was_not_finished_leaves_no_file)
{
    char folder[] = "/tmp/store-XXXXXX", path[64];
    struct mm_store *store = NULL;
    struct cca_error err = {0};

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s", folder);
    assert_int_equal(mm_store_new(&store, path, &err), 0);
    assert_int_equal(mm_store_load(store, folder, NULL, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "found no experiment.json"));
    mm_store_free(store);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
}

TESTS(NULL, NULL)
