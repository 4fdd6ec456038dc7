/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioners of Zoltan: partitions are whole, rcb is as good, and a child that dies,
 * hangs or writes nonsense is named. */
#include "mesh/zoltan/zoltan.h"

#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mesh/balance/simulate.h"
#include "tests/balance/traces.h"
#include "tests/lib/test.h"

enum { STEPS = 6, MOST = 4096 };
static const int64_t shape[3] = {12, 10, 8};

static const char *program(void)
{
    static char path[4200];

    snprintf(path, sizeof path, "%s/libexec/mastermind/mesh-zoltan",
             getenv("O") ? getenv("O") : ".");
    return path;
}

static int is_built(void)
{
    return access(program(), X_OK) == 0;
}

static void open_it(struct mesh_partitioner *partitioner, const char *name,
                    const struct mesh_source *source, int ranks)
{
    struct mesh_zoltan_wish wish = {program(), ranks, 0};
    struct cca_error err = {0};

    if (mesh_zoltan_open(partitioner, name, source, &wish, &err))
        fail_msg("%s", err.text);
}

static void cut(const struct mesh_partitioner *partitioner,
                const struct mesh_source *source, const float *weights, int parts,
                uint16_t *owners)
{
    struct mesh_partition out = {0};
    struct cca_error err = {0};

    if (partitioner->cut(partitioner->context, source, weights, parts, NULL, &out, &err))
        fail_msg("%s", err.text);
    mesh_partition_owners(source, &out, owners);
    mesh_partition_free(&out);
}

/* (largest - mean) / mean of part loads. */
static double imbalance(const float *weights, const uint16_t *owners, int64_t cells,
                        int parts)
{
    double load[64] = {0}, total = 0, largest = 0;

    for (int64_t c = 0; c < cells; c++) {
        assert_true(owners[c] < parts);
        load[owners[c]] += (double)weights[c];
        total += (double)weights[c];
    }
    for (int p = 0; p < parts; p++)
        largest = fmax(largest, load[p]);
    return largest / (total / parts) - 1;
}

TEST(methods_balance_a_grid)
{
    static const struct {
        const char *name;
        double most; /* imbalance: whole planes of 80 to 120 of 960 cells cost more */
    } methods[] = {{"zoltan:RCB", .05},    {"zoltan:RIB", .05},
                   {"zoltan:HSFC", .05},   {"zoltan:BLOCK", .05},
                   {"zoltan:GRAPH", .15},  {"zoltan:HYPERGRAPH", .15},
                   {"zoltan:SCOTCH", .15}, {"zoltan:RCB:planes", .6}};
    uint16_t owners[MOST], again[MOST];
    struct trace trace;

    if (!is_built())
        skip();
    trace_make(&trace, TRACE_SPOT, shape, STEPS, 3);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct mesh_partitioner partitioner;
        const float *last = trace.weights + (STEPS - 1) * trace.memory.cells;

        open_it(&partitioner, methods[m].name, &trace.source, 1);
        cut(&partitioner, &trace.source, last, 4, again);
        for (int t = 0; t < STEPS; t++) {
            double over;

            cut(&partitioner, &trace.source, trace.weights + t * trace.memory.cells, 4,
                owners);
            over = imbalance(trace.weights + t * trace.memory.cells, owners,
                             trace.memory.cells, 4);
            if (over > methods[m].most)
                fail_msg("%s: step %d: imbalance %g", methods[m].name, t, over);
        }
        /* What was asked before does not matter. */
        if (memcmp(owners, again, (size_t)trace.memory.cells * sizeof *owners) != 0)
            fail_msg("%s: the same weights have other owners", methods[m].name);
        mesh_partitioner_close(&partitioner);
    }
    trace_free(&trace);
}

/* Parts are boxes: as many cells as their bounds hold. */
static void check_boxes(const uint16_t *owners, int parts)
{
    for (int p = 0; p < parts; p++) {
        int64_t lo[3] = {99, 99, 99}, hi[3] = {-1, -1, -1}, count = 0, room = 1;

        for (int64_t c = 0; c < shape[0] * shape[1] * shape[2]; c++) {
            int64_t at[3] = {c / (shape[1] * shape[2]), c / shape[2] % shape[1],
                             c % shape[2]};

            if (owners[c] != p)
                continue;
            count++;
            for (int d = 0; d < 3; d++) {
                lo[d] = at[d] < lo[d] ? at[d] : lo[d];
                hi[d] = at[d] > hi[d] ? at[d] : hi[d];
            }
        }
        for (int d = 0; d < 3; d++)
            room *= hi[d] - lo[d] + 1;
        assert_true(count == 0 || count == room);
    }
}

