/* SPDX-License-Identifier: BSD-3-Clause */
/* elements.c: patterns are written as elements of the text: actions and calls, loops and
 * branches. */
#include <ctype.h>
#include <string.h>

#include "activity/trip/text.h"

/* --- Calls. --- */

/* If counts are scaling functions, add the executions of this place to the executions of
 * the called activity. */
static void add_visits(struct text *text, uint32_t symbol, const struct text_block *block)
{
    const char **visits = &text->visits[symbol];

    *visits =
        *visits ? text_print(text, "%s + %s", *visits, block->visits) : block->visits;
}

static void text_of_call(struct text *text, FILE *out, const struct trip_pattern *pattern,
                         const struct trip_node *node, struct text_block *block)
{
    uint32_t symbol = pattern->symbols[node->letter];
    struct trip_symbol *s = &text->trip->symbols[symbol];

    if (s->has_callees) {
        if (text->trip->by_laws)
            add_visits(text, symbol, block);
        fprintf(out, "call %s\n", s->name);
        return;
    }
    fprintf(out, "action %s type \"%s\" method \"%s\" cost %s\n",
            s->places++ ? text_name(text, s->name) : s->name,
            text_quoted(text, s->method->class_name), text_quoted(text, s->method->name),
            text_of_cost(text, block, s, node));
}

/* --- Blocks. --- */

void text_count_block(FILE *out, const struct text_block *block)
{
    if (block->used && !block->is_turn)
        fprintf(out, "code { %s = %s + 1; }\n", block->cursor, block->cursor);
}

/* Name of the first call in a node of a pattern; tables and counters of executions
 * (cursors) are named after it. */
static const char *first_name(const struct text *text, const struct trip_pattern *pattern,
                              const struct trip_node *node)
{
    while (node->kind != TRIP_CALL)
        node = node->items[0];
    return text->trip->symbols[pattern->symbols[node->letter]].name;
}

static const char *lower_name(struct text *text, const char *prefix, const char *name)
{
    const char *copy = text_print(text, "%s%s", prefix, name);
    char *first = strchr(copy, *name);

    if (!*prefix && first)
        *first = (char)tolower((unsigned char)*first);
    return copy;
}

/* Write the body of a loop or branch, with a cursor of its own if some place in it needs
 * one. */
static void text_of_body(struct text *text, FILE *out, const struct trip_pattern *pattern,
                         const struct trip_node *body, struct text_block *block,
                         int depth)
{
    char *buffer;
    size_t size;
    FILE *inner = text_open(text, &buffer, &size);
    const char *written;

    if (inner)
        text_of_node(text, inner, pattern, body, block, depth);
    written = text_close(text, inner, &buffer, &size);
    text_count_block(out, block);
    fputs(written, out);
}

static struct text_block block_of(struct text *text, const struct trip_pattern *pattern,
                                  const struct trip_node *node, const char *turn,
                                  int is_turn)
{
    return (struct text_block){
        .turn = turn,
        .is_turn = is_turn,
        .cursor = is_turn ? turn
                          : text_name(text, lower_name(text, "k",
                                                       first_name(text, pattern, node)))};
}

/* --- Loops. --- */

/* Whether each thread of the base run reaches the node at most once. */
static int is_once(const struct trip *trip, const struct trip_node *node)
{
    for (size_t u = 0; u < trip->thread_count; u++)
        if (trip->threads[u].run == 0 && node->values[u].count > 1)
            return 0;
    return 1;
}

static void text_of_loop(struct text *text, FILE *out, const struct trip_pattern *pattern,
                         const struct trip_node *node, const char *turns, int is_turn,
                         const char *visits, int depth)
{
    const char *turn = text_print(text, "i%d", depth + 1);
    struct text_block block = block_of(text, pattern, node, turn, is_turn);

    block.visits = visits;

    fprintf(out, "loop %s = 1..%s {\n", turn, turns);
    text_of_body(text, out, pattern, node->items[0], &block, depth + 1);
    fprintf(out, "}\n");
}

static void text_of_branch(struct text *text, FILE *out,
                           const struct trip_pattern *pattern,
                           const struct trip_node *body, const char *head,
                           struct text_block *around, int depth)
{
    struct text_block block = block_of(text, pattern, body, around->turn, 0);

    block.visits = around->visits;
    fprintf(out, "%s {\n", head);
    text_of_body(text, out, pattern, body, &block, depth);
    fprintf(out, "} ");
}

static void text_of_times(struct text *text, FILE *out,
                          const struct trip_pattern *pattern, struct trip_node *node,
                          struct text_block *block, int depth)
{
    struct text_list list = {
        0, node->values,
        lower_name(text, "",
                   text_print(text, "%s%s", first_name(text, pattern, node),
                              node->many ? "_turns" : "_done")),
        0};
    struct text_answer answer = text_of_list(text, block, &list);

    switch (answer.said) {
    case TEXT_NEVER:
    case TEXT_TOO_LONG:
        return;
    case TEXT_CONSTANT:
        if (answer.value == 1)
            text_of_node(text, out, pattern, node->items[0], block, depth);
        else if (answer.value > 1)
            text_of_loop(text, out, pattern, node,
                         text_print(text, "%lld", (long long)answer.value),
                         is_once(text->trip, node), NULL, depth);
        return;
    case TEXT_GUARD:
        text_of_branch(text, out, pattern, node->items[0],
                       text_print(text, "if %s", answer.text), block, depth);
        fprintf(out, "\n");
        return;
    case TEXT_VALUE:
        break;
    }
    if (node->many) {
        text_of_loop(text, out, pattern, node, answer.text, is_once(text->trip, node),
                     NULL, depth);
        return;
    }
    text_of_branch(text, out, pattern, node->items[0],
                   text_print(text, "if %s == 1", answer.text), block, depth);
    fprintf(out, "\n");
}

