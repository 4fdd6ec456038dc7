/* SPDX-License-Identifier: BSD-3-Clause */
/* channels_view.c: print exact message counts of each channel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cmd/messages/messages_verb.h"

struct channel {
    uint64_t comm, count, bytes, sampled;
    int32_t src, dst, tag;
    uint32_t flags;  /* flags of the counting end (sender or receiver) */
    int by_receiver; /* true if the receiver counted the messages, as the sender has no
                        file: bytes are unknown */
};

struct channels {
    struct messages_verb *verb;
    struct channel *items;
    size_t count;
};

static int on_channel(void *context, int process, const void *entry)
{
    struct channels *c = context;
    const struct mm_messages *m = c->verb->messages;
    const struct mm_messages_channel *found = entry;
    int is_send = found->side == MM_MESSAGES_SEND;
    int src = is_send ? process : found->peer, dst = is_send ? found->peer : process;
    struct channel *channel;

    if (!is_send && src >= 0 && src < m->processes && m->process[src].present)
        return 0;
    if (!found->count || !messages_takes_ranks(c->verb, src, dst))
        return 0;
    channel = cca_array_add(&c->items, &c->count, sizeof *channel);
    if (!channel)
        return -ENOMEM;
    *channel = (struct channel){.comm = found->comm,
                                .count = found->count,
                                .bytes = found->bytes,
                                .sampled = found->sampled,
                                .src = src,
                                .dst = dst,
                                .tag = found->tag,
                                .flags = found->flags,
                                .by_receiver = !is_send};
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct channel *a = left, *b = right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

/* Write "MPI_COMM_WORLD", the communicator's name, or its id in hexadecimal. */
static void write_comm(const struct mm_messages *m, uint64_t id, char *text, size_t size)
{
    const struct mm_messages_comm *comm = mm_messages_comm(m, id);

    if (comm && *comm->name)
        snprintf(text, size, "%s", comm->name);
    else if (comm && comm->flags & 4)
        snprintf(text, size, "MPI_COMM_WORLD");
    else
        snprintf(text, size, "comm %016llx", (unsigned long long)id);
}

static int is_unverified(const struct channels *c, const struct channel *channel)
{
    return channel->flags ||
           mm_messages_unverified(c->verb->messages, channel->comm, channel->src,
                                  channel->dst, channel->tag);
}

/* Write the number of a process of this job, or "other job's N". */
static void write_process(char *text, size_t size, int process)
{
    if (process >= 0)
        snprintf(text, size, "%d", process);
    else
        snprintf(text, size, "other job's %d", -2 - process);
}

enum { MESSAGES, BYTES, SAMPLED, FROM, TO, TAG, CELLS };

static void text_rows(const void *context, struct mm_table *table)
{
    const struct channels *c = context;
    size_t most = c->verb->limit < c->count ? c->verb->limit : c->count;
    char heads[CELLS][MM_CELL] = {"messages", "bytes", "sampled", "from", "to", "tag"};
    char cells[CELLS][MM_CELL], name[100];

    mm_table_row(table, heads, "communicator");
    for (size_t i = 0; i < most; i++) {
        const struct channel *channel = &c->items[i];

        mm_cell_set(cells[MESSAGES], mm_thousands(channel->count));
        mm_cell_set(cells[BYTES],
                    channel->by_receiver ? "-" : mm_thousands(channel->bytes));
        mm_cell_set(cells[SAMPLED],
                    channel->by_receiver ? "-" : mm_thousands(channel->sampled));
        write_process(cells[FROM], MM_CELL, channel->src);
        write_process(cells[TO], MM_CELL, channel->dst);
        snprintf(cells[TAG], MM_CELL, "%d", channel->tag);
        write_comm(c->verb->messages, channel->comm, name, sizeof name - 15);
        if (is_unverified(c, channel))
            snprintf(name + strlen(name), 15, ", unverified");
        mm_table_row(table, cells, name);
    }
}

static void print_text(const struct channels *c)
{
    uint64_t rest = 0;

    messages_print_head(c->verb);
    mm_table_print(CELLS, text_rows, c);
    for (size_t i = c->verb->limit; i < c->count; i++)
        rest += c->items[i].count;
    if (c->count > c->verb->limit)
        printf(" ... %s left out: %s (--limit, --csv and --json have all)\n",
               mm_counted(c->count - c->verb->limit, "channel"),
               mm_counted(rest, "message"));
    messages_print_notes(c->verb);
}

static void print_rows(const struct channels *c)
{
    messages_csv_head(c->verb);
    for (size_t i = 0; i < c->count; i++) {
        const struct channel *channel = &c->items[i];
        json_t *row = json_object();
        char name[100], id[20];

        snprintf(id, sizeof id, "%016llx", (unsigned long long)channel->comm);
        write_comm(c->verb->messages, channel->comm, name, sizeof name);
        mm_json_set(row, "comm comm_name from to tag messages", id, name, channel->src,
                    channel->dst, channel->tag, (json_int_t)channel->count);
        if (!channel->by_receiver) {
            mm_json_set(row, "bytes sampled", (json_int_t)channel->bytes,
                        (json_int_t)channel->sampled);
        }
        mm_json_put(row, "unverified", json_boolean(is_unverified(c, channel)));
        messages_row(c->verb, row);
    }
}

int messages_channels_view(struct messages_verb *verb)
{
    struct channels c = {.verb = verb};
    int code = mm_messages_walk(verb->messages, MM_MESSAGES_CHANNELS, on_channel, &c,
                                NULL, &verb->err);

    if (!code) {
        if (c.count)
            qsort(c.items, c.count, sizeof *c.items, compare);
        if (verb->form == FORM_TEXT)
            print_text(&c);
        else
            print_rows(&c);
    }
    free(c.items);
    if (code == -ENOMEM)
        cca_no_memory(&verb->err);
    return code ? mm_complain(&verb->err) : -1;
}
