/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives_view.c: print waiting in collective calls, by function, method and
 * callsite. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/messages/messages_verb.h"
#include "messages/read/collectives.h"

struct shown {
    struct messages_verb *verb;
    struct mm_collectives collectives;
    struct mm_collective_group **lines;
    size_t count;
};

static int takes(void *context, int process, uint64_t site,
                 const struct mm_method_info *method)
{
    struct messages_verb *verb = context;
    struct mm_message_part part = {.src = process,
                                   .dst = process,
                                   .send_site = site,
                                   .recv_site = site,
                                   .send_method = method,
                                   .recv_method = method};

    return messages_takes(verb, &part);
}

static int compare(const void *left, const void *right)
{
    const struct mm_collective_group *a = *(struct mm_collective_group *const *)left;
    const struct mm_collective_group *b = *(struct mm_collective_group *const *)right;
    int order;

    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    order = strcmp(a->function, b->function);
    return order ? order : (a->site > b->site) - (a->site < b->site);
}

enum { WAIT, PER_CALL, CALLS, SAMPLES, LAST, FUNCTION, CELLS };

static void fill_cells(char cells[][MM_CELL], const struct messages_verb *v,
                       const struct mm_collective_group *g)
{
    mm_cell_set(cells[WAIT], messages_ms(v, mm_collective_wait(g)));
    mm_cell_set(cells[PER_CALL],
                mm_amount(g->total_ns / (g->weight / (double)g->instances) /
                          (double)g->calls / 1e3));
    mm_cell_set(cells[CALLS], mm_thousands((uint64_t)llround(g->weight)));
    mm_cell_set(cells[SAMPLES], mm_thousands(g->instances));
    snprintf(cells[LAST], MM_CELL, "rank %d %s", g->last,
             mm_percent((double)g->last_count / (double)g->instances));
    mm_cell_set(cells[FUNCTION], mm_safe(g->function));
}

static void text_rows(const void *context, struct mm_table *table)
{
    const struct shown *s = context;
    size_t most = s->verb->limit < s->count ? s->verb->limit : s->count;
    char heads[CELLS][MM_CELL] = {"waited ms (95 %)", "us a process",    "calls",
                                  "samples",          "most often last", "function"};
    char cells[CELLS][MM_CELL];

    mm_table_row(table, heads, "callsite");
    for (size_t i = 0; i < most; i++) {
        const struct mm_collective_group *g = s->lines[i];
        char name[500];

        fill_cells(cells, s->verb, g);
        snprintf(name, sizeof name, "%s%s%s", g->method ? g->method->name : "",
                 g->method ? " " : "", mm_site_name(s->verb->sites, g->site));
        messages_table_row(table, cells, CELLS, name);
    }
}

static void print_text(const struct shown *s)
{
    messages_print_head(s->verb);
    if (s->count)
        mm_table_print(CELLS, text_rows, s);
    else
        puts("no collective call was sampled: see collectives=P of --messages");
    if (s->count > s->verb->limit)
        printf(" ... %s left out (--limit, --csv and --json have all)\n",
               mm_counted(s->count - s->verb->limit, "line"));
    if (s->collectives.incomplete)
        printf("%s left out: not all processes have left their part\n",
               mm_counted(s->collectives.incomplete, "sampled call"));
    messages_print_notes(s->verb);
}

static json_t *group_json(const struct shown *s, const struct mm_collective_group *g)
{
    json_t *row = json_object();

    mm_json_put(row, "function", mm_json_escaped(g->function));
    if (g->method)
        mm_json_put(row, "method", mm_json_escaped(g->method->name));
    mm_json_set(row, "site samples estimated_calls sampled_parts sampled_bytes",
                mm_site_name(s->verb->sites, g->site), (json_int_t)g->instances,
                g->weight, (json_int_t)g->calls, (json_int_t)g->bytes);
    messages_put_estimate(row, "waited", mm_collective_wait(g));
    mm_json_set(row, "waited_max_ns last last_count", g->max_ns, g->last,
                (json_int_t)g->last_count);
    return row;
}

static void print_rows(const struct shown *s)
{
    messages_csv_head(s->verb);
    for (size_t i = 0; i < s->count; i++)
        messages_row(s->verb, group_json(s, s->lines[i]));
}

int messages_collectives_view(struct messages_verb *verb)
{
    struct shown s = {.verb = verb};
    int code =
        mm_collectives_read(&s.collectives, verb->messages, 0,
                            verb->from || verb->to ? takes : NULL, verb, &verb->err);

    verb->joined.odd = s.collectives.odd;
    s.count = s.collectives.table.count;
    s.lines = calloc(s.count + 1, sizeof *s.lines);
    if (!code && !s.lines)
        code = cca_no_memory(&verb->err);
    for (size_t i = 0; !code && i < s.count; i++)
        s.lines[i] = mm_word_table_value(&s.collectives.table, i);
    if (!code) {
        qsort(s.lines, s.count, sizeof *s.lines, compare);
        if (verb->form == FORM_TEXT)
            print_text(&s);
        else
            print_rows(&s);
    }
    free(s.lines);
    mm_collectives_done(&s.collectives);
    return code ? mm_complain(&verb->err) : -1;
}
