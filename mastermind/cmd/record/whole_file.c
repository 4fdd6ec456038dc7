/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_file.c: keep the table of a whole run in a directory: whole.json and stacks.json,
 * from which the same table can be printed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/cmd/record/whole.h"
#include "mastermind/reader/json.h"
#include "mastermind/writer/json_file.h"

/* --- Writing ---------------------------------------------------------------- */

static void put_count(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void put_text(json_t *object, const char *name, const char *text)
{
    if (text && *text)
        json_object_set_new(object, name, mm_json_text(text));
}

static json_t *make_row(const struct mm_sample_row *row)
{
    json_t *made = json_object();

    put_text(made, "function", row->function);
    put_text(made, "path", row->path);
    put_text(made, "line", row->place);
    put_count(made, "samples", row->count);
    put_count(made, "hottest", row->hottest);
    put_count(made, "begin", row->begin);
    if (row->is_symbol)
        json_object_set_new(made, "is_symbol", json_true());
    return made;
}

static void put_samples(json_t *document, const struct mm_samples *samples)
{
    json_t *rows = json_array();

    put_count(document, "period_ns", (uint64_t)samples->period_ns);
    put_count(document, "samples", samples->count);
    put_count(document, "kernel", samples->kernel);
    put_count(document, "lost", samples->lost);
    put_count(document, "tasks", samples->tasks);
    json_object_set_new(document, "has_kernel", json_boolean(samples->has_kernel));
    json_object_set_new(document, "sample_cost_ns", mm_json_real(samples->cost_ns));
    for (size_t i = 0; i < samples->row_count; i++)
        rows = mm_json_append(rows, make_row(&samples->rows[i]));
    json_object_set_new(document, "functions", rows);
}

static void put_ranks(json_t *document, const struct mm_whole *whole)
{
    json_t *list = json_array();

    for (size_t i = 0; i < whole->rank_count; i++) {
        const struct mm_whole_rank *rank = &whole->rank_list[i];

        list = mm_json_append(
            list,
            json_pack("{s:i, s:I, s:I, s:I, s:I}", "rank", rank->samples.rank, "own",
                      (json_int_t)rank->samples.own, "mpi", (json_int_t)rank->samples.mpi,
                      "kernel", (json_int_t)rank->samples.kernel, "peak_bytes",
                      (json_int_t)rank->peak_bytes));
    }
    json_object_set_new(document, "job_ranks", json_integer(whole->job_ranks));
    json_object_set_new(document, "rank_list", list);
}

static json_t *make_document(const struct mm_whole *whole)
{
    json_t *document = json_object(), *words = json_array();
    char *file = whole->file ? strdup(whole->file) : realpath(whole->program, NULL);

    for (char *const *word = whole->words; word && *word; word++)
        words = mm_json_append(words, mm_json_text(*word));
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "schema", json_string("mastermind/whole/1"));
    put_text(document, "program", whole->program);
    put_text(document, "file", file);
    free(file);
    json_object_set_new(document, "command", words);
    put_count(document, "ranks", (uint64_t)whole->ranks);
    json_object_set_new(document, "is_recordable", json_boolean(whole->is_recordable));
    json_object_set_new(document, "has_tree", json_boolean(whole->is_tree));
    json_object_set_new(document, "is_sampled", json_boolean(whole->is_sampled));
    json_object_set_new(document, "is_timed", json_boolean(whole->is_timed));
    put_text(document, "unsampled", whole->unsampled);
    put_text(document, "untimed", whole->untimed);
    put_text(document, "no_stacks", whole->callers.stacks.lacking);
    json_object_set_new(document, "status", json_integer(whole->status));
    json_object_set_new(document, "cpu_ns", mm_json_real(whole->cpu_ns));
    json_object_set_new(document, "user_ns", mm_json_real(whole->user_ns));
    json_object_set_new(document, "measuring_ns", mm_json_real(whole->measuring_ns));
    json_object_set_new(document, "began_ns", json_integer(whole->began_ns));
    json_object_set_new(document, "wall_ns", json_integer(whole->wall_ns));
    json_object_set_new(document, "queued_ns", json_integer(whole->queued_ns));
    json_object_set_new(document, "stolen_ns", json_integer(whole->stolen_ns));
    json_object_set_new(document, "peak_bytes", json_integer(whole->peak_bytes));
    put_samples(document, &whole->samples);
    if (whole->rank_count)
        put_ranks(document, whole);
    return document;
}

