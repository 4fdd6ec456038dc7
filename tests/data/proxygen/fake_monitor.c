/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_monitor.c: the class FakeMonitor, which serves the monitor port in tests. */
#include "fake_monitor.h"

#include <errno.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"

static struct fake_monitor *fake_of(struct monitor_port *port)
{
    return cca_container_of(port, struct fake_monitor, port);
}

__attribute__((format(printf, 2, 3))) static void note(struct fake_monitor *fake,
                                                       const char *format, ...)
{
    size_t used = strlen(fake->log);
    int number = errno;
    fenv_t floats; /* printing may raise exceptions */
    va_list args;

    fegetenv(&floats);
    fesetround(FE_TONEAREST);
    va_start(args, format);
    vsnprintf(fake->log + used, sizeof fake->log - used, format, args);
    va_end(args);
    fesetenv(&floats);
    errno = number;
}

static struct monitor_method *method_open(struct monitor_port *self,
                                          const struct monitor_method_decl *decl,
                                          struct cca_error *err)
{
    static const char *const kinds[] = {"", " mode", " out", " hint"};
    struct fake_monitor *fake = fake_of(self);
    struct fake_method *method = &fake->methods[fake->method_count];

    if (fake->refuse || fake->method_count == FAKE_METHODS) {
        cca_error_set(err, -ENOSPC, "no room for '%s'", decl->method);
        return NULL;
    }
    fake->method_count++;
    method->head.on = 1;
    method->in_count = decl->in_count;
    method->out_count = decl->out_count;
    snprintf(method->name, sizeof method->name, "%s", decl->method);
    note(fake, "open %s.%s.%s %s %s(", decl->instance, decl->port, decl->method,
         decl->class_name, decl->port_type);
    for (size_t i = 0; i < decl->in_count + decl->out_count; i++) {
        const struct monitor_value_decl *value = &decl->values[i];

        snprintf(method->values[i], sizeof method->values[i], "%s", value->name);
        method->types[i] = value->type;
        note(fake, "%s%s = %s%s", i ? ", " : "", value->name, value->expression,
             kinds[value->kind]);
        for (size_t l = 0; l < value->label_count; l++)
            note(fake, "%s%lld:%s", l ? "," : "{", (long long)value->labels[l].value,
                 value->labels[l].text);
        note(fake, "%s", value->label_count ? "}" : "");
    }
    note(fake, ");");
    return &method->head;
}

static void note_values(struct fake_monitor *fake, const struct fake_method *method,
                        const union monitor_value *values, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (monitor_value_absent(values[i], method->types[first + i]))
            note(fake, " %s=absent", method->values[first + i]);
        else if (method->types[first + i] == MONITOR_DOUBLE)
            note(fake, " %s=%g", method->values[first + i], values[i].d);
        else
            note(fake, " %s=%lld", method->values[first + i], (long long)values[i].i);
    }
    note(fake, ";");
}

static struct monitor_frame *begin(struct monitor_port *self, struct monitor_method *head,
                                   const union monitor_value *in)
{
    struct fake_method *method = cca_container_of(head, struct fake_method, head);

    note(fake_of(self), "begin %s", method->name);
    note_values(fake_of(self), method, in, 0, method->in_count);
    method->open++;
    return (struct monitor_frame *)(void *)method;
}

static void end(struct monitor_port *self, struct monitor_frame *frame,
                const union monitor_value *out)
{
    struct fake_method *method = (struct fake_method *)(void *)frame;

    note(fake_of(self), "end %s", method->name);
    note_values(fake_of(self), method, out, method->in_count, method->out_count);
    method->open--;
}

static uint64_t now(struct monitor_port *self)
{
    note(fake_of(self), "now;");
    return 7;
}

static void end_at(struct monitor_port *self, struct monitor_frame *frame,
                   const union monitor_value *out, uint64_t when)
{
    if (when != 7)
        note(fake_of(self), "at another time ");
    end(self, frame, out);
}

static void unwind(struct monitor_port *self, struct monitor_frame *frame)
{
    struct fake_method *method = (struct fake_method *)(void *)frame;

    note(fake_of(self), "unwind %s;", method->name);
    method->open--;
}

static const struct monitor_port port = {.base = {MONITOR_PORT_TYPE, sizeof port},
                                         .method_open = method_open,
                                         .begin = begin,
                                         .end = end,
                                         .unwind = unwind,
                                         .now = now,
                                         .end_at = end_at};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct fake_monitor),
    .name = "FakeMonitor",
    .summary = "writes down what proxies tell it",
    .serves = MONITOR_PORT_TYPE,
    CCA_IMPLEMENTS({"monitor", offsetof(struct fake_monitor, port), &port.base}),
};
