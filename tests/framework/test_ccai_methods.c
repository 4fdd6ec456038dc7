/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_methods.c: reading the table of methods out of whole, cut and damaged
 * proxies. */
#include "tests/lib/test.h"

#include <ctype.h>

/* A part of the program, not of the library. */
#include "framework/crash/methods.c"

#define TYPE "shock.FluxPort/1"

/* The proxy in memory, and a file that holds what the test makes of it. */
struct copy {
    unsigned char *bytes;
    size_t size;
    int fd;
    char path[300];
};

static void copy_init(struct copy *copy)
{
    const char *tree = getenv("O"), *tmp = getenv("TMPDIR");
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/lib/mastermind/flux_port_proxy.so",
             tree ? tree : ".");
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    copy->size = (size_t)ftell(file);
    rewind(file);
    copy->bytes = malloc(copy->size);
    assert_non_null(copy->bytes);
    assert_int_equal(fread(copy->bytes, 1, copy->size, file), copy->size);
    fclose(file);
    snprintf(copy->path, sizeof copy->path, "%s/cca_XXXXXX", tmp ? tmp : "/tmp");
    copy->fd = mkstemp(copy->path);
    assert_true(copy->fd >= 0);
    assert_int_equal(pwrite(copy->fd, copy->bytes, copy->size, 0), copy->size);
}

static void copy_done(struct copy *copy)
{
    close(copy->fd);
    unlink(copy->path);
    free(copy->bytes);
}

static void assert_printable(const char *text)
{
    for (; *text; text++)
        assert_false(iscntrl((unsigned char)*text));
}

/* Read the file and touch all that it leads to. 1 if there was a table. */
static int read_and_walk(const char *path)
{
    struct ccafe_methods methods;
    int status = ccafe_methods_read(&methods, path, TYPE);

    for (size_t i = 0; status == 0 && i < methods.count; i++) {
        const struct ccafe_method *method = &methods.items[i];

        assert_printable(method->name);
        assert_true(method->value_count <= MONITOR_MAX_IN + MONITOR_MAX_OUT);
        for (size_t k = 0; k < method->value_count; k++) {
            assert_printable(method->values[k].name);
            assert_printable(method->values[k].expression ? method->values[k].expression
                                                          : "");
            assert_true((unsigned)method->values[k].kind <= MONITOR_HINT);
        }
    }
    ccafe_methods_done(&methods);
    return status == 0;
}

TEST(the_table_is_what_the_header_says)
{
    static const struct {
        const char *name, *expression;
        enum monitor_kind kind;
    } values[] = {{"axis", "axis", MONITOR_MODE},
                  {"nx", "nx", MONITOR_PARAM},
                  {"ny", "ny", MONITOR_PARAM},
                  {"Q", "nx * ny", MONITOR_PARAM},
                  {"last_active", "recall active on (2 * patch + axis)", MONITOR_HINT},
                  {"iterations", "*iterations", MONITOR_OUT}};
    struct ccafe_methods methods;
    struct copy copy;

    copy_init(&copy);
    assert_int_equal(ccafe_methods_read(&methods, copy.path, TYPE), 0);
    assert_int_equal(methods.count, 1);
    assert_string_equal(methods.items[0].name, "compute");
    assert_false(methods.items[0].unmeasured);
    assert_int_equal(methods.items[0].value_count, sizeof values / sizeof *values);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_string_equal(methods.items[0].values[i].name, values[i].name);
        assert_string_equal(methods.items[0].values[i].expression, values[i].expression);
        assert_int_equal(methods.items[0].values[i].kind, values[i].kind);
    }
    ccafe_methods_done(&methods);
    assert_int_equal(ccafe_methods_read(&methods, copy.path, "shock.FluxPort/2"), -1);
    ccafe_methods_done(&methods);
    copy_done(&copy);
}

TEST(every_cut_file_is_refused)
{
    struct copy copy;

    copy_init(&copy);
    for (size_t size = copy.size - 1; size > 64; size -= 1 + size / 300) {
        assert_int_equal(ftruncate(copy.fd, (off_t)size), 0);
        assert_int_equal(read_and_walk(copy.path), 0);
    }
    assert_int_equal(ftruncate(copy.fd, 0), 0);
    assert_int_equal(read_and_walk(copy.path), 0);
    assert_int_equal(pwrite(copy.fd, copy.bytes, copy.size, 0), copy.size);
    assert_int_equal(read_and_walk(copy.path), 1);
    copy_done(&copy);
}

/* Each byte in turn as something else: one bit, all ones, a control character. */
TEST(damaged_files_do_no_harm)
{
    struct copy copy;
    size_t tried = 0, read = 0;

    copy_init(&copy);
    for (size_t at = 0; at < copy.size; at += 3, tried++) {
        const unsigned char whole = copy.bytes[at];
        const unsigned char damage[3] = {whole ^ (unsigned char)(1u << at % 8), 0xff,
                                         '\n'};

        assert_int_equal(pwrite(copy.fd, &damage[tried % 3], 1, (off_t)at), 1);
        read += (size_t)read_and_walk(copy.path);
        assert_int_equal(pwrite(copy.fd, &whole, 1, (off_t)at), 1);
    }
    assert_true(read > 0 && read < tried);
    assert_int_equal(read_and_walk(copy.path), 1);
    copy_done(&copy);
}

TESTS(NULL, NULL)
