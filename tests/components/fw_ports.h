/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_ports.h: ports of the classes that test the framework. */
#ifndef TESTS_COMPONENTS_FW_PORTS_H
#define TESTS_COMPONENTS_FW_PORTS_H

#include "ports/cca_port.h"

#define FW_VALUE_TYPE "fw.ValuePort/1"

struct fw_value_port {
    struct cca_port base;
    int (*value)(struct fw_value_port *self); /* a number */
};

#define FW_VALUE2_TYPE "fw.ValuePort/2"

#define FW_SINK_TYPE "fw.SinkPort/1"

/* Where the test interposers count the calls that went through them. */
struct fw_sink_port {
    struct cca_port base;
    void (*count)(struct fw_sink_port *self);
    int (*counted)(struct fw_sink_port *self);
};

#define FW_CLOCK_TYPE "fw.ClockPort/1"

struct fw_clock_port {
    struct cca_port base;
    int (*now)(struct fw_clock_port *self);
};

#define FW_PROBE_TYPE "fw.ProbePort/1"

/* Lets a test act inside an instance. */
struct fw_probe_port {
    struct cca_port base;

    /* Do something as the instance, and return the result:
     *   get, get-wrong, get-maybe, release PORT   of its Value ports
     *   value PORT              get all, call, release: the sum
     *   count PORT              connections
     *   peer PORT               write down who it is
     *   refuse, accept EVENT    fail at events of that number, or no longer
     *   hold, let-go            get `in` at CONNECTED, release it at DISCONNECT_PENDING
     *   meddle                  try to remove an instance in go and in every event
     *   assemble                go makes `data` and `worker`, wires them and lets
     *                           `worker` go
     *   fail NUMBER             what go is to return
     *   last                    the value at the last go
     *   listen, unlisten EVENT  to events of that number alone
     *   properties PORT         10 MIN_CONNECTIONS + MAX_CONNECTIONS
     *   register, register-wrong, register-typeless, register-service, unregister, add,
     *   drop PORT               undeclared ports */
    int (*act)(struct fw_probe_port *self, const char *what, const char *argument,
               struct cca_error *err);
    /* From now on report events, releases and destruction here. */
    void (*watch)(struct fw_probe_port *self,
                  void (*sink)(void *context, const char *line), void *context);
};

#endif
