/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_assembly.h: what the tests of the framework share: a framework that knows the fw_
 * classes alone, and short words for its commands. */
#ifndef TESTS_LIB_FW_ASSEMBLY_H
#define TESTS_LIB_FW_ASSEMBLY_H

#include "tests/lib/test.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static inline void fw_links(struct fw *fw)
{
    char pattern[PATH_MAX], link[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", pattern, sizeof pattern - 32);
    const char *tmp = getenv("TMPDIR");
    glob_t found;

    assert_true(length > 0);
    pattern[length] = '\0';
    strcpy(strrchr(pattern, '/'), "/components/fw_*.so");
    snprintf(fw->dir, sizeof fw->dir, "%s/fw_test.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(fw->dir));
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        snprintf(link, sizeof link, "%s%s", fw->dir, strrchr(found.gl_pathv[i], '/'));
        assert_int_equal(symlink(found.gl_pathv[i], link), 0);
    }
    globfree(&found);
}

static inline void fw_unlinks(const struct fw *fw)
{
    char pattern[PATH_MAX + 8];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/*", fw->dir);
    if (!glob(pattern, 0, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    rmdir(fw->dir);
}

/* Begin a framework without some classes: file names, or NULL. */
static inline void fw_begin_without(struct fw *fw, struct cca_framework_options options,
                                    const char *without, const char *without_too)
{
    const char *gone[2] = {without, without_too};
    char path[2 * PATH_MAX];

    memset(fw, 0, sizeof *fw);
    fw_links(fw);
    for (int i = 0; i < 2; i++)
        if (gone[i]) {
            snprintf(path, sizeof path, "%s/%s", fw->dir, gone[i]);
            assert_int_equal(unlink(path), 0);
        }
    fw->framework = cca_framework_new(&options, &fw->err);
    assert_non_null(fw->framework);
    assert_int_equal(cca_repository_path_append(cca_framework_repository(fw->framework),
                                                fw->dir, &fw->err),
                     0);
}

static inline void fw_begin(struct fw *fw, struct cca_framework_options options)
{
    fw_begin_without(fw, options, NULL, NULL);
}

static inline void fw_end(struct fw *fw)
{
    cca_framework_free(fw->framework);
    fw_unlinks(fw);
}

static inline struct cca_error *fw_err(struct fw *fw)
{
    fw->err = (struct cca_error){0};
    return &fw->err;
}

static inline int fw_create(struct fw *fw, const char *cls, const char *name)
{
    return cca_framework_create(fw->framework, cls, name, fw_err(fw));
}

static inline int fw_connect(struct fw *fw, const char *user, const char *uses,
                             const char *provider, const char *provides)
{
    return cca_framework_connect(fw->framework, user, uses, provider, provides,
                                 fw_err(fw));
}

static inline int fw_disconnect(struct fw *fw, const char *user, const char *uses,
                                const char *provider, const char *provides)
{
    return cca_framework_disconnect(fw->framework, user, uses, provider, provides,
                                    fw_err(fw));
}

static inline int fw_remove(struct fw *fw, const char *name)
{
    return cca_framework_remove(fw->framework, name, fw_err(fw));
}

static inline int fw_insert(struct fw *fw, const char *instance, const char *port)
{
    return cca_framework_insert(fw->framework, instance, port, NULL, fw_err(fw));
}

static inline int fw_eject(struct fw *fw, const char *instance, const char *port)
{
    return cca_framework_eject(fw->framework, instance, port, fw_err(fw));
}

static inline int fw_go(struct fw *fw, const char *instance)
{
    return cca_framework_go(fw->framework, instance, "go", fw_err(fw));
}

static inline int fw_set(struct fw *fw, const char *instance, const char *name,
                         const char *value)
{
    return cca_framework_set_parameter(fw->framework, instance, "config", name, value,
                                       fw_err(fw));
}

static inline struct fw_probe_port *fw_probe(struct fw *fw, const char *instance)
{
    struct fw_probe_port *probe = cca_framework_port(
        fw->framework, instance, "probe", FW_PROBE_TYPE, sizeof *probe, fw_err(fw));

    assert_non_null(probe);
    return probe;
}

static inline int fw_act(struct fw *fw, const char *instance, const char *what,
                         const char *argument)
{
    struct fw_probe_port *probe = fw_probe(fw, instance);
    int status = probe->act(probe, what, argument, fw_err(fw));

    assert_int_equal(cca_framework_release_port(fw->framework, instance, "probe", NULL),
                     0);
    return status;
}

static inline void fw_note(void *context, const char *line)
{
    struct fw *fw = context;
    size_t used = strlen(fw->log);

    snprintf(fw->log + used, sizeof fw->log - used, "%s\n", line);
}

static inline void fw_watch(struct fw *fw, const char *instance)
{
    struct fw_probe_port *probe = fw_probe(fw, instance);

    probe->watch(probe, fw_note, fw);
    assert_int_equal(cca_framework_release_port(fw->framework, instance, "probe", NULL),
                     0);
}

/* Compare what has been noted, and begin anew. */
#define fw_assert_log(fw, expected)                                                      \
    do {                                                                                 \
        assert_string_equal((fw)->log, expected);                                        \
        (fw)->log[0] = '\0';                                                             \
    } while (0)

/* A command fails with a code and words. */
#define fw_assert_fails(fw, call, number, words)                                         \
    do {                                                                                 \
        assert_int_equal(call, number);                                                  \
        assert_string_equal((fw)->err.text, words);                                      \
    } while (0)

#define fw_assert_done(fw, call)                                                         \
    do {                                                                                 \
        int fw_status = (call);                                                          \
        assert_string_equal((fw)->err.text, "");                                         \
        assert_int_equal(fw_status, 0);                                                  \
    } while (0)

/* node -> src, ready to go. */
static inline void fw_pair(struct fw *fw)
{
    fw_assert_done(fw, fw_create(fw, "FwSource", "src"));
    fw_assert_done(fw, fw_create(fw, "FwNode", "node"));
    fw_assert_done(fw, fw_connect(fw, "node", "in", "src", "out"));
}

/* Instances or connections that builders see. */
static inline size_t fw_instances(struct fw *fw, int all)
{
    struct builder_port *builder = cca_framework_builder(fw->framework);
    struct builder_instance item;
    size_t count = 0;

    while (!builder->instance(builder, count, all, &item))
        count++;
    return count;
}

static inline size_t fw_connections(struct fw *fw)
{
    struct builder_port *builder = cca_framework_builder(fw->framework);
    struct builder_connection item;
    size_t count = 0;

    while (!builder->connection(builder, count, &item))
        count++;
    return count;
}

#endif
