/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_node.c: a component that follows the commands of a test that come through its probe.
 * Its value is one more than the sum of the values it uses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/builder_port.h"
#include "ports/connection_event_port.h"
#include "ports/go_port.h"
#include "tests/components/fw_ports.h"

struct node {
    struct go_port go;
    struct fw_value_port out;
    struct fw_value_port extra;
    struct fw_probe_port probe;
    struct cca_services *services;
    void (*sink)(void *context, const char *line);
    void *sink_context;
    int refuse[5]; /* by event */
    int result;    /* of go */
    int meddle;    /* change the assembly from a listener */
    int holding;   /* keep `in` while it is connected */
    int last;      /* value at the last go */
    int assemble;  /* go builds an assembly and runs it */
};

static void say(struct node *node, const char *what, const char *port, const char *peer)
{
    char line[256];

    if (!node->sink)
        return;
    snprintf(line, sizeof line, "%s %s %s %s", cca_services_instance_name(node->services),
             what, port, peer);
    node->sink(node->sink_context, line);
}

static int sum(struct node *node, const char *port, struct cca_error *err)
{
    int total = 0, count = cca_services_connection_count(node->services, port);

    for (int i = 0; i < count; i++) {
        struct fw_value_port *value = cca_services_get_port_at(
            node->services, port, (size_t)i, FW_VALUE_TYPE, sizeof *value, err);

        if (!value)
            return -1;
        total += value->value(value);
        cca_services_release_port(node->services, port, NULL);
    }
    return total;
}

static int node_value(struct fw_value_port *self)
{
    struct node *node = cca_container_of(self, struct node, out);

    return 1 + sum(node, "in", NULL) + sum(node, "many", NULL);
}

/* Make a source and another node, wire them, and start that node through a uses port that
 * is registered for this. */
static int assemble(struct node *node)
{
    struct cca_services *services = node->services;
    const char *name = cca_services_instance_name(services);
    struct cca_error err = {0};
    struct go_port *go;
    struct builder_port *builder = cca_services_get(services, "builder", &err);

    builder->create_instance(builder, "data", "FwSource", NULL, &err);
    builder->create_instance(builder, "worker", "FwNode", NULL, &err);
    builder->set_parameter(builder, "data", "n", "41", &err);
    builder->connect(builder, "worker", "in", "data", "out", &err);
    cca_services_register_uses_port(services, "work", GO_PORT_TYPE, sizeof *go, NULL,
                                    &err);
    builder->connect(builder, name, "work", "worker", "go", &err);
    go = err.code
             ? NULL
             : cca_services_get_port(services, "work", GO_PORT_TYPE, sizeof *go, &err);
    if (go && go->go(go))
        cca_error_set(&err, -EIO, "worker failed");
    cca_services_release_port(services, "work", &err);
    cca_services_release_port(services, "builder", &err);
    return err.code ? cca_services_fail(services, err.code, "%s", err.text) : 0;
}

static int node_go(struct go_port *self)
{
    struct node *node = cca_container_of(self, struct node, go);
    struct builder_port *builder;
    int status = 0;

    if (node->assemble)
        return assemble(node);

    node->last = node_value(&node->out);
    if (node->meddle) {
        builder = cca_services_get(node->services, "builder", NULL);
        status = builder->destroy_instance(
            builder, cca_services_instance_name(node->services), 0, NULL);
        cca_services_release_port(node->services, "builder", NULL);
        return status;
    }
    if (node->result)
        return cca_services_fail(node->services, node->result, "told to return %d",
                                 node->result);
    return 0;
}

static int heard(void *context, const struct connection_event *event,
                 struct cca_error *err)
{
    static const char *const names[] = {"", "connecting", "connected", "disconnecting",
                                        "disconnected"};
    struct node *node = context;
    struct fw_value_port *value;

