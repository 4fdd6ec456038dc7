/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_go_proxy.c: a test interposer for the Go port; it gets its ports call by call. */
#include <errno.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "tests/components/fw_ports.h"

struct proxy {
    struct go_port port;
    struct cca_services *services;
};

static int proxy_go(struct go_port *self)
{
    struct proxy *proxy = cca_container_of(self, struct proxy, port);
    CCA_USE(struct fw_sink_port, sink, proxy->services, "sink");
    CCA_USE(struct go_port, target, proxy->services, "port");

    if (!sink || !target)
        return -ENOTCONN;
    sink->count(sink);
    return target->go(target);
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, proxy_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct proxy, services),
    .name = "FwGoProxy",
    .proxy_for = GO_PORT_TYPE,
    CCA_IMPLEMENTS({"port", offsetof(struct proxy, port), &port.base}),
    CCA_USES(CCA_REQUIRED("port", GO_PORT_TYPE, struct go_port),
             CCA_REQUIRED("sink", FW_SINK_TYPE, struct fw_sink_port)),
};
