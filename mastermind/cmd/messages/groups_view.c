/* SPDX-License-Identifier: BSD-3-Clause */
/* groups_view.c: print samples grouped by callsites, ranks, nodes, methods or sizes. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mastermind/cmd/messages/messages_verb.h"

struct shown {
    struct messages_verb *verb;
    struct mm_message_groups groups;
    struct mm_message_group **lines; /* sorted */
    size_t count;
    int is_exact; /* true if messages and bytes are exact counts, from channels */
};

static int on_part(void *context, const struct mm_message_part *part)
{
    struct shown *s = context;
    int takes = s->is_exact ? messages_takes_ranks(s->verb, part->src, part->dst)
                            : messages_takes(s->verb, part);

    if (!takes)
        return 0;
    mm_message_sums_add(&s->verb->all, &part->sums);
    return mm_message_groups_add(&s->groups, part);
}

/* --- Numbers of a line -------------------------------------------------------------- */

/* The exact number of messages in a group; 0: unknown, or the sampling was filtered. */
static double population_of(const struct shown *s, const struct mm_message_group *g)
{
    const struct mm_messages *m = s->verb->messages;
    const struct mm_message_request *r = &m->request;

    return s->is_exact && !r->min_bytes && !*r->site && !*r->method &&
                   !m->counts[MM_MESSAGES_FILTERED]
               ? (double)g->messages
               : 0;
}

static struct mm_message_estimate total_of(const struct shown *s,
                                           const struct mm_message_group *g,
                                           const struct mm_messages_sum *sum)
{
    double population = population_of(s, g);

    return population > 0 && g->sums.count ? mm_estimate_ratio(&g->sums, sum, population)
                                           : mm_estimate_total(&g->sums, sum);
}

static int compare_lines(const void *left, const void *right)
{
    const struct mm_message_group *a = *(struct mm_message_group *const *)left;
    const struct mm_message_group *b = *(struct mm_message_group *const *)right;

    if (a->sums.late_sender.weighted != b->sums.late_sender.weighted)
        return a->sums.late_sender.weighted < b->sums.late_sender.weighted ? 1 : -1;
    if (a->sums.weight != b->sums.weight)
        return a->sums.weight < b->sums.weight ? 1 : -1;
    if (a->messages != b->messages)
        return a->messages < b->messages ? 1 : -1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    if (a->send_site != b->send_site)
        return a->send_site < b->send_site ? -1 : 1;
    return (a->recv_site > b->recv_site) - (a->recv_site < b->recv_site);
}

static int by_size(const void *left, const void *right)
{
    const struct mm_message_group *a = *(struct mm_message_group *const *)left;
    const struct mm_message_group *b = *(struct mm_message_group *const *)right;

    return (a->size_class > b->size_class) - (a->size_class < b->size_class);
}

static int sort_lines(struct shown *s)
{
    s->count = mm_message_groups_count(&s->groups);
    s->lines = calloc(s->count + 1, sizeof *s->lines);
    if (!s->lines)
        return -1;
    for (size_t i = 0; i < s->count; i++)
        s->lines[i] = mm_message_groups_at(&s->groups, i);
    qsort(s->lines, s->count, sizeof *s->lines,
          s->verb->view == VIEW_SIZES ? by_size : compare_lines);
    return 0;
}

/* --- Text --------------------------------------------------------------------------- */

static const char *exact_bytes(const struct mm_message_group *g)
{
    static char text[64];

    snprintf(text, sizeof text, "%s%s", g->bytes_unknown ? ">" : "",
             mm_thousands(g->bytes));
    return text;
}

/* Write median, 90th percentile and maximum of latency in us, "1.9  8.1  912"; without
 * buckets the mean and the maximum. */
static void write_latency(const struct shown *s, const struct mm_message_group *g,
                          char *text, size_t size)
{
    const struct mm_message_sums *sums = &g->sums;
    double p50, p90;

    if (!sums->count) {
        snprintf(text, size, "%6s %6s %7s", "-", "-", "-");
        return;
    }
    if (!s->groups.has_buckets) {
        snprintf(text, size, "%6s %6s %7s",
                 mm_amount(sums->latency.sum / (double)sums->count / 1e3), "",
                 mm_amount(sums->max_ns / 1e3));
        return;
    }
    p50 = mm_estimate_quantile(g->buckets, .5, sums->min_ns, sums->max_ns);
    p90 = mm_estimate_quantile(g->buckets, .9, sums->min_ns, sums->max_ns);
    snprintf(text, size, "%6s %6s %7s", mm_amount(p50 / 1e3), mm_amount(p90 / 1e3),
             mm_amount(sums->max_ns / 1e3));
}

enum { WAIT, MESSAGES, SAMPLES, LATENCY, BYTES, CELLS };

