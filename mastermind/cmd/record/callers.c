/* SPDX-License-Identifier: BSD-3-Clause */
/* callers.c: count the stacks of a run by function and by caller. */
#include "mastermind/cmd/record/callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/statistics.h"
#include "mastermind/cmd/cmd.h"
#include "messages/read/lookup.h"

/* A list of callers names at most MOST_NAMED functions; shares are printed of FEWEST
 * stacks and more. */
enum { MOST_NAMED = 3, FEWEST = 10 };
#define LEAST_NAMED .05

static const char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void mm_callers_fit(const char *name, size_t most, char *text)
{
    size_t length = strlen(name), half = (most - 3) / 2;

    if (length <= most)
        snprintf(text, most + 1, "%s", name);
    else
        snprintf(text, most + 1, "%.*s...%s", (int)half, name, name + length - half);
}

int mm_callers_read(struct mm_callers *callers, struct mm_sampler *sampler)
{
    *callers = (struct mm_callers){.above = NULL};
    return mm_sampler_stacks(sampler, &callers->stacks) ? -ENOMEM
                                                        : mm_callers_count(callers);
}

int mm_callers_count(struct mm_callers *callers)
{
    const struct mm_stacks *stacks = &callers->stacks;
    uint32_t *last;

    free(callers->above);
    callers->above = NULL;
    if (!stacks->count)
        return 0;
    callers->above = calloc(stacks->function_count + 1, sizeof *callers->above);
    last = calloc(stacks->function_count + 1, sizeof *last);
    for (size_t i = 0; callers->above && last && i < stacks->node_count; i++) {
        const struct mm_stack_node *node = &stacks->nodes[i];

        if (!node->count)
            continue;
        last[node->function] = (uint32_t)i + 1; /* not counted: it is the innermost one */
        for (uint32_t at = node->parent; at != MM_STACK_TOP;
             at = stacks->nodes[at].parent) {
            uint32_t function = stacks->nodes[at].function;

            if (last[function] != i + 1)
                callers->above[function] += node->count;
            last[function] = (uint32_t)i + 1;
        }
    }
    free(last);
    return last && callers->above ? 0 : -ENOMEM;
}

void mm_callers_done(struct mm_callers *callers)
{
    mm_stacks_done(&callers->stacks);
    free(callers->above);
    *callers = (struct mm_callers){.above = NULL};
}

int mm_callers_is_start(const char *name)
{
    return strcmp(name, "_start") == 0 || strncmp(name, "__libc_start_", 13) == 0;
}

int64_t mm_callers_find(const struct mm_callers *callers, const char *path,
                        uint64_t begin)
{
    for (size_t i = 0; path && i < callers->stacks.function_count; i++) {
        const struct mm_stack_function *function = &callers->stacks.functions[i];

        if (function->kind == MM_STACK_FILE && function->begin == begin &&
            strcmp(function->path, path) == 0)
            return (int64_t)i;
    }
    return -1;
}

/* --- Callers ---------------------------------------------------------------- */

static int is_called(const struct mm_called *called, const struct mm_stacks *stacks,
                     uint32_t index)
{
    const struct mm_stack_function *function = &stacks->functions[index];

    if (called->function >= 0)
        return index == called->function;
    if (!called->path)
        return function->kind == MM_STACK_KERNEL;
    return function->kind == MM_STACK_FILE && strcmp(function->path, called->path) == 0;
}

/* The function that stands for the caller of a node; -1: unknown. */
static int64_t find_caller(const struct mm_stacks *stacks, size_t node,
                           int (*is_program)(const void *context, const char *path),
                           const void *context)
{
    const char *own = stacks->functions[stacks->nodes[node].function].path;
    int64_t nearest = -1;

    for (uint32_t at = stacks->nodes[node].parent; at != MM_STACK_TOP;
         at = stacks->nodes[at].parent) {
        const struct mm_stack_function *function =
            &stacks->functions[stacks->nodes[at].function];

        if (function->kind != MM_STACK_FILE || !function->name ||
            mm_callers_is_start(function->name))
            continue;
        if (is_program(context, function->path))
            return (int64_t)stacks->nodes[at].function;
        if (nearest < 0 && (!own || strcmp(own, function->path) != 0))
            nearest = (int64_t)stacks->nodes[at].function;
    }
    return nearest;
}

/* Append text. Returns false, and appends nothing, if it does not fit. */
static int append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text), longer = strlen(more);

    if (length + longer >= size)
        return 0;
    memcpy(text + length, more, longer + 1);
    return 1;
}

