/* SPDX-License-Identifier: BSD-3-Clause */
/* pr_mute.c: a property that dies before it has said its name. */
#include <stdlib.h>

#include "framework/cca.h"
#include "ports/property_port.h"

static int describe(struct property_port *self, struct property_about *about,
                    struct cca_error *err)
{
    (void)self;
    (void)about;
    (void)err;
    abort();
}

static int evaluate(struct property_port *self, struct property_data *data,
                    struct cca_error *err)
{
    (void)self;
    (void)data;
    (void)err;
    return 0;
}

static const struct property_port port = {
    .base = {PROPERTY_PORT_TYPE, sizeof port}, describe, NULL, evaluate};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct property_port),
    .name = "test.PrMute",
    .summary = "a property that cannot say its name",
    CCA_IMPLEMENTS({"property", 0, &port.base}),
};
