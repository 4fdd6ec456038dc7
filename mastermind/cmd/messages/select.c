/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c: select messages by --from and --to. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/messages/messages_verb.h"

static int fits(const char *glob, const char *text)
{
    return text && fnmatch(glob, text, 0) == 0;
}

static int takes_rank(const struct messages_verb *verb, const char *glob, int rank)
{
    const struct mm_messages *m = verb->messages;
    char number[16];

    if (!glob)
        return 1;
    if (rank < 0)
        return 0;
    snprintf(number, sizeof number, "%d", rank);
    if (fits(glob, number))
        return 1;
    return rank < m->processes && m->process[rank].present &&
           fits(glob, m->hosts[m->process[rank].host]);
}

static int takes_end(struct messages_verb *verb, const char *glob, int rank,
                     const struct mm_method_info *method, uint64_t site)
{
    char parts[300], *function, *end;

    if (takes_rank(verb, glob, rank) || (method && fits(glob, method->name)) ||
        fits(glob, mm_site_name(verb->sites, site)))
        return 1;
    /* a callsite such as "smooth relax.c:88": compare function and line separately */
    snprintf(parts, sizeof parts, "%s", mm_site_name(verb->sites, site));
    function = strtok_r(parts, " ", &end);
    return fits(glob, function) || fits(glob, strtok_r(NULL, " ", &end));
}

int messages_takes(struct messages_verb *verb, const struct mm_message_part *part)
{
    return (!verb->from ||
            takes_end(verb, verb->from, part->src, part->send_method, part->send_site)) &&
           (!verb->to ||
            takes_end(verb, verb->to, part->dst, part->recv_method, part->recv_site));
}

int messages_takes_ranks(const struct messages_verb *verb, int src, int dst)
{
    return takes_rank(verb, verb->from, src) && takes_rank(verb, verb->to, dst);
}