TEST(rectilinear_parts_are_boxes)
{
    struct mesh_partitioner partitioner;
    uint16_t owners[MOST];
    struct trace trace;

    if (!is_built())
        skip();
    trace_make(&trace, TRACE_SHELL, shape, STEPS, 5);
    open_it(&partitioner, "zoltan:RCB:planes", &trace.source, 1);
    for (int t = 0; t < STEPS; t++) {
        cut(&partitioner, &trace.source, trace.weights + t * trace.memory.cells, 7,
            owners);
        check_boxes(owners, 7);
    }
    mesh_partitioner_close(&partitioner);
    trace_free(&trace);
}

TEST(rcb_is_within_a_hundredth_of_zoltan)
{
    static const int64_t large[3] = {16, 16, 16};
    uint16_t owners[MOST];

    if (!is_built())
        skip();
    for (int family = 0; family < TRACE_FAMILIES; family++) {
        struct mesh_partitioner zoltan, rcb;
        struct trace trace;

        trace_make(&trace, (enum trace_family)family, large, STEPS, 7);
        open_it(&zoltan, "zoltan:RCB", &trace.source, 1);
        assert_int_equal(mesh_partitioner_open(&rcb, "rcb", &trace.source, NULL), 0);
        for (int t = 0; t < STEPS; t++) {
            const float *weights = trace.weights + t * trace.memory.cells;

            for (int parts = 2; parts <= 16; parts *= 2) {
                double theirs, ours;

                cut(&zoltan, &trace.source, weights, parts, owners);
                theirs = imbalance(weights, owners, trace.memory.cells, parts);
                cut(&rcb, &trace.source, weights, parts, owners);
                ours = imbalance(weights, owners, trace.memory.cells, parts);
                if (ours > theirs + .01)
                    fail_msg("%s, step %d, %d parts: rcb %g, Zoltan %g",
                             trace_names[family], t, parts, ours, theirs);
            }
        }
        mesh_partitioner_close(&zoltan);
        mesh_partitioner_close(&rcb);
        trace_free(&trace);
    }
}

TEST(two_ranks_elements_and_nothing_to_share)
{
    struct mesh_partitioner partitioner;
    uint16_t owners[MOST];
    float weights[60];
    double centres[180];
    struct mesh_source elements = {3, {60, 1, 1}, centres, 1, NULL, NULL, NULL};
    struct cca_error err = {0};
    struct mesh_zoltan_wish wish = {program(), 1, 0};

    if (!is_built())
        skip();
    for (int i = 0; i < 180; i++)
        centres[i] = (i * 37 % 101) / 101.;
    for (int i = 0; i < 60; i++)
        weights[i] = 1;
    open_it(&partitioner, "zoltan:RCB", &elements, 2);
    cut(&partitioner, &elements, weights, 4, owners);
    assert_true(imbalance(weights, owners, 60, 4) < .01);
    memset(weights, 0, sizeof weights); /* parts are of cells then */
    cut(&partitioner, &elements, weights, 4, owners);
    for (int i = 0; i < 60; i++)
        weights[i] = 1;
    assert_true(imbalance(weights, owners, 60, 4) < .01);
    cut(&partitioner, &elements, weights, 1, owners);
    for (int i = 0; i < 60; i++)
        assert_int_equal(owners[i], 0);
    mesh_partitioner_close(&partitioner);
    assert_int_equal(
        mesh_zoltan_open(&partitioner, "zoltan:GRAPH", &elements, &wish, &err), -EINVAL);
    mesh_partitioner_close(&partitioner);
}

static void refused(const char *name, const char *own, int ranks, int code,
                    const char *text)
{
    struct mesh_source source = {3, {4, 4, 4}, NULL, 1, NULL, NULL, NULL};
    struct mesh_zoltan_wish wish = {own, ranks, .4};
    struct mesh_partitioner partitioner;
    struct cca_error err = {0};

    assert_int_equal(mesh_zoltan_open(&partitioner, name, &source, &wish, &err), code);
    if (!strstr(err.text, text))
        fail_msg("found '%s', expected '%s'", err.text, text);
    mesh_partitioner_close(&partitioner);
}

