/* SPDX-License-Identifier: BSD-3-Clause */
/* loader.c: threads call a tally port without a pause while the main thread announces
 * steps, at which the class behind the port is exchanged; then it compares the sum with
 * the number of calls. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/exchange_port.h"
#include "ports/go_port.h"
#include "ports/swap_port.h"
#include "tally_port.h"

enum { MOST_THREADS = 64 };

struct loader {
    struct go_port go;
    struct cca_services *services;
    struct tally_port *tally;
    int done; /* access by __atomic */
};

struct caller {
    struct loader *loader;
    pthread_t thread;
    int64_t calls;
};

static void *call_until_done(void *context)
{
    struct caller *caller = context;
    struct tally_port *tally = caller->loader->tally;

    do {
        if (tally->add(tally, 1))
            break;
        caller->calls++;
    } while (!__atomic_load_n(&caller->loader->done, __ATOMIC_RELAXED));
    return NULL;
}

static void *call_stuck(void *context)
{
    struct caller *caller = context;

    caller->loader->tally->add(caller->loader->tally, -1);
    return NULL;
}

/* Request the classes of the parameter in turn, one at each step. */
static int request_next(struct loader *l, struct swap_port *swap, int step)
{
    char classes[256], *rest = classes, *word;
    const char *only = cca_services_param_string(l->services, "only_rank");
    struct exchange_port *ranks = NULL;
    int count = 0, wanted, differs = 0;
    struct cca_error err = {0};

    if (cca_services_connection_count(l->services, "ranks") > 0)
        ranks = cca_services_get(l->services, "ranks", NULL);
    if (ranks) {
        differs = *only && ranks->rank(ranks) != *only - '0';
        cca_services_release_port(l->services, "ranks", NULL);
    }
    snprintf(classes, sizeof classes, "%s",
             cca_services_param_string(l->services, "classes"));
    for (const char *c = classes; *c; c++)
        count += *c == ',';
    if (!*classes || differs)
        return 0;
    wanted = step % (count + 1);
    while ((word = strsep(&rest, ",")) && wanted-- > 0)
        continue;
    if (swap->request(swap, "tally", word, "in turn", &err))
        printf("no request: %s\n", err.text);
    return 0;
}

static int loader_go(struct go_port *self)
{
    struct loader *l = cca_container_of(self, struct loader, go);
    const int threads = (int)cca_services_param_long(l->services, "threads");
    const int steps = (int)cca_services_param_long(l->services, "steps");
    const int stuck = cca_services_param_bool(l->services, "stuck");
    struct caller callers[MOST_THREADS] = {{0}}, held = {.loader = l};
    struct swap_port *swap = cca_services_get(l->services, "swap", NULL);
    int64_t calls = 0, before;
    int made = 0, code = 0;

    l->tally = cca_services_get(l->services, "tally", NULL);
    if (!swap || !l->tally)
        return -ENOTCONN;
    l->done = 0;
    before = l->tally->sum(l->tally);
    for (int i = 0; i < threads; i++) {
        callers[i].loader = l;
        pthread_create(&callers[i].thread, NULL, call_until_done, &callers[i]);
    }
    if (stuck)
        pthread_create(&held.thread, NULL, call_stuck, &held);
    for (int step = 0; step < steps && code >= 0; step++) {
        request_next(l, swap, step);
        for (int i = 0; i < 20; i++)
            calls += l->tally->add(l->tally, 1) == 0;
        code = swap->step(swap);
        made += code > 0;
    }
    __atomic_store_n(&l->done, 1, __ATOMIC_RELAXED);
    if (stuck) {
        l->tally->release(l->tally);
        pthread_join(held.thread, NULL);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(callers[i].thread, NULL);
        calls += callers[i].calls;
    }
    calls -= l->tally->sum(l->tally) - before;
    printf("%d swaps in %d steps, %" PRId64 " calls lost\n", made, steps, calls);
    cca_services_release_port(l->services, "tally", NULL);
    cca_services_release_port(l->services, "swap", NULL);
    return code < 0 ? code : calls ? -EIO : 0;
}

static const struct go_port go = {.base = {GO_PORT_TYPE, sizeof go}, .go = loader_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct loader, services),
    .name = "Loader",
    .summary = "calls a tally from many threads",
    CCA_IMPLEMENTS({"go", offsetof(struct loader, go), &go.base}),
    CCA_USES(CCA_REQUIRED("tally", TALLY_PORT_TYPE, struct tally_port),
             CCA_PORT("swap", SWAP_PORT_TYPE, struct swap_port),
             CCA_PORT("ranks", EXCHANGE_PORT_TYPE, struct exchange_port)),
    CCA_PARAMS({"threads", CCA_LONG, "8", "0", "64", NULL, NULL, "calling threads", NULL},
               {"steps", CCA_LONG, "1", "0", NULL, NULL, NULL, "steps announced", NULL},
               {"classes", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "classes to request in turn", NULL},
               {"only_rank", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "the only rank that requests", NULL},
               {"stuck", CCA_BOOL, "false", NULL, NULL, NULL, NULL,
                "a call that ends only after the last step", NULL}),
};
