/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of runs that were made up: recursion, names that XML would obey, 200 methods,
 * and more arrows than Graphviz gets. svg_graph.py checks each picture. */
#include <math.h>

#include "mastermind/format/layout.h"
#include "mastermind/writer/given.h"
#include "tests/lib/test.h"

static char place[64];
static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static int make_place(void **state)
{
    (void)state;
    seed = 11;
    snprintf(place, sizeof place, "/tmp/mm_graph.XXXXXX");
    return mkdtemp(place) ? 0 : 1;
}

static int remove_place(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", place);
    return system(command) ? 1 : 0;
}

/* A run whose calls are random. Method m calls `fan` of m + 1 to m + reach, and with
 * `recursive` now and then itself and the one before it. */
struct shape {
    uint64_t methods, reach, fan, callees;
    int recursive, depth;
    const char *const *names; /* [methods] of instances and classes; NULL: by number */
    uint64_t broken;          /* longjmp left all calls of this method; 0: of none */
};

struct making {
    const struct shape *shape;
    struct mm_given *given;
    uint64_t invocation, now, left;
};

static uint64_t make_call(struct making *m, uint64_t method, uint64_t caller, int depth)
{
    struct mm_given_row row = {.method = (uint32_t)method,
                               .invocation = ++m->invocation,
                               .caller = caller,
                               .start = m->now};
    uint64_t callees = depth < m->shape->depth ? 1 + draw(m->shape->callees) : 0;

    m->now += 1000 + draw(100000) * (method % 7 == 1 ? 50 : 1);
    while (callees-- && m->left) {
        uint64_t next =
            method + 1 + (method * 7 + draw(m->shape->fan) * 13) % m->shape->reach;

        m->left--;
        if (m->shape->recursive && draw(3) == 0)
            next = method - (method ? draw(2) : 0);
        if (next < m->shape->methods)
            make_call(m, next, row.invocation, depth + 1);
    }
    m->now += 10;
    row.wall = m->now - row.start;
    if (method && method == m->shape->broken)
        row.status = MM_STATUS_LONGJMP;
    assert_int_equal(mm_given_row(m->given, &row, NULL), 0);
    return row.invocation;
}

static void make_run(const char *name, const struct shape *shape)
{
    struct mm_given_about about = {.origin = "simulated", .ns_per_tick = 1, .ranks = 1};
    struct making m = {.shape = shape};
    struct cca_error err = {0};
    char path[200];

    snprintf(path, sizeof path, "%s/%s", place, name);
    m.given = mm_given_new(path, &about, &err);
    assert_non_null(m.given);
    for (uint64_t i = 0; i < shape->methods; i++) {
        char number[40];
        struct monitor_method_decl decl = {.port = "p", .build_id = "", .method = "run"};

        snprintf(number, sizeof number, "part%llu", (unsigned long long)i);
        decl.instance = decl.class_name = shape->names ? shape->names[i] : number;
        decl.port_type = shape->names ? shape->names[i] : "t.Port/1";
        assert_int_equal(mm_given_method(m.given, &decl, &err), (int)i);
    }
    for (uint64_t i = 0; i < shape->methods; i++) {
        m.left = 400;
        make_call(&m, i % 5 == 0 ? i : 0, 0, 0);
    }
    assert_int_equal(mm_given_finish(m.given, &err), 0);
    mm_given_free(m.given);
}

/* Draw a run with `options`, and check the picture against what --json says. `whole`:
 * with what --json says of all methods. */
static void check_picture(const char *name, const char *options, int whole)
{
    char command[1600];

    snprintf(command, sizeof command,
             "set -e; cd %s; mastermind graph %s --svg %s -o picture.svg; "
             "mastermind graph %s --json %s >graph.json; "
             "mastermind graph %s --json >whole.json; cd - >/dev/null; "
             "python3 tests/graph/svg_graph.py %s/picture.svg %s/graph.json %s%s",
             place, name, options, name, options, name, place, place, whole ? place : "",
             whole ? "/whole.json" : "");
    assert_int_equal(system(command), 0);
}

TEST_WITH(three_methods_and_no_connection_are_a_picture, make_place, remove_place)
{
    make_run("small", &(struct shape){3, 2, 2, 2, 0, 3, NULL, 0});
    check_picture("small", "--prune 0", 0);
    check_picture("small", "", 0);
}

TEST_WITH(recursion_is_drawn, make_place, remove_place)
{
    make_run("loops", &(struct shape){6, 2, 2, 4, 1, 7, NULL, 0});
    check_picture("loops", "--prune 0", 0);
}

TEST_WITH(names_stay_text, make_place, remove_place)
{
    char long_name[600];
    const char *const names[] = {"</title><script>alert(1)</script>",
                                 "a\"b'c&d]]>",
                                 "<!-- -- >",
                                 "\x1b[2J\x07\n\t",
                                 "\xe6\xbc\xa2\xe5\xad\x97\xe2\x80\xae",
                                 "",
                                 "%s%n%d\\\"",
                                 long_name};

    memset(long_name, 'W', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    make_run("evil", &(struct shape){8, 3, 3, 4, 1, 6, names, 0});
    check_picture("evil", "--prune 0", 0);
}

TEST_WITH(two_hundred_methods_are_drawn_or_cut, make_place, remove_place)
{
    make_run("large", &(struct shape){200, 50, 2, 3, 0, 12, NULL, 0});
    check_picture("large", "--prune 0", 0);
    check_picture("large", "--prune 5", 1);
}

TEST_WITH(many_arrows_are_drawn_in_layers, make_place, remove_place)
{
    make_run("dense", &(struct shape){120, 60, 30, 6, 1, 30, NULL, 0});
    check_picture("dense", "--prune 0", 0);
}

TEST_WITH(a_method_without_a_model_has_an_empty_bar, make_place, remove_place)
{
    char command[400];

    make_run("broken", &(struct shape){4, 2, 2, 3, 0, 5, NULL, 2});
    check_picture("broken", "--prune 0", 0);
    snprintf(command, sizeof command,
             "test $(grep -c '>no model</text>' %s/picture.svg) = 3 && "
             "test $(grep -c '&#10;no model</title>' %s/picture.svg) = 1",
             place, place);
    assert_int_equal(system(command), 0); /* legend, instance and method */
}

TESTS(NULL, NULL)