/* Write the callers with most stacks; `counts` is changed. */
static void print_counts(const struct mm_stacks *stacks, uint64_t *counts, uint64_t all,
                         char *text, size_t size)
{
    enum { NAME = 24 };

    for (int named = 0; named < MOST_NAMED; named++) {
        char more[2 * NAME + 40], name[NAME + 1];
        size_t most = 0;

        for (size_t i = 1; i < stacks->function_count; i++)
            if (counts[i] > counts[most])
                most = i;
        if (!counts[most] || (double)counts[most] < LEAST_NAMED * (double)all)
            return;
        mm_callers_fit(mm_safe(stacks->functions[most].name), NAME, name);
        if (all < FEWEST)
            snprintf(more, sizeof more, "%s%s", named ? ", " : "from ", name);
        else
            snprintf(more, sizeof more, "%s%s %.0f %%", named ? ", " : "from ", name,
                     100. * (double)counts[most] / (double)all);
        if (!append(text, size, more))
            return;
        counts[most] = 0;
    }
}

void mm_callers_print(const struct mm_callers *callers, const struct mm_called *called,
                      int (*is_program)(const void *context, const char *path),
                      const void *context, char *text, size_t size)
{
    const struct mm_stacks *stacks = &callers->stacks;
    uint64_t *counts = calloc(stacks->function_count + 1, sizeof *counts), all = 0;

    *text = 0;
    for (size_t i = 0; counts && i < stacks->node_count; i++) {
        const struct mm_stack_node *node = &stacks->nodes[i];
        int64_t caller;

        if (!node->count || !is_called(called, stacks, node->function))
            continue;
        all += node->count;
        caller = find_caller(stacks, i, is_program, context);
        if (caller >= 0)
            counts[caller] += node->count;
    }
    if (counts && all)
        print_counts(stacks, counts, all, text, size);
    free(counts);
}

/* --- Names ------------------------------------------------------------------ */

static uint64_t innermost(const struct mm_stacks *stacks, size_t function)
{
    uint64_t count = 0;

    for (size_t i = 0; i < stacks->node_count; i++)
        if (stacks->nodes[i].function == function)
            count += stacks->nodes[i].count;
    return count;
}

int mm_callers_name(struct mm_callers *callers)
{
    struct mm_stacks *stacks = &callers->stacks;
    struct mm_lookup *lookup = NULL;
    const char *path = NULL; /* path of the file whose debug information `lookup` has */
    int result = 0;

    for (size_t i = 0; i < stacks->function_count && !result; i++) {
        struct mm_stack_function *function = &stacks->functions[i];
        char name[256] = "", line[256] = "";

        if (function->is_symbol || !function->name ||
            100 * (callers->above[i] + innermost(stacks, i)) < stacks->count)
            continue;
        if (!path || strcmp(path, function->path) != 0) {
            mm_lookup_free(lookup);
            lookup = mm_lookup_new(function->path);
            path = function->path;
        }
        if (lookup)
            mm_lookup_place(lookup, function->begin, name, line);
        /* without debug information the name may belong to another symbol before it */
        if (!*line || *line == '?' || !*name || *name == '?')
            continue;
        free(function->name);
        function->name = strdup(name);
        result = function->name ? 0 : -ENOMEM;
    }
    mm_lookup_free(lookup);
    return result;
}

/* --- The tree ---------------------------------------------------------------- */

struct tree {
    const struct mm_stacks *stacks;
    uint64_t *sums; /* [node_count] stacks of the node and all below it */
    /* [node_count] whether the node has a line; functions that only lead to the program's
     * first one have none, but the nodes below them may have */
    enum { HIDDEN, PASSED, SHOWN } * states;
};

/* True for a node that only leads to the first function of the program or of a thread:
 * its entry point, and functions of the C library that all others are below. */
static int is_start(const struct tree *tree, const struct mm_stack_node *node)
{
    const struct mm_stack_function *function = &tree->stacks->functions[node->function];

    if (function->kind != MM_STACK_FILE || node->count ||
        (node->parent != MM_STACK_TOP && tree->states[node->parent] != PASSED))
        return 0;
    return (function->name && mm_callers_is_start(function->name)) ||
           strncmp(name_of_file(function->path), "libc.so", 7) == 0 ||
           strncmp(name_of_file(function->path), "libpthread", 10) == 0;
}

/* Choose at most `most` nodes with lines, always the one with most stacks of those whose
 * parent has been chosen. */
static void choose_nodes(struct tree *tree, size_t most)
{
    const struct mm_stacks *stacks = tree->stacks;
    uint64_t least = 1 + stacks->count / 200;

    for (size_t lines = 0; lines < most;) {
        size_t best = SIZE_MAX;

        for (size_t i = 0; i < stacks->node_count; i++) {
            uint32_t parent = stacks->nodes[i].parent;

            if (tree->sums[i] >= least && tree->states[i] == HIDDEN &&
                (parent == MM_STACK_TOP || tree->states[parent] != HIDDEN) &&
                (best == SIZE_MAX || tree->sums[i] > tree->sums[best]))
                best = i;
        }
        if (best == SIZE_MAX)
            return;
        tree->states[best] = is_start(tree, &stacks->nodes[best]) ? PASSED : SHOWN;
        lines += tree->states[best] == SHOWN;
    }
}

