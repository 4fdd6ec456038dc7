/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.c: classes with a tally port, compiled with -DCLASS=\"NAME\" and one of these,
 * each for a step of a swap that fails:
 *
 *   BAD_CREATE, BAD_WIRING   no instance
 *   BAD_GIVE, BAD_TAKE       the state is not written, or not read
 *   BAD_AGAIN                the state is read only once
 *   BAD_RANK                 the state is not read on rank 1
 *   LAYOUT=\"NAME\"            another layout of the state
 *   NO_ADD                   a port without `add`
 *   NO_STATE                 no port for its state */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/exchange_port.h"
#include "ports/handover_port.h"
#include "tally_port.h"

#ifndef LAYOUT
#define LAYOUT "sum/1"
#endif

struct tally {
    struct tally_port port;
    struct handover_port handover;
    struct cca_services *services;
    int64_t sum;
    int64_t inside; /* calls of add in progress */
    int released;
    int taken;
};

static struct tally *tally_of(struct tally_port *port)
{
    return cca_container_of(port, struct tally, port);
}

static int tally_add(struct tally_port *self, int64_t n)
{
    struct tally *tally = tally_of(self);

    __atomic_fetch_add(&tally->inside, 1, __ATOMIC_RELAXED);
    if (n >= 0)
        __atomic_fetch_add(&tally->sum, n, __ATOMIC_RELAXED);
    while (n < 0 && !__atomic_load_n(&tally->released, __ATOMIC_RELAXED))
        sched_yield();
    __atomic_fetch_sub(&tally->inside, 1, __ATOMIC_RELAXED);
    return 0;
}

static int64_t tally_sum(struct tally_port *self)
{
    return __atomic_load_n(&tally_of(self)->sum, __ATOMIC_RELAXED);
}

static void tally_release(struct tally_port *self)
{
    __atomic_store_n(&tally_of(self)->released, 1, __ATOMIC_RELAXED);
}

static const char *handover_layout(struct handover_port *self)
{
    (void)self;
    return LAYOUT;
}

static int handover_give(struct handover_port *self, void **bytes, size_t *size,
                         struct cca_error *err)
{
    struct tally *tally = cca_container_of(self, struct tally, handover);

#ifdef BAD_GIVE
    return cca_error_set(err, -EIO, "the state of %" PRId64 " is kept back", tally->sum);
#endif
    if (tally->inside) { /* a call is in progress */
        fprintf(stderr, "%" PRId64 " calls inside\n", tally->inside);
        abort();
    }
    *bytes = malloc(sizeof tally->sum);
    if (!*bytes)
        return cca_no_memory(err);
    *size = sizeof tally->sum;
    memcpy(*bytes, &tally->sum, *size);
    return 0;
}

static int handover_take(struct handover_port *self, const void *bytes, size_t size,
                         struct cca_error *err)
{
    struct tally *tally = cca_container_of(self, struct tally, handover);

    if (tally->inside || size != sizeof tally->sum)
        abort();
#ifdef BAD_TAKE
    return cca_error_set(err, -EPROTO, "%zu bytes are not enough", size);
#endif
#ifdef BAD_AGAIN
    if (tally->taken++)
        return cca_error_set(err, -EPROTO, "taken before");
#endif
#ifdef BAD_RANK
    struct exchange_port *ranks = cca_services_get(tally->services, "ranks", err);
    int rank = ranks ? ranks->rank(ranks) : 0;

    if (ranks)
        cca_services_release_port(tally->services, "ranks", NULL);
    if (rank == 1)
        return cca_error_set(err, -EPROTO, "rank 1 takes nothing");
#endif
    (void)err;
    memcpy(&tally->sum, bytes, size);
    return 0;
}

#ifdef BAD_WIRING
static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    (void)self;
    (void)services;
    return cca_error_set(err, -EPROTO, "no wiring");
}
#endif
#ifdef BAD_CREATE
static void *create(const struct cca_class *cls, struct cca_error *err)
{
    (void)cls;
    cca_error_set(err, -ENOMEM, "no room");
    return NULL;
}

static void destroy(void *self)
{
    free(self);
}
#endif

static const struct tally_port port = {.base = {TALLY_PORT_TYPE, sizeof port},
#ifndef NO_ADD
                                       .add = tally_add,
#endif
                                       .sum = tally_sum,
                                       .release = tally_release};

static const struct handover_port handover
    __attribute__((unused)) = {.base = {HANDOVER_PORT_TYPE, sizeof handover},
                               .layout = handover_layout,
                               .give = handover_give,
                               .take = handover_take};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct tally, services),
    .name = CLASS,
    .summary = "a sum",
#ifdef BAD_CREATE
    .create = create,
    .destroy = destroy,
#endif
#ifdef BAD_WIRING
    .set_services = set_services,
#endif
#ifdef BAD_RANK
    CCA_USES(CCA_PORT("ranks", EXCHANGE_PORT_TYPE, struct exchange_port)),
#endif
#ifdef NO_STATE
    CCA_IMPLEMENTS({"tally", offsetof(struct tally, port), &port.base}),
#else
    CCA_IMPLEMENTS({"tally", offsetof(struct tally, port), &port.base},
                   {"state", offsetof(struct tally, handover), &handover.base}),
#endif
};
