/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_monitor.h: a monitor that writes down what it is told, as text. */
#ifndef FAKE_MONITOR_H
#define FAKE_MONITOR_H

#include "ports/monitor_port.h"

enum { FAKE_METHODS = 64 };

struct fake_method {
    struct monitor_method head;
    char name[32];
    char values[24][16];
    enum monitor_type types[24];
    size_t in_count, out_count;
    int open; /* invocations that are open now */
};

struct fake_monitor {
    struct monitor_port port;
    struct fake_method methods[FAKE_METHODS];
    size_t method_count;
    int refuse; /* method_open fails */
    char log[8192];
};

#endif
