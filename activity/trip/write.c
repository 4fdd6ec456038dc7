/* SPDX-License-Identifier: BSD-3-Clause */
/* write.c: write the whole text: its sources, globals, tables, cost functions,
 * activities. */
#include <errno.h>
#include <stdlib.h>

#include "activity/model/tree.h"
#include "activity/trip/text.h"

enum { MOST_BYTES = 15 << 20 }; /* largest size of a model's file */

/* --- Activities. --- */

static void write_own(struct text *text, FILE *out, struct trip_symbol *s,
                      struct text_block *block)
{
    fprintf(out, "action %s cost %s\n",
            text_name(text, text_print(text, "%sOwn", s->name)),
            text_of_cost(text, block, s, s->own));
}

static void write_activity(struct text *text, FILE *out, uint32_t symbol)
{
    struct trip_symbol *s = &text->trip->symbols[symbol];
    struct text_block block = {
        .cursor = text_name(text, text_print(text, "k%s", s->name)),
        .visits = text->visits[symbol] ? text->visits[symbol] : "1"};
    char *buffer;
    size_t size;
    FILE *body = text_open(text, &buffer, &size);
    const char *written, *guard;

    if (!body)
        return;
    write_own(text, body, s, &block);
    text_of_talk(text, body, s);
    guard = s->pattern ? text_rows_guard(text, symbol, &block) : NULL;
    if (guard)
        fprintf(body, "if %s {\n", guard);
    if (s->pattern)
        text_of_node(text, body, s->pattern, s->pattern->root, &block, 0);
    if (guard)
        fprintf(body, "}\n");
    text_of_summed(text, body, symbol, &block);
    written = text_close(text, body, &buffer, &size);
    fprintf(out, "activity %s type \"%s\" method \"%s\" {\n", s->name,
            text_quoted(text, s->method->class_name), text_quoted(text, s->method->name));
    text_count_block(out, &block);
    fprintf(out, "%s}\n", written);
}

static void write_main(struct text *text, FILE *out)
{
    struct trip *trip = text->trip;
    int threads = 0;

    for (int i = 0; i < trip->most_threads; i++)
        threads += trip->roots[i].root != NULL;
    fprintf(out, "activity Main {\n%s", threads > 1 ? "fork Threads {\n" : "");
    for (int i = 0; i < trip->most_threads; i++) {
        struct text_block block = {.cursor = text_name(text, "kMain"), .visits = "1"};

        if (threads > 1)
            fprintf(out, "branch {\n");
        if (trip->roots[i].root)
            text_of_node(text, out, &trip->roots[i], trip->roots[i].root, &block, 0);
        if (i == 0)
            text_of_summed(text, out, TRIP_NONE, &block);
        if (threads > 1)
            fprintf(out, "}\n");
    }
    fprintf(out, "%s}\n", threads > 1 ? "}\n" : "");
}

/* --- The top. --- */

static void write_number(FILE *out, int64_t value, int is_double)
{
    if (is_double)
        fprintf(out, "%.6g", text_double(value));
    else
        fprintf(out, "%lld", (long long)value);
}

static void write_tables(const struct text *text, FILE *out)
{
    for (size_t i = 0; i < text->table_count; i++) {
        const struct text_table *table = &text->tables[i];

        fprintf(out, "table %s %s = {", table->is_double ? "double" : "long",
                table->name);
        for (size_t k = 0; k < table->count; k++) {
            fprintf(out, "%s", k ? ", " : " ");
            write_number(out, table->items[k], table->is_double);
        }
        fprintf(out, " }\n");
    }
}

/* Note time in MPI that the model's messages do not account for. */
static void write_silence(struct text *text, FILE *out)
{
    const struct trip *trip = text->trip;
    const char *before = "// Time in MPI is no cost. ";
    double all = 0;

    if (!trip->mpi_apart)
        return;
    for (size_t i = 0; i < trip->symbol_count; i++)
        all += trip->symbols[i].all_mpi_ns;
    if (text->traffic->known) {
        fprintf(out, "%sMessages and collectives are those of each call%s%s.\n", before,
                trip->by_laws ? " of the first run" : "",
                text->traffic->sampled ? ", estimated from samples" : "");
        for (size_t i = 0; i < text->traffic->across_count; i++)
            fprintf(out,
                    "// Messages from %s to %s are not in the model: a method sends and "
                    "receives by itself.\n",
                    text_quoted(text, text->traffic->across[i].sender->name),
                    text_quoted(text, text->traffic->across[i].receiver->name));
        return;
    }
    if (all <= 0)
        return;
    fprintf(
        out,
        "%sIts messages are not in the model, nor waiting for them: none were recorded "
        "(ccafe --messages P-1-FREQ,collectives=1). Of all ranks:\n// ",
        before);
    before = "";
    for (size_t i = 0; i < trip->symbol_count; i++) {
        const struct trip_symbol *s = &trip->symbols[i];

        if (s->all_mpi_ns < .01 * all)
            continue;
        fprintf(out, "%s%s %.3g s", before, text_quoted(text, s->method->name),
                s->all_mpi_ns * 1e-9);
        before = ", ";
    }
    fprintf(out, ".\n");
}

