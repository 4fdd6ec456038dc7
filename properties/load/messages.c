/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c: write rows of message, collective and network, and regions of callsites. */
#include "properties/load/parts.h"

#include <errno.h>
#include <math.h>

/* size class of messages of 64 KiB: from this size on, bandwidth dominates */
enum { LARGE_CLASS = 17 };

/* Make the region of a callsite, unless it exists. */
static int put_site(struct mm_load_messages *m, uint64_t site, const char *name)
{
    int *is_there = mm_word_table_add(&m->sites, &site);
    int64_t region = 0;
    int result;

    if (!is_there)
        return cca_no_memory(m->load->err);
    if (*is_there)
        return 0;
    *is_there = 1;
    result = mm_load_region(m->load, "callsite", name, NULL, 0, &region);
    return result ? result : mm_load_place_of(m->load, region, name);
}

static int method_region(struct mm_load *load, const struct mm_method_info *method,
                         int64_t *region)
{
    *region = 0;
    return method ? mm_load_method(load, method, region) : 0;
}

/* --- Messages ------------------------------------------------------------- */

static double least_bytes(uint32_t size_class)
{
    return size_class ? ldexp(1, (int)size_class - 1) : 0;
}

static double low_of(struct mm_message_estimate e)
{
    return e.has_interval ? e.low / 1e9 : (double)NAN;
}

static double high_of(struct mm_message_estimate e)
{
    return e.has_interval ? e.high / 1e9 : (double)NAN;
}

static const char message_sql[] =
    "INSERT INTO message (experiment, src, dst, send_site, recv_site, send_region,"
    " recv_region, size_class, n, samples, bytes, min, max, sum, late_send,"
    " late_send_low, late_send_high, late_recv, late_recv_low, late_recv_high, transfer)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    /* two callsites in one line have the same name, so their counts are added */
    " ON CONFLICT DO UPDATE SET n = n + excluded.n, samples = samples + excluded.samples,"
    " bytes = bytes + excluded.bytes, min = min(min, excluded.min),"
    " max = max(max, excluded.max), sum = sum + excluded.sum,"
    " late_send = late_send + excluded.late_send,"
    " late_send_low = late_send_low + excluded.late_send_low,"
    " late_send_high = late_send_high + excluded.late_send_high,"
    " late_recv = late_recv + excluded.late_recv,"
    " late_recv_low = late_recv_low + excluded.late_recv_low,"
    " late_recv_high = late_recv_high + excluded.late_recv_high,"
    " transfer = transfer + excluded.transfer";

static int put_group(struct mm_load_messages *m, sqlite3_stmt *s,
                     const struct mm_message_group *g)
{
    struct mm_load *load = m->load;
    const struct mm_message_sums *sums = &g->sums;
    struct mm_message_estimate n = mm_estimate_count(sums);
    struct mm_message_estimate send = mm_estimate_total(sums, &sums->late_sender);
    struct mm_message_estimate recv = mm_estimate_total(sums, &sums->late_receiver);
    const char *from = g->other ? "(others)" : mm_site_name(m->names, g->send_site);
    const char *to = g->other ? "(others)" : mm_site_name(m->names, g->recv_site);
    int64_t send_region, recv_region;
    int result = method_region(load, g->send_method, &send_region);

    if (!result)
        result = method_region(load, g->recv_method, &recv_region);
    if (!result && !g->other)
        result = put_site(m, g->send_site, from);
    if (!result && !g->other)
        result = put_site(m, g->recv_site, to);
    return result ? result
                  : mm_put(load->store, s, load->err, "iiittIIrrrrrrrrrrrrrr",
                           load->experiment, (int64_t)g->src, (int64_t)g->dst, from, to,
                           send_region, recv_region, least_bytes(g->size_class), n.value,
                           (double)sums->count,
                           (double)sums->bytes * n.value / (double)sums->count,
                           sums->min_ns / 1e9, sums->max_ns / 1e9,
                           mm_estimate_total(sums, &sums->latency).value / 1e9,
                           send.value / 1e9, low_of(send), high_of(send),
                           recv.value / 1e9, low_of(recv), high_of(recv),
                           mm_estimate_total(sums, &sums->transfer).value / 1e9);
}

static int mm_load_message_rows(struct mm_load_messages *m)
{
    sqlite3_stmt *s = mm_put_prepare(m->load->store, message_sql, m->load->err);
    int result = s ? 0 : m->load->err->code;

    for (size_t i = 0; i < mm_message_groups_count(&m->groups) && !result; i++)
        if (mm_message_groups_at(&m->groups, i)->sums.count)
            result = put_group(m, s, mm_message_groups_at(&m->groups, i));
    sqlite3_finalize(s);
    return result;
}

/* --- Collectives ---------------------------------------------------------- */

