/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h: what local agents send to the global one: packets over a stream socket.
 *
 *     packet    head of 32 bytes: mark, type, bytes of the payload, check of both
 *               payload, filled with zeros to whole 8 bytes
 *
 * A local agent begins with HELLO; for each mesh of each process it sends MESH, then what
 * belongs to it, each with the number that MESH gave; FLUSH asks for an ACK when all
 * that came before is in the file. Byte order is the machine's: HELLO has it.
 * Whoever receives trusts nothing: sizes are bounded, a packet whose check does not hold
 * ends the connection. */
#ifndef MESH_AGENT_WIRE_H
#define MESH_AGENT_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

enum {
    WIRE_VERSION = 2,
    WIRE_TOKEN_BYTES = 40, /* with its end */
    WIRE_PAYLOAD = 1 << 24 /* most bytes of a payload */
};
#define WIRE_MARK 0x4857454du /* "MEWH" */

enum wire_type {
    WIRE_HELLO = 1, /* struct wire_hello */
    WIRE_MESH,      /* struct wire_mesh, probes: struct mm_mesh_probe each */
    WIRE_BLOCK,     /* struct wire_place, struct mm_mesh_frame, packed values */
    WIRE_CENTRES,   /* struct wire_place, first and count as int64_t, doubles */
    WIRE_STEP,      /* struct wire_place, struct wire_step: the rank's step is whole */
    WIRE_LOST,      /* struct wire_place, struct mm_mesh_lost */
    WIRE_CLOSED,    /* struct wire_place: nothing more comes of this mesh and rank */
    WIRE_FLUSH,     /* int64_t */
    WIRE_ACK,       /* int64_t; the answer */
    WIRE_NOTE       /* struct wire_place, text */
};

struct wire_head {
    uint32_t mark, type;
    uint64_t bytes;
    uint64_t reserved;
    uint64_t check;
};

struct wire_hello {
    uint32_t version, order; /* WIRE_VERSION, 0x01020304 */
    char token[WIRE_TOKEN_BYTES];
};

/* A mesh of one process. */
struct wire_mesh {
    int32_t number;      /* chosen by the sender, new for each; from 0, ascending */
    int32_t rank, ranks; /* ranks 0: not known */
    int32_t probes;
    struct mm_mesh_about about;
};

struct wire_place {
    int32_t number; /* of wire_mesh */
    int32_t reserved;
};

struct wire_step {
    int64_t step;
    double time_s;
    uint32_t every; /* of how many steps the rank told one at this one; 1: all */
    uint32_t reserved;
};

/* A stream with what came and was not yet taken. Zeros, then fd, begin. */
struct wire {
    int fd;
    unsigned char *in;
    size_t have, room;
    size_t taken;       /* of the packets that were given since the last read */
    unsigned char *out; /* scratch */
    size_t out_room;
};

struct wire_packet {
    enum wire_type type;
    const unsigned char *payload; /* aligned to 8; valid until the next call */
    size_t bytes;
};

/* Send a packet of up to three parts, waiting as long as the other side does. 0 or a
 * negative errno, never a signal. */
int wire_send(struct wire *wire, enum wire_type type, const void *a, size_t a_bytes,
              const void *b, size_t b_bytes, const void *c, size_t c_bytes);

/* Read what has come, once. More than 0; 0: the other side has closed; -EAGAIN; another
 * negative errno. */
int64_t wire_read(struct wire *wire);

/* The next whole packet. 1, 0: none is whole, or -EBADMSG with found and expected. */
int wire_next(struct wire *wire, struct wire_packet *packet, struct cca_error *err);

void wire_done(struct wire *wire); /* frees, and closes fd where it is open */

/* Bytes of a whole packet of the types of fixed size hold `bytes`? The payload as a
 * struct, or NULL. */
static inline const void *wire_part(const struct wire_packet *packet, size_t at,
                                    size_t bytes)
{
    return at + bytes <= packet->bytes ? packet->payload + at : NULL;
}

#endif
