/* SPDX-License-Identifier: BSD-3-Clause */
/* keep_stacks.c: write the stacks of a run to stacks.json of its experiment. */
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/record/callers.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/writer/json_file.h"

static json_t *make_function(const struct mm_stack_function *function)
{
    static const char *const words[] = {[MM_STACK_FILE] = "(functions without names)",
                                        [MM_STACK_KERNEL] = "(kernel)",
                                        [MM_STACK_MADE] = "(made by the program)",
                                        [MM_STACK_CUT] = "(callers not known)"};
    const char *slash = function->path ? strrchr(function->path, '/') : NULL;
    json_t *made = json_object();

    json_object_set_new(
        made, "name",
        mm_json_text(function->name ? function->name : words[function->kind]));
    if (function->path) {
        json_object_set_new(made, "file",
                            mm_json_text(slash ? slash + 1 : function->path));
        json_object_set_new(made, "path", mm_json_text(function->path));
    }
    if (function->kind != MM_STACK_FILE)
        json_object_set_new(made, "kind", json_integer(function->kind));
    if (function->begin)
        json_object_set_new(made, "begin", json_integer((json_int_t)function->begin));
    if (function->is_symbol)
        json_object_set_new(made, "is_symbol", json_true());
    return made;
}

static json_t *make_document(const struct mm_stacks *stacks)
{
    json_t *document = json_object(), *functions = json_array(), *nodes = json_array();

    for (size_t i = 0; i < stacks->function_count; i++)
        functions = mm_json_append(functions, make_function(&stacks->functions[i]));
    for (size_t i = 0; i < stacks->node_count; i++) {
        const struct mm_stack_node *node = &stacks->nodes[i];

        nodes = mm_json_append(
            nodes, json_pack("[I,I,I]",
                             node->parent == MM_STACK_TOP ? (json_int_t)-1
                                                          : (json_int_t)node->parent,
                             (json_int_t)node->function, (json_int_t)node->count));
    }
    json_object_set_new(document, "format", json_integer(1));
    json_object_set_new(document, "schema", json_string("mastermind/stacks/1"));
    json_object_set_new(document, "period_ns", json_integer(stacks->period_ns));
    json_object_set_new(document, "stacks", json_integer((json_int_t)stacks->count));
    json_object_set_new(document, "cut_off", json_integer((json_int_t)stacks->cut));
    json_object_set_new(document, "lost", json_integer((json_int_t)stacks->lost));
    json_object_set_new(document, "functions", functions);
    json_object_set_new(document, "nodes", nodes);
    return document;
}

int mm_record_keep_stacks(const char *path, const struct mm_callers *callers,
                          struct cca_error *err)
{
    json_t *document;
    char *text;
    int result;

    if (!callers->stacks.count)
        return 0;
    document = make_document(&callers->stacks);
    text = mm_json_dump(document, JSON_COMPACT);
    result = mm_json_replace_text(path, "stacks.json", text, err);
    free(text);
    json_decref(document);
    return result;
}