static void write_name(const struct shown *s, const struct mm_message_group *g,
                       char *name, size_t size)
{
    struct messages_verb *v = s->verb;

    if (g->other)
        snprintf(name, size, "all others");
    else if (v->view == VIEW_SIZES)
        *name = '\0';
    else
        snprintf(name, size, "%s > %s", messages_end(v, g, 1, 200),
                 messages_end(v, g, 0, 200));
}

static void fill_cells(char cells[][MM_CELL], const struct shown *s,
                       const struct mm_message_group *g)
{
    mm_cell_set(cells[WAIT],
                g->sums.count ? messages_ms(s->verb, total_of(s, g, &g->sums.late_sender))
                              : "-");
    mm_cell_set(cells[MESSAGES], s->is_exact
                                     ? mm_thousands(g->messages)
                                     : mm_thousands((uint64_t)llround(g->sums.weight)));
    mm_cell_set(cells[SAMPLES], mm_thousands(g->sums.count));
    write_latency(s, g, cells[LATENCY], MM_CELL);
    mm_cell_set(cells[BYTES], s->is_exact                 ? exact_bytes(g)
                              : s->groups.by & MM_BY_SIZE ? messages_size(g->size_class)
                                                          : "");
}

/* Print a line for each group; a name that would pass column 100 goes on a line of its
 * own. */
static void text_rows(const void *context, struct mm_table *table)
{
    const struct shown *s = context;
    size_t most = s->verb->limit < s->count ? s->verb->limit : s->count;
    int has_buckets = s->groups.has_buckets;
    char heads[CELLS][MM_CELL] = {"late sender ms (95 %)", "messages", "samples", "",
                                  "bytes"};
    char cells[CELLS][MM_CELL];

    mm_cell_set(heads[LATENCY],
                has_buckets ? "latency us p50 p90 max" : "latency us mean max");
    mm_table_row(table, heads, s->verb->view == VIEW_SIZES ? "" : "from > to");
    for (size_t i = 0; i < most; i++) {
        const struct mm_message_group *g = s->lines[i];
        char name[500];

        fill_cells(cells, s, g);
        write_name(s, g, name, sizeof name);
        messages_table_row(table, cells, CELLS, name);
    }
}

static void print_rest(const struct shown *s)
{
    double wait = 0;

    for (size_t i = s->verb->limit; i < s->count; i++)
        wait += s->lines[i]->sums.late_sender.weighted;
    if (s->count > s->verb->limit)
        printf(" ... %s left out: late sender %s (--limit, --csv and --json have all)\n",
               mm_counted(s->count - s->verb->limit, "line"), mm_time(wait));
}

static void print_totals(const struct shown *s)
{
    struct messages_verb *v = s->verb;
    const struct {
        const char *name;
        const struct mm_messages_sum *sum;
    } sums[] = {{"late sender", &v->all.late_sender},
                {"late receiver", &v->all.late_receiver},
                {"transfer", &v->all.transfer}};
    double population = messages_population(v);
    char line[600];
    size_t used;

    if (!v->all.count)
        return;
    used = (size_t)snprintf(line, sizeof line, "all:");
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        used += (size_t)snprintf(
            line + used, sizeof line - used, "%s %s %s ms", i ? "," : "", sums[i].name,
            messages_ms(v, population > 0
                               ? mm_estimate_ratio(&v->all, sums[i].sum, population)
                               : mm_estimate_total(&v->all, sums[i].sum)));
    messages_print_wrapped(line);
    if (v->all.no_p)
        messages_print_wrapped(
            "no intervals: the timer samples the first message after each pause, which "
            "mostly waits longest, so the totals are too large");
    else if (v->all.count < MM_ESTIMATE_GOOD && v->all.weight_variance > 0)
        printf("%s: with so few, intervals contain the true value in less than 95 %% of "
               "cases\n",
               mm_counted(v->all.count, "sample"));
}

static void print_text(const struct shown *s)
{
    messages_print_head(s->verb);
    if (s->count)
        mm_table_print(CELLS, text_rows, s);
    else
        puts(s->verb->messages->request.analysis == MM_ANALYSIS_OFF
                 ? "nothing is kept of samples under OFF; --channels has exact counts"
             : s->verb->from || s->verb->to ? "no sample matches --from and --to"
                                            : "no sample was kept");
    print_rest(s);
    print_totals(s);
    messages_print_notes(s->verb);
}

/* --- CSV, JSON ---------------------------------------------------------------------- */

static void put_size(json_t *row, uint32_t size_class)
{
    json_int_t low = size_class ? (json_int_t)1 << (size_class - 1) : 0;

    if (size_class > 62)
        return;
    mm_json_set(row, "bytes_low bytes_high", low, low ? 2 * low - 1 : 0);
}

