/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine files: each key, each mistake with its place; configurations. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activity/machine/machine.h"
#include "tests/lib/test.h"

static char folder[64];

static void write_file(const char *text)
{
    FILE *file = fopen("m.ini", "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static struct act_machine load(const char *text)
{
    struct act_machine machine;
    struct cca_error err = {0};

    write_file(text);
    if (act_machine_load(&machine, "m.ini", &err))
        fail_msg("%s\n%s", err.text, text);
    return machine;
}

static void refused(const char *text, const char *message)
{
    struct act_machine machine;
    struct cca_error err = {0};

    write_file(text);
    assert_int_equal(act_machine_load(&machine, "m.ini", &err), -EINVAL);
    assert_string_equal(err.text, message);
}

static int is_same(const struct act_machine *a, const struct act_machine *b)
{
    for (int n = 0; n < ACT_NETWORKS; n++) {
        const struct act_network *x = &a->networks[n], *y = &b->networks[n];

        if (x->latency_s != y->latency_s || x->send_s != y->send_s ||
            x->receive_s != y->receive_s || x->gap_s != y->gap_s ||
            x->byte_s != y->byte_s || x->eager != y->eager)
            return 0;
    }
    return a->nodes == b->nodes && a->cores == b->cores && a->threads == b->threads &&
           a->speed == b->speed && a->memory == b->memory && a->noise == b->noise &&
           a->placement == b->placement && a->expanded == b->expanded;
}

TEST(what_is_not_there_is_as_usual)
{
    struct act_machine usual, machine = load("");

    act_machine_usual(&usual);
    assert_true(is_same(&machine, &usual));
    assert_true(usual.cores == 4 && usual.speed == 1 && usual.threads == 1 &&
                usual.nodes == 0 && usual.memory == 0 && usual.noise == 0);
    machine =
        load("# nothing\n\n; nothing\n  \t\n[machine]\n[node] # four\r\n[inside]\n");
    assert_true(is_same(&machine, &usual));
}

TEST(each_key_is_read)
{
    struct act_machine m = load("[machine]\n"
                                "nodes = 16\nthreads=3\nplacement = cyclic\n"
                                "collectives = expanded # as messages\nnoise = 0.02\n"
                                "[node]\n"
                                "  cores = 8 ; of one socket\nspeed = 2.5\nmemory=2e10\n"
                                "[inside]\n"
                                "latency = 1e-6\nsend = 2e-7\nreceive = 3e-7\n"
                                "gap = 4e-7\nbyte = 1e-10\neager = 65536\r\n"
                                "[between]\n"
                                "latency = 5e-6\nsend = 6e-7\nreceive = 7e-7\n"
                                "gap = 8e-7\nbyte = 9e-10\neager = -1");
    const struct act_network *in = &m.networks[ACT_INSIDE],
                             *out = &m.networks[ACT_BETWEEN];

    assert_true(m.nodes == 16 && m.threads == 3 && m.placement == ACT_CYCLIC &&
                m.expanded == 1 && m.noise == 0.02);
    assert_true(m.cores == 8 && m.speed == 2.5 && m.memory == 2e10);
    assert_true(in->latency_s == 1e-6 && in->send_s == 2e-7 && in->receive_s == 3e-7 &&
                in->gap_s == 4e-7 && in->byte_s == 1e-10 && in->eager == 65536);
    assert_true(out->latency_s == 5e-6 && out->send_s == 6e-7 && out->receive_s == 7e-7 &&
                out->gap_s == 8e-7 && out->byte_s == 9e-10 && out->eager == -1);
    m = load("[machine]\nplacement = block\ncollectives = cost\n");
    assert_true(m.placement == ACT_BLOCK && m.expanded == 0);
    /* the later one counts; a section may come again */
    m = load("[node]\ncores = 2\n[machine]\nnodes = 3\n[node]\ncores = 5\n");
    assert_true(m.cores == 5 && m.nodes == 3);
}

/* A machine as a file is the same machine, to the last bit. */
TEST(what_is_printed_is_read)
{
    struct act_machine m = {.nodes = 7,
                            .cores = 1000000,
                            .threads = 12,
                            .speed = 1 / 3.0,
                            .memory = 1e300,
                            .noise = 0.1,
                            .placement = ACT_CYCLIC,
                            .expanded = 1};
    struct act_machine again;
    struct cca_error err = {0};
    FILE *file = fopen("m.ini", "we");

    for (int n = 0; n < ACT_NETWORKS; n++)
        m.networks[n] = (struct act_network){1e-6 / 7 * (n + 1), 1e-7 / 3,    5e-324, 0.1,
                                             1e-9 / 11,          1000 * n - 1};
    assert_non_null(file);
    assert_int_equal(act_machine_print(&m, file), 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(act_machine_load(&again, "m.ini", &err), 0);
    assert_true(is_same(&m, &again));
}

TEST(each_mistake_has_its_place)
{
    static const struct {
        const char *text, *message;
    } mistakes[] = {
        {"cores = 4\n", "m.ini:1:1: found 'cores = 4', expected [machine], [node], "
                        "[inside] or [between]"},
        {"\n  [nodes]\n",
         "m.ini:2:3: found '[nodes]', expected [machine], [node], [inside] or [between]"},
        {"[machine\n", "m.ini:1:1: found '[machine', expected [machine], [node], "
                       "[inside] or [between]"},
        {"[machinemachinemachine]\n",
         "m.ini:1:1: found '[machinemachinemachine]', expected [machine], [node], "
         "[inside] or [between]"},
        {"[]\n",
         "m.ini:1:1: found '[]', expected [machine], [node], [inside] or [between]"},
        {"[node] cores = 4\n",
         "m.ini:1:8: found 'cores = 4', expected the end of the line"},
        {"[node]\n\tcore = 4\n",
         "m.ini:2:2: found 'core = 4', expected a key of [node]: cores speed memory"},
        {"[node]\nlatency = 4\n",
         "m.ini:2:1: found 'latency = 4', expected a key of [node]: cores speed memory"},
        {"[machine]\ncores = 4\n",
         "m.ini:2:1: found 'cores = 4', expected a key of [machine]: nodes threads noise "
         "placement collectives"},
        {"[inside]\nlat = 4\n",
         "m.ini:2:1: found 'lat = 4', expected a key of [inside]: latency send receive "
         "gap byte eager"},
        {"[between]\n= 4\n",
         "m.ini:2:1: found '= 4', expected a key of [between]: latency send receive gap "
         "byte eager"},
        {"[node]\ncores\n", "m.ini:2:6: found '', expected ="},
        {"[node]\ncores 4\n", "m.ini:2:7: found '4', expected ="},
        {"[node]\ncores = \n",
         "m.ini:2:9: found '', expected a whole number of at least 1"},
        {"[node]\ncores = four\n",
         "m.ini:2:9: found 'four', expected a whole number of at least 1"},
        {"[node]\ncores = 0\n",
         "m.ini:2:9: found '0', expected a whole number of at least 1"},
        {"[node]\ncores = 2.5\n",
         "m.ini:2:9: found '2.5', expected a whole number of at least 1"},
        {"[node]\ncores = 1e30\n",
         "m.ini:2:9: found '1e30', expected a whole number of at least 1"},
        {"[node]\nspeed = 0\n",
         "m.ini:2:9: found '0', expected a number of at least 1e-12"},
        {"[node]\nspeed = -1\n",
         "m.ini:2:9: found '-1', expected a number of at least 1e-12"},
        {"[node]\nspeed = inf\n",
         "m.ini:2:9: found 'inf', expected a number of at least 1e-12"},
        {"[node]\nmemory = nan\n",
         "m.ini:2:10: found 'nan', expected a number of at least 0"},
        {"[node]\nmemory = 1e999\n",
         "m.ini:2:10: found '1e999', expected a number of at least 0"},
        {"[machine]\nthreads = 0\n",
         "m.ini:2:11: found '0', expected a whole number of at least 1"},
        {"[machine]\nnodes = -1\n",
         "m.ini:2:9: found '-1', expected a whole number of at least 0"},
        {"[machine]\nnoise = -0.1\n",
         "m.ini:2:9: found '-0.1', expected a number of at least 0"},
        {"[machine]\nplacement = blocks\n",
         "m.ini:2:13: found 'blocks', expected block or cyclic"},
        {"[machine]\ncollectives =\n", "m.ini:2:14: found '', expected cost or expanded"},
        {"[between]\neager = -2\n",
         "m.ini:2:9: found '-2', expected a whole number of at least -1"},
        {"[between]\nbyte = 1e-9 s\n",
         "m.ini:2:13: found 's', expected the end of the line"},
        {"[between]\nlatency = 1 us # slow\n",
         "m.ini:2:13: found 'us # slow', expected the end of the line"},
        {"[machine]\nplacement = block 2\n",
         "m.ini:2:19: found '2', expected the end of the line"},
        {"[machine]\nnodes = 1\n[node]\n\n# four\n  cores == 4\n",
         "m.ini:6:10: found '= 4', expected a whole number of at least 1"},
    };
    char text[700];

    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        refused(mistakes[i].text, mistakes[i].message);
    memset(text, '#', 600);
    text[600] = '\0';
    refused(text, "m.ini:1:1: found '########################################', expected "
                  "a line of at most 510 characters");
}

TEST(a_file_that_is_none_is_an_io_error)
{
    struct act_machine machine;
    struct cca_error err = {0};

    assert_int_equal(act_machine_load(&machine, "none.ini", &err), -ENOENT);
    assert_string_equal(err.text, "none.ini: No such file or directory");
    err = (struct cca_error){0};
    assert_true(act_machine_load(&machine, ".", &err) < 0);
    assert_memory_equal(err.text, ".: ", 3);
}

TEST(configurations_are_read)
{
    struct act_config c[3];
    struct cca_error err = {0};
    static const char *const mistakes[] = {
        "",         "N1",     "P4",     "N0P4",  "N1P0",
        "N1P4T0",   "n1p4",   "N1P4,",  "N1P4 ", "N1P4T",
        "N-1P4",    "N1.5P4", "N1P4x2", ",N1P1", "N1P99999999999999999999",
        "N1P4;N2P8"};

    assert_int_equal(act_configs_read("N1P4,N8P32,N2P8T4", c, 3, &err), 3);
    assert_true(c[0].nodes == 1 && c[0].processes == 4 && c[0].threads == 0);
    assert_true(c[1].nodes == 8 && c[1].processes == 32 && c[1].threads == 0);
    assert_true(c[2].nodes == 2 && c[2].processes == 8 && c[2].threads == 4);
    assert_int_equal(act_configs_read("N250000P1000000", c, 3, &err), 1);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        err = (struct cca_error){0};
        if (act_configs_read(mistakes[i], c, 3, &err) != -EINVAL ||
            strncmp(err.text, "found '", 7) != 0 ||
            !strstr(err.text, "' for --config, expected NxPy"))
            fail_msg("'%s': %s", mistakes[i], err.text);
    }
    err = (struct cca_error){0};
    assert_int_equal(act_configs_read("N1P1,N1P2,N1P3,N1P4", c, 3, &err), -EINVAL);
    assert_string_equal(err.text, "found more than 3 configurations");
}

static int enter_folder(void **state)
{
    const char *parent = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%.40s/act-machine-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    unlink("m.ini");
    return rmdir(folder);
}

TESTS(enter_folder, leave_folder)
