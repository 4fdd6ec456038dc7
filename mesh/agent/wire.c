/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.c: packets over a stream socket. */
#include "mesh/agent/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/array.h"

static size_t filled(uint64_t bytes)
{
    return ((size_t)bytes + 7) & ~(size_t)7;
}

/* Compute the check value of a header (its own member `check` excluded) and its padded
 * payload. */
static uint64_t check_of(const struct wire_head *head, const unsigned char *payload)
{
    uint64_t check =
        mm_block_check(head, offsetof(struct wire_head, check), MM_CHECK_START);

    return mm_block_check(payload, filled(head->bytes), check);
}

static unsigned char *put(unsigned char *at, const void *part, size_t bytes)
{
    if (bytes)
        memcpy(at, part, bytes);
    return at + bytes;
}

int wire_send(struct wire *wire, enum wire_type type, const void *a, size_t a_bytes,
              const void *b, size_t b_bytes, const void *c, size_t c_bytes)
{
    struct wire_head head = {WIRE_MARK, (uint32_t)type, a_bytes + b_bytes + c_bytes, 0,
                             0};
    size_t all = sizeof head + filled(head.bytes), sent = 0;
    unsigned char *at;

    if (head.bytes > WIRE_PAYLOAD)
        return -EMSGSIZE;
    if (cca_array_extend(&wire->out, &wire->out_room, 1, all))
        return -ENOMEM;
    at = put(put(put(wire->out + sizeof head, a, a_bytes), b, b_bytes), c, c_bytes);
    memset(at, 0, (size_t)(wire->out + all - at));
    head.check = check_of(&head, wire->out + sizeof head);
    memcpy(wire->out, &head, sizeof head);
    while (sent < all) {
        ssize_t n = send(wire->fd, wire->out + sent, all - sent, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR)
            return -errno;
        sent += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int64_t wire_read(struct wire *wire)
{
    enum { AT_ONCE = 1 << 18 };
    ssize_t got;

    if (wire->taken) { /* remove the packets already returned */
        wire->have -= wire->taken;
        memmove(wire->in, wire->in + wire->taken, wire->have);
        wire->taken = 0;
    }
    if (cca_array_extend(&wire->in, &wire->room, 1, wire->have + AT_ONCE))
        return -ENOMEM;
    do
        got = recv(wire->fd, wire->in + wire->have, wire->room - wire->have, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno == EWOULDBLOCK ? -EAGAIN : -errno;
    wire->have += (size_t)got;
    return got;
}

int wire_next(struct wire *wire, struct wire_packet *packet, struct cca_error *err)
{
    const unsigned char *at = wire->in + wire->taken;
    size_t have = wire->have - wire->taken, whole;
    struct wire_head head;

    if (have < sizeof head)
        return 0;
    memcpy(&head, at, sizeof head);
    if (head.mark != WIRE_MARK || head.type < WIRE_HELLO || head.type > WIRE_NOTE ||
        head.bytes > WIRE_PAYLOAD)
        return cca_error_set(err, -EBADMSG,
                             "found a packet of type %u with %llu bytes, expected one of "
                             "mesh-agent",
                             head.type, (unsigned long long)head.bytes);
    whole = sizeof head + (((size_t)head.bytes + 7) & ~(size_t)7);
    if (have < whole)
        return 0;
    packet->type = (enum wire_type)head.type;
    packet->payload = at + sizeof head;
    packet->bytes = (size_t)head.bytes;
    wire->taken += whole;
    if (check_of(&head, packet->payload) != head.check)
        return cca_error_set(err, -EBADMSG, "found a packet that is not as it was sent");
    return 1;
}

void wire_done(struct wire *wire)
{
    if (wire->fd >= 0)
        close(wire->fd);
    free(wire->in);
    free(wire->out);
    memset(wire, 0, sizeof *wire);
    wire->fd = -1;
}
