/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h: send the copies between this rank and another rank as one message.
 *
 * Both ranks have the same copies in the same order, so a message contains only
 * values. */
#ifndef COMPONENTS_MESSAGE_H
#define COMPONENTS_MESSAGE_H

#include "components/copies.h"
#include "ports/exchange_port.h"

struct message {
    int rank; /* the other rank */
    struct copies copies;
    double *buffer; /* packed values of the message; memory grows, and is kept until
                     * message_done */
    size_t room;    /* size in doubles */
};

static inline void message_done(struct message *m)
{
    copies_done(&m->copies);
    free(m->buffer);
    m->buffer = NULL;
    m->room = 0;
}

static inline size_t message_bytes(const struct message *m, int components)
{
    return (size_t)m->copies.cells * (size_t)components * sizeof(double);
}

static inline int message_reserve(struct message *m, int components)
{
    size_t needed = (size_t)m->copies.cells * (size_t)components;

    if (needed <= m->room)
        return 0;
    free(m->buffer);
    m->buffer = malloc(needed * sizeof *m->buffer);
    m->room = m->buffer ? needed : 0;
    return m->buffer ? 0 : -ENOMEM;
}

/* Start to receive the message. Returns 0 or a negative errno. */
static inline int message_receive(struct message *m, struct exchange_port *port, int tag,
                                  int components)
{
    int code = message_reserve(m, components);

    return code ? code
                : port->receive(port, m->rank, tag, m->buffer,
                                message_bytes(m, components));
}

/* Pack the values and start to send them. Returns 0 or a negative errno. */
static inline int message_send(struct message *m, struct exchange_port *port, int tag,
                               const struct copy_values *v)
{
    int code = message_reserve(m, v->components);

    if (code)
        return code;
    copies_pack(&m->copies, v, m->buffer);
    return port->send(port, m->rank, tag, m->buffer, message_bytes(m, v->components));
}

/* After the wait: copy the received values to their targets. */
static inline void message_unpack(const struct message *m, const struct copy_values *v)
{
    copies_unpack(&m->copies, v, m->buffer);
}

#endif
