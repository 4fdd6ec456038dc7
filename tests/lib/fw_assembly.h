/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_assembly.h: what the tests of the framework share: a framework that knows the fw_
 * classes alone, and short words for its commands. */
#ifndef TESTS_LIB_FW_ASSEMBLY_H
#define TESTS_LIB_FW_ASSEMBLY_H

#include "tests/lib/test.h"

#include <glob.h>

#include "framework/framework.h"
#include "ports/go_port.h"
#include "tests/components/fw_ports.h"

/* What probes have written, and the error of the last command. */
struct fw {
    struct cca_framework *framework;
    struct cca_error err;
    char log[8192];
    char dir[PATH_MAX]; /* of links to the fw_ libraries */
};
static struct fw fw;

static const struct cca_framework_options plain __attribute__((unused)) = {0};
static const struct cca_framework_options measure
    __attribute__((unused)) = {.measure = 1};

static inline void fw_links(void)
{
    char pattern[PATH_MAX], link[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", pattern, sizeof pattern - 32);
    const char *tmp = getenv("TMPDIR");
    glob_t found;

    assert_true(length > 0);
    pattern[length] = '\0';
    strcpy(strrchr(pattern, '/'), "/components/fw_*.so");
    snprintf(fw.dir, sizeof fw.dir, "%s/fw_test.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(fw.dir));
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        snprintf(link, sizeof link, "%s%s", fw.dir, strrchr(found.gl_pathv[i], '/'));
        assert_int_equal(symlink(found.gl_pathv[i], link), 0);
    }
    globfree(&found);
}

static inline void fw_unlinks(void)
{
    char pattern[PATH_MAX + 8];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/*", fw.dir);
    if (!glob(pattern, 0, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    rmdir(fw.dir);
}

/* Begin a framework without some classes: file names, or NULL. */
static inline void fw_begin_without(struct cca_framework_options options,
                                    const char *without, const char *without_too)
{
    const char *gone[2] = {without, without_too};
    char path[2 * PATH_MAX];

    memset(&fw, 0, sizeof fw);
    fw_links();
    for (int i = 0; i < 2; i++)
        if (gone[i]) {
            snprintf(path, sizeof path, "%s/%s", fw.dir, gone[i]);
            assert_int_equal(unlink(path), 0);
        }
    fw.framework = cca_framework_new(&options, &fw.err);
    assert_non_null(fw.framework);
    assert_int_equal(cca_repository_path_append(cca_framework_repository(fw.framework),
                                                fw.dir, &fw.err),
                     0);
}

static inline void fw_begin(struct cca_framework_options options)
{
    fw_begin_without(options, NULL, NULL);
}

static inline void fw_end(void)
{
    cca_framework_free(fw.framework);
    fw_unlinks();
}

/* FW_TEST(claim): a case with a framework of its own; FW_MEASURED: one that measures. */
static inline int fw_set_up(void **state)
{
    (void)state;
    fw_begin(plain);
    return 0;
}

static inline int fw_set_up_measured(void **state)
{
    (void)state;
    fw_begin(measure);
    return 0;
}

static inline int fw_tear_down(void **state)
{
    (void)state;
    fw_end();
    return 0;
}
#define FW_TEST(name) TEST_WITH(name, fw_set_up, fw_tear_down)
#define FW_MEASURED(name) TEST_WITH(name, fw_set_up_measured, fw_tear_down)

static inline struct cca_error *fw_err(void)
{
    fw.err = (struct cca_error){0};
    return &fw.err;
}

static inline int fw_create(const char *cls, const char *name)
{
    return cca_framework_create(fw.framework, cls, name, fw_err());
}

static inline int fw_connect(const char *user, const char *uses, const char *provider,
                             const char *provides)
{
    return cca_framework_connect(fw.framework, user, uses, provider, provides, fw_err());
}

static inline int fw_disconnect(const char *user, const char *uses, const char *provider,
                                const char *provides)
{
    return cca_framework_disconnect(fw.framework, user, uses, provider, provides,
                                    fw_err());
}

static inline int fw_remove(const char *name)
{
    return cca_framework_remove(fw.framework, name, fw_err());
}

static inline int fw_insert(const char *instance, const char *port)
{
    return cca_framework_insert(fw.framework, instance, port, NULL, fw_err());
}

static inline int fw_eject(const char *instance, const char *port)
{
    return cca_framework_eject(fw.framework, instance, port, fw_err());
}

static inline int fw_go(const char *instance)
{
    return cca_framework_go(fw.framework, instance, "go", fw_err());
}

static inline int fw_set(const char *instance, const char *name, const char *value)
{
    return cca_framework_set_parameter(fw.framework, instance, "config", name, value,
                                       fw_err());
}

static inline struct fw_probe_port *fw_probe(const char *instance)
{
    struct fw_probe_port *probe = cca_framework_port(
        fw.framework, instance, "probe", FW_PROBE_TYPE, sizeof *probe, fw_err());

    assert_non_null(probe);
    return probe;
}

static inline int fw_act(const char *instance, const char *what, const char *argument)
{
    struct fw_probe_port *probe = fw_probe(instance);
    int status = probe->act(probe, what, argument, fw_err());

    assert_int_equal(cca_framework_release_port(fw.framework, instance, "probe", NULL),
                     0);
    return status;
}

static inline void fw_note(void *context, const char *line)
{
    (void)context;
    size_t used = strlen(fw.log);

    snprintf(fw.log + used, sizeof fw.log - used, "%s\n", line);
}

static inline void fw_watch(const char *instance)
{
    struct fw_probe_port *probe = fw_probe(instance);

    probe->watch(probe, fw_note, NULL);
    assert_int_equal(cca_framework_release_port(fw.framework, instance, "probe", NULL),
                     0);
}

/* Compare what has been noted, and begin anew. */
#define fw_assert_log(expected)                                                          \
    do {                                                                                 \
        assert_string_equal(fw.log, expected);                                           \
        fw.log[0] = '\0';                                                                \
    } while (0)

/* A command fails with a code and words. */
#define fw_fails(call, number, words)                                                    \
    do {                                                                                 \
        assert_int_equal(call, number);                                                  \
        assert_string_equal(fw.err.text, words);                                         \
    } while (0)

#define fw_done(call)                                                                    \
    do {                                                                                 \
        int fw_status = (call);                                                          \
        assert_string_equal(fw.err.text, "");                                            \
        assert_int_equal(fw_status, 0);                                                  \
    } while (0)

/* node -> src, ready to go. */
static inline void fw_pair(void)
{
    fw_done(fw_create("FwSource", "src"));
    fw_done(fw_create("FwNode", "node"));
    fw_done(fw_connect("node", "in", "src", "out"));
}

/* Instances or connections that builders see. */
static inline size_t fw_instances(int all)
{
    struct builder_port *builder = cca_framework_builder(fw.framework);
    struct builder_instance item;
    size_t count = 0;

    while (!builder->instance(builder, count, all, &item))
        count++;
    return count;
}

static inline size_t fw_connections(void)
{
    struct builder_port *builder = cca_framework_builder(fw.framework);
    struct builder_connection item;
    size_t count = 0;

    while (!builder->connection(builder, count, &item))
        count++;
    return count;
}

#endif