int mm_whole_keep(const struct mm_whole *whole, const char *path, struct cca_error *err)
{
    json_t *document = make_document(whole);
    char *text = mm_json_dump(document, JSON_COMPACT);
    int result = mm_record_keep_stacks(path, &whole->callers, err);

    if (!result) /* last: its reader takes both for complete */
        result = mm_json_replace_text(path, "whole.json", text, err);
    free(text);
    json_decref(document);
    return result;
}

/* --- Reading ---------------------------------------------------------------- */

/* Load a file of a directory. Returns 0; -ENOENT: there is none; a negative errno with
 * `err`. */
static int load(const char *directory, const char *name, json_t **root,
                struct cca_error *err)
{
    char *path = NULL;
    int code = 0;

    if (asprintf(&path, "%s/%s", directory, name) < 0)
        return cca_no_memory(err);
    *root = mm_json_load(path, &code, err);
    free(path);
    return *root ? 0 : code;
}

static int64_t integer_of(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static uint64_t count_of(const json_t *object, const char *name)
{
    int64_t value = integer_of(object, name);

    return value > 0 ? (uint64_t)value : 0;
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static int is_true(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

/* A copy of a text. Returns 0 or -ENOMEM; `*copy` is NULL without a text. */
static int copy_text(const json_t *object, const char *name, char **copy)
{
    const char *text = text_of(object, name);

    *copy = text ? strdup(text) : NULL;
    return text && !*copy ? -ENOMEM : 0;
}

static int read_samples(struct mm_samples *samples, const json_t *root)
{
    const json_t *list = json_object_get(root, "functions"), *item;
    int result = 0;
    size_t i;

    *samples = (struct mm_samples){
        .count = count_of(root, "samples"),
        .kernel = count_of(root, "kernel"),
        .lost = count_of(root, "lost"),
        .tasks = count_of(root, "tasks"),
        .has_kernel = is_true(root, "has_kernel"),
        .period_ns = integer_of(root, "period_ns"),
        .cost_ns = json_number_value(json_object_get(root, "sample_cost_ns"))};
    json_array_foreach(list, i, item)
    {
        struct mm_sample_row *row =
            cca_array_add(&samples->rows, &samples->row_count, sizeof *row);

        if (!row)
            return -ENOMEM;
        row->count = count_of(item, "samples");
        row->hottest = count_of(item, "hottest");
        row->begin = count_of(item, "begin");
        row->is_symbol = is_true(item, "is_symbol");
        if (copy_text(item, "function", &row->function) ||
            copy_text(item, "path", &row->path) || copy_text(item, "line", &row->place))
            result = -ENOMEM;
    }
    return result;
}

static int read_functions(struct mm_stacks *stacks, const json_t *list)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        struct mm_stack_function *function =
            cca_array_add(&stacks->functions, &stacks->function_count, sizeof *function);
        uint64_t kind = count_of(item, "kind");

        if (!function)
            return -ENOMEM;
        function->kind = kind <= MM_STACK_CUT ? (int)kind : MM_STACK_CUT;
        function->begin = count_of(item, "begin");
        function->is_symbol = is_true(item, "is_symbol");
        if (copy_text(item, "path", &function->path) ||
            (function->kind == MM_STACK_FILE && copy_text(item, "name", &function->name)))
            return -ENOMEM;
        if (function->kind == MM_STACK_FILE && !function->path)
            return -EBADMSG;
        if (function->name && *function->name == '(') { /* stands for no name */
            free(function->name);
            function->name = NULL;
        }
    }
    return 0;
}

static int read_nodes(struct mm_stacks *stacks, const json_t *list)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        json_int_t parent = json_integer_value(json_array_get(item, 0)),
                   function = json_integer_value(json_array_get(item, 1)),
                   count = json_integer_value(json_array_get(item, 2));
        struct mm_stack_node *node;

        if (parent < -1 || parent >= (json_int_t)i || function < 0 || count < 0 ||
            function >= (json_int_t)stacks->function_count)
            return -EBADMSG;
        node = cca_array_add(&stacks->nodes, &stacks->node_count, sizeof *node);
        if (!node)
            return -ENOMEM;
        *node = (struct mm_stack_node){parent < 0 ? MM_STACK_TOP : (uint32_t)parent,
                                       (uint32_t)function, (uint64_t)count};
    }
    return 0;
}

