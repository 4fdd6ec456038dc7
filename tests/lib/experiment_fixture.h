/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_fixture.h: make a small experiment with the recorder alone, for tests. */
#ifndef TESTS_LIB_EXPERIMENT_FIXTURE_H
#define TESTS_LIB_EXPERIMENT_FIXTURE_H

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>

#include "tests/lib/test.h"
#include "mastermind/format/json_check.h"
#include "mastermind/recorder/recorder.h"

struct fixture {
    char path[256]; /* the experiment */
    char rank[300];
    struct mm_recorder *recorder;
    struct monitor_port *port;
    json_t *methods;
    int counters; /* of each row */
    int has_mpi;
};

static inline void fixture_write(const struct fixture *f, const char *name, json_t *json)
{
    char path[PATH_MAX], fresh[PATH_MAX + 8];

    char *text = json_dumps(json, JSON_INDENT(1)), digits[MM_JSON_CHECK_DIGITS + 1];
    char *rest;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", f->path, name);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    if (!text || asprintf(&rest, "\",%s", text + 1) < 0 || !(file = fopen(fresh, "w")))
        abort();
    mm_json_check(rest, strlen(rest), digits);
    fprintf(file, "%s%s%s", MM_JSON_CHECK_KEY, digits, rest);
    if (fclose(file) || rename(fresh, path))
        abort();
    free(rest);
    free(text);
}

static inline int fixture_on_method(void *context, uint32_t id,
                                    const struct monitor_method_decl *d,
                                    struct cca_error *err)
{
    static const char *const types[] = {"int64", "double"};
    static const char *const kinds[] = {"param", "mode", "out", "hint"};
    struct fixture *f = context;
    json_t *values = json_array(), *root;
    size_t i;

    (void)err;
    for (i = 0; i < d->in_count + d->out_count; i++)
        json_array_append_new(values,
                              json_pack("{s:s,s:s?,s:s,s:s}", "name", d->values[i].name,
                                        "expression", d->values[i].expression, "type",
                                        types[d->values[i].type], "kind",
                                        kinds[d->values[i].kind]));
    json_array_append_new(
        f->methods, json_pack("{s:I,s:s,s:s,s:s,s:s,s:s,s:s,s:o}", "id", (json_int_t)id,
                              "instance", d->instance, "port", d->port, "method",
                              d->method, "class", d->class_name, "build_id", d->build_id,
                              "port_type", d->port_type, "values", values));
    root = json_pack("{s:i,s:O}", "format", 1, "methods", f->methods);
    fixture_write(f, "rank-0000/methods.json", root);
    json_decref(root);
    return 0;
}

static inline void fixture_about(const struct fixture *f, int finished)
{
    struct mm_recorder_stats stats;
    struct mm_clock clock;
    json_t *about;

    mm_recorder_stats(f->recorder, &stats);
    mm_recorder_clock(f->recorder, &clock);
    about = json_pack("{s:i,s:s,s:i,s:b,s:b,s:b,s:s,s:{s:s,s:f,s:I,s:I},s:{s:f}}",
                      "format", 1, "schema", "mastermind/experiment/1", "ranks", 1,
                      "finished", finished, "mpi_time", f->has_mpi, "cpu_time", 1,
                      "off_core", stats.core, "clock", "name", clock.name, "ns_per_tick",
                      clock.ns_per_tick, "epoch_ticks", (json_int_t)clock.epoch_ticks,
                      "epoch_ns", (json_int_t)clock.epoch_ns, "overhead", "call_ns",
                      stats.costs.rows[MM_ROW_PAIR].loop_ns);
    if (f->counters) {
        json_t *names = json_array();

        for (int i = 0; i < f->counters; i++)
            json_array_append_new(names, json_sprintf("counter %d", i));
        json_object_set_new(about, "counters", json_pack("{s:o}", "names", names));
    }
    if (finished)
        json_object_set_new(about, "totals",
                            json_pack("{s:I,s:I}", "rows", (json_int_t)stats.rows,
                                      "dropped", (json_int_t)stats.dropped));
    fixture_write(f, "experiment.json", about);
    json_decref(about);
}

/* Begin an experiment in a fresh directory below `parent`, or TMPDIR. */
static inline void fixture_begin(struct fixture *f,
                                 const struct mm_recorder_options *wish,
                                 const char *parent)
{
    struct mm_recorder_options options = {0};
    struct cca_error err = {0};

    if (wish)
        options = *wish;
    memset(f, 0, sizeof *f);
    if (!parent)
        parent = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(f->path, sizeof f->path, "%s/mm-XXXXXX", parent);
    if (!mkdtemp(f->path))
        abort();
    snprintf(f->rank, sizeof f->rank, "%s/rank-0000", f->path);
    if (mkdir(f->rank, 0777))
        abort();
    f->methods = json_array();
    options.directory = f->rank;
    options.on_method = fixture_on_method;
    options.context = f;
    f->counters = options.counter_count;
    f->has_mpi = options.mpi_time != NULL;
    f->recorder = mm_recorder_new(&options, &err);
    if (!f->recorder) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    f->port = mm_recorder_port(f->recorder);
    fixture_about(f, 0);
}

/* End it in order. Returns what the recorder's close says. */
static inline int fixture_end(struct fixture *f)
{
    int code = mm_recorder_close(f->recorder, NULL);

    fixture_about(f, 1);
    return code;
}

/* Remove its files. */
static inline void fixture_remove(struct fixture *f)
{
    const char *folders[] = {f->rank, f->path};
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *dir;
    size_t i;

    for (i = 0; i < 2; i++) {
        dir = opendir(folders[i]);
        while (dir && (entry = readdir(dir)) != NULL) {
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            if (entry->d_name[0] != '.')
                unlink(path);
        }
        if (dir)
            closedir(dir);
        rmdir(folders[i]);
    }
    json_decref(f->methods);
}

/* A method of class "C" on port "p" with int64 parameters named in `names`, NULL-ended.
 */
static inline struct monitor_method *
fixture_method(struct fixture *f, const char *instance, const char *method,
               const struct monitor_value_decl *values, size_t in_count, size_t out_count)
{
    struct monitor_method_decl decl = {.instance = instance,
                                       .port = "p",
                                       .method = method,
                                       .class_name = "C",
                                       .build_id = "abc",
                                       .port_type = "test.Port/1",
                                       .values = values,
                                       .in_count = in_count,
                                       .out_count = out_count};

    return f->port->method_open(f->port, &decl, NULL);
}

#endif