static void put_key(const struct shown *s, json_t *row, const struct mm_message_group *g)
{
    struct messages_verb *v = s->verb;
    const struct mm_messages *m = v->messages;
    unsigned by = s->groups.by;

    if (g->other) {
        mm_json_put(row, "other", json_true());
        return;
    }
    if (by & MM_BY_RANKS) {
        mm_json_set(row, "from to", g->src, g->dst);
    } else if (by & MM_BY_NODES) {
        mm_json_set(row, "from to",
                    g->src_host < 0 ? NULL : mm_json_escaped(m->hosts[g->src_host]),
                    g->dst_host < 0 ? NULL : mm_json_escaped(m->hosts[g->dst_host]));
    }
    if (g->send_method)
        mm_json_put(row, "from_method", mm_json_escaped(g->send_method->name));
    if (g->recv_method)
        mm_json_put(row, "to_method", mm_json_escaped(g->recv_method->name));
    if (by & MM_BY_SITES) {
        mm_json_set(row, "from_site to_site", mm_site_name(v->sites, g->send_site),
                    mm_site_name(v->sites, g->recv_site));
    }
    if (by & MM_BY_SIZE)
        put_size(row, g->size_class);
}

static void put_latency(const struct shown *s, json_t *row,
                        const struct mm_message_group *g)
{
    const struct mm_message_sums *sums = &g->sums;

    mm_json_set(row, "latency_min_ns latency_max_ns latency_mean_ns", sums->min_ns,
                sums->max_ns,
                sums->weight > 0 ? sums->latency.weighted / sums->weight
                                 : sums->latency.sum / (double)sums->count);
    if (!s->groups.has_buckets)
        return;
    mm_json_set(row, "latency_p50_ns latency_p90_ns",
                mm_estimate_quantile(g->buckets, .5, sums->min_ns, sums->max_ns),
                mm_estimate_quantile(g->buckets, .9, sums->min_ns, sums->max_ns));
}

static json_t *group_json(const struct shown *s, const struct mm_message_group *g)
{
    json_t *row = json_object();
    struct mm_message_estimate count = mm_estimate_count(&g->sums);

    put_key(s, row, g);
    if (s->is_exact) {
        mm_json_put(row, "exact_messages", json_integer((json_int_t)g->messages));
        if (!g->bytes_unknown)
            mm_json_put(row, "exact_bytes", json_integer((json_int_t)g->bytes));
    }
    mm_json_put(row, "samples", json_integer((json_int_t)g->sums.count));
    if (!g->sums.count)
        return row;
    mm_json_put(row, "estimated_messages", mm_json_finite(count.value));
    if (count.has_interval) {
        mm_json_set(row, "estimated_messages_low estimated_messages_high", count.low,
                    count.high);
    }
    mm_json_put(row, "sampled_bytes", json_integer((json_int_t)g->sums.bytes));
    put_latency(s, row, g);
    messages_put_estimate(row, "late_sender", total_of(s, g, &g->sums.late_sender));
    messages_put_estimate(row, "late_receiver", total_of(s, g, &g->sums.late_receiver));
    messages_put_estimate(row, "transfer", total_of(s, g, &g->sums.transfer));
    return row;
}

static void print_rows(const struct shown *s)
{
    messages_csv_head(s->verb);
    for (size_t i = 0; i < s->count; i++)
        messages_row(s->verb, group_json(s, s->lines[i]));
}

/* --- The view ----------------------------------------------------------------------- */

static unsigned keys_of(const struct messages_verb *v)
{
    if (v->view == VIEW_SIZES)
        return MM_BY_SIZE;
    if (v->view == VIEW_MATRIX)
        return v->by;
    return MM_BY_SITES | MM_BY_METHODS | MM_BY_SIZE;
}

static int takes_channel(void *context, int src, int dst)
{
    return messages_takes_ranks(context, src, dst);
}

int messages_groups_view(struct messages_verb *verb)
{
    struct shown s = {.verb = verb};
    int code;

    mm_message_groups_init(&s.groups, verb->messages, keys_of(verb));
    s.is_exact = (s.groups.by & (MM_BY_RANKS | MM_BY_NODES)) != 0;
    code =
        mm_messages_parts(verb->messages, 0, 0, on_part, &s, &verb->joined, &verb->err);
    if (!code && s.is_exact)
        code = mm_message_groups_exact(&s.groups, takes_channel, verb, &verb->err);
    if (!code && sort_lines(&s))
        code = cca_no_memory(&verb->err);
    if (!code) {
        if (verb->form == FORM_TEXT)
            print_text(&s);
        else
            print_rows(&s);
    }
    free(s.lines);
    mm_message_groups_done(&s.groups);
    if (code == -ENOMEM)
        cca_no_memory(&verb->err);
    return code ? mm_complain(&verb->err) : -1;
}