/* Read the stacks, if there are some. Returns 0 or a negative errno with `err`. */
static int read_stacks(struct mm_callers *callers, const char *path,
                       struct cca_error *err)
{
    struct mm_stacks *stacks = &callers->stacks;
    json_t *root = NULL;
    int result = load(path, "stacks.json", &root, err);

    if (result)
        return result == -ENOENT ? 0 : result;
    stacks->count = count_of(root, "stacks");
    stacks->cut = count_of(root, "cut_off");
    stacks->lost = count_of(root, "lost");
    stacks->period_ns = integer_of(root, "period_ns");
    result = read_functions(stacks, json_object_get(root, "functions"));
    if (!result)
        result = read_nodes(stacks, json_object_get(root, "nodes"));
    if (!result)
        result = mm_callers_count(callers);
    json_decref(root);
    if (result == -EBADMSG)
        return cca_error_set(err, result, "%s/stacks.json: node %zu is damaged", path,
                             stacks->node_count);
    return result ? cca_no_memory(err) : 0;
}

static void copy_reason(char *reason, size_t size, const json_t *root, const char *name)
{
    const char *text = text_of(root, name);

    snprintf(reason, size, "%s", text ? text : "");
}

/* Read the members that are no lists. Returns 0 or -ENOMEM. */
static int read_members(struct mm_whole *whole, const json_t *root)
{
    const json_t *words = json_object_get(root, "command");

    whole->lines = calloc(json_array_size(words) + 1, sizeof *whole->lines);
    if (!whole->lines)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(words); i++)
        whole->lines[i] = (char *)json_string_value(json_array_get(words, i));
    whole->words = whole->lines;
    whole->program = text_of(root, "program");
    if (!whole->program)
        whole->program = "";
    whole->file = text_of(root, "file");
    whole->ranks = (int)integer_of(root, "ranks");
    whole->is_recordable = is_true(root, "is_recordable");
    whole->is_tree = is_true(root, "has_tree");
    whole->is_sampled = is_true(root, "is_sampled");
    whole->is_timed = is_true(root, "is_timed");
    copy_reason(whole->unsampled, sizeof whole->unsampled, root, "unsampled");
    copy_reason(whole->untimed, sizeof whole->untimed, root, "untimed");
    copy_reason(whole->callers.stacks.lacking, sizeof whole->callers.stacks.lacking, root,
                "no_stacks");
    whole->status = (int)integer_of(root, "status");
    whole->cpu_ns = json_number_value(json_object_get(root, "cpu_ns"));
    whole->user_ns = json_number_value(json_object_get(root, "user_ns"));
    whole->measuring_ns = json_number_value(json_object_get(root, "measuring_ns"));
    whole->began_ns = integer_of(root, "began_ns");
    whole->wall_ns = integer_of(root, "wall_ns");
    whole->queued_ns = integer_of(root, "queued_ns");
    whole->stolen_ns = integer_of(root, "stolen_ns");
    whole->peak_bytes = integer_of(root, "peak_bytes");
    return 0;
}

static int read_ranks(struct mm_whole *whole, const json_t *list)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        struct mm_whole_rank *rank =
            cca_array_add(&whole->rank_list, &whole->rank_count, sizeof *rank);

        if (!rank)
            return -ENOMEM;
        rank->samples =
            (struct mm_rank_samples){(int)integer_of(item, "rank"), count_of(item, "own"),
                                     count_of(item, "mpi"), count_of(item, "kernel")};
        rank->peak_bytes = integer_of(item, "peak_bytes");
    }
    return 0;
}

int mm_whole_read(struct mm_whole *whole, const char *path, struct cca_error *err)
{
    json_t *root = NULL;
    int result = load(path, "whole.json", &root, err);

    if (result)
        return result;
    whole->root = root;
    whole->job_ranks = (int)integer_of(root, "job_ranks");
    if (read_members(whole, root) ||
        read_ranks(whole, json_object_get(root, "rank_list")) ||
        read_samples(&whole->samples, root))
        return cca_no_memory(err);
    return read_stacks(&whole->callers, path, err);
}
