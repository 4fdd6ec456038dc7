/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_persistent.c: rounds of persistent requests, started several times. */
#include "tests/messages/programs/storm.h"

#include <stdlib.h>
#include <string.h>

/* Open MPI 4.1.4 sends old bytes where a larger MPI_Bsend_init is started again. */
enum { TURNS_MOST = 4, BUFFERED_MOST = 1024 };

struct repeated {
    const struct message *message;
    unsigned char *buffer;
    MPI_Request request;
    struct operation *now; /* of this turn */
};

struct persistent_round {
    struct worker *w;
    struct repeated all[MESSAGES_MOST];
    int count, wild;
};

static void make_receive(struct persistent_round *p, struct repeated *r)
{
    struct worker *w = p->w;
    const int source = p->wild ? MPI_ANY_SOURCE : rank_of(w, r->message->from);

    MPI_Recv_init(r->buffer, w->size_most, MPI_BYTE, source,
                  p->wild ? w->any_tag : r->message->tag, w->family->comm, &r->request);
}

static void make_send(struct worker *w, struct repeated *r)
{
    const struct message *m = r->message;
    const int to = rank_of(w, m->to);
    MPI_Comm comm = w->family->comm;

    if (m->size % 3 == 0)
        MPI_Send_init(r->buffer, m->size, MPI_BYTE, to, m->tag, comm, &r->request);
    else if (m->size % 3 == 1 || m->size > BUFFERED_MOST)
        MPI_Ssend_init(r->buffer, m->size, MPI_BYTE, to, m->tag, comm, &r->request);
    else
        MPI_Bsend_init(r->buffer, m->size, MPI_BYTE, to, m->tag, comm, &r->request);
}

static void make_all(struct persistent_round *p)
{
    struct worker *w = p->w;

    for (int i = 0; i < w->message_count; i++) {
        const struct message *m = &w->messages[i];
        struct repeated *r = &p->all[p->count];

        if (m->from != w->rank && m->to != w->rank)
            continue;
        r->message = m;
        r->buffer = calloc(1, (size_t)w->size_most + TRUTH_HEADER);
        require(w, r->buffer != NULL, "out of memory");
        if (m->to == w->rank)
            make_receive(p, r);
        else
            make_send(w, r);
        p->count++;
    }
}

/* The operation of this turn; the request's buffer serves all turns. */
static void begin_one(struct persistent_round *p, struct repeated *r, const char *site)
{
    const struct message *m = r->message;
    struct worker *w = p->w;
    const struct truth_channel c = channel_of(w, m->from, m->to, m->tag);

    r->now = operation_new(w, m->to == w->rank);
    r->now->request = r->request;
    r->now->pending = 1;
    r->now->source = p->wild ? MPI_ANY_SOURCE : m->from;
    r->now->tag = p->wild ? w->any_tag : m->tag;
    r->now->record.kind = "Start";
    r->now->record.site = site;
    if (m->from == w->rank)
        r->now->sent = truth_send(&w->truth, &c, m->size, "Start", site, r->buffer);
    r->now->record.post_ns = truth_now();
}

static void note_start(struct worker *w, const struct repeated *r)
{
    if (r->message->from == w->rank)
        truth_send_ends(&w->truth, r->now->sent);
}

static void start_each(struct persistent_round *p)
{
    for (int i = 0; i < p->count; i++) {
        begin_one(p, &p->all[i], HERE);
        MPI_Start(&p->all[i].request);
        note_start(p->w, &p->all[i]);
    }
}

static void start_together(struct persistent_round *p)
{
    MPI_Request requests[MESSAGES_MOST];
    const char *site = HERE; /* of MPI_Startall, by a few lines */

    for (int i = 0; i < p->count; i++)
        begin_one(p, &p->all[i], site);
    for (int i = 0; i < p->count; i++)
        requests[i] = p->all[i].request;
    MPI_Startall(p->count, requests);
    for (int i = 0; i < p->count; i++)
        note_start(p->w, &p->all[i]);
}

static void end_turn(struct persistent_round *p)
{
    const size_t size = (size_t)p->w->size_most + TRUTH_HEADER;

    complete_rest(p->w, PENDING_ALL);
    for (int i = 0; i < p->count; i++)
        memcpy(p->all[i].now->buffer, p->all[i].buffer, size);
}

/* No channel is twice in a round, and no wildcard in MPI_Startall, which starts its
 * requests in any order. A wildcard must not take a message of another turn, while its
 * sender waits for this one. */
void round_persistent(struct worker *w)
{
    struct persistent_round p = {.w = w,
                                 .wild = w->settings->wildcards && chance(&w->plan, 30)};
    const int turns = 1 + below(&w->plan, TURNS_MOST);

    plan_round(w, PLAN_DISTINCT);
    w->headers = 0; /* statuses are asked for: the operations' own buffers are empty */
    w->expected *= turns;
    make_all(&p);
    for (int turn = 0; turn < turns; turn++) {
        if (p.wild || chance(&w->own, 50))
            start_each(&p);
        else
            start_together(&p);
        end_turn(&p);
        if (p.wild)
            comms_sync(w);
    }
    for (int i = 0; i < p.count; i++) {
        MPI_Request_free(&p.all[i].request);
        free(p.all[i].buffer);
    }
    round_end(w);
}
