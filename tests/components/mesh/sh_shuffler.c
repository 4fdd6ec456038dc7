/* SPDX-License-Identifier: BSD-3-Clause */
/* sh_shuffler.c: the class Shuffler answers a mesh's question for owners at random: every
 * `every` steps each patch goes to any rank, by a hash of seed, step and patch. Faults on
 * purpose: `outside` names a rank that is not there, `differ` tells each rank another
 * answer, `fail` fails, `alone` fails on the last rank. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/balance_port_signature.h"
#include "ports/exchange_port.h"

struct shuffler {
    struct balance_port port;
    struct cca_services *services;
    int64_t told; /* how often patches have moved */
};

static unsigned hash(uint64_t seed, int64_t step, const struct balance_patch *patch)
{
    uint64_t h = seed * 1000003 + (uint64_t)step;

    h = (h * 1000003 + (uint64_t)patch->level) * 1000003 + (uint64_t)patch->number;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    return (unsigned)(h >> 40);
}

static int shuffler_ask(struct balance_port *self, int64_t step,
                        const struct balance_mesh *mesh,
                        const struct balance_patch *patches, int count, int *owners,
                        struct cca_error *err)
{
    struct shuffler *k = cca_container_of(self, struct shuffler, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    long every = cca_services_param_long(k->services, "every");
    const char *fault = cca_services_param_string(k->services, "fault");
    uint64_t seed = (uint64_t)cca_services_param_long(k->services, "seed");

    if (step == 0 || step % every)
        return 0;
    if (!strcmp(fault, "fail"))
        return cca_error_set(err, -EIO, "no owners today");
    if (!strcmp(fault, "alone") && ranks && ranks->rank(ranks) == mesh->ranks - 1)
        return cca_error_set(err, -EIO, "no owners here");
    if (!strcmp(fault, "differ"))
        seed += ranks ? (uint64_t)ranks->rank(ranks) : 0;
    for (int n = 0; n < count; n++)
        owners[n] = (int)(hash(seed, step, &patches[n]) % (unsigned)mesh->ranks);
    if (!strcmp(fault, "outside"))
        owners[count - 1] = mesh->ranks;
    return 1;
}

static void shuffler_moved(struct balance_port *self, int64_t step, int64_t cells,
                           int64_t cpu_ns)
{
    struct shuffler *k = cca_container_of(self, struct shuffler, port);

    (void)step;
    if (cells < 0 || cpu_ns < 0)
        fprintf(stderr, "told of %lld cells in %lld ns\n", (long long)cells,
                (long long)cpu_ns);
    k->told++;
}

static const struct balance_port methods = {.base = {BALANCE_PORT_TYPE, sizeof methods},
                                            .ask = shuffler_ask,
                                            .moved = shuffler_moved};

static void shuffler_destroy(void *self)
{
    const struct shuffler *k = self;
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");

    if (!ranks || ranks->rank(ranks) == 0)
        fprintf(stderr, "moved %lld times\n", (long long)k->told);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct shuffler, services),
    .name = "Shuffler",
    .summary = "random owners for the patches of a mesh",
    CCA_SIGNATURES(BALANCE_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"balance", offsetof(struct shuffler, port), &methods.base}),
    CCA_USES(CCA_PORT("exchange", EXCHANGE_PORT_TYPE, struct exchange_port)),
    CCA_PARAMS({"every", CCA_LONG, "1", "1", NULL, NULL, NULL, "steps between", NULL},
               {"seed", CCA_LONG, "1", "0", NULL, NULL, NULL, "of all answers", NULL},
               {"fault", CCA_STRING, "none", NULL, NULL, "none|outside|differ|fail|alone",
                NULL, "what is wrong with the answers", NULL}),
    .destroy = shuffler_destroy,
};
