/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.c: decide whether an instance fits in the place of another. */
#include "mastermind/choice/slots.h"

#include <string.h>

int mm_slot_provides(const struct mm_wiring *base, const struct mm_instance *slot,
                     const struct mm_instance *other)
{
    size_t used = 0;

    for (size_t i = 0; i < base->connection_count; i++)
        used += strcmp(base->connections[i].provider, slot->name) == 0;
    for (size_t i = 0; i < slot->provides_count; i++) {
        const struct mm_wiring_port *port = &slot->provides[i], *match;
        int needed = !used;

        for (size_t k = 0; k < base->connection_count; k++)
            needed |= strcmp(base->connections[k].provider, slot->name) == 0 &&
                      strcmp(base->connections[k].provides, port->name) == 0;
        if (!needed)
            continue;
        match = mm_wiring_port_named(other->provides, other->provides_count, port->name);
        if (!match || strcmp(match->type, port->type) != 0)
            return 0;
    }
    return slot->provides_count > 0;
}

static int has_connected_use(const struct mm_wiring *wiring,
                             const struct mm_instance *instance, const char *type)
{
    for (size_t i = 0; i < wiring->connection_count; i++) {
        const struct mm_wiring_port *port;

        if (strcmp(wiring->connections[i].user, instance->name) != 0)
            continue;
        port = mm_wiring_port_named(instance->uses, instance->uses_count,
                                    wiring->connections[i].uses);
        if (port && strcmp(port->type, type) == 0)
            return 1;
    }
    return 0;
}

const char *mm_slot_missing_use(const struct mm_wiring *base,
                                const struct mm_instance *slot,
                                const struct mm_wiring *wiring,
                                const struct mm_instance *other)
{
    for (size_t i = 0; i < wiring->connection_count; i++) {
        const struct mm_wiring_port *port;

        if (strcmp(wiring->connections[i].user, other->name) != 0)
            continue;
        port = mm_wiring_port_named(other->uses, other->uses_count,
                                    wiring->connections[i].uses);
        if (port && !has_connected_use(base, slot, port->type))
            return port->type;
    }
    return NULL;
}
