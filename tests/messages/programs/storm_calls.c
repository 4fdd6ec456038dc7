/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_calls.c: single sends and receives of every kind. */
#include "tests/messages/programs/storm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DERIVED_MOST = 512, BLOCK = 4 };

void misbehaved(const struct worker *w, const char *what)
{
    fprintf(stderr, "storm: rank %d, thread %d, seed %lld: %s\n", w->rank, w->thread,
            w->settings->seed, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void require(const struct worker *w, int ok, const char *what)
{
    if (!ok)
        misbehaved(w, what);
}

struct operation *operation_new(struct worker *w, int receiving)
{
    struct operation *o;

    require(w, w->operation_count < OPERATIONS_MOST, "too many operations in a round");
    o = &w->operations[w->operation_count++];
    memset(o, 0, sizeof *o);
    o->receiving = receiving;
    o->request = MPI_REQUEST_NULL;
    o->type = MPI_DATATYPE_NULL;
    o->order = w->order++;
    o->got_size = -1;
    o->buffer = calloc(1, (size_t)w->size_most + TRUTH_HEADER);
    require(w, o->buffer != NULL, "out of memory");
    return o;
}

/* The rank in MPI_COMM_WORLD of a rank of this round's communicator, as a receiver sees
 * it. */
static int world_of(const struct worker *w, int rank)
{
    const struct family *f = w->family;

    for (int r = 0; r < w->ranks; r++)
        if (f->rank[r] == rank && f->colour[r] >= 0 &&
            (f->colour[r] == f->colour[w->rank]) == !f->inter)
            return r;
    misbehaved(w, "a source is no rank of its communicator");
}

/* The sender as the program knows it without a status: by the header. */
static void receive_by_header(struct worker *w, struct operation *o)
{
    const struct truth_header *h = truth_header_of(o->buffer, -1);

    require(w, h != NULL, "a message without its header");
    o->got_source = h->channel.from;
    o->got_tag = h->channel.tag;
    o->got_size = (int)h->size;
}

void received(struct worker *w, struct operation *o, const MPI_Status *status)
{
    int bytes;

    if (!status) {
        receive_by_header(w, o);
    } else {
        MPI_Get_elements(status, MPI_BYTE, &bytes);
        o->got_source = world_of(w, status->MPI_SOURCE);
        o->got_tag = status->MPI_TAG;
        o->got_size = bytes;
    }
    require(w, o->source == MPI_ANY_SOURCE || o->source == o->got_source,
            "a message of another source than asked for");
    require(w, o->tag == MPI_ANY_TAG || o->tag == o->got_tag,
            "a message of another tag than asked for");
    w->received++;
}

static struct operation *receive_new(struct worker *w, int source, int tag,
                                     const char *kind)
{
    struct operation *o = operation_new(w, 1);

    o->source = source;
    o->tag = tag;
    o->record.kind = kind;
    w->posted++;
    return o;
}

void post_receive(struct worker *w, int source, int tag)
{
    struct operation *o = receive_new(w, source, tag, "Irecv");

    o->pending = 1;
    o->record.post_ns = truth_now();
    o->record.site = HERE;
    MPI_Irecv(o->buffer, w->size_most, MPI_BYTE, rank_of(w, source), tag, w->family->comm,
              &o->request);
}

static void note_end(struct operation *o, uint64_t enter_ns, const char *site)
{
    o->record.end_ns = o->record.last_ns = truth_now();
    o->record.enter_ns = enter_ns;
    o->record.done_site = site;
}

void receive_now(struct worker *w, int source, int tag)
{
    struct operation *o = receive_new(w, source, tag, "Recv");
    const int by_header = w->headers && chance(&w->own, 30);
    MPI_Status status;

    o->record.post_ns = truth_now();
    o->record.site = HERE;
    MPI_Recv(o->buffer, w->size_most, MPI_BYTE, rank_of(w, source), tag, w->family->comm,
             by_header ? MPI_STATUS_IGNORE : &status);
    note_end(o, o->record.post_ns, o->record.site);
    received(w, o, by_header ? NULL : &status);
}

/* The match is the posting. */
static void receive_matched(struct worker *w, struct operation *o, MPI_Message *message)
{
    MPI_Status status;

    if (chance(&w->own, 50)) {
        uint64_t enter_ns = truth_now();
        const char *site = HERE;

        MPI_Mrecv(o->buffer, w->size_most, MPI_BYTE, message, &status);
        note_end(o, enter_ns, site);
        received(w, o, &status);
    } else {
        o->pending = 1;
        o->record.kind = "Imrecv";
        MPI_Imrecv(o->buffer, w->size_most, MPI_BYTE, message, &o->request);
    }
}

static void receive_by_mprobe(struct worker *w, int source, int tag, int blocking)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    const uint64_t post_ns = truth_now();
    struct operation *o;
    const char *site;
    int found = 1;

    if (blocking) {
        site = HERE;
        MPI_Mprobe(rank_of(w, source), tag, w->family->comm, &message, MPI_STATUS_IGNORE);
    } else {
        site = HERE;
        MPI_Improbe(rank_of(w, source), tag, w->family->comm, &found, &message,
                    MPI_STATUS_IGNORE);
    }
    if (!found)
        return;
    o = receive_new(w, source, tag, "Mrecv");
    o->record.post_ns = post_ns;
    o->record.site = site;
    receive_matched(w, o, &message);
}

void receive_probed(struct worker *w, int source, int tag, int blocking)
{
    MPI_Status status;
    int found = 1;

    if (chance(&w->own, 50)) {
        receive_by_mprobe(w, source, tag, blocking);
        return;
    }
    if (blocking)
        MPI_Probe(rank_of(w, source), tag, w->family->comm, &status);
    else
        MPI_Iprobe(rank_of(w, source), tag, w->family->comm, &found, &status);
    if (found)
        receive_now(w, world_of(w, status.MPI_SOURCE), status.MPI_TAG);
}

/* Make a type whose one item is a payload of this size: as it is, or with gaps between
 * its blocks. Returns whether there are gaps. */
static int make_type(struct worker *w, int size, MPI_Datatype *type)
{
    const int gaps =
        w->settings->derived && size && size % BLOCK == 0 && size <= DERIVED_MOST;

    if (gaps)
        MPI_Type_vector(size / BLOCK, BLOCK, 2 * BLOCK, MPI_BYTE, type);
    else
        MPI_Type_contiguous(size, MPI_BYTE, type);
    MPI_Type_commit(type);
    return gaps;
}

static void spread_payload(unsigned char *to, const unsigned char *from, int size)
{
    for (int i = 0; i < size; i += BLOCK)
        memcpy(to + 2 * i, from + i, BLOCK);
}

/* A send that is about to be called: each kind has a function, and so a site, of its own.
 */
struct call {
    struct worker *w;
    struct operation *o;
    const struct message *m;
    const void *buffer;
    MPI_Datatype type;
    int count, to;
    MPI_Comm comm;
};

static void begin(struct call *c, const char *kind, const char *site)
{
    const struct truth_channel channel =
        channel_of(c->w, c->m->from, c->m->to, c->m->tag);
    unsigned char payload[DERIVED_MOST];
    int gaps = 0;

    c->o = operation_new(c->w, 0);
    c->buffer = c->o->buffer;
    c->type = MPI_BYTE;
    c->count = c->m->size;
    if (chance(&c->w->own, 40)) {
        gaps = make_type(c->w, c->m->size, &c->o->type);
        c->type = c->o->type;
        c->count = 1;
    }
    c->o->sent = truth_send(&c->w->truth, &channel, c->m->size, kind, site,
                            gaps ? payload : c->o->buffer);
    if (gaps)
        spread_payload(c->o->buffer, payload, c->m->size);
}

/* After the call, in the same function: a call that ends a function leaves no frame of
 * it, and so no site. */
static void end(struct call *c)
{
    truth_send_ends(&c->w->truth, c->o->sent);
}

static void send_plain(struct call *c)
{
    begin(c, "Send", HERE);
    MPI_Send(c->buffer, c->count, c->type, c->to, c->m->tag, c->comm);
    end(c);
}

static void send_synchronous(struct call *c)
{
    begin(c, "Ssend", HERE);
    MPI_Ssend(c->buffer, c->count, c->type, c->to, c->m->tag, c->comm);
    end(c);
}

static void send_buffered(struct call *c)
{
    begin(c, "Bsend", HERE);
    MPI_Bsend(c->buffer, c->count, c->type, c->to, c->m->tag, c->comm);
    end(c);
}

static void send_ready(struct call *c)
{
    begin(c, "Rsend", HERE);
    MPI_Rsend(c->buffer, c->count, c->type, c->to, c->m->tag, c->comm);
    end(c);
}

static void start_plain(struct call *c)
{
    begin(c, "Isend", HERE);
    MPI_Isend(c->buffer, c->count, c->type, c->to, c->m->tag, c->comm, &c->o->request);
    end(c);
}

static void start_synchronous(struct call *c)
{
    begin(c, "Issend", HERE);
    MPI_Issend(c->buffer, c->count, c->type, c->to, c->m->tag, c->comm, &c->o->request);
    end(c);
}

static void start_buffered(struct call *c)
{
    begin(c, "Ibsend", HERE);
    MPI_Ibsend(c->buffer, c->count, c->type, c->to, c->m->tag, c->comm, &c->o->request);
    end(c);
}

static void start_ready(struct call *c)
{
    begin(c, "Irsend", HERE);
    MPI_Irsend(c->buffer, c->count, c->type, c->to, c->m->tag, c->comm, &c->o->request);
    end(c);
}

void send_message(struct worker *w, const struct message *m, enum sending how)
{
    static void (*const calls[SENDINGS][4])(struct call *) = {
        [SEND_NOW] = {send_plain, send_synchronous, send_buffered, start_plain},
        [SEND_LATER] = {start_plain, start_synchronous, start_buffered, send_buffered},
        [SEND_READY] = {send_ready, start_ready, send_ready, start_ready},
    };
    struct call c = {
        .w = w, .m = m, .to = w->family->rank[m->to], .comm = w->family->comm};

    calls[how][below(&w->own, 4)](&c);
    c.o->pending = c.o->request != MPI_REQUEST_NULL;
    if (c.o->pending && chance(&w->own, 4)) {
        MPI_Request_free(&c.o->request); /* the round's end says that it has arrived */
        c.o->pending = 0;
    }
}

void to_nobody(struct worker *w)
{
    MPI_Request requests[2];
    MPI_Status status;
    int value = 1;

    if (w->family->comm == MPI_COMM_NULL)
        return;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, NULL_TAG, w->family->comm);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, w->family->comm, &status);
    require(w, status.MPI_SOURCE == MPI_PROC_NULL, "nobody has sent something");
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, NULL_TAG, w->family->comm, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, NULL_TAG, w->family->comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, NULL_TAG, &value, 1, MPI_INT,
                 MPI_PROC_NULL, NULL_TAG, w->family->comm, MPI_STATUS_IGNORE);
    MPI_Probe(MPI_PROC_NULL, NULL_TAG, w->family->comm, &status);
    require(w, status.MPI_SOURCE == MPI_PROC_NULL, "nobody's message has a source");
}