    say(node, names[event->type], event->port, event->peer);
    if (node->meddle) {
        struct builder_port *builder = cca_services_get(node->services, "builder", err);
        int status = builder->destroy_instance(builder, event->peer, 0, err);

        cca_services_release_port(node->services, "builder", NULL);
        return status;
    }
    if (node->holding && !strcmp(event->port, "in")) {
        if (event->type == CONNECTION_CONNECTED)
            return cca_services_get_port(node->services, "in", FW_VALUE_TYPE,
                                         sizeof *value, err)
                       ? 0
                       : -EPROTO;
        if (event->type == CONNECTION_DISCONNECT_PENDING)
            cca_services_release_port(node->services, "in", err);
    }
    return node->refuse[event->type]
               ? cca_error_set(err, -EACCES, "told to refuse %s", names[event->type])
               : 0;
}

/* Start or stop listening to one type of event. */
static int act_listen(struct node *node, const char *what, const char *argument,
                      struct cca_error *err)
{
    struct connection_event_port *events =
        cca_services_get(node->services, "events", err);
    enum connection_event_type type = (enum connection_event_type)atoi(argument);
    int status = *what == 'l' ? events->add_listener(events, type, heard, node)
                              : events->remove_listener(events, type, heard, node);

    cca_services_release_port(node->services, "events", NULL);
    return status;
}

/* Register with a minimum of connections above the maximum. */
static int register_wrong(struct node *node, const char *name, struct cca_error *err)
{
    struct cca_typemap *map = cca_typemap_new();
    int status = cca_typemap_put_int(map, "MIN_CONNECTIONS", 3);

    if (!status)
        status = cca_typemap_put_int(map, "MAX_CONNECTIONS", 2);
    if (!status)
        status = cca_services_register_uses_port(node->services, name, FW_VALUE_TYPE,
                                                 sizeof(struct fw_value_port), map, err);
    cca_typemap_free(map);
    return status;
}

static int act_dynamic(struct node *node, const char *what, const char *argument,
                       struct cca_error *err)
{
    if (!strcmp(what, "register-wrong"))
        return register_wrong(node, argument, err);
    if (!strcmp(what, "register-typeless"))
        return cca_services_register_uses_port(node->services, argument, "", 8, NULL,
                                               err);
    if (!strcmp(what, "register-service"))
        return cca_services_register_uses_port(node->services, argument,
                                               BUILDER_PORT_TYPE, 8, NULL, err);
    if (!strcmp(what, "register"))
        return cca_services_register_uses_port(node->services, argument, FW_VALUE_TYPE,
                                               sizeof(struct fw_value_port), NULL, err);
    if (!strcmp(what, "unregister"))
        return cca_services_unregister_uses_port(node->services, argument, err);
    if (!strcmp(what, "add"))
        return cca_services_add_provides_port(node->services, &node->extra.base, argument,
                                              NULL, err);
    return cca_services_remove_provides_port(node->services, argument, err);
}

static int act(struct fw_probe_port *self, const char *what, const char *argument,
               struct cca_error *err)
{
    struct node *node = cca_container_of(self, struct node, probe);
    struct fw_value_port *value;
    struct cca_peer peer;
    int status;

