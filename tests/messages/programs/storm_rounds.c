/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_rounds.c: rounds in a given order: blocking calls, ready sends, sends that
 * receive. */
#include "tests/messages/programs/storm.h"

#include <string.h>

enum { SHIFTS_MOST = 5 };

/* Messages of an ordered round are sent and received one after the other in the order of
 * the plan, by both ends, so blocking calls end. A wildcard for tags takes the next
 * message of its source: that very one. */
void round_ordered(struct worker *w)
{
    plan_round(w, PLAN_OTHERS);
    for (int i = 0; i < w->message_count; i++) {
        const struct message *m = &w->messages[i];
        const int wild = w->settings->wildcards && chance(&w->own, 30);
        const int tag = wild ? w->any_tag : m->tag;

        if (m->from == w->rank)
            send_message(w, m, SEND_NOW);
        if (m->to == w->rank && w->settings->probes && chance(&w->own, 30))
            receive_probed(w, m->from, tag, 1);
        else if (m->to == w->rank)
            receive_now(w, m->from, tag);
        complete_some(w, PENDING_RECEIVES, COMPLETE_WAIT);
    }
    complete_rest(w, PENDING_ALL);
    round_end(w);
}

/* Ready sends, all receives being posted. */
void round_ready(struct worker *w)
{
    plan_round(w, PLAN_OTHERS);
    for (int i = 0; i < w->message_count; i++)
        if (w->messages[i].to == w->rank)
            post_receive(w, w->messages[i].from, w->messages[i].tag);
    comms_sync(w);
    for (int i = 0; i < w->message_count; i++)
        if (w->messages[i].from == w->rank)
            send_message(w, &w->messages[i], SEND_READY);
    complete_rest(w, PENDING_ALL);
    round_end(w);
}

/* Everybody sends to the next but n of its communicator, and gets from the one as far
 * before. */
struct shift {
    struct worker *w;
    struct message out;
    int from, wild;
    struct operation *sent, *got;
};

static int member_at(const struct worker *w, int rank, int size)
{
    const struct family *f = w->family;

    for (int r = 0; r < w->ranks; r++)
        if (f->colour[r] == f->colour[w->rank] && f->rank[r] == (rank + size) % size)
            return r;
    return -1;
}

static void begin_shift(struct shift *s, const char *kind, const char *site)
{
    struct worker *w = s->w;
    const struct truth_channel c = channel_of(w, w->rank, s->out.to, s->out.tag);

    s->sent = operation_new(w, 0);
    s->sent->sent = truth_send(&w->truth, &c, s->out.size, kind, site, s->sent->buffer);
    s->got = operation_new(w, 1);
    s->got->source = s->wild ? MPI_ANY_SOURCE : s->from;
    s->got->tag = s->wild ? w->any_tag : s->out.tag;
    s->got->record.kind = kind;
    s->got->record.site = s->got->record.done_site = site;
    s->got->record.post_ns = s->got->record.enter_ns = truth_now();
}

static void end_shift(struct shift *s, const MPI_Status *status)
{
    s->got->record.end_ns = s->got->record.last_ns = truth_now();
    truth_send_ends(&s->w->truth, s->sent->sent);
    if (status) {
        received(s->w, s->got, status);
        return;
    }
    s->got->got_source = s->from;
    s->got->got_tag = s->out.tag;
    s->got->got_size = s->out.size;
    s->w->received++;
}

static void shift_both(struct shift *s)
{
    MPI_Comm comm = s->w->family->comm;
    MPI_Status status;

    begin_shift(s, "Sendrecv", HERE);
    MPI_Sendrecv(s->sent->buffer, s->out.size, MPI_BYTE, rank_of(s->w, s->out.to),
                 s->out.tag, s->got->buffer, s->w->size_most, MPI_BYTE,
                 rank_of(s->w, s->got->source), s->got->tag, comm, &status);
    end_shift(s, &status);
}

static void shift_in_place(struct shift *s)
{
    MPI_Comm comm = s->w->family->comm;
    MPI_Status status;

    begin_shift(s, "Sendrecv_replace", HERE);
    MPI_Sendrecv_replace(s->sent->buffer, s->out.size, MPI_BYTE, rank_of(s->w, s->out.to),
                         s->out.tag, rank_of(s->w, s->got->source), s->got->tag, comm,
                         &status);
    memcpy(s->got->buffer, s->sent->buffer, (size_t)s->out.size);
    end_shift(s, &status);
}

#if MPI_VERSION >= 4
/* MPICH 4.0.2 leaves another request's numbers in the status of these two. So it is not
 * asked, the message can only be the planned one, and there are no wildcards, of which
 * nobody could know the source. */
static void shift_later(struct shift *s)
{
    MPI_Comm comm = s->w->family->comm;
    MPI_Request request;

    begin_shift(s, "Isendrecv", HERE);
    MPI_Isendrecv(s->sent->buffer, s->out.size, MPI_BYTE, rank_of(s->w, s->out.to),
                  s->out.tag, s->got->buffer, s->w->size_most, MPI_BYTE,
                  rank_of(s->w, s->got->source), s->got->tag, comm, &request);
    s->got->record.done_site = HERE;
    s->got->record.enter_ns = truth_now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    end_shift(s, NULL);
}

static void shift_later_in_place(struct shift *s)
{
    MPI_Comm comm = s->w->family->comm;
    MPI_Request request;

    begin_shift(s, "Isendrecv_replace", HERE);
    MPI_Isendrecv_replace(s->sent->buffer, s->out.size, MPI_BYTE,
                          rank_of(s->w, s->out.to), s->out.tag,
                          rank_of(s->w, s->got->source), s->got->tag, comm, &request);
    s->got->record.done_site = HERE;
    s->got->record.enter_ns = truth_now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memcpy(s->got->buffer, s->sent->buffer, (size_t)s->out.size);
    end_shift(s, NULL);
}
#else
#define shift_later shift_both
#define shift_later_in_place shift_in_place
#endif

/* With a wildcard there is one shift in a round: another's message could come first. All
 * have one size, for those in place. */
void round_shift(struct worker *w)
{
    static void (*const ways[])(struct shift *) = {shift_both, shift_in_place,
                                                   shift_later, shift_later_in_place};
    const int wild = w->settings->wildcards && chance(&w->plan, 30),
              turn = below(&w->plan, 8);
    int shifts = wild ? 1 : 1 + below(&w->plan, SHIFTS_MOST), size = 0, planned = 0;
    struct shift s = {.w = w, .wild = wild};

    plan_round(w, PLAN_ANY);
    planned = w->message_count ? w->messages[0].size : 0;
    w->message_count = w->expected = 0;
    if (w->family->comm != MPI_COMM_NULL && !w->family->inter)
        MPI_Comm_size(w->family->comm, &size);
    for (int i = 0; i < shifts && size; i++) {
        s.out =
            (struct message){.size = planned,
                             .tag = w->tags[i % w->tag_count],
                             .to = member_at(w, w->family->rank[w->rank] + turn, size)};
        s.from = member_at(w, w->family->rank[w->rank] - turn % size, size);
        w->expected++;
        ways[below(&w->own, wild ? 2 : 4)](&s);
    }
    round_end(w);
}
