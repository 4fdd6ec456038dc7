/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: texts for numbers and ends of messages. */
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/messages/messages_verb.h"

const char *messages_ms(const struct messages_verb *v, struct mm_message_estimate e)
{
    static char text[4][64];
    static unsigned at;
    char *to = text[at++ % 4];

    if (!e.has_interval)
        snprintf(to, sizeof text[0], "%s", mm_amount(e.value / 1e6));
    else if (e.exact)
        snprintf(to, sizeof text[0], "%s%s", mm_amount(e.value / 1e6),
                 messages_lost(v) ? "" : " (exact)");
    else
        snprintf(to, sizeof text[0], "%s (%s .. %s)", mm_amount(e.value / 1e6),
                 mm_amount(e.low / 1e6), mm_amount(e.high / 1e6));
    return to;
}

/* Write a power of two as 512, 4K, 2M. */
static void write_power(char *text, size_t size, uint64_t value)
{
    static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};
    size_t unit = 0;

    while (value >= 1024 && unit < 6) {
        value /= 1024;
        unit++;
    }
    snprintf(text, size, "%llu%s", (unsigned long long)value, units[unit]);
}

const char *messages_size(uint32_t size_class)
{
    static char text[2][64];
    static unsigned at;
    char *to = text[at++ % 2], low[24], high[24];

    if (size_class < 2 || size_class > 62) {
        snprintf(to, sizeof text[0], "%s",
                 size_class == 0   ? "0"
                 : size_class == 1 ? "1"
                                   : "any");
        return to;
    }
    if (size_class <= 10) {
        snprintf(to, sizeof text[0], "%llu-%llu", 1ULL << (size_class - 1),
                 (1ULL << size_class) - 1);
        return to;
    }
    write_power(low, sizeof low, 1ULL << (size_class - 1));
    write_power(high, sizeof high, 1ULL << size_class);
    snprintf(to, sizeof text[0], "%s-%s", low, high);
    return to;
}

const char *messages_end(struct messages_verb *v, const struct mm_message_group *g,
                         int is_send, size_t most)
{
    static char text[4][512];
    static unsigned at;
    char *to = text[at++ % 4];
    const struct mm_method_info *method = is_send ? g->send_method : g->recv_method;
    uint64_t site = is_send ? g->send_site : g->recv_site;
    int32_t rank = is_send ? g->src : g->dst, host = is_send ? g->src_host : g->dst_host;
    unsigned by =
        v->view == VIEW_MATRIX ? v->by : (unsigned)(MM_BY_SITES | MM_BY_METHODS);

    if (by & MM_BY_RANKS)
        snprintf(to, sizeof text[0], "rank %d", rank);
    else if (by & MM_BY_NODES)
        snprintf(to, sizeof text[0], "%s",
                 host < 0 ? "(unknown)" : v->messages->hosts[host]);
    else if (!(by & MM_BY_SITES))
        snprintf(to, sizeof text[0], "%s", method ? method->name : "(no method)");
    else
        snprintf(to, sizeof text[0], "%s%s%s", method ? method->name : "",
                 method ? " " : "", mm_site_name(v->sites, site));
    if (strlen(to) > most && most > 3 && most < sizeof text[0])
        strcpy(to + most - 3, "...");
    return to;
}