static void write_comments(struct text *text, FILE *out)
{
    const struct trip *trip = text->trip;
    size_t rows = 0, lost = 0;
    double summed = 0;

    for (size_t i = 0; i < trip->thread_count; i++) {
        rows += trip->threads[i].count;
        lost += trip->threads[i].lost;
    }
    for (size_t i = 0; i < trip->summed_count; i++)
        summed += (double)trip->summed[i].calls;
    fprintf(out, "// Made by mastermind activity from %s",
            text_quoted(text, trip->experiments[0]->name));
    if (trip->runs > 1)
        fprintf(out, " and %zu more run%s", trip->runs - 1, trip->runs > 2 ? "s" : "");
    fprintf(out, ": %zu calls", rows);
    if (trip->most_ranks > 1)
        fprintf(out, " of %d ranks", trip->most_ranks);
    fprintf(out, ".\n");
    fprintf(out, "// An action is a method's time outside of its callees; before the "
                 "callees, if there are any.\n");
    if (summed > 0)
        fprintf(out,
                "// %.0f calls were summed up: their number is exact, their order is not "
                "known. They come after the others.\n",
                summed);
    if (lost > 0)
        fprintf(out, "// %zu calls have no caller: its row is missing.\n", lost);
    write_silence(text, out);
    for (size_t i = 0; i < text->note_count; i++)
        fprintf(out, "// %s\n", text->notes[i]);
}

/* Append a symbol to the order of activities, after the symbols that it calls; the order
 * is reversed later. */
static void order_symbol(struct text *text, uint32_t symbol, unsigned char *seen);

static void order_node(struct text *text, const struct trip_pattern *pattern,
                       const struct trip_node *node, unsigned char *seen)
{
    if (node->kind == TRIP_CALL)
        order_symbol(text, pattern->symbols[node->letter], seen);
    for (int i = node->count; i-- > 0;)
        order_node(text, pattern, node->items[i], seen);
}

static void order_symbol(struct text *text, uint32_t symbol, unsigned char *seen)
{
    const struct trip *trip = text->trip;
    const struct trip_symbol *s = &trip->symbols[symbol];

    if (seen[symbol] || !s->has_callees)
        return;
    seen[symbol] = 1;
    for (size_t i = 0; i < trip->summed_count; i++)
        if (trip->summed[i].caller == symbol)
            order_symbol(text, trip->summed[i].callee, seen);
    if (s->pattern)
        order_node(text, s->pattern, s->pattern->root, seen);
    text->order[text->order_count++] = symbol;
}

/* Sort activities so that callers come before callees. */
static void order_activities(struct text *text)
{
    struct trip *trip = text->trip;
    unsigned char *seen = trip_take(trip, trip->symbol_count);

    text->order = trip_take(trip, trip->symbol_count * sizeof *text->order);
    text->visits = trip_take(trip, trip->symbol_count * sizeof *text->visits);
    if (!seen || !text->order || !text->visits) {
        text->failed = -ENOMEM;
        return;
    }
    for (size_t i = 0; i < trip->summed_count; i++)
        if (trip->summed[i].caller == TRIP_NONE)
            order_symbol(text, trip->summed[i].callee, seen);
    for (int i = trip->most_threads; i-- > 0;)
        if (trip->roots[i].root)
            order_node(text, &trip->roots[i], trip->roots[i].root, seen);
    for (size_t i = 0; i < text->order_count / 2; i++) {
        uint32_t swap = text->order[i];

        text->order[i] = text->order[text->order_count - 1 - i];
        text->order[text->order_count - 1 - i] = swap;
    }
}

static void write_all(struct text *text, FILE *out)
{
    char *buffer, *head_buffer;
    size_t size, head_size;
    FILE *head = text_open(text, &head_buffer, &head_size), *body;
    const char *above, *below;

    if (head)
        text_axes(text, head);
    above = text_close(text, head, &head_buffer, &head_size);
    text_name_symbols(text);
    if (text->trip->by_laws)
        text_gather(text);
    order_activities(text);
    body = text->failed ? NULL : text_open(text, &buffer, &size);
    if (!body)
        return;
    write_main(text, body);
    for (size_t i = 0; i < text->order_count && !text->failed; i++) {
        fprintf(body, "\n");
        write_activity(text, body, text->order[i]);
    }
    below = text_close(text, body, &buffer, &size);
    write_comments(text, out);
    fprintf(out, "model %s\n%s", text->trip->options->name, above);
    for (size_t i = 0; i < text->cursor_count; i++)
        fprintf(out, "global long %s = 0\n", text->cursors[i]);
    write_tables(text, out);
    for (size_t i = 0; i < text->law_count; i++)
        if (text->laws[i].text)
            fprintf(out, "cost %s() = %s\n", text->laws[i].name, text->laws[i].text);
    fprintf(out, "\n%s", below);
}

/* Read the text and print it with the model printer: this checks it and sets its
 * layout. */
static char *lay_out(struct trip *trip, const char *written, size_t size)
{
    struct act_model *model;
    char *laid;

    if (size > MOST_BYTES) {
        cca_error_set(trip->err, -E2BIG,
                      "found a model of %zu bytes, expected at most %d: order is not "
                      "short here; runs with fewer calls give a model",
                      size, MOST_BYTES);
        return NULL;
    }
    model = act_model_read("written", written, size, trip->err);
    laid = model ? act_model_print(model) : NULL;
    if (model && !laid)
        cca_no_memory(trip->err);
    act_model_free(model);
    return laid;
}

char *trip_write(struct trip *trip, const struct trip_traffic *traffic)
{
    struct text text = {.trip = trip, .traffic = traffic};
    char *buffer = NULL, *laid = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&buffer, &size);

    if (!out) {
        cca_no_memory(trip->err);
        return NULL;
    }
    write_all(&text, out);
    if (fclose(out) != 0 || text.failed)
        cca_no_memory(trip->err);
    else
        laid = lay_out(trip, buffer, size);
    free(buffer);
    for (size_t i = 0; i < text.table_count; i++)
        free(text.tables[i].items);
    free(text.tables);
    free(text.laws);
    free(text.quantities);
    free(text.names);
    free(text.cursors);
    free(text.notes);
    return laid;
}
