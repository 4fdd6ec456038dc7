/* SPDX-License-Identifier: BSD-3-Clause */
/* storm_complete.c: every call that completes requests, and cancelling. */
#include "tests/messages/programs/storm.h"

#include <sched.h>
#include <string.h>

enum { AT_ONCE = 12 };

/* Requests of one call. */
struct batch {
    struct operation *operations[OPERATIONS_MOST];
    MPI_Request requests[OPERATIONS_MOST];
    MPI_Status statuses[OPERATIONS_MOST];
    int indices[OPERATIONS_MOST];
    int count, ignore; /* statuses */
    uint64_t enter_ns, end_ns;
    const char *site;
};

static int is_asked(const struct operation *o, enum which which)
{
    return o->pending &&
           (which == PENDING_ALL || o->receiving == (which == PENDING_RECEIVES));
}

int pending_count(const struct worker *w, enum which which)
{
    int count = 0;

    for (int i = 0; i < w->operation_count; i++)
        count += is_asked(&w->operations[i], which);
    return count;
}

/* Some of the pending, from a random one on, in order of posting or against it. */
static void gather(struct worker *w, enum which which, int all, struct batch *b)
{
    const int most = all ? OPERATIONS_MOST : 1 + below(&w->own, AT_ONCE);
    const int start = w->operation_count ? below(&w->own, w->operation_count) : 0;
    const int back = chance(&w->own, 50);

    b->count = 0;
    b->ignore = chance(&w->own, 50);
    for (int i = 0; i < w->operation_count && b->count < most; i++) {
        const int at = (start + (back ? w->operation_count - i : i)) % w->operation_count;
        struct operation *o = &w->operations[at];

        if (!is_asked(o, which))
            continue;
        if (o->receiving && (!w->headers || o->cancelled))
            b->ignore = 0;
        b->operations[b->count] = o;
        b->requests[b->count++] = o->request;
    }
}

static void complete_one(struct worker *w, struct batch *b, int i,
                         const MPI_Status *status)
{
    struct operation *o = b->operations[i];
    int cancelled = 0;

    o->pending = 0;
    if (!o->receiving)
        return;
    if (o->cancelled) {
        MPI_Test_cancelled(status, &cancelled);
        if (cancelled) {
            w->cancelled++;
            return;
        }
        o->record.kind = "Irecv+Cancel";
    }
    o->record.last_ns = b->end_ns;
    if (!o->seen) {
        o->record.enter_ns = b->enter_ns;
        o->record.end_ns = b->end_ns;
        o->record.done_site = b->site;
    }
    received(w, o, status);
}

static void call_single(struct worker *w, struct batch *b, int blocking)
{
    MPI_Status *status = b->ignore ? MPI_STATUS_IGNORE : b->statuses;
    int done = 1;

    if (blocking) {
        b->site = HERE;
        MPI_Wait(b->requests, status);
    } else {
        b->site = HERE;
        MPI_Test(b->requests, &done, status);
    }
    b->end_ns = truth_now();
    if (done)
        complete_one(w, b, 0, b->ignore ? NULL : b->statuses);
}

static void call_any(struct worker *w, struct batch *b, int blocking)
{
    MPI_Status *status = b->ignore ? MPI_STATUS_IGNORE : b->statuses;
    int done = 1, index = MPI_UNDEFINED;

    if (blocking) {
        b->site = HERE;
        MPI_Waitany(b->count, b->requests, &index, status);
    } else {
        b->site = HERE;
        MPI_Testany(b->count, b->requests, &index, &done, status);
    }
    b->end_ns = truth_now();
    if (done && index != MPI_UNDEFINED)
        complete_one(w, b, index, b->ignore ? NULL : b->statuses);
}

static void call_some(struct worker *w, struct batch *b, int blocking)
{
    MPI_Status *statuses = b->ignore ? MPI_STATUSES_IGNORE : b->statuses;
    int count = 0;

    if (blocking) {
        b->site = HERE;
        MPI_Waitsome(b->count, b->requests, &count, b->indices, statuses);
    } else {
        b->site = HERE;
        MPI_Testsome(b->count, b->requests, &count, b->indices, statuses);
    }
    b->end_ns = truth_now();
    for (int i = 0; i < count && count != MPI_UNDEFINED; i++)
        complete_one(w, b, b->indices[i], b->ignore ? NULL : &b->statuses[i]);
}

static void call_all(struct worker *w, struct batch *b, int blocking)
{
    MPI_Status *statuses = b->ignore ? MPI_STATUSES_IGNORE : b->statuses;
    int done = 1;

    if (blocking) {
        b->site = HERE;
        MPI_Waitall(b->count, b->requests, statuses);
    } else {
        b->site = HERE;
        MPI_Testall(b->count, b->requests, &done, statuses);
    }
    b->end_ns = truth_now();
    for (int i = 0; i < b->count && done; i++)
        complete_one(w, b, i, b->ignore ? NULL : &b->statuses[i]);
}

/* The completion of a receive may be seen before the call that ends its request. */
static void look_at(struct batch *b)
{
    struct operation *o = b->operations[0];
    MPI_Status status;
    int done;

    b->enter_ns = truth_now();
    b->site = HERE;
    MPI_Request_get_status(o->request, &done, &status);
    if (!done || o->seen || o->cancelled)
        return;
    o->seen = 1;
    o->record.enter_ns = b->enter_ns;
    o->record.end_ns = truth_now();
    o->record.done_site = b->site;
}

void complete_some(struct worker *w, enum which which, enum completing how)
{
    static _Thread_local struct batch b;
    static void (*const calls[])(struct worker *, struct batch *,
                                 int) = {call_any, call_some, call_single, call_all};
    const int call = below(&w->own, how == COMPLETE_ONE_OF ? 2 : 4);

    gather(w, which, how == COMPLETE_ONE_OF, &b);
    if (!b.count)
        return;
    if (chance(&w->own, 10))
        look_at(&b);
    if (calls[call] == call_single)
        b.count = 1;
    b.enter_ns = truth_now();
    calls[call](w, &b, how != COMPLETE_TEST);
    for (int i = 0; i < b.count; i++)
        b.operations[i]->request = b.requests[i];
}

void complete_rest(struct worker *w, enum which which)
{
    while (pending_count(w, which)) {
        complete_some(w, which, (enum completing)below(&w->own, 3));
        sched_yield();
    }
}

void cancel_one(struct worker *w)
{
    const int start = w->operation_count ? below(&w->own, w->operation_count) : 0;

    for (int i = 0; i < w->operation_count; i++) {
        struct operation *o = &w->operations[(start + i) % w->operation_count];

        if (!o->receiving || !o->pending || o->cancelled ||
            strcmp(o->record.kind, "Irecv"))
            continue;
        o->cancelled = 1;
        MPI_Cancel(&o->request);
        return;
    }
}
