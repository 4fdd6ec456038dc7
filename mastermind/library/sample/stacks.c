/* SPDX-License-Identifier: BSD-3-Clause */
/* stacks.c: find the functions of stacks, and count them in a tree. */
#include "mastermind/library/sample/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

enum { MOST_NODES = 400000 };

/* Objects that are no files; SAMPLE_NO_OBJECT is another one. */
#define KERNEL (UINT32_MAX - 1)
#define CUT (UINT32_MAX - 2)
#define NO_FUNCTION UINT32_MAX

/* --- Functions -------------------------------------------------------------- */

/* The functions of a file; NULL: out of memory. */
static const struct sample_functions *find_file(struct sample_stacks *stacks,
                                                const struct sample_places *places,
                                                uint32_t object)
{
    while (stacks->file_count <= object)
        if (!cca_array_add(&stacks->files, &stacks->file_count, sizeof *stacks->files))
            return NULL;
    if (!stacks->files[object]) {
        struct sample_functions *file = calloc(1, sizeof *file);

        if (file && sample_functions_read(file, places->objects[object])) {
            sample_functions_done(file);
            free(file);
            file = NULL;
        }
        stacks->files[object] = file;
    }
    return stacks->files[object];
}

static uint32_t find_function(const struct sample_functions *file, uint64_t offset)
{
    const struct sample_function *function =
        sample_functions_at(file, sample_functions_address(file, offset));

    return function ? (uint32_t)(function - file->list) : NO_FUNCTION;
}

int sample_stacks_are_same(struct sample_stacks *stacks,
                           const struct sample_places *places,
                           const struct sample_frame *one,
                           const struct sample_frame *other)
{
    const struct sample_functions *file;

    if (one->object != other->object || one->object == SAMPLE_NO_OBJECT)
        return 0;
    file = find_file(stacks, places, one->object);
    return file && find_function(file, one->offset) == find_function(file, other->offset);
}

/* --- Nodes ------------------------------------------------------------------ */

static size_t hash_node(uint32_t parent, uint32_t object, uint32_t function)
{
    const uint32_t numbers[] = {parent, object, function};

    return (size_t)cca_hash_bytes(CCA_HASH_START, numbers, sizeof numbers);
}

static int grow_slots(struct sample_stacks *stacks)
{
    size_t count = stacks->slot_count ? 2 * stacks->slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (!slots)
        return -ENOMEM;
    for (size_t i = 0; i < stacks->node_count; i++) {
        const struct sample_node *node = &stacks->nodes[i];
        size_t at = hash_node(node->parent, node->object, node->function);

        while (slots[at & (count - 1)])
            at++;
        slots[at & (count - 1)] = (uint32_t)i + 1;
    }
    free(stacks->slots);
    stacks->slots = slots;
    stacks->slot_count = count;
    return 0;
}

/* Find or add the node of a function that `*node` calls, and store its index in `*node`.
 * Returns 0; -ENOSPC: the tree is full; -ENOMEM. */
static int go_down(struct sample_stacks *stacks, uint32_t *node, uint32_t object,
                   uint32_t function)
{
    size_t at = hash_node(*node, object, function);

    if (2 * stacks->node_count >= stacks->slot_count && grow_slots(stacks))
        return -ENOMEM;
    for (;; at++) {
        uint32_t slot = stacks->slots[at & (stacks->slot_count - 1)];
        const struct sample_node *known = slot ? &stacks->nodes[slot - 1] : NULL;

        if (!known)
            break;
        if (known->parent == *node && known->object == object &&
            known->function == function) {
            *node = slot - 1;
            return 0;
        }
    }
    if (stacks->node_count == MOST_NODES)
        return -ENOSPC;
    if (cca_array_extend(&stacks->nodes, &stacks->capacity, sizeof *stacks->nodes,
                         stacks->node_count + 1))
        return -ENOMEM;
    stacks->nodes[stacks->node_count] = (struct sample_node){*node, object, function, 0};
    *node = (uint32_t)stacks->node_count++;
    stacks->slots[at & (stacks->slot_count - 1)] = *node + 1;
    return 0;
}