/* Methods that Zoltan has by name and cannot do are not asked for. */
TEST(other_methods_are_refused)
{
    static const char *const names[] = {
        "zoltan",           "zoltan:",       "zoltan:PARMETIS", "zoltan:HIER",
        "zoltan:rcb",       "zoltan:RANDOM", "zoltan:REFTREE",  "zoltan:RIB:planes",
        "zoltan:RCB:plane", "zoltan:NONE"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        refused(names[i], "/bin/true", 1, -EINVAL, "expected zoltan:RCB");
    refused("zoltan:RCB", "/bin/true", 0, -EINVAL, "found 0 ranks");
}

static const char *script(const char *name, const char *text)
{
    static char path[4200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", getenv("TMPDIR") ? getenv("TMPDIR") : ".", name);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

TEST(a_child_that_dies_is_named)
{
    refused("zoltan:RCB", "/nowhere/mesh-zoltan", 1, -ENOTSUP, "zoltan: not built in");
    refused("zoltan:RCB", script("aborts", "echo 'Zoltan: bad day' >&2; kill -ABRT $$"),
            1, -EPROTO,
            "zoltan:RCB: the process was ended by signal 6 (Aborted); it printed: "
            "Zoltan: bad day");
    refused("zoltan:RCB", script("ends", "exit 7"), 1, -EPROTO,
            "zoltan:RCB: the process ended with exit code 7");
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

TEST(a_child_that_hangs_is_named_and_killed)
{
    double begin = now();

    refused("zoltan:RIB", script("hangs", "trap '' TERM; sleep 1000; sleep 1000"), 1,
            -ETIMEDOUT, "zoltan:RIB: the process did not answer within 0.4 s");
    assert_true(now() - begin < 60);
}

/* A child that connects and then dies at the first partition. */
static const char speaker[] =
    "exec python3 - \"$1\" <<'END'\n"
    "import os, socket, struct, sys, time\n"
    "s = socket.socket(socket.AF_UNIX)\n"
    "s.connect('\\0' + sys.argv[1])\n"
    "hello = s.recv(48, socket.MSG_WAITALL)\n"
    "assert struct.unpack('<I', hello[:4]) == (0x314f5a4d,)\n"
    "s.sendall(struct.pack('<Iii244s', 0x314f5a4d, 0, 1, b''))\n"
    "s.recv(8 + 4 * 64, socket.MSG_WAITALL)\n"
    "%s\n"
    "END";

static void asked_once(const char *what, int code, const char *text)
{
    struct mesh_source source = {3, {4, 4, 4}, NULL, 1, NULL, NULL, NULL};
    char whole[1200];
    float weights[64] = {1};
    struct mesh_zoltan_wish wish = {NULL, 1, 5};
    struct mesh_partitioner partitioner;
    struct mesh_partition out = {0};
    struct cca_error err = {0};

    snprintf(whole, sizeof whole, speaker, what);
    wish.program = script("speaks", whole);
    if (mesh_zoltan_open(&partitioner, "zoltan:HSFC", &source, &wish, &err))
        fail_msg("%s", err.text);
    for (int again = 0; again < 2; again++) {
        memset(&err, 0, sizeof err);
        assert_int_equal(
            partitioner.cut(partitioner.context, &source, weights, 2, NULL, &out, &err),
            code);
        if (!strstr(err.text, text))
            fail_msg("found '%s', expected '%s'", err.text, text);
    }
    mesh_partitioner_close(&partitioner);
}

TEST(nonsense_is_refused)
{
    const char *good = "s.sendall(struct.pack('<Iii244s', 0x314f5a4d, 0, 1, b''))\n";
    char text[400];

    asked_once("os.abort()", -EPROTO, "was ended by signal 6");
    asked_once("s.sendall(b'x' * 256)", -EPROTO, "its reply makes no sense");
    asked_once("s.sendall(b'x' * 100)", -EPROTO, "ended with exit code 0");
    snprintf(text, sizeof text, "%ss.sendall(struct.pack('<64i', *([0] * 63 + [2])))",
             good);
    asked_once(text, -EPROTO, "found part 2 of 2 for cell 63");
}

TESTS(NULL, NULL)