static void name_node(const struct mm_stack_function *function, const char *above,
                      char *text, size_t size)
{
    char name[60];

    if (function->kind == MM_STACK_KERNEL) {
        snprintf(text, size, "kernel");
    } else if (function->kind == MM_STACK_MADE) {
        snprintf(text, size, "code that the program made");
    } else if (function->kind == MM_STACK_CUT) {
        snprintf(text, size, "(callers that the copied stack does not have)");
    } else {
        mm_callers_fit(function->name ? mm_safe(function->name)
                                      : "functions without names",
                       56, name);
        if (above && strcmp(above, function->path) == 0)
            snprintf(text, size, "%s", name);
        else
            snprintf(text, size, "%.30s: %s", mm_safe(name_of_file(function->path)),
                     name);
    }
}

struct tree_lines {
    const struct tree *tree;
    const uint32_t *order; /* [count] nodes, each behind its parent */
    const int *depths;     /* [count] */
    size_t count;
};

static void put_tree(const void *context, struct mm_table *table)
{
    const struct tree_lines *lines = context;
    const struct mm_stacks *stacks = lines->tree->stacks;
    char cells[MM_TABLE_COLUMNS][MM_CELL] = {"%incl", "+-", "%self"};

    mm_table_row(table, cells, "call tree: callers above callees");
    for (size_t i = 0; i < lines->count; i++) {
        uint32_t at = lines->order[i], parent = stacks->nodes[at].parent;
        const char *above = NULL;
        double low, high, all = (double)stacks->count;
        char name[120], text[200];

        if (parent != MM_STACK_TOP)
            above = stacks->functions[stacks->nodes[parent].function].path;
        cca_share_interval((double)lines->tree->sums[at], all, .9, &low, &high);
        snprintf(cells[0], MM_CELL, "%.1f", 100. * (double)lines->tree->sums[at] / all);
        snprintf(cells[1], MM_CELL, "%.1f", 50 * (high - low));
        snprintf(cells[2], MM_CELL, "%.1f", 100. * (double)stacks->nodes[at].count / all);
        name_node(&stacks->functions[stacks->nodes[at].function], above, name,
                  sizeof name);
        snprintf(text, sizeof text, "%*s%s",
                 2 * (lines->depths[i] < 20 ? lines->depths[i] : 20), "", name);
        mm_table_row(table, cells, text);
    }
}

/* Put the chosen nodes below `parent` in order, those with most stacks first. */
static void order_below(const struct tree *tree, uint32_t parent, int depth,
                        struct tree_lines *lines, uint32_t *order, int *depths)
{
    const struct mm_stacks *stacks = tree->stacks;
    uint64_t last = UINT64_MAX;
    uint32_t last_at = 0;

    for (;;) {
        uint32_t best = MM_STACK_TOP;

        for (uint32_t i = parent == MM_STACK_TOP ? 0 : parent + 1; i < stacks->node_count;
             i++)
            if (stacks->nodes[i].parent == parent && tree->states[i] != HIDDEN &&
                (tree->sums[i] < last || (tree->sums[i] == last && i > last_at)) &&
                (best == MM_STACK_TOP || tree->sums[i] > tree->sums[best]))
                best = i;
        if (best == MM_STACK_TOP)
            return;
        last = tree->sums[best];
        last_at = best;
        if (tree->states[best] == SHOWN) {
            order[lines->count] = best;
            depths[lines->count++] = depth;
        }
        order_below(tree, best, depth + (tree->states[best] == SHOWN), lines, order,
                    depths);
    }
}

int mm_callers_tree(const struct mm_callers *callers, size_t most_lines)
{
    const struct mm_stacks *stacks = &callers->stacks;
    struct tree tree = {.stacks = stacks};
    struct tree_lines lines = {.tree = &tree};
    uint32_t *order = calloc(stacks->node_count + 1, sizeof *order);
    int *depths = calloc(stacks->node_count + 1, sizeof *depths), result = -ENOMEM;

    tree.sums = calloc(stacks->node_count + 1, sizeof *tree.sums);
    tree.states = calloc(stacks->node_count + 1, sizeof *tree.states);
    if (order && depths && tree.sums && tree.states) {
        for (size_t i = stacks->node_count; i-- > 0;) {
            tree.sums[i] += stacks->nodes[i].count;
            if (stacks->nodes[i].parent != MM_STACK_TOP)
                tree.sums[stacks->nodes[i].parent] += tree.sums[i];
        }
        choose_nodes(&tree, most_lines);
        order_below(&tree, MM_STACK_TOP, 0, &lines, order, depths);
        lines.order = order;
        lines.depths = depths;
        putchar('\n');
        mm_table_print(3, put_tree, &lines);
        result = 0;
    }
    free(order);
    free(depths);
    free(tree.sums);
    free(tree.states);
    return result;
}