int sample_stacks_add(struct sample_stacks *stacks, const struct sample_places *places,
                      const struct sample_frame *frames, size_t count, int is_whole,
                      int is_kernel)
{
    uint32_t node = MM_STACK_TOP, object, function;
    int result = is_whole ? 0 : go_down(stacks, &node, CUT, NO_FUNCTION);

    for (size_t i = count; i-- > 0 && !result;) {
        const struct sample_functions *file = NULL;

        object = frames[i].object;
        if (object != SAMPLE_NO_OBJECT && !(file = find_file(stacks, places, object)))
            return -ENOMEM;
        function = file ? find_function(file, frames[i].offset) : NO_FUNCTION;
        /* a function that calls itself has one node */
        if (node == MM_STACK_TOP || stacks->nodes[node].object != object ||
            stacks->nodes[node].function != function)
            result = go_down(stacks, &node, object, function);
    }
    if (is_kernel && !result)
        result = go_down(stacks, &node, KERNEL, NO_FUNCTION);
    if (result == -ENOSPC) {
        stacks->dropped++;
        return 0;
    }
    if (result || node == MM_STACK_TOP)
        return result;
    stacks->nodes[node].count++;
    stacks->count++;
    stacks->cut += !is_whole;
    return 0;
}

/* --- The result ------------------------------------------------------------- */

/* Nodes by function, to number the functions. */
struct numbered {
    uint32_t object, function, node;
};

static int order_numbered(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;

    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return (a->function > b->function) - (a->function < b->function);
}

static int name_function(const struct sample_stacks *stacks,
                         const struct sample_places *places, const struct numbered *of,
                         struct mm_stack_function *function)
{
    const struct sample_function *known;

    *function = (struct mm_stack_function){.kind = of->object == KERNEL ? MM_STACK_KERNEL
                                                   : of->object == CUT  ? MM_STACK_CUT
                                                   : of->object == SAMPLE_NO_OBJECT
                                                       ? MM_STACK_MADE
                                                       : MM_STACK_FILE};
    if (function->kind != MM_STACK_FILE)
        return 0;
    function->path = strdup(places->objects[of->object]);
    if (!function->path)
        return -ENOMEM;
    if (of->function == NO_FUNCTION)
        return 0;
    known = &stacks->files[of->object]->list[of->function];
    function->begin = known->address;
    function->is_symbol = known->name != NULL;
    function->name = sample_functions_name(known, function->path);
    return function->name ? 0 : -ENOMEM;
}

int sample_stacks_make(const struct sample_stacks *stacks,
                       const struct sample_places *places, struct mm_stacks *result)
{
    size_t count = stacks->node_count;
    struct numbered *list = malloc((count + 1) * sizeof *list);
    int code = 0;

    result->nodes = malloc((count + 1) * sizeof *result->nodes);
    result->functions = calloc(count + 1, sizeof *result->functions);
    if (!list || !result->nodes || !result->functions) {
        free(list);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        list[i] = (struct numbered){stacks->nodes[i].object, stacks->nodes[i].function,
                                    (uint32_t)i};
    qsort(list, count, sizeof *list, order_numbered);
    for (size_t i = 0; i < count && !code; i++) {
        const struct sample_node *node = &stacks->nodes[list[i].node];

        if (!i || order_numbered(&list[i - 1], &list[i]) != 0)
            code = name_function(stacks, places, &list[i],
                                 &result->functions[result->function_count++]);
        result->nodes[list[i].node] = (struct mm_stack_node){
            node->parent, (uint32_t)result->function_count - 1, node->count};
    }
    free(list);
    result->node_count = code ? 0 : count;
    result->count = stacks->count;
    result->cut = stacks->cut;
    return code;
}

void sample_stacks_done(struct sample_stacks *stacks)
{
    for (size_t i = 0; i < stacks->file_count; i++)
        if (stacks->files[i]) {
            sample_functions_done(stacks->files[i]);
            free(stacks->files[i]);
        }
    free(stacks->files);
    free(stacks->nodes);
    free(stacks->slots);
    *stacks = (struct sample_stacks){.nodes = NULL};
}
