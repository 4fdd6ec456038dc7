/* SPDX-License-Identifier: BSD-3-Clause */
/* report_messages.c: waiting inside MPI, by the method that waited. */
#include "mastermind/cmd/report/report_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "messages/read/collectives.h"
#include "messages/read/groups.h"
#include "messages/read/sites.h"

/* Waiting of one method, and the group of messages that it waited for most. */
struct waiting {
    const struct mm_method_info *method; /* method that waited; NULL: no method was
                                          * open */
    struct mm_message_sums sums;
    const struct mm_message_group *most; /* group of messages with the longest waiting;
                                          * NULL: the method did not wait for messages */
    double collective_ns, variance, squares;
    uint64_t instances, positive;
    const struct mm_collective_group *most_collective;
};

struct mm_report_messages {
    struct mm_messages *messages;
    struct mm_site_names *sites;
    struct mm_message_groups groups;
    struct mm_collectives collectives;
    struct mm_word_table table; /* waiting of each method: entries are struct waiting */
    int rank;
    uint64_t samples;
};

static struct waiting *find_waiting(struct mm_report_messages *r,
                                    const struct mm_method_info *method)
{
    const uint64_t key = method ? method->index + 1 : 0;
    struct waiting *w = mm_word_table_add(&r->table, &key);

    if (w)
        w->method = method;
    return w;
}

static int on_part(void *context, const struct mm_message_part *part)
{
    struct mm_report_messages *r = context;

    if (r->rank >= 0 && part->dst != r->rank)
        return 0;
    r->samples += part->sums.count;
    return mm_message_groups_add(&r->groups, part);
}

static int takes_rank(void *context, int process, uint64_t site,
                      const struct mm_method_info *method)
{
    const struct mm_report_messages *r = context;

    (void)site;
    (void)method;
    return r->rank < 0 || process == r->rank;
}

static int add_group(struct mm_report_messages *r, const struct mm_message_group *g)
{
    struct waiting *w = find_waiting(r, g->recv_method);

    if (!w)
        return -ENOMEM;
    mm_message_sums_add(&w->sums, &g->sums);
    if (g->sums.late_sender.weighted > 0 &&
        (!w->most || g->sums.late_sender.weighted > w->most->sums.late_sender.weighted))
        w->most = g;
    return 0;
}

static int add_collective(struct mm_report_messages *r,
                          const struct mm_collective_group *g)
{
    struct waiting *w = find_waiting(r, g->method);

    if (!w)
        return -ENOMEM;
    w->collective_ns += g->total_ns;
    w->variance += g->variance;
    w->squares += g->squares;
    w->instances += g->instances;
    w->positive += g->positive;
    if (!w->most_collective || g->total_ns > w->most_collective->total_ns)
        w->most_collective = g;
    return 0;
}

static int read_all(struct mm_report_messages *r, struct cca_error *err)
{
    struct mm_messages_joined joined;
    int code = mm_messages_parts(r->messages, 0, 0, on_part, r, &joined, err);

    if (!code)
        code = mm_collectives_read(&r->collectives, r->messages, 0, takes_rank, r, err);
    for (size_t i = 0; !code && i < mm_message_groups_count(&r->groups); i++)
        code = add_group(r, mm_message_groups_at(&r->groups, i));
    for (size_t i = 0; !code && i < r->collectives.table.count; i++)
        code = add_collective(r, mm_word_table_value(&r->collectives.table, i));
    return code == -ENOMEM ? cca_no_memory(err) : code;
}

int mm_report_messages_new(struct mm_report_messages **messages,
                           const struct mm_experiment *experiment, int rank,
                           struct cca_error *err)
{
    struct mm_report_messages *r;
    struct cca_error own = {0};
    struct mm_messages *found = mm_messages_open(experiment, &own);
    int code;

    *messages = NULL;
    if (!found)
        return own.code == -ENOENT ? 0 : cca_error_set(err, own.code, "%s", own.text);
    r = calloc(1, sizeof *r);
    if (!r) {
        mm_messages_free(found);
        return cca_no_memory(err);
    }
    r->messages = found;
    r->rank = rank;
    mm_word_table_init(&r->table, 1, sizeof(struct waiting));
    mm_message_groups_init(&r->groups, found, MM_BY_SITES | MM_BY_METHODS);
    r->sites = mm_site_names_new(found);
    code = r->sites ? read_all(r, err) : cca_no_memory(err);
    if (code)
        mm_report_messages_free(r);
    else
        *messages = r;
    return code;
}

void mm_report_messages_free(struct mm_report_messages *r)
{
    if (!r)
        return;
    mm_word_table_done(&r->table);
    mm_collectives_done(&r->collectives);
    mm_message_groups_done(&r->groups);
    mm_site_names_free(r->sites);
    mm_messages_free(r->messages);
    free(r);
}

/* --- Numbers ----------------------------------------------------------------------- */

static struct mm_message_estimate late_sender(const struct waiting *w)
{
    return mm_estimate_total(&w->sums, &w->sums.late_sender);
}

static struct mm_message_estimate collective(const struct waiting *w)
{
    return mm_estimate_interval(w->collective_ns, w->variance, w->squares, w->instances,
                                w->positive);
}

/* Time of a method inside MPI, without its callees'; 0: not measured. */
static int64_t mpi_ns(const struct waiting *w, const struct mm_dual *dual)
{
    for (size_t i = 0; w->method && i < dual->thread_vertex; i++)
        if (dual->vertices[i].method == w->method)
            return dual->vertices[i].mpi_ns;
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct waiting *a = *(struct waiting *const *)left;
    const struct waiting *b = *(struct waiting *const *)right;
    double x = a->sums.late_sender.weighted + a->collective_ns;
    double y = b->sums.late_sender.weighted + b->collective_ns;

    return (x < y) - (x > y);
}