static int mm_load_collective_rows(struct mm_load_messages *m)
{
    struct mm_load *load = m->load;
    int result = 0;

    for (size_t i = 0; i < m->collectives.table.count && !result; i++) {
        const struct mm_collective_group *g =
            mm_word_table_value(&m->collectives.table, i);
        struct mm_message_estimate wait = mm_collective_wait(g);
        const char *site = mm_site_name(m->names, g->site);
        int64_t region;

        result = method_region(load, g->method, &region);
        if (!result)
            result = put_site(m, g->site, site);
        if (!result)
            result = mm_put_once(
                load->store, NULL, load->err,
                "INSERT INTO collective VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET instances = instances + excluded.instances,"
                " samples = samples + excluded.samples, wait = wait + excluded.wait,"
                " wait_low = wait_low + excluded.wait_low,"
                " wait_high = wait_high + excluded.wait_high,"
                " longest = max(longest, excluded.longest)",
                "ittIrrrrrrir", load->experiment, g->function, site, region, g->weight,
                (double)g->instances, wait.value / 1e9, low_of(wait), high_of(wait),
                g->max_ns / 1e9, (int64_t)g->last,
                g->instances ? (double)g->last_count / (double)g->instances
                             : (double)NAN);
    }
    return result;
}

/* --- Network -------------------------------------------------------------- */

struct network {
    double latency_ns, bytes_per_ns;
};

static void see_group(const struct mm_load_messages *m, const struct mm_message_group *g,
                      struct network scopes[2])
{
    const struct mm_messages *all = m->messages;
    const struct mm_messages_sum *t = &g->sums.transfer;
    struct network *n;
    double rate;

    if (g->other || g->src < 0 || g->dst < 0 || g->src >= all->processes ||
        g->dst >= all->processes || g->src == g->dst)
        return;
    n = &scopes[all->process[g->src].node != all->process[g->dst].node];
    if (g->sums.min_ns > 0 && !(n->latency_ns <= g->sums.min_ns))
        n->latency_ns = g->sums.min_ns;
    rate =
        g->size_class >= LARGE_CLASS && t->sum > 0 ? (double)g->sums.bytes / t->sum : 0;
    if (rate > 0 && !(n->bytes_per_ns >= rate))
        n->bytes_per_ns = rate;
}

static int mm_load_network(struct mm_load_messages *m)
{
    static const char *const names[] = {"node", "nodes"};
    struct network scopes[2] = {{NAN, NAN}, {NAN, NAN}};
    int result = 0;

    for (size_t i = 0; i < mm_message_groups_count(&m->groups); i++)
        see_group(m, mm_message_groups_at(&m->groups, i), scopes);
    for (int i = 0; i < 2 && !result; i++)
        if (isfinite(scopes[i].latency_ns))
            result = mm_put_once(
                m->load->store, NULL, m->load->err,
                "INSERT INTO network VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " latency = min(latency, excluded.latency), bandwidth ="
                " max(coalesce(bandwidth, excluded.bandwidth),"
                " coalesce(excluded.bandwidth, bandwidth))",
                "itrr", m->load->machine, names[i], scopes[i].latency_ns / 1e9,
                scopes[i].bytes_per_ns * 1e9);
    return result;
}

/* --- All rows about messages ---------------------------------------------- */

static int on_part(void *context, const struct mm_message_part *part)
{
    struct mm_load_messages *m = context;

    return mm_message_groups_add(&m->groups, part);
}

static int read_all(struct mm_load_messages *m)
{
    size_t memory = m->load->options->most_memory;
    struct mm_messages_joined joined;
    int result =
        mm_messages_parts(m->messages, 0, memory, on_part, m, &joined, m->load->err);

    if (!result)
        result = mm_collectives_read(&m->collectives, m->messages, memory, NULL, NULL,
                                     m->load->err);
    return result == -ENOMEM ? cca_no_memory(m->load->err) : result;
}

static int no_messages(struct mm_load *load, const char *reason)
{
    static const char *const what[] = {"wait_time", "message", "collective"};
    int result = 0;

    for (size_t i = load->metrics.no_mpi ? 1 : 0; i < 3 && !result; i++)
        result = mm_load_missing(load, what[i], "%s",
                                 load->metrics.no_mpi ? "the run had no MPI" : reason);
    return result;
}

static int load_all(struct mm_load_messages *m)
{
    int result = read_all(m);

    if (!result && !mm_message_groups_count(&m->groups) && !m->collectives.table.count)
        return no_messages(m->load, "no message was sampled");
    if (!result)
        result = mm_load_message_rows(m);
    if (!result)
        result = mm_load_collective_rows(m);
    if (!result)
        result = mm_load_network(m);
    if (!result)
        result = mm_load_waits(m);
    return result;
}

int mm_load_messages(struct mm_load *load)
{
    struct cca_error own = {0};
    struct mm_load_messages m = {.load = load,
                                 .messages = mm_messages_open(load->e, &own)};
    int result;

    if (!m.messages)
        return own.code == -ENOENT
                   ? no_messages(load, load->e->origin ? "the rows were not recorded"
                                                       : "the run was without --messages")
                   : cca_error_set(load->err, own.code, "%s", own.text);
    mm_message_groups_init(&m.groups, m.messages,
                           MM_BY_RANKS | MM_BY_SITES | MM_BY_METHODS | MM_BY_SIZE);
    mm_word_table_init(&m.sites, 1, sizeof(int));
    m.names = mm_site_names_new(m.messages);
    result = m.names ? load_all(&m) : cca_no_memory(load->err);
    mm_word_table_done(&m.sites);
    mm_site_names_free(m.names);
    mm_collectives_done(&m.collectives);
    mm_message_groups_done(&m.groups);
    mm_messages_free(m.messages);
    return result;
}
