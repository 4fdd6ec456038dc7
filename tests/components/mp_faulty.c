/* SPDX-License-Identifier: BSD-3-Clause */
/* mp_faulty.c: the class Faulty, whose go fails on one rank while the others exchange
 * messages or compute. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cca.h"
#include "ports/builder_port.h"
#include "ports/exchange_port.h"
#include "ports/go_port.h"

struct faulty {
    struct go_port port;
    struct cca_services *services;
};

/* Change a parameter of this instance behind the script's back. */
static int drift(struct faulty *k)
{
    struct builder_port *builder = cca_services_get(k->services, "builder", NULL);
    int code =
        builder ? builder->set_parameter(builder, cca_services_instance_name(k->services),
                                         "at", "11", NULL)
                : -ENOTCONN;

    if (builder)
        cca_services_release_port(k->services, "builder", NULL);
    return code;
}

static int fail(struct faulty *k, const char *how)
{
    if (!strcmp(how, "return"))
        return cca_services_fail(k->services, -EDOM, "the pressure is negative");
    if (!strcmp(how, "drift"))
        return drift(k);
    if (!strcmp(how, "exit"))
        exit(0);
    if (!strcmp(how, "exit7"))
        exit(7);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "segv"))
        raise(SIGSEGV);
    return 0;
}

/* Each step is a minimum over the ranks and a message to the next one. */
static int step(struct exchange_port *ranks, int number, const char *how)
{
    int rank = ranks->rank(ranks), size = ranks->size(ranks), code;
    double least = number + rank;
    int64_t sent = 1000 * rank + number, got = -1;

    if (!strcmp(how, "sleep"))
        usleep(1000);
    code = ranks->minimum(ranks, &least, 1);
    if (!code)
        code = ranks->receive(ranks, (rank + size - 1) % size, 5, &got, sizeof got);
    if (!code)
        code = ranks->send(ranks, (rank + 1) % size, 5, &sent, sizeof sent);
    if (!code)
        code = ranks->wait(ranks);
    if (!code && (got != 1000 * ((rank + size - 1) % size) + number || least != number))
        code = -EPROTO;
    return code;
}

static int faulty_go(struct go_port *self)
{
    struct faulty *k = cca_container_of(self, struct faulty, port);
    struct exchange_port *ranks = cca_services_get(k->services, "exchange", NULL);
    int code = ranks ? 0 : -ENOTCONN;
    int last = (int)cca_services_param_long(k->services, "steps");
    int at = (int)cca_services_param_long(k->services, "at");

    for (int number = 0; number < last && !code; number++) {
        if (number == at &&
            ranks->rank(ranks) == cca_services_param_long(k->services, "rank"))
            code = fail(k, cca_services_param_string(k->services, "how"));
        if (!code)
            code = step(ranks, number, cca_services_param_string(k->services, "others"));
    }
    if (ranks)
        cca_services_release_port(k->services, "exchange", NULL);
    return code;
}

static void *faulty_create(const struct cca_class *cls, struct cca_error *err)
{
    const char *rank = getenv("MP_CREATE_FAILS"), *mine = getenv("MP_RANK");
    int fails = rank && mine && !strcmp(rank, mine);
    void *self = fails ? NULL : calloc(1, cls->instance_size);

    if (!self)
        cca_error_set(err, -ENOMEM, fails ? "not on this machine" : "out of memory");
    return self;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = faulty_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct faulty, services),
    .name = "Faulty",
    .summary = "fails on one rank",
    CCA_IMPLEMENTS({"go", offsetof(struct faulty, port), &port.base}),
    CCA_USES(CCA_PORT("builder", BUILDER_PORT_TYPE, struct builder_port),
             CCA_PORT("exchange", EXCHANGE_PORT_TYPE, struct exchange_port)),
    CCA_PARAMS(
        {.name = "steps", .type = CCA_LONG, .value = "20", .help = "steps to do"},
        {.name = "rank", .type = CCA_LONG, .value = "-1", .help = "the rank that fails"},
        {.name = "at", .type = CCA_LONG, .value = "10", .help = "in this step"},
        {.name = "how",
         .type = CCA_STRING,
         .value = "return",
         .choices = "return|drift|exit|exit7|abort|kill|segv",
         .help = "what it does"},
        {.name = "others",
         .type = CCA_STRING,
         .value = "wait",
         .choices = "wait|sleep",
         .help = "what all do between messages"}),
    .create = faulty_create,
    .destroy = free,
};