    if (!strcmp(what, "get"))
        return cca_services_get_port(node->services, argument, FW_VALUE_TYPE,
                                     sizeof *value, err)
                   ? 0
                   : -1;
    if (!strcmp(what, "get-wrong"))
        return cca_services_get_port(node->services, argument, FW_VALUE2_TYPE,
                                     sizeof *value, err)
                   ? 0
                   : -1;
    if (!strcmp(what, "get-maybe"))
        return cca_services_get_port_nonblocking(node->services, argument, FW_VALUE_TYPE,
                                                 sizeof *value, err)
                   ? 0
                   : -1;
    if (!strcmp(what, "release"))
        return cca_services_release_port(node->services, argument, err);
    if (!strcmp(what, "value"))
        return sum(node, argument, err);
    if (!strcmp(what, "count"))
        return cca_services_connection_count(node->services, argument);
    if (!strcmp(what, "refuse") || !strcmp(what, "accept")) {
        node->refuse[atoi(argument)] = *what == 'r';
        return 0;
    }
    if (!strcmp(what, "hold") || !strcmp(what, "let-go")) {
        node->holding = *what == 'h';
        return 0;
    }
    if (!strcmp(what, "meddle")) {
        node->meddle = 1;
        return 0;
    }
    if (!strcmp(what, "assemble")) {
        node->assemble = 1;
        return 0;
    }
    if (!strcmp(what, "fail")) {
        node->result = atoi(argument);
        return 0;
    }
    if (!strcmp(what, "last"))
        return node->last;
    if (!strcmp(what, "listen") || !strcmp(what, "unlisten"))
        return act_listen(node, what, argument, err);
    if (!strcmp(what, "properties")) {
        struct cca_typemap *map =
            cca_services_get_port_properties(node->services, argument);

        if (!map)
            return -ENOENT;
        say(node, cca_typemap_get_string(map, "cca.portName", ""),
            cca_typemap_get_string(map, "cca.portType", ""), "");
        return 10 * cca_typemap_get_int(map, "MIN_CONNECTIONS", -1) +
               cca_typemap_get_int(map, "MAX_CONNECTIONS", -1);
    }
    if (!strcmp(what, "peer")) {
        status = cca_services_get_peer(node->services, argument, &peer, err);
        if (!status)
            say(node, peer.instance, peer.port, peer.class_name);
        return status;
    }
    return act_dynamic(node, what, argument, err);
}

static void released(void *context)
{
    say(context, "released", "-", "-");
}

static void watch(struct fw_probe_port *self,
                  void (*sink)(void *context, const char *line), void *context)
{
    struct node *node = cca_container_of(self, struct node, probe);

    node->sink = sink;
    node->sink_context = context;
}

static const struct go_port go_port = {.base = {GO_PORT_TYPE, sizeof go_port},
                                       .go = node_go};
static const struct fw_value_port out_port = {.base = {FW_VALUE_TYPE, sizeof out_port},
                                              .value = node_value};
static const struct fw_probe_port probe_port = {
    .base = {FW_PROBE_TYPE, sizeof probe_port}, .act = act, .watch = watch};

static int node_set_services(void *self, struct cca_services *services,
                             struct cca_error *err)
{
    struct node *node = self;
    struct connection_event_port *events = cca_services_get(services, "events", err);
    int status =
        events ? events->add_listener(events, CONNECTION_EVENT_ALL, heard, node) : -1;

    node->extra = out_port;
    cca_services_release_port(services, "events", NULL);
    return status ? status : cca_services_register_for_release(services, released, node);
}

static void node_destroy(void *self)
{
    say(self, "destroyed", "-", "-");
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct node, services),
    .name = "FwNode",
    .summary = "does what a test tells it",
    .flags = CCA_DYNAMIC_PORTS,
    CCA_IMPLEMENTS({"go", offsetof(struct node, go), &go_port.base},
                   {"out", offsetof(struct node, out), &out_port.base},
                   {"probe", offsetof(struct node, probe), &probe_port.base}),
    CCA_USES(
        CCA_REQUIRED("in", FW_VALUE_TYPE, struct fw_value_port),
        {.name = "many",
         .type = FW_VALUE_TYPE,
         .size = sizeof(struct fw_value_port),
         .max_connections = 10},
        CCA_PORT("old", FW_VALUE2_TYPE, struct fw_value_port),
        {.name = "wide", .type = FW_VALUE_TYPE, .size = sizeof(struct fw_value_port) + 8},
        CCA_PORT("events", CONNECTION_EVENT_PORT_TYPE, struct connection_event_port),
        CCA_PORT("builder", BUILDER_PORT_TYPE, struct builder_port)),
    .set_services = node_set_services,
    .destroy = node_destroy,
};
