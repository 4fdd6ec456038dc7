/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_broken.c: a component with the mistake that FW_BROKEN in the environment names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "tests/components/fw_ports.h"

struct broken {
    struct fw_value_port out;
    char *leak; /* found by the leak checker if destroy is not called */
};

static int broken_is(const char *how)
{
    const char *set = getenv("FW_BROKEN");

    return set && !strcmp(set, how);
}

static int broken_value(struct fw_value_port *self)
{
    (void)self;
    return 0;
}

static void *broken_create(const struct cca_class *cls, struct cca_error *err)
{
    struct broken *broken;

    (void)cls;
    if (broken_is("create"))
        return NULL;
    if (broken_is("create-words")) {
        cca_error_set(err, -EIO, "no more of these");
        return NULL;
    }
    broken = calloc(1, sizeof *broken);
    if (broken) {
        broken->leak = malloc(1);
        broken->out =
            (struct fw_value_port){{FW_VALUE_TYPE, sizeof broken->out}, broken_value};
    }
    return broken;
}

static int broken_set_services(void *self, struct cca_services *services,
                               struct cca_error *err)
{
    struct broken *broken = self;

    if (broken_is("early"))
        return cca_error_set(err, -ENODEV, "no such thing");
    if (broken_is("missing"))
        return 0;
    if (broken_is("type"))
        broken->out.base.type = FW_VALUE2_TYPE;
    if (broken_is("size"))
        broken->out.base.size += 8;
    if (cca_services_add_provides_port(services, &broken->out.base, "out", NULL, err))
        return -1;
    if (broken_is("twice"))
        return cca_services_add_provides_port(services, &broken->out.base, "out", NULL,
                                              err);
    if (broken_is("undeclared"))
        return cca_services_add_provides_port(services, &broken->out.base, "more", NULL,
                                              err);
    if (broken_is("register"))
        return cca_services_register_uses_port(services, "more", FW_VALUE_TYPE,
                                               sizeof broken->out, NULL, err);
    if (broken_is("again"))
        return cca_services_register_uses_port(services, "old", FW_VALUE_TYPE,
                                               sizeof broken->out, NULL, err);
    if (broken_is("late"))
        return 17;
    return 0;
}

static void broken_destroy(void *self)
{
    struct broken *broken = self;

    free(broken->leak);
    free(broken);
}

static const struct cca_port_decl provides[] = {
    CCA_PORT("out", FW_VALUE_TYPE, struct fw_value_port), {0}};

static const struct cca_port_decl uses[] = {
    CCA_PORT("old", FW_VALUE_TYPE, struct fw_value_port), {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "FwBroken",
    .provides = provides,
    .uses = uses,
    .create = broken_create,
    .set_services = broken_set_services,
    .destroy = broken_destroy,
};