/* --- Branches. --- */

static void text_of_choice(struct text *text, FILE *out,
                           const struct trip_pattern *pattern, struct trip_node *node,
                           struct text_block *block, int depth)
{
    struct text_list list = {
        0, node->values,
        lower_name(text, "", text_print(text, "%s_or", first_name(text, pattern, node))),
        0};
    struct text_answer answer = text_of_list(text, block, &list);

    if (answer.said == TEXT_NEVER)
        return;
    if (answer.said == TEXT_CONSTANT) {
        text_of_node(text, out, pattern, node->items[answer.value], block, depth);
        return;
    }
    if (answer.said == TEXT_GUARD) {
        text_of_branch(text, out, pattern, node->items[1],
                       text_print(text, "if %s", answer.text), block, depth);
        text_of_branch(text, out, pattern, node->items[0], "else", block, depth);
        fprintf(out, "\n");
        return;
    }
    for (int i = 0; i < node->count; i++)
        text_of_branch(
            text, out, pattern, node->items[i],
            i + 1 == node->count
                ? "else"
                : text_print(text, "%s %s == %d", i ? "elif" : "if", answer.text, i),
            block, depth);
    fprintf(out, "\n");
}

/* --- Scaling functions. --- */

/* The condition on pid that decides a choice by the rank alone, in the base and in all
 * other runs; NULL: there is none. */
static const char *guard_of_runs(struct text *text, struct text_block *block,
                                 const struct trip_node *node)
{
    struct text_list list = {0, node->values, "unused", 1};
    struct text_answer answer = {.said = TEXT_NEVER};
    size_t tables = text->table_count;

    for (size_t u = 0; u < text->trip->thread_count; u++)
        for (size_t i = 0; i < node->values[u].count; i++)
            if (node->values[u].items[i] > 1 ||
                node->values[u].items[i] != node->values[u].items[0])
                return NULL;
    answer = text_of_list(text, block, &list);
    if (text->table_count != tables || answer.said != TEXT_GUARD)
        return NULL;
    return answer.text;
}

/* Expression for a whole number of iterations at each visit, whose mean is `rate`: after
 * k visits their sum is k*rate, rounded. */
static const char *turns_of_rate(struct text *text, struct text_block *block,
                                 const char *rate)
{
    const char *k = text_cursor(text, block);

    return text_print(text, "floor(%s*%s + 0.5) - floor((%s - 1)*%s + 0.5)", k, rate, k,
                      rate);
}

static int is_whole_number(const char *text)
{
    return text[strspn(text, "0123456789.")] == '\0' && !strchr(text, '.');
}

static void law_of_items(struct text *text, FILE *out, const struct trip_pattern *pattern,
                         struct trip_node *node, int64_t bit, const char *name,
                         struct text_block *block, int depth)
{
    struct trip_node *body = node->items[bit < 0 ? 0 : bit];
    struct trip_node turns = {.items = &body, .count = 1, .values = node->values};
    struct text_quantity quantity;
    const char *rate, *visits;
    int same, once;

    if (text_quantity_init(text, &quantity))
        return;
    same = text_rates(text->trip, node, bit, NULL, &quantity);
    rate = text_of_rate(text, block, text_print(text, "n%s", name), &quantity,
                        same ? TEXT_TURNS : TEXT_MEAN, &visits);
    once = strcmp(block->visits, "1") == 0;
    if (strcmp(rate, "0") == 0)
        return;
    if (strcmp(rate, "1") == 0)
        text_of_node(text, out, pattern, body, block, depth);
    else if (same && is_whole_number(rate))
        text_of_loop(text, out, pattern, &turns, rate, once, visits, depth);
    else if (once || (same && visits != rate))
        text_of_loop(text, out, pattern, &turns,
                     text_print(text, "floor(%s + 0.5)", rate), once, visits, depth);
    else
        text_of_loop(text, out, pattern, &turns, turns_of_rate(text, block, rate), 0,
                     visits, depth);
}

static void text_by_laws(struct text *text, FILE *out, const struct trip_pattern *pattern,
                         struct trip_node *node, struct text_block *block, int depth)
{
    const char *guard = guard_of_runs(text, block, node);
    const char *name = first_name(text, pattern, node);

    if (guard && node->kind == TRIP_TIMES) {
        text_of_branch(text, out, pattern, node->items[0],
                       text_print(text, "if %s", guard), block, depth);
        fprintf(out, "\n");
        return;
    }
    if (node->kind == TRIP_TIMES) {
        law_of_items(text, out, pattern, node, -1, name, block, depth);
        return;
    }
    text_note(text, "With scaling functions, branches are taken one after the other, as "
                    "often as measured.");
    for (int i = 0; i < node->count; i++)
        law_of_items(text, out, pattern, node, i,
                     first_name(text, pattern, node->items[i]), block, depth);
}

void text_of_node(struct text *text, FILE *out, const struct trip_pattern *pattern,
                  const struct trip_node *node, struct text_block *block, int depth)
{
    struct trip_node *own = (struct trip_node *)(uintptr_t)node;

    switch (node->kind) {
    case TRIP_CALL:
        text_of_call(text, out, pattern, node, block);
        return;
    case TRIP_SEQUENCE:
        for (int i = 0; i < node->count; i++)
            text_of_node(text, out, pattern, node->items[i], block, depth);
        return;
    case TRIP_TIMES:
    case TRIP_CHOICE:
        if (text->trip->by_laws)
            text_by_laws(text, out, pattern, own, block, depth);
        else if (node->kind == TRIP_TIMES)
            text_of_times(text, out, pattern, own, block, depth);
        else
            text_of_choice(text, out, pattern, own, block, depth);
        return;
    }
}