/* The waiting methods by descending time; the caller frees the array. */
static struct waiting **sort_lines(const struct mm_report_messages *r, size_t *count)
{
    struct waiting **lines = calloc(r->table.count + 1, sizeof(struct waiting *));

    *count = 0;
    for (size_t i = 0; lines && i < r->table.count; i++) {
        struct waiting *w = mm_word_table_value(&r->table, i);

        if (w->sums.late_sender.weighted > 0 || w->collective_ns > 0)
            lines[(*count)++] = w;
    }
    if (lines)
        qsort(lines, *count, sizeof(struct waiting *), compare);
    return lines;
}

/* --- Text -------------------------------------------------------------------------- */

struct table {
    const struct mm_report_messages *r;
    const struct mm_dual *dual;
    struct waiting **lines;
    size_t count;
};

static void set_interval(char cell[MM_CELL], struct mm_message_estimate e)
{
    if (e.has_interval && e.low < e.high)
        snprintf(cell, MM_CELL, "%s (%s .. %s)", mm_amount(e.value / 1e6),
                 mm_amount(e.low / 1e6), mm_amount(e.high / 1e6));
    else
        mm_cell_set(cell, mm_amount(e.value / 1e6));
}

static void table_rows(const void *context, struct mm_table *table)
{
    const struct table *t = context;
    char heads[][MM_CELL] = {"late sender ms", "collectives ms", "of its MPI"};
    char cells[3][MM_CELL];

    mm_table_row(table, heads, "waiting method");
    for (size_t i = 0; i < t->count; i++) {
        const struct waiting *w = t->lines[i];
        double waited = w->sums.late_sender.weighted + w->collective_ns;
        int64_t in_mpi = mpi_ns(w, t->dual);

        set_interval(cells[0], late_sender(w));
        set_interval(cells[1], collective(w));
        mm_cell_set(cells[2], in_mpi > 0 ? mm_percent(waited / (double)in_mpi) : "-");
        mm_table_row(table, cells, w->method ? w->method->name : "(no method)");
        if (table->print && w->most)
            printf("    for %.27s%s%.60s\n",
                   w->most->send_method ? mm_safe(w->most->send_method->name) : "",
                   w->most->send_method ? ", " : "",
                   mm_safe(mm_site_name(t->r->sites, w->most->send_site)));
        if (table->print && w->most_collective && w->most_collective->total_ns > 0)
            printf("    in %s, %.50s: rank %d most often last\n",
                   mm_safe(w->most_collective->function),
                   mm_safe(mm_site_name(t->r->sites, w->most_collective->site)),
                   w->most_collective->last);
    }
}

void mm_report_messages_print(const struct mm_report_messages *r,
                              const struct mm_dual *dual)
{
    struct table t = {.r = r, .dual = dual};

    if (!r)
        return;
    t.lines = sort_lines(r, &t.count);
    if (!t.lines)
        return;
    printf("\nwaiting inside MPI, estimated (95 %%) from %s, %s:\n",
           mm_counted(r->samples, "sample"), mm_safe(r->messages->request_text));
    if (t.count)
        mm_table_print(3, table_rows, &t);
    else
        puts("none was seen");
    free(t.lines);
}

/* --- JSON -------------------------------------------------------------------------- */

static void put_estimate(json_t *line, const char *name, struct mm_message_estimate e)
{
    char key[64];

    snprintf(key, sizeof key, "%s_ns", name);
    mm_json_put(line, key, mm_json_finite(e.value));
    if (!e.has_interval)
        return;
    snprintf(key, sizeof key, "%s_low_ns", name);
    mm_json_put(line, key, mm_json_finite(e.low));
    snprintf(key, sizeof key, "%s_high_ns", name);
    mm_json_put(line, key, mm_json_finite(e.high));
}

static json_t *line_json(const struct mm_report_messages *r, const struct waiting *w,
                         const struct mm_dual *dual)
{
    json_t *line = json_object();
    int64_t in_mpi = mpi_ns(w, dual);

    if (w->method)
        mm_json_put(line, "method", mm_json_escaped(w->method->name));
    mm_json_put(line, "samples", json_integer((json_int_t)w->sums.count));
    put_estimate(line, "late_sender", late_sender(w));
    put_estimate(line, "collectives", collective(w));
    if (in_mpi > 0)
        mm_json_put(line, "mpi_exclusive_ns", json_integer(in_mpi));
    if (w->most) {
        if (w->most->send_method)
            mm_json_put(line, "for_method", mm_json_escaped(w->most->send_method->name));
        mm_json_set(line, "for_site for_ns", mm_site_name(r->sites, w->most->send_site),
                    w->most->sums.late_sender.weighted);
    }
    if (w->most_collective) {
        mm_json_set(line, "collective collective_last", w->most_collective->function,
                    w->most_collective->last);
    }
    return line;
}

void mm_report_messages_put(const struct mm_report_messages *r,
                            const struct mm_dual *dual, json_t *document)
{
    json_t *waiting = json_object(), *methods = json_array();
    struct waiting **lines;
    size_t count;

    if (!r) {
        json_decref(waiting);
        json_decref(methods);
        return;
    }
    lines = sort_lines(r, &count);
    mm_json_set(waiting, "request samples", r->messages->request_text,
                (json_int_t)r->samples);
    for (size_t i = 0; lines && i < count; i++)
        json_array_append_new(methods, line_json(r, lines[i], dual));
    mm_json_put(waiting, "methods", methods);
    mm_json_put(document, "waiting", waiting);
    free(lines);
}
